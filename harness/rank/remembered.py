"""What statistics said of the same rows before: kept in the cache by the digest of what they were given.

A table's figures depend on nothing but the numbers of its rows, so that a new run file makes only the tables anew that
its rows are in.
"""

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from harness.base.digest import digest_of
from harness.base.paths import cache_root
from harness.base.store import Store

__all__ = ["remembered"]

_VERSION = 2
"""To be raised when ``harness.statistics`` comes to say something else of the same numbers."""
_AREA = "verdicts"


def remembered(what: str, given: Any, compute: Callable[[], Any]) -> Any:
    """What ``compute`` returns, from the cache where it was computed of the same before.

    ``given``: everything that it depends on, as JSON. It returns lists, words, whole numbers, truth values, None and
    floats, infinite ones too; every float comes back to the last bit.
    """
    key = digest_of([what, _VERSION, given])
    store = _store(cache_root())
    found = store.get(_AREA, key)
    if found is None:
        found = [_packed(compute())]
        store.put(_AREA, key, found)
    return _unpacked(found[0])


@lru_cache(maxsize=4)
def _store(root: Path) -> Store:
    return Store(root)


def _packed(value: Any) -> Any:
    if isinstance(value, float):
        return {"float": value.hex()}
    return [_packed(part) for part in value] if isinstance(value, list | tuple) else value


def _unpacked(value: Any) -> Any:
    if isinstance(value, dict):
        return float.fromhex(value["float"])
    return [_unpacked(part) for part in value] if isinstance(value, list) else value
