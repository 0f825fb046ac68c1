"""The harness's own Python inside sandboxes: which folders that takes, and how a user who is nobody reaches them.

Where the harness is root, sandboxes belong to another user, and that one has no way into ``/root``. Their spawner
then binds the folders to a place of its own that everybody may enter, in a mount namespace of its own.
"""

import sys
from functools import lru_cache
from pathlib import Path

__all__ = ["carried_folders", "python_folders"]

_PLACES = ("/mnt", "/media", "/srv")
"""Folders that every system has; what is there is hidden from spawners only."""


def python_folders() -> tuple[Path, ...]:
    """The interpreter and its packages, where they are no place that a sandbox shows anyway."""
    prefixes = dict.fromkeys((Path(sys.prefix), Path(sys.base_prefix)))
    return tuple(prefix for prefix in prefixes if not prefix.is_relative_to("/usr"))


@lru_cache(maxsize=2)
def carried_folders(root: bool) -> dict[Path, Path]:
    """Folder → where the spawner binds it; empty unless the harness is ``root`` and others cannot reach one."""
    folders = [folder for folder in python_folders() if not _reachable(folder)] if root else []
    free = [place for place in map(Path, _PLACES) if place.is_dir() and not _holds(place, folders)]
    return {folder: free[0] / str(number) for number, folder in enumerate(folders)} if free else {}


def _reachable(folder: Path) -> bool:
    real = folder.resolve()
    return all(path.stat().st_mode & 0o005 == 0o005 for path in (real, *real.parents))


def _holds(place: Path, folders: list[Path]) -> bool:
    return any(folder.resolve().is_relative_to(place) for folder in folders)
