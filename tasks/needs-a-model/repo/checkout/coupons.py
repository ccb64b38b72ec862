"""Coupons, and the book of those that are valid at present."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Coupon:
    """Takes a percentage or a fixed amount (in cents) off an order whose value reaches `minimum`.

    An exclusive coupon is not meant to be combined with others.
    """

    code: str
    percent: int = 0
    amount: int = 0
    minimum: int = 0
    exclusive: bool = False


class UnknownCoupon(Exception):
    """Nobody knows the code that was entered."""


class CouponBook:
    """The valid coupons by their codes; upper and lower case are the same."""

    def __init__(self, coupons):
        self._coupons = {coupon.code.upper(): coupon for coupon in coupons}

    def find(self, code):
        """The coupon of that code. Raises UnknownCoupon."""
        try:
            return self._coupons[code.strip().upper()]
        except KeyError:
            raise UnknownCoupon(code) from None

    def entered(self, codes):
        """The coupons of all codes that a customer entered, each once, in that order."""
        return list(dict.fromkeys(self.find(code) for code in codes))
