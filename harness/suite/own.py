"""Suites of one's own, by name: whoever has named one by its path need not do so again on this machine."""

from contextlib import suppress
from pathlib import Path

from harness.base.digest import digest_of
from harness.base.errors import HarnessError
from harness.base.paths import cache_root
from harness.base.store import Store

__all__ = ["is_path", "own_suite", "remember_suite"]

_KIND = "own-suites"


def is_path(suite: str) -> bool:
    """Whether a suite is named by its path."""
    return "/" in suite or suite.endswith(".toml")


def remember_suite(name: str, file: Path) -> None:
    """The suite of this name is the one that this file defines. A cache that cannot be written is no fault of it."""
    with suppress(HarnessError, OSError):
        store = Store(cache_root())
        if store.get(_KIND, _key(name)) != str(file):
            store.put(_KIND, _key(name), str(file))


def own_suite(name: str) -> Path | None:
    """The file that a suite of this name was last read from by its path, if it is there still.

    What it defines now may be something else: whoever reads it looks at its name.
    """
    if is_path(name):
        return None
    with suppress(HarnessError, OSError, ValueError):
        found = Store(cache_root()).get(_KIND, _key(name))
        if isinstance(found, str) and Path(found).is_file():
            return Path(found)
    return None


def _key(name: str) -> str:
    return digest_of(["own suite", name])
