"""What the cache holds, and making room in it.

Only entries are ever removed: folders and records whose place is ``KIND/ab/abcdef…``, databases and indexes. Links
are not followed, and what is anything else stays. An entry is moved aside whole before it is taken apart, so that a
killed process leaves no half of one. Whoever has a workbench open keeps the cache from being pruned meanwhile.
"""

import fcntl
import os
import re
import shutil
import stat
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from harness.base.errors import UsageError
from harness.base.store import cache_errors

__all__ = ["KEPT", "Entry", "entries_of", "hold", "oldest_of", "remove", "undisturbed"]

KEPT = ("refuted",)
"""Kinds that are never removed: what failed on an input that nobody sees again."""
_IN_USE = ".in-use"
_KIND = re.compile(r"[a-z][a-z0-9-]*", re.ASCII)
_KEY = re.compile(r"[0-9a-f]{2,128}", re.ASCII)
_INDEX = re.compile(r"index/[0-9a-f-]+\.duckdb", re.ASCII)
_DATABASE = re.compile(r"[a-z][a-z0-9-]*\.sqlite", re.ASCII)
_BESIDE = ("-wal", "-shm")
"""What SQLite keeps beside a database that was not closed."""
_BLOCK = 512
"""``st_blocks`` counts these."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One."""

    kind: str
    path: Path
    bytes: int
    """On the disk."""
    used: float
    """Seconds since 1970: when it was made, or read last, to the day."""


@cache
def hold(root: Path) -> int:
    """Keep others from pruning the cache for as long as this process lives; waits while somebody does."""
    with cache_errors(root):
        descriptor = _lock_file(root)
    fcntl.flock(descriptor, fcntl.LOCK_SH)
    return descriptor


@contextmanager
def undisturbed(root: Path) -> Iterator[None]:
    """Nobody has a workbench open meanwhile. Raises UsageError where somebody has."""
    with cache_errors(root):
        descriptor = _lock_file(root)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise UsageError(
            "another harness is at work with this cache", where=str(root), hint="prune it when that has ended"
        ) from None
    finally:
        os.close(descriptor)


def _lock_file(root: Path) -> int:
    return os.open(root / _IN_USE, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)


def entries_of(root: Path, seen: Callable[[str], None]) -> Iterator[Entry]:
    """Every entry, kind by kind, each of which ``seen`` is told first. What vanishes meanwhile is left out."""
    for path in _files(root):
        if _DATABASE.fullmatch(path.name):
            yield _database(path)
    for kind in _folders(root):
        seen(kind.name)
        if kind.name == "index":
            yield from (_measured("index", path) for path in _files(kind) if _INDEX.fullmatch(f"index/{path.name}"))
        elif _KIND.fullmatch(kind.name) and kind.name != "tmp":
            yield from _of_kind(kind)


def _of_kind(kind: Path) -> Iterator[Entry]:
    for part in _folders(kind):
        with suppress(OSError), os.scandir(part) as found:
            for one in found:
                key = one.name.removesuffix(".json") if one.is_file(follow_symlinks=False) else one.name
                is_record = key != one.name
                is_entry = is_record or one.is_dir(follow_symlinks=False)
                if is_entry and _KEY.fullmatch(key) and key.startswith(part.name) and len(part.name) == 2:
                    yield _measured(kind.name, Path(one.path))


def _database(path: Path) -> Entry:
    parts = [_measured(path.stem, Path(f"{path}{ending}")) for ending in ("", *_BESIDE)]
    return Entry(path.stem, path, sum(part.bytes for part in parts), max(part.used for part in parts))


def _folders(folder: Path) -> list[Path]:
    with suppress(OSError), os.scandir(folder) as found:
        return sorted(Path(one.path) for one in found if one.is_dir(follow_symlinks=False))
    return []


def _files(folder: Path) -> list[Path]:
    with suppress(OSError), os.scandir(folder) as found:
        return sorted(Path(one.path) for one in found if one.is_file(follow_symlinks=False))
    return []


def _measured(kind: str, path: Path) -> Entry:
    size, used = 0, 0.0
    with suppress(OSError):
        status = path.lstat()
        size, used = status.st_blocks * _BLOCK, status.st_mtime
        if stat.S_ISDIR(status.st_mode):
            for parent, folders, files in os.walk(path):
                for name in (*folders, *files):
                    with suppress(OSError):
                        size += Path(parent, name).lstat().st_blocks * _BLOCK
    return Entry(kind, path, size, used)


def oldest_of(entries: Iterable[Entry], seconds: float | None, most: int | None) -> list[Entry]:
    """What has to go, the longest unused first: all that nobody used for ``seconds``; more, until ``most`` bytes stay.

    None: without that limit. What is ``KEPT`` is left out, and counts.
    """
    found = sorted(entries, key=lambda entry: (entry.used, entry.path))
    left = sum(entry.bytes for entry in found)
    before = None if seconds is None else time.time() - seconds
    gone = []
    for entry in found:
        old = before is not None and entry.used < before
        if entry.kind not in KEPT and (old or (most is not None and left > most)):
            gone.append(entry)
            left -= entry.bytes
    return gone


def remove(root: Path, gone: Sequence[Entry], removed: Callable[[Entry], None]) -> None:
    """Remove entries, telling of each. Raises PrerequisiteError where the cache cannot be written."""
    with cache_errors(root), tempfile.TemporaryDirectory(prefix=f"{os.getpid()}-", dir=root / "tmp") as aside:
        for number, entry in enumerate(gone):
            place = Path(aside, str(number))
            if _DATABASE.fullmatch(entry.path.name):
                for ending in _BESIDE:  # they first: without them the database is an older one, and whole
                    Path(f"{entry.path}{ending}").unlink(missing_ok=True)
            with suppress(FileNotFoundError):
                entry.path.rename(place)
                _take_apart(place)
            removed(entry)


def _take_apart(place: Path) -> None:
    if not place.is_dir():
        place.unlink()
        return
    for parent, folders, _ in os.walk(place):  # sources keep their modes: some folders cannot be written
        for name in folders:
            path = Path(parent, name)
            if not path.is_symlink():
                path.chmod(0o700)
    place.chmod(0o700)
    shutil.rmtree(place)
