"""Saying no to a model."""

__all__ = ["Refused", "shown"]

_LONGEST = 60


class Refused(Exception):
    """A model that is not taken; the message says what is at fault, what is allowed, and what to do."""


def shown(name: str) -> str:
    """A name out of the model as it may appear in a message: quoted, in ASCII, not long."""
    return ascii(name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…")
