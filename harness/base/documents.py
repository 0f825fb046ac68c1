"""TOML and JSON that others have written, as plain values whose depth and numbers are bounded.

What comes out can be shown, compared and walked without care: no more than ``DEEPEST`` levels, no integer of more than
``DIGITS`` digits. Parsing takes time in proportion to the text; the text's size is bounded by who reads it.
"""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

from harness.base.errors import UsageError
from harness.base.reading import read_text

__all__ = ["DEEPEST", "DIGITS", "parse_json", "parse_toml", "read_toml"]

DEEPEST = 32
"""Levels of tables and lists in TOML, and names in one of its keys."""
DIGITS = 38
"""Of an integer in TOML: more than 64 bits, in which some sums of costs do not fit."""

_SHOWN = 60
_TOO_DEEP = f"nested more than {DEEPEST} levels deep"
# Comments and strings, closed or not: possessive, so that nothing is looked at twice.
_NOT_KEYS = re.compile(
    r'#[^\n]*+|"""(?:[^"\\]++|\\.|""?(?!"))*+"{0,5}+'
    r"|'''(?:[^']++|''?(?!'))*+'{0,5}+"
    r'|"(?:[^"\\\n]++|\\.)*+"?|\'[^\'\n]*+\'?',
    re.DOTALL,
)
_BETWEEN_KEYS = re.compile(r"[=,\[\]{}\n]")


def read_toml(file: Path, most: int, *, inside: Path | None = None) -> dict[str, Any]:
    """The content of a TOML file of at most ``most`` bytes. Raises UsageError, naming the file, for any other."""
    return parse_toml(read_text(file, most, inside=inside), str(file))


def parse_toml(text: str, where: str) -> dict[str, Any]:
    """The content of a TOML text. Raises UsageError, with ``where`` in it, for one that is none or too deep."""
    # The parser compares every beginning of a key with every table: a key of n names takes n² steps.
    if any(piece.count(".") >= DEEPEST for piece in _BETWEEN_KEYS.split(_NOT_KEYS.sub("s", text))):
        raise UsageError(f"a key of more than {DEEPEST} names", where=where)
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"not TOML: {str(error)[:200]}", where=where) from None
    except RecursionError:
        raise UsageError(_TOO_DEEP, where=where) from None
    except ValueError as error:  # int() of thousands of digits; a date that no calendar has
        message = f"an integer of more than {DIGITS} digits" if "digits" in str(error) else f"not TOML: {error}"
        raise UsageError(message, where=where) from None
    _require_bounded(content, where)
    return content


def parse_json(content: bytes, where: str, *, containers: int, hint: str | None = None) -> Any:
    """The value of a JSON text with at most ``containers`` lists and objects, each of which takes far more memory
    than text. Raises UsageError, with ``where`` in it, for anything else, and for an object that has a name twice:
    people read the first, the parser takes the last.
    """
    if content.count(b"[") + content.count(b"{") > containers:
        raise UsageError(f"more than {containers:,} lists and objects", where=where)
    try:
        return json.loads(content, object_pairs_hook=_each_once)
    except RecursionError:
        raise UsageError("nested too deeply", where=where) from None
    except _TwiceError as error:
        raise UsageError(f"the name {error.args[0][:_SHOWN]!a} is there twice", where=where) from None
    except UnicodeDecodeError:
        raise UsageError("not JSON: not UTF-8 text", where=where, hint=hint) from None
    except ValueError as error:  # int() of thousands of digits is one too
        raise UsageError(f"not JSON: {str(error)[:200]}", where=where, hint=hint) from None


class _TwiceError(Exception):
    """A name is there twice."""


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise _TwiceError(name)
        found[name] = value
    return found


def _require_bounded(content: Any, where: str) -> None:
    """Raise UsageError for a value that is nested too deeply or has an integer of too many digits."""
    level: list[Any] = [content]
    for _ in range(DEEPEST + 1):
        below: list[Any] = []
        for value in level:
            if isinstance(value, dict):
                below += value.values()
            elif isinstance(value, list):
                below += value
            elif isinstance(value, int) and not -(10**DIGITS) < value < 10**DIGITS:
                raise UsageError(f"an integer of more than {DIGITS} digits", where=where)
        if not below:
            return
        level = below
    raise UsageError(_TOO_DEEP, where=where)
