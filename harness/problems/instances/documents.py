"""Files of instances, read within limits: JSON, plain or gzipped. What it means is not this module's affair."""

import json
import zlib
from typing import Any, NoReturn

from harness.base.errors import UsageError

__all__ = ["read_json", "unpacked"]

_GZIP = b"\x1f\x8b"
_MOST_BYTES = 1 << 29
"""Of what is unpacked. The largest instance of the sharding contest has 160 MB."""
_MOST_LISTS = 20_000_000
"""In JSON: each takes twenty times the memory of its text."""


def read_json(content: bytes, where: str) -> Any:
    """The document, in Python's values. Raises UsageError, with ``where`` in it, for anything that is not one."""
    return _json(unpacked(content, where), where)


def unpacked(content: bytes, where: str) -> bytes:
    """The content, without gzip. Raises UsageError where that is damaged, or what it holds too large."""
    return _unzipped(content, where) if content.startswith(_GZIP) else content


def _unzipped(content: bytes, where: str) -> bytes:
    unpacker = zlib.decompressobj(wbits=31)
    try:
        text = unpacker.decompress(content, _MOST_BYTES)
    except zlib.error as error:
        raise UsageError(f"damaged gzip: {error}", where=where, hint="fetch the file again") from None
    if unpacker.unconsumed_tail:
        raise UsageError(f"it unpacks to more than {_MOST_BYTES:,} bytes", where=where)
    if not unpacker.eof:
        raise UsageError(
            f"truncated gzip: it ends after {len(text):,} bytes of JSON", where=where, hint="fetch the file again"
        )
    if unpacker.unused_data:
        more = len(unpacker.unused_data)
        raise UsageError(f"damaged gzip: {more:,} bytes behind its end", where=where, hint="fetch the file again")
    return text


def _json(text: bytes, where: str) -> Any:
    if len(text) > _MOST_BYTES:
        raise UsageError(f"it has more than {_MOST_BYTES:,} bytes", where=where)
    if text.count(b"[") + text.count(b"{") > _MOST_LISTS:
        raise UsageError(f"it has more than {_MOST_LISTS:,} lists", where=where)
    try:
        return json.loads(text, parse_constant=_no_number)
    except UnicodeDecodeError as error:
        raise UsageError(f"not UTF-8 text (byte {error.start:,})", where=where) from None
    except json.JSONDecodeError as error:
        raise UsageError(f"not JSON: {error.msg} (line {error.lineno}, column {error.colno})", where=where) from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"not JSON: {error}", where=where) from None


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a number of JSON's")
