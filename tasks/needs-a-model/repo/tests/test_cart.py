import pytest

from checkout.cart import Cart
from checkout.coupons import Coupon, CouponBook, UnknownCoupon
from checkout.pricing import price

BOOK = CouponBook([Coupon("Ten", percent=10), Coupon("FIVER", amount=500, minimum=2000)])


def test_a_cart_adds_up_its_items():
    assert Cart().add("mug", 900, 2).add("tea", 450).subtotal == 2250
    assert Cart().subtotal == 0


def test_less_than_one_piece_is_refused():
    with pytest.raises(ValueError, match="0 pieces of mug"):
        Cart().add("mug", 900, 0)


def test_codes_are_found_in_any_case():
    assert BOOK.find(" ten").percent == 10


def test_an_unknown_code_is_an_error():
    with pytest.raises(UnknownCoupon):
        price(Cart().add("mug", 900), BOOK, ["TEN", "NOPE"])


def test_a_coupon_counts_from_its_minimum_on():
    assert price(Cart().add("mug", 2000), BOOK, ["FIVER"]).discount == 500
    assert price(Cart().add("mug", 1999), BOOK, ["FIVER"]).discount == 0


def test_an_empty_cart_costs_nothing():
    assert price(Cart(), BOOK, ["TEN"]).total == 0
