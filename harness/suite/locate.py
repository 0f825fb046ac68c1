"""Where a field stands in a TOML file. The standard library's parser gives values without their lines."""

import re
from collections.abc import Sequence

__all__ = ["Lines", "locate"]

# Possessive: a line takes time in proportion to its length, whatever it holds.
_HEADER = re.compile(r"\s*+(\[\[?+)([^\[\]]++)\]\]?+\s*+(?:#.*+)?\Z")
_KEY = re.compile(r"""\s*+((?:[\w-]++|"[^"]*+"|'[^']*+')(?:\s*+\.\s*+(?:[\w-]++|"[^"]*+"|'[^']*+'))*+)\s*+=""")
_PART = re.compile(r"""[\w-]+|"[^"]*"|'[^']*'""")
_LONG_STRINGS = ('"' * 3, "'" * 3)

Path = tuple[str | int, ...]


class Lines:
    """The lines of a TOML text's fields: the text is read once, however many fields are looked for."""

    def __init__(self, text: str) -> None:
        self._lines = _lines(text)

    def locate(self, path: Sequence[str | int]) -> int | None:
        """The line, from 1, of the field at the path (``("benchmarks", 1, "files")``), or of the innermost table
        around it.

        None when not even the outermost part of the path is there. Fields inside a value, such as those of an inline
        table, stand where the value begins.
        """
        for length in range(len(path), 0, -1):
            if line := self._lines.get(tuple(path[:length])):
                return line
        return None


def locate(text: str, path: Sequence[str | int]) -> int | None:
    """See ``Lines.locate``."""
    return Lines(text).locate(path)


def _lines(text: str) -> dict[Path, int]:
    """Every table's and every key's first line."""
    found: dict[Path, int] = {}
    entries: dict[Path, int] = {}
    table: Path = ()
    open_string: str | None = None
    for number, line in enumerate(text.splitlines(), start=1):
        if open_string is not None:
            if open_string in line:
                open_string = None
            continue
        if header := _HEADER.match(line):
            table = _table(header[2], entries, array=header[1] == "[[")
            found.setdefault(table, number)
        elif key := _KEY.match(line):
            found.setdefault((*table, *_parts(key[1])), number)
        open_string = next((mark for mark in _LONG_STRINGS if line.count(mark) % 2), None)
    return found


def _table(name: str, entries: dict[Path, int], *, array: bool) -> Path:
    """The path that a header names: of an array of tables, its newest entry."""
    path: Path = ()
    parts = _parts(name)
    for position, part in enumerate(parts):
        path = (*path, part)
        if array and position == len(parts) - 1:
            entries[path] = entries.get(path, -1) + 1
        if path in entries:
            path = (*path, entries[path])
    return path


def _parts(name: str) -> tuple[str, ...]:
    return tuple(part.strip("\"'") for part in _PART.findall(name))
