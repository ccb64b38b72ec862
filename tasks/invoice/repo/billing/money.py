"""Amounts in euros with two decimals."""

from decimal import ROUND_HALF_UP, Decimal

CENT = Decimal("0.01")


def rounded(amount):
    """`amount` to the cent, halves away from zero."""
    return amount.quantize(CENT, rounding=ROUND_HALF_UP)


def share(amount, percent):
    """`percent` of `amount`, to the cent."""
    return rounded(amount * percent / Decimal(100))
