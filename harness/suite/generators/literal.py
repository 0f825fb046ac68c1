"""Input that the suite's definition spells out: empty files, malformed ones, a few lines. The seed has no effect."""

from random import Random

from harness.base.errors import UsageError
from harness.suite.generators import generator
from harness.suite.generators._draw import at_least

__all__ = ["hexadecimal", "literal"]


@generator("literal", seeded=False)
def literal(_: Random, *, text: str = "", repeat: int = 1) -> bytes:
    """``text`` in UTF-8, ``repeat`` times over; an empty file without it."""
    at_least("repeat", repeat, 0)
    return text.encode() * repeat


@generator("hexadecimal", seeded=False)
def hexadecimal(_: Random, *, digits: str = "", repeat: int = 1) -> bytes:
    """The bytes that ``digits`` spell, two a byte, white space between bytes allowed; ``repeat`` times over."""
    at_least("repeat", repeat, 0)
    try:
        return bytes.fromhex(digits) * repeat
    except ValueError as error:
        raise UsageError(f"digits: {error}", hint="two hexadecimal digits a byte") from None
