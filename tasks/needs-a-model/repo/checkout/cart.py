"""What a customer is about to buy."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Item:
    """So many pieces of an article; the price of one is in cents."""

    article: str
    price: int
    quantity: int = 1


@dataclass
class Cart:
    """Items in the order in which they were put in."""

    items: list = field(default_factory=list)

    def add(self, article, price, quantity=1):
        """Put some pieces in. Raises ValueError for less than one."""
        if quantity < 1:
            raise ValueError(f"{quantity} pieces of {article}")
        self.items.append(Item(article, price, quantity))
        return self

    @property
    def subtotal(self):
        """The order's value before any discount, in cents."""
        return sum(item.price * item.quantity for item in self.items)
