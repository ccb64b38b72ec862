"""The products of a category, filtered and sorted before they are cut into pages."""

from dataclasses import dataclass

from storefront.paging import paginate


@dataclass(frozen=True)
class Product:
    """A product as a listing shows it. The price is in cents."""

    sku: str
    name: str
    price: int
    category: str
    in_stock: bool = True


ORDERS = {
    "name": lambda product: (product.name.casefold(), product.sku),
    "price": lambda product: (product.price, product.sku),
}


def listing(products, category, order="name", only_in_stock=False, number=1, size=None):
    """A page of one category's products. Raises KeyError for an unknown order."""
    key = ORDERS[order]
    chosen = [product for product in products if product.category == category]
    if only_in_stock:
        chosen = [product for product in chosen if product.in_stock]
    return paginate(sorted(chosen, key=key), number, size)
