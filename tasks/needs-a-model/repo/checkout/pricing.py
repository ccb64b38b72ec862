"""From a cart and coupons to what is to be paid."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Receipt:
    """Amounts in cents, and the codes of the coupons that were used."""

    subtotal: int
    discount: int
    codes: tuple

    @property
    def total(self):
        """What is to be paid."""
        return self.subtotal - self.discount


def discount_of(coupon, value):
    """What one coupon takes off `value`."""
    if coupon.percent:
        return value * coupon.percent // 100
    return min(coupon.amount, value)


def applicable(coupons, subtotal):
    """The coupons whose minimum the order reaches."""
    return [coupon for coupon in coupons if subtotal >= coupon.minimum]


def price(cart, book, codes=()):
    """The receipt for `cart` with the coupons that were entered. Raises UnknownCoupon."""
    subtotal = cart.subtotal
    left = subtotal
    used = []
    for coupon in applicable(book.entered(codes), subtotal):
        left -= discount_of(coupon, left)
        used.append(coupon.code)
    return Receipt(subtotal, subtotal - left, tuple(used))
