"""An invoice and its settlement."""

from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal

from billing.money import rounded, share
from billing.terms import days_between, due_date, late_fee


@dataclass(frozen=True)
class Line:
    """So many pieces at a unit price, less a discount in percent."""

    text: str
    quantity: int
    unit_price: Decimal
    discount: Decimal = Decimal(0)

    @property
    def amount(self):
        """What the line costs before tax."""
        full = rounded(self.unit_price * self.quantity)
        return full - share(full, self.discount)


@dataclass
class Invoice:
    """What a customer owes. `tax` is in percent."""

    number: str
    issued: date
    lines: list = field(default_factory=list)
    tax: Decimal = Decimal(19)

    @property
    def due(self):
        """The last day on which it can be paid without a fee."""
        return due_date(self.issued)

    @property
    def subtotal(self):
        """All lines, before tax."""
        return sum((line.amount for line in self.lines), Decimal("0.00"))

    @property
    def total(self):
        """All lines, with tax."""
        return self.subtotal + share(self.subtotal, self.tax)

    def fee(self, paid):
        """The late fee if it is paid on the day `paid`; the fee is not taxed."""
        return late_fee(self.subtotal, days_between(paid, self.due))

    def payable(self, paid):
        """What has to be paid on the day `paid`."""
        return self.total + self.fee(paid)
