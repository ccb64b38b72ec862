from decimal import ROUND_HALF_UP, Decimal

import pytest
from money import CurrencyError, Money, discounted, tax_of, total


def test_of():
    assert Money.of("12.34") == Money(1234)
    assert Money.of(0.1) == Money(10)
    assert Money.of("1.005") == Money(101)
    assert Money.of(1.005) == Money(101)
    assert Money.of(Decimal("2.675"), "USD") == Money(268, "USD")
    assert Money.of(3) == Money(300)


def test_parse():
    assert Money.parse("EUR 1,234.50") == Money(123450)
    assert Money.parse(" USD5 ") == Money(500, "USD")
    assert Money.parse("-EUR 0.5") == Money(-50)
    assert Money.parse("GBP 1,234,567.89") == Money(123456789, "GBP")


@pytest.mark.parametrize("text", ["", "12.50", "EUR", "EUR 1.234", "EUR 1.50 net", "eur 5", "x EUR 5"])
def test_parse_refuses(text):
    with pytest.raises(ValueError, match="not an amount"):
        Money.parse(text)


def test_sums():
    assert Money(150) + Money(50) == Money(200)
    assert Money(150) - Money(50) == Money(100)
    assert -Money(5, "USD") == Money(-5, "USD")
    assert Money(5, "USD") + Money(6, "USD") == Money(11, "USD")


def test_currencies_do_not_mix():
    with pytest.raises(CurrencyError, match="EUR and USD"):
        Money(1) + Money(1, "USD")
    with pytest.raises(CurrencyError, match="EUR and USD"):
        Money(1) - Money(1, "USD")
    with pytest.raises(CurrencyError):
        assert Money(1) < Money(2, "USD")
    assert Money(1) != Money(1, "USD")


def test_order_and_truth():
    assert sorted([Money(3), Money(1)]) == [Money(1), Money(3)]
    assert not Money(1) < Money(1)
    assert Money(-1)
    assert not Money(0)


def test_times():
    assert Money(250).times(3) == Money(750)
    assert Money(5).times("0.5") == Money(2)
    assert Money(15).times("0.5") == Money(8)
    assert Money(5).times("0.5", ROUND_HALF_UP) == Money(3)
    assert Money(10, "USD").times(2).currency == "USD"


def test_format():
    assert Money(123450).format() == "€1,234.50"
    assert Money(-5).format() == "-€0.05"
    assert Money(100, "CHF").format() == "CHF 1.00"
    assert Money(100, "USD").format(sign=False) == "USD 1.00"


def test_split():
    assert Money(10).split(3) == [Money(4), Money(3), Money(3)]
    assert Money(9).split(3) == [Money(3)] * 3
    assert Money(5).split(1) == [Money(5)]
    with pytest.raises(ValueError, match="at least one"):
        Money(5).split(0)


def test_allocate():
    assert Money(100).allocate([1, 1, 1]) == [Money(34), Money(33), Money(33)]
    assert Money(5).allocate([3, 7]) == [Money(2), Money(3)]
    assert Money(100, "USD").allocate([1]) == [Money(100, "USD")]


def test_total():
    assert total([Money(1), Money(2)]) == Money(3)
    assert total([]) == Money(0)
    assert total([Money(1, "USD")], "USD") == Money(1, "USD")


def test_discounted():
    assert discounted(Money(1000), 25) == Money(750)
    assert discounted(Money(1000), 0) == Money(1000)
    assert discounted(Money(1000), 100) == Money(0)
    assert discounted(Money(1000), 50, least=Money(600)) == Money(600)
    assert discounted(Money(1000), 50, least=Money(400)) == Money(500)
    for percent in (-1, 101):
        with pytest.raises(ValueError, match="from 0 to 100"):
            discounted(Money(1000), percent)


def test_tax():
    assert tax_of(Money(119_00), 19) == Money(19_00)
    assert tax_of(Money(107), 7) == Money(7)
    assert tax_of(Money(100), 0) == Money(0)
