"""Reading what a policy may have forged: the log of decisions lies in the folder that its process can write to."""

from collections.abc import Iterator

__all__ = ["NAME", "lines_of"]

NAME = r"[!-$&-~]*(?:%(?:[01][0-9a-f]|2[05]|7f|[89a-f][0-9a-f])[!-$&-~]*)*"
"""A regular expression of a function's name as plugins write it (``native/policy/log.h``): ``%xx`` for what is no
printable ASCII, and for a per cent sign, and for nothing else. So a name has one spelling.
"""


def lines_of(text: str) -> Iterator[str]:
    """The lines, each when it is asked for: a log that is refused at its beginning costs no list of all of them."""
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        yield text[start:end]
        start = end + 1
