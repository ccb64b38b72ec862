import pytest

from checkout.cart import Cart
from checkout.coupons import Coupon, CouponBook
from checkout.pricing import price

BOOK = CouponBook(
    [
        Coupon("TEN", percent=10),
        Coupon("TWENTY", percent=20),
        Coupon("TWENTY2", percent=20),
        Coupon("THIRTY", percent=30, minimum=5000),
        Coupon("FIVER", amount=500),
        Coupon("TENNER", amount=1000),
        Coupon("FIFTY", amount=5000, minimum=8000),
        Coupon("VIP25", percent=25, exclusive=True),
        Coupon("VIP40", percent=40, minimum=6000, exclusive=True),
        Coupon("GIFT", amount=2500, exclusive=True),
    ]
)


def receipt(subtotal, *codes):
    """Discount and used codes of an order of that value."""
    result = price(Cart().add("thing", subtotal), BOOK, codes)
    assert result.total == subtotal - result.discount
    return result.discount, result.codes


@pytest.mark.parametrize(
    ("subtotal", "code", "discount"),
    [(4000, "TEN", 400), (4000, "FIVER", 500), (9999, "TWENTY", 1999), (8000, "THIRTY", 2400), (9000, "VIP40", 3600)],
)
def test_a_single_coupon_is_used(subtotal, code, discount):
    assert receipt(subtotal, code) == (discount, (code,))


def test_fixed_amounts_add_up():
    assert receipt(9000, "FIVER", "TENNER") == (1500, ("FIVER", "TENNER"))
    assert receipt(9000, "TENNER", "FIVER") == (1500, ("TENNER", "FIVER"))


def test_a_fixed_amount_comes_after_a_percentage():
    assert receipt(4000, "TEN", "FIVER") == (900, ("TEN", "FIVER"))


def test_a_code_counts_once():
    assert receipt(9000, "FIVER", "fiver", " FIVER ") == (500, ("FIVER",))
    assert receipt(9000, "TEN", "TEN") == (900, ("TEN",))


def test_a_percentage_is_taken_of_the_subtotal_whatever_was_entered_first():
    assert receipt(4000, "FIVER", "TEN") == (900, ("FIVER", "TEN"))
    assert receipt(9999, "TENNER", "TWENTY", "FIVER") == (3499, ("TENNER", "TWENTY", "FIVER"))
    assert receipt(8000, "FIVER", "TENNER", "THIRTY") == (3900, ("FIVER", "TENNER", "THIRTY"))


def test_only_the_largest_percentage_is_used():
    assert receipt(4000, "TEN", "TWENTY") == (800, ("TWENTY",))
    assert receipt(4000, "TWENTY", "TEN") == (800, ("TWENTY",))
    assert receipt(4000, "TWENTY2", "TWENTY") == (800, ("TWENTY2",))
    assert receipt(4000, "THIRTY", "TEN", "TWENTY") == (800, ("TWENTY",))
    assert receipt(5000, "TEN", "THIRTY", "TWENTY") == (1500, ("THIRTY",))
    assert receipt(5000, "TEN", "FIVER", "TWENTY", "TENNER") == (2500, ("FIVER", "TWENTY", "TENNER"))


def test_no_more_than_half_is_taken_off():
    assert receipt(800, "FIVER") == (400, ("FIVER",))
    assert receipt(801, "TENNER") == (400, ("TENNER",))
    assert receipt(2001, "TWENTY", "TENNER") == (1000, ("TWENTY", "TENNER"))
    assert receipt(8000, "FIFTY") == (4000, ("FIFTY",))
    assert receipt(9999, "FIFTY", "TEN") == (4999, ("FIFTY", "TEN"))
    assert receipt(3000, "GIFT") == (1500, ("GIFT",))


def test_an_exclusive_coupon_is_used_alone_or_not_at_all():
    # the exclusive one saves more
    assert receipt(8000, "VIP40", "TWENTY", "FIVER") == (3200, ("VIP40",))
    assert receipt(8000, "FIVER", "TEN", "GIFT") == (2500, ("GIFT",))
    assert receipt(8000, "VIP40", "THIRTY", "FIVER") == (3200, ("VIP40",))
    # the best of several exclusive ones
    assert receipt(8000, "VIP25", "VIP40", "GIFT") == (3200, ("VIP40",))
    assert receipt(7000, "VIP25", "GIFT", "FIVER") == (2500, ("GIFT",))
    # one whose minimum is not reached is none
    assert receipt(5900, "VIP40", "TWENTY") == (1180, ("TWENTY",))
    # the others together save more
    assert receipt(8000, "VIP25", "TWENTY", "TENNER") == (2600, ("TWENTY", "TENNER"))
    assert receipt(8000, "TENNER", "THIRTY", "VIP40", "FIVER") == (3900, ("TENNER", "THIRTY", "FIVER"))
    # the same: the others
    assert receipt(4000, "VIP25", "TENNER") == (1000, ("TENNER",))
    # both are worth half at most, so they are the same
    assert receipt(3000, "GIFT", "TWENTY", "TENNER") == (1500, ("TWENTY", "TENNER"))


def test_without_coupons_nothing_is_taken_off():
    assert receipt(4000) == (0, ())
    assert receipt(4000, "FIFTY", "THIRTY") == (0, ())
