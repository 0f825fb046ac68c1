"""What is one's own, by name: who has named a suite or a policy by its path need not do so again on this machine."""

from contextlib import suppress
from pathlib import Path
from typing import Final

from harness.base.digest import digest_of
from harness.base.errors import HarnessError
from harness.base.paths import cache_root
from harness.base.store import Store

__all__ = ["own_policy", "own_suite", "remember_policy", "remember_suite", "suite_is_path"]

_SUITES: Final = "own-suites"
_POLICIES: Final = "own-policies"
"""Kinds of entries of the cache."""


def suite_is_path(suite: str) -> bool:
    """Whether a suite is named by its path."""
    return "/" in suite or suite.endswith(".toml")


def remember_suite(name: str, file: Path) -> None:
    """The suite of this name is the one that this file defines."""
    _remember(_SUITES, name, file)


def own_suite(name: str) -> Path | None:
    """The file that a suite of this name was last read from by its path, if it is there still.

    What it defines now may be something else: whoever reads it looks at its name.
    """
    found = None if suite_is_path(name) else _remembered(_SUITES, name)
    return found if found is not None and found.is_file() else None


def remember_policy(name: str, folder: Path) -> None:
    """The policy of this name is the one in this folder."""
    _remember(_POLICIES, name, folder)


def own_policy(name: str) -> Path | None:
    """The folder that a policy of this name was last read from by its path, if it is there still."""
    found = None if "/" in name else _remembered(_POLICIES, name)
    return found if found is not None and found.is_dir() else None


def _remember(kind: str, name: str, path: Path) -> None:
    """A cache that cannot be written is no fault of what is one's own."""
    with suppress(HarnessError, OSError):
        store = Store(cache_root())
        if store.get(kind, _key(name)) != str(path):
            store.put(kind, _key(name), str(path))


def _remembered(kind: str, name: str) -> Path | None:
    with suppress(HarnessError, OSError, ValueError):
        found = Store(cache_root()).get(kind, _key(name))
        return Path(found) if isinstance(found, str) else None
    return None


def _key(name: str) -> str:
    return digest_of(["own", name])
