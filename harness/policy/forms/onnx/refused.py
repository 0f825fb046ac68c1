"""Saying no to a model."""

__all__ = ["Refused", "shown"]

_LONGEST = 60


class Refused(Exception):
    """A model that is not taken; the message says what is at fault, what is allowed, and what to do."""


def shown(name: str | bytes) -> str:
    """A name out of the model as it may appear in a message: quoted, in ASCII, not long. Bytes: it is no UTF-8."""
    text = name.decode("utf-8", "backslashreplace") if isinstance(name, bytes) else name
    return ascii(text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…")
