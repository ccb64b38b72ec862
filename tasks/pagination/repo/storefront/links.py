"""Links between the pages of a listing, as the Link header carries them."""

from urllib.parse import urlencode


def page_url(path, number, size):
    """The address of one page."""
    query = urlencode({"page": number, "size": size})
    return f"{path}?{query}"


def link_header(path, page):
    """The Link header of a page; empty where there is nothing before or after it."""
    links = []
    if page.has_previous:
        links.append((page_url(path, page.number - 1, page.size), "prev"))
    if page.has_next:
        links.append((page_url(path, page.number + 1, page.size), "next"))
    return ", ".join(f'<{url}>; rel="{relation}"' for url, relation in links)


def caption(page):
    """What stands above a listing."""
    if not page.items:
        return "No products"
    return f"{page.first_position}-{page.last_position} of {page.total} products"
