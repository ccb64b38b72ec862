"""Product listings of the shop."""
