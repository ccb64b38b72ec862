import pytest

from storefront.links import link_header
from storefront.paging import paginate


def walk(count, size):
    """The pages that somebody sees who follows the next links."""
    pages = [paginate(range(count), 1, size)]
    while pages[-1].has_next:
        assert len(pages) <= count, "the next links do not end"
        pages.append(paginate(range(count), pages[-1].number + 1, size))
    return pages


def test_pages_hold_the_right_items():
    assert paginate("abcdefg", 1, 3).items == ("a", "b", "c")
    assert paginate("abcdefg", 2, 3).items == ("d", "e", "f")
    assert paginate("abcdefg", 3, 3).items == ("g",)


def test_a_page_beyond_the_last_is_empty_and_the_end():
    page = paginate(range(10), 7, 3)
    assert page.items == ()
    assert not page.has_next


def test_a_first_full_page_is_followed_by_a_partial_one():
    assert paginate(range(25), 1, 24).has_next
    assert not paginate(range(25), 2, 24).has_next


def test_a_page_in_the_middle_has_neighbours():
    page = paginate(range(100), 3, 10)
    assert page.has_previous
    assert page.has_next


def test_a_full_last_page_has_no_next():
    for count, size in [(24, 24), (48, 24), (96, 24), (48, 48), (10, 1), (9, 3)]:
        last = count // size
        assert not paginate(range(count), last, size).has_next, (count, size)
        if last > 1:
            assert paginate(range(count), last - 1, size).has_next, (count, size)


def test_following_next_shows_each_item_once_and_no_empty_page():
    for size in range(1, 9):
        for count in range(1, 40):
            pages = walk(count, size)
            assert [item for page in pages for item in page.items] == list(range(count))
            assert all(page.items for page in pages), (count, size)


def test_the_last_link_header_of_a_full_listing_leads_back_only():
    page = paginate(range(48), 2, 24)
    assert link_header("/c/lamps", page) == '</c/lamps?page=1&size=24>; rel="prev"'


def test_pages_before_the_first_are_refused():
    for number in (0, -1):
        with pytest.raises(ValueError, match="counted from 1"):
            paginate(range(10), number, 3)


def test_sizes_are_kept_within_the_limits():
    assert paginate(range(500), 1, None).size == 24
    assert paginate(range(500), 1, 1000).size == 96
    assert paginate(range(500), 1, 0).size == 1
