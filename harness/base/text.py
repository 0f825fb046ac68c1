"""Text from elsewhere, made safe to show: no control characters, no marks that turn its direction, no look-alikes.

What a policy prints, what a manifest says and what a file is called reach terminals, pages and run files. A terminal
obeys escape sequences, and a right-to-left mark lets a line read as another one. Here such characters become visible
escapes.
"""

import difflib
import unicodedata
from collections.abc import Iterable

__all__ = ["closest", "comment", "duration", "is_printable", "lookalike", "printable", "printable_line", "words"]

_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode's categories of characters that are not to be seen: controls, format marks (among them those of direction),
halves of surrogates, private use, unassigned, line and paragraph separators."""
_FILLERS = frozenset("\u115f\u1160\u3164\uffa0\u2800\u034f\u17b4\u17b5\u180b\u180c\u180d\u180f")
"""Letters, marks and symbols by category that look like nothing at all."""
_SELECTORS = (range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0))
"""Marks that choose a variant of the character before them. There are as many as a byte has values."""
_SAME = str.maketrans({"0": "o", "1": "l", "i": "l", "|": "l", "5": "s", "_": None, "-": None, ".": None})


def is_printable(text: str, *, lines: bool = False) -> bool:
    """Whether every character is one to be seen, or a blank; ``lines``: line feeds are allowed."""
    return printable(text, lines=lines) == text


def printable(text: str, *, lines: bool = True) -> str:
    """The text with everything that is not to be seen as an escape: ``\\x1b[31m``, ``\\u202e``.

    ``lines``: line feeds stay.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if (c == "\n" and lines) or not _is_invisible(c) else _escaped(c) for c in text)


def printable_line(text: str, most: int = 1000) -> str:
    """The same in one line of at most ``most`` characters."""
    shown = printable(text.strip(), lines=False)
    return shown if len(shown) <= most else f"{shown[: most - 1]}…"


def lookalike(name: str) -> str:
    """What is left of an ASCII name for the eye: names with an equal one are easily taken for each other."""
    return name.casefold().translate(_SAME)


def closest(name: str, known: Iterable[str]) -> str | None:
    """The one of the known names that is meant most likely; None where none is near."""
    folded = {one.casefold(): one for one in known}
    found = difflib.get_close_matches(name.casefold(), folded, n=1)
    return folded[found[0]] if found else None


def _is_invisible(character: str) -> bool:
    if character in _FILLERS or unicodedata.category(character) in _INVISIBLE:
        return True
    return any(ord(character) in one for one in _SELECTORS)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def duration(seconds: float) -> str:
    """``75`` → ``1:15``; below a minute in seconds."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    return (
        f"{whole // 60}:{whole % 60:02d}"
        if whole < 3600
        else f"{whole // 3600}:{whole % 3600 // 60:02d}:{whole % 60:02d}"
    )


def comment(text: str) -> str:
    """A comment of one line, whatever the text holds."""
    return f"# {printable_line(text)}"


def words(values: list[str] | None) -> list[str]:
    """Repeated options, each of which may be a comma-separated list."""
    return [word.strip() for value in values or [] for word in value.split(",") if word.strip()]
