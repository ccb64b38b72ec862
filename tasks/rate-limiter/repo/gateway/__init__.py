"""A gateway in front of a billed service."""
