import pytest

from storefront.catalog import Product, listing
from storefront.links import caption, link_header

PRODUCTS = [
    Product("L1", "desk lamp", 2900, "lamps"),
    Product("L2", "Arc lamp", 9900, "lamps", in_stock=False),
    Product("L3", "clip lamp", 1900, "lamps"),
    Product("R1", "wool rug", 14900, "rugs"),
]


def skus(page):
    return [product.sku for product in page.items]


def test_a_listing_holds_one_category_sorted_by_name():
    assert skus(listing(PRODUCTS, "lamps")) == ["L2", "L3", "L1"]


def test_a_listing_can_be_sorted_by_price():
    assert skus(listing(PRODUCTS, "lamps", order="price")) == ["L3", "L1", "L2"]


def test_what_is_sold_out_can_be_left_out():
    assert skus(listing(PRODUCTS, "lamps", only_in_stock=True)) == ["L3", "L1"]


def test_an_unknown_order_is_refused():
    with pytest.raises(KeyError):
        listing(PRODUCTS, "lamps", order="colour")


def test_pages_link_to_their_neighbours():
    page = listing(PRODUCTS, "lamps", number=1, size=2)
    assert link_header("/c/lamps", page) == '</c/lamps?page=2&size=2>; rel="next"'
    page = listing(PRODUCTS, "lamps", number=2, size=2)
    assert link_header("/c/lamps", page) == '</c/lamps?page=1&size=2>; rel="prev"'


def test_the_caption_counts_positions():
    assert caption(listing(PRODUCTS, "lamps", size=2)) == "1-2 of 3 products"
    assert caption(listing(PRODUCTS, "lamps", number=2, size=2)) == "3-3 of 3 products"
    assert caption(listing(PRODUCTS, "sofas")) == "No products"
