from datetime import date, timedelta
from decimal import Decimal

import pytest

from billing.invoice import Invoice, Line
from billing.terms import days_between, late_fee


@pytest.fixture
def invoice():
    """1,000 euros before tax, due on 31 October."""
    return Invoice("2026-0401", date(2026, 10, 1), [Line("consulting", 10, Decimal("100.00"))])


def test_paying_on_the_due_date_costs_nothing_extra(invoice):
    assert invoice.due == date(2026, 10, 31)
    assert invoice.fee(date(2026, 10, 31)) == 0
    assert invoice.payable(date(2026, 10, 31)) == Decimal("1190.00")


def test_paying_early_costs_nothing_extra(invoice):
    for days in (1, 2, 10, 29, 30):
        assert invoice.fee(invoice.due - timedelta(days=days)) == 0


def test_each_day_late_costs_its_share(invoice):
    for days, fee in ((1, "0.50"), (2, "1.00"), (10, "5.00"), (45, "22.50"), (80, "40.00")):
        assert invoice.fee(invoice.due + timedelta(days=days)) == Decimal(fee)


def test_the_fee_is_capped(invoice):
    for days in (81, 200, 4000):
        assert invoice.fee(invoice.due + timedelta(days=days)) == Decimal("40.00")


def test_the_fee_is_added_to_the_total(invoice):
    assert invoice.payable(date(2026, 11, 7)) == Decimal("1193.50")
    assert invoice.payable(date(2026, 10, 5)) == Decimal("1190.00")


def test_the_fee_is_rounded_to_the_cent():
    assert late_fee(Decimal("75.50"), 18) == Decimal("0.68")
    assert late_fee(Decimal("10.00"), 1) == Decimal("0.01")
    assert late_fee(Decimal("10.00"), 0) == 0


def test_days_are_counted_forward_only():
    assert days_between(date(2026, 2, 27), date(2026, 3, 2)) == 3
    assert days_between(date(2026, 3, 2), date(2026, 2, 27)) == 0
    assert days_between(date(2026, 3, 2), date(2026, 3, 2)) == 0
