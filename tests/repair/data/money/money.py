"""Amounts of money, exact to the cent."""

import re
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal

CENT = Decimal("0.01")
SIGNS = {"EUR": "€", "USD": "$", "GBP": "£"}
PATTERN = re.compile(r"^(-?)([A-Z]{3}) ?(\d+(?:,\d{3})*(?:\.\d{1,2})?)$")


class CurrencyError(TypeError):
    """Two currencies in one sum."""


class Money:
    """So many cents of a currency."""

    def __init__(self, cents, currency="EUR"):
        self.cents = cents
        self.currency = currency

    @classmethod
    def of(cls, amount, currency="EUR"):
        """From a decimal, a number or a text; halves of a cent go up."""
        exact = Decimal(str(amount)).quantize(CENT, rounding=ROUND_HALF_UP)
        return cls(int(exact * 100), currency)

    @classmethod
    def parse(cls, text):
        """From `EUR 1,234.50`; ValueError for anything else."""
        match = PATTERN.match(text.strip())
        if match is None:
            raise ValueError(f"not an amount: {text!r}")
        minus, currency, digits = match.groups()
        amount = Decimal(digits.replace(",", ""))
        return cls.of(-amount if minus else amount, currency)

    def _same(self, other):
        if self.currency != other.currency:
            raise CurrencyError(f"{self.currency} and {other.currency}")

    def __eq__(self, other):
        return isinstance(other, Money) and self.cents == other.cents and self.currency == other.currency

    def __hash__(self):
        return hash((self.cents, self.currency))

    def __repr__(self):
        return f"Money({self.cents}, {self.currency!r})"

    def __add__(self, other):
        self._same(other)
        return Money(self.cents + other.cents, self.currency)

    def __sub__(self, other):
        self._same(other)
        return Money(self.cents - other.cents, self.currency)

    def __neg__(self):
        return Money(-self.cents, self.currency)

    def __lt__(self, other):
        self._same(other)
        return self.cents < other.cents

    def __bool__(self):
        return self.cents != 0

    def times(self, factor, rounding=ROUND_HALF_EVEN):
        """Multiplied; halves of a cent go to the even one unless told otherwise."""
        exact = Decimal(self.cents) * Decimal(str(factor))
        return Money(int(exact.quantize(Decimal(1), rounding=rounding)), self.currency)

    def format(self, sign=True):
        """For people: `-€1,234.50`, or with the currency's code."""
        whole, cents = divmod(abs(self.cents), 100)
        number = f"{whole:,}.{cents:02d}"
        minus = "-" if self.cents < 0 else ""
        mark = SIGNS.get(self.currency, self.currency + " ") if sign else self.currency + " "
        return f"{minus}{mark}{number}"

    def split(self, parts):
        """As equal parts as can be; what is left over goes to the first ones."""
        if parts < 1:
            raise ValueError("at least one part")
        each, over = divmod(self.cents, parts)
        return [Money(each + (1 if number < over else 0), self.currency) for number in range(parts)]

    def allocate(self, ratios):
        """Parts in a ratio; nothing is lost."""
        whole = sum(ratios)
        parts = [self.cents * ratio // whole for ratio in ratios]
        over = self.cents - sum(parts)
        for number in range(over):
            parts[number] += 1
        return [Money(part, self.currency) for part in parts]


def total(amounts, currency="EUR"):
    """The sum; nothing is zero of the currency."""
    found = Money(0, currency)
    for amount in amounts:
        found += amount
    return found


def discounted(price, percent, least=None):
    """A price with so many percent off, but never below `least`."""
    if not 0 <= percent <= 100:
        raise ValueError("percent is from 0 to 100")
    new = price.times(Decimal(100 - percent) / 100)
    if least is not None and new < least:
        return least
    return new


def tax_of(gross, percent):
    """The tax inside a gross price."""
    net = gross.times(Decimal(100) / (100 + percent))
    return gross - net
