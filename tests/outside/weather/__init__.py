"""A problem that has a page of its own: every sort of part that a page can draw."""
