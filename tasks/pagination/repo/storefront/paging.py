"""Cutting a listing into pages."""

from dataclasses import dataclass

DEFAULT_SIZE = 24
LARGEST_SIZE = 96


@dataclass(frozen=True)
class Page:
    """One page of a listing. Pages are counted from 1."""

    items: tuple
    number: int
    size: int
    total: int

    @property
    def has_previous(self):
        """Whether a page comes before this one."""
        return self.number > 1

    @property
    def has_next(self):
        """Whether a page comes after this one."""
        return self.number * self.size <= self.total

    @property
    def first_position(self):
        """Position of the first item within the whole listing, counted from 1; 0 for an empty page."""
        if not self.items:
            return 0
        return (self.number - 1) * self.size + 1

    @property
    def last_position(self):
        """Position of the last item within the whole listing; 0 for an empty page."""
        if not self.items:
            return 0
        return self.first_position + len(self.items) - 1


def clean_size(size):
    """A page size within the shop's limits; the default where none is asked for."""
    if size is None:
        return DEFAULT_SIZE
    return max(1, min(size, LARGEST_SIZE))


def paginate(items, number=1, size=None):
    """Page `number` of `items`. Raises ValueError for a page before the first."""
    if number < 1:
        raise ValueError(f"pages are counted from 1, not {number}")
    size = clean_size(size)
    start = (number - 1) * size
    return Page(tuple(items[start : start + size]), number, size, len(items))
