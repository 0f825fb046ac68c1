"""Hyphenation patterns in the form of Liang's for TeX, to go with the words of ``text``.

They are not those of English: rules for syllables, and pieces of words with digits that allow (odd)
or forbid (even) a break, as a program that learns patterns from a list would leave them.
"""

from random import Random

from harness.suite.generators import generator
from harness.suite.generators._draw import at_least, below, between, pick
from harness.suite.generators.text import words

__all__ = ["hyphenation"]

_VOWELS = "aeiou"
_CONSONANTS = "bcdfghjklmnpqrstvwxyz"
_TOGETHER = "blbrchckclcrdrflfrghglgrngphplprquscshskslsmsnspstswthtrtwwhwr"
"""Pairs of letters that stay together."""


def _piece(random: Random, word: str) -> str:
    """Three to six letters of the word (a full stop at its edge), with one to three digits between them."""
    marked = f".{word}."
    length = min(between(random, 3, 6), len(marked))
    start = below(random, len(marked) - length + 1)
    letters = marked[start : start + length]
    digits = [""] * (length + 1)
    for _ in range(between(random, 1, 3)):
        place = between(random, 1, length - 1)
        if letters[place - 1] != "." and letters[place] != ".":
            digits[place] = str(pick(random, (1, 1, 1, 2, 2, 3, 4, 5)))
    if not any(digits):
        digits[length // 2] = "1"
    return "".join(digit + letter for digit, letter in zip(digits, [*letters, ""], strict=True))


def _letters(pattern: str) -> str:
    """No two patterns have the same."""
    return "".join(letter for letter in pattern if not letter.isdigit())


def _syllables(random: Random, word: str) -> str:
    """The word with a hyphen or two."""
    middle = between(random, 2, len(word) - 3)
    return f"{word[:middle]}-{word[middle:]}"


@generator("hyphenation")
def hyphenation(random: Random, *, count: int = 4000, exceptions: int = 20) -> bytes:
    """About ``count`` patterns and ``exceptions`` hyphenated words, one a line."""
    at_least("count", count, 200)
    at_least("exceptions", exceptions, 0)
    plain = [f"1{consonant}{vowel}" for consonant in _CONSONANTS for vowel in _VOWELS]
    plain += [f"{a}2{b}" for a, b in zip(_TOGETHER[::2], _TOGETHER[1::2], strict=True)]
    found = {_letters(pattern): pattern for pattern in plain}
    known = words(random, count=900).decode("ascii").split()
    known = [word for word in known if len(word) >= 5]
    for _ in range(20 * count):
        if len(found) >= count:
            break
        pattern = _piece(random, pick(random, known))
        found.setdefault(_letters(pattern), pattern)
    hyphened = dict.fromkeys(_syllables(random, pick(random, known)) for _ in range(exceptions))
    return "".join(f"{line}\n" for line in (*found.values(), *hyphened)).encode("ascii")
