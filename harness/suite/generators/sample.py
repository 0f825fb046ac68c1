"""A random choice among given words, for lists of what a program has to work through."""

from random import Random

from harness.suite.generators import generator
from harness.suite.generators._draw import at_least, shuffle

__all__ = ["sample"]


@generator("sample")
def sample(random: Random, *, of: str = "one two three", count: int = 3) -> bytes:
    """``count`` words of ``of``, one a line, in random order; none comes again before all have come."""
    words = of.split()
    at_least("words", len(words), 1)
    chosen: list[str] = []
    while len(chosen) < count:
        shuffle(random, words)
        chosen += words
    return "".join(f"{word}\n" for word in chosen[:count]).encode()
