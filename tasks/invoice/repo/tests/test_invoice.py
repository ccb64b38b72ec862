from datetime import date
from decimal import Decimal

from billing.invoice import Invoice, Line
from billing.money import rounded, share
from billing.terms import due_date


def test_a_line_is_pieces_times_price():
    assert Line("cable", 3, Decimal("4.99")).amount == Decimal("14.97")


def test_a_line_can_have_a_discount():
    assert Line("cable", 3, Decimal("4.99"), discount=Decimal(10)).amount == Decimal("13.47")


def test_an_invoice_adds_its_lines_and_the_tax():
    invoice = Invoice("1", date(2026, 1, 2), [Line("a", 2, Decimal("10.00")), Line("b", 1, Decimal("0.99"))])
    assert invoice.subtotal == Decimal("20.99")
    assert invoice.total == Decimal("24.98")


def test_an_invoice_without_lines_is_zero():
    assert Invoice("1", date(2026, 1, 2)).total == Decimal("0.00")


def test_the_tax_can_differ():
    invoice = Invoice("1", date(2026, 1, 2), [Line("book", 1, Decimal("20.00"))], tax=Decimal(7))
    assert invoice.total == Decimal("21.40")


def test_halves_are_rounded_up():
    assert rounded(Decimal("0.125")) == Decimal("0.13")
    assert rounded(Decimal("-0.125")) == Decimal("-0.13")
    assert share(Decimal("0.50"), Decimal(1)) == Decimal("0.01")


def test_an_invoice_is_due_after_thirty_days():
    assert due_date(date(2026, 1, 31)) == date(2026, 3, 2)
    assert due_date(date(2026, 1, 31), days=14) == date(2026, 2, 14)
