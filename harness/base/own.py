"""What is one's own, by name: who has named a suite or a policy by its path need not do so again on this machine."""

from contextlib import suppress
from pathlib import Path
from typing import Final

from harness.base.digest import digest_of
from harness.base.errors import HarnessError
from harness.base.paths import cache_root
from harness.base.store import Store

__all__ = [
    "own_policies",
    "own_policy",
    "own_suite",
    "own_suites",
    "remember_policy",
    "remember_suite",
    "suite_is_path",
]

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
    """The file that a suite of this name was last read from by its path. It may be gone.

    What it defines now may be something else: whoever reads it looks at its name.
    """
    return None if suite_is_path(name) else _remembered(_SUITES, name)


def remember_policy(name: str, folder: Path) -> None:
    """The policy of this name is the one in this folder."""
    _remember(_POLICIES, name, folder)


def own_policy(name: str) -> Path | None:
    """The folder that a policy of this name was last read from by its path. It may be gone."""
    return None if "/" in name else _remembered(_POLICIES, name)


def own_suites() -> list[str]:
    """Names of suites of one's own that are there still, sorted."""
    return [name for name in _names(_SUITES) if (file := own_suite(name)) is not None and file.is_file()]


def own_policies() -> list[str]:
    """Names of policies of one's own that are there still, sorted."""
    return [name for name in _names(_POLICIES) if (folder := own_policy(name)) is not None and folder.is_dir()]


def _remember(kind: str, name: str, path: Path) -> None:
    """A cache that cannot be written is no fault of what is one's own."""
    with suppress(HarnessError, OSError):
        store, entry = Store(cache_root()), {"name": name, "path": str(path)}
        if store.get(kind, _key(name)) != entry:
            store.put(kind, _key(name), entry)


def _remembered(kind: str, name: str) -> Path | None:
    with suppress(HarnessError, OSError, ValueError):
        entry = Store(cache_root()).get(kind, _key(name))
        return None if entry is None else Path(entry["path"])
    return None


def _names(kind: str) -> list[str]:
    with suppress(HarnessError, OSError):
        store = Store(cache_root())
        entries = [store.get(kind, key) for key in store.keys(kind)]
        return sorted(entry["name"] for entry in entries if isinstance(entry, dict) and "name" in entry)
    return []


def _key(name: str) -> str:
    return digest_of(["own", 2, name])
