"""Terms of payment: when an invoice is due and what being late costs."""

from datetime import timedelta
from decimal import Decimal

from billing.money import rounded

PAYMENT_DAYS = 30
FEE_PERCENT_A_DAY = Decimal("0.05")
HIGHEST_FEE_PERCENT = Decimal("4")


def due_date(issued, days=PAYMENT_DAYS):
    """The last day on which an invoice can be paid without a fee."""
    return issued + timedelta(days=days)


def days_between(start, end):
    """Days from `start` to `end`; 0 where `end` is not after `start`."""
    return max(0, (end - start).days)


def late_fee(amount, days):
    """The fee for paying `amount` so many days late."""
    percent = min(FEE_PERCENT_A_DAY * days, HIGHEST_FEE_PERCENT)
    return rounded(amount * percent / Decimal(100))
