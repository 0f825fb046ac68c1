"""The cache: finished pieces of work in folders and small records, each named by its key's digest.

An entry appears whole or not at all (made in a temporary folder, then renamed), so that a killed
process leaves nothing that a later one could mistake for a result. It carries the digests of what it holds,
which are checked when a run first reads it: a damaged disk, a stray edit and foreign code are found. Whoever owns
the files can make digests that fit.
"""

import errno
import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import Any
from uuid import uuid4

from harness.base.digest import digest_file, digest_of
from harness.base.errors import PrerequisiteError, UsageError

__all__ = ["Store", "cache_errors", "make_cache_folder", "no_space", "require_space"]

_ENOUGH = 64 << 20
"""Bytes. A statically linked program takes a few MiB; a linker dies of SIGBUS, without a word, when
its output does not fit."""
_NO_SPACE = (b"No space left on device", b"Disk quota exceeded")
_SUMS = ".sums"
"""File of an entry with the digests of all others."""
_LARGEST_RECORD = 1 << 28
_DAY = 86400


def no_space(where: Path) -> PrerequisiteError:
    """The error for a full disk."""
    return PrerequisiteError(
        "no space left for the cache",
        where=str(where),
        hint="free some space, or set HARNESS_CACHE to a folder on a larger disk, and run the same command again",
    )


@contextmanager
def cache_errors(root: Path) -> Iterator[None]:
    """A full or unwritable disk becomes PrerequisiteError; every other OSError goes on."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise no_space(root) from None
        if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
            raise PrerequisiteError(
                f"cannot write to the cache: {error.strerror}",
                where=error.filename or str(root),
                hint="set HARNESS_CACHE to a folder that you may write to",
            ) from None
        raise


def make_cache_folder(folder: Path, root: Path) -> None:
    """Make a folder of the cache ``root``. Raises PrerequisiteError when that cannot be."""
    with cache_errors(root):
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except (NotADirectoryError, FileExistsError, FileNotFoundError) as error:
            raise PrerequisiteError(
                f"this cannot be a folder of the cache: {error.strerror}",
                where=error.filename,
                hint="set HARNESS_CACHE to a folder that you may write to",
            ) from None


def require_space(root: Path, stderr: bytes = b"") -> None:
    """After a failure: raise PrerequisiteError when it may be for want of space, as the failed command says
    in its ``stderr`` or the cache's disk shows."""
    if shutil.disk_usage(root).free < _ENOUGH or any(words in stderr for words in _NO_SPACE):
        raise no_space(root)


class Store:
    """A folder of entries ``KIND/ab/abcdef…``. Safe for several threads and several processes."""

    def __init__(self, root: Path, builds: Path | None = None) -> None:
        self.root = root
        self.builds = builds
        """Another cache, which has what is built of the harness's own sources."""
        self._locks: dict[tuple[str, str], Lock] = {}
        self._checked: set[tuple[str, str]] = set()
        self._guard = Lock()
        self._temporary = root / "tmp"
        make_cache_folder(self._temporary, root)
        self._remove_leftovers()

    def path(self, kind: str, key: str) -> Path:
        """Where the entry is, or would be."""
        return self.root / kind / key[:2] / key

    def check_anew(self) -> None:
        """Check every entry again when it is read next: a run begins."""
        self._checked.clear()

    def has(self, kind: str, key: str) -> bool:
        """Whether ``folder`` would make nothing. Raises UsageError, as it does, for an entry that was altered."""
        return self._is_whole(kind, key)

    def folder(self, kind: str, key: str, make: Callable[[Path], None]) -> Path:
        """The entry's folder; ``make`` fills it first if it does not exist yet.

        Raises UsageError, naming the file, for an entry that was altered after it was made.
        """
        final = self.path(kind, key)
        if self._is_whole(kind, key):
            return final
        with self._lock(kind, key):
            if self._is_whole(kind, key):
                return final
            with self.scratch(0o777) as made, cache_errors(self.root):
                make(made)
                (made / _SUMS).write_text(json.dumps({"of": [kind, key], "files": _digests(made)}))
                final.parent.mkdir(parents=True, exist_ok=True)
                if final.is_dir() and not (final / _SUMS).exists():  # of a harness that kept no digests
                    with self.scratch() as old:
                        final.rename(old)
                try:
                    made.rename(final)
                    self._checked.add((kind, key))
                except OSError as error:  # another process was faster; its entry is as good
                    if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                        raise
                    self._is_whole(kind, key)
        return final

    def folder_with_facts(
        self, kind: str, key: str, make: Callable[[Path], dict[str, Any]]
    ) -> tuple[Path, dict[str, Any]]:
        """As ``folder``; and what ``make`` tells of what it made, kept beside it as JSON."""

        def make_both(entry: Path) -> None:
            facts = make(entry)
            (entry / "facts.json").write_text(json.dumps(facts))

        entry = self.folder(kind, key, make_both)
        return entry, json.loads((entry / "facts.json").read_bytes())

    def _is_whole(self, kind: str, key: str) -> bool:
        """Whether the entry is there, as it was made. Raises UsageError for one that was altered."""
        final = self.path(kind, key)
        if not final.is_dir():
            return False
        if (kind, key) in self._checked:
            return True
        try:
            sums = json.loads((final / _SUMS).read_bytes())
            of, files = sums["of"], dict(sums["files"])
        except FileNotFoundError:
            return False
        except (ValueError, KeyError, TypeError, RecursionError):
            raise _altered(final / _SUMS, final) from None
        if of != [kind, key]:
            raise _altered(final, final)
        found = _digests(final)
        if different := sorted(name for name in {*files, *found} if files.get(name) != found.get(name)):
            raise _altered(final / different[0], final)
        _used(final)
        self._checked.add((kind, key))
        return True

    def get(self, kind: str, key: str) -> Any | None:
        """The JSON record stored under the key, or None.

        Raises UsageError, naming the file, for one that was altered after it was stored.
        """
        file = self.path(kind, key).with_suffix(".json")
        try:
            if file.stat().st_size > _LARGEST_RECORD:
                raise _altered(file, file)
            known = json.loads(file.read_bytes())
        except (FileNotFoundError, ValueError):  # missing, or torn when the machine failed
            return None
        except RecursionError:
            raise _altered(file, file) from None
        if not isinstance(known, dict) or known.keys() != {"sha256", "value"}:  # of a harness that kept no digests
            return None
        if known["sha256"] != _digest_of_record(kind, key, known["value"]):
            raise _altered(file, file)
        _used(file)
        return known["value"]

    def keys(self, kind: str) -> list[str]:
        """Those of the records of a kind, sorted."""
        return sorted(file.stem for file in (self.root / kind).glob("??/*.json"))

    def put(self, kind: str, key: str, value: Any) -> None:
        """Store a JSON record under the key."""
        final = self.path(kind, key).with_suffix(".json")
        value = json.loads(json.dumps(value))  # as it will be read
        with cache_errors(self.root):
            final.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile("w", prefix=f"{os.getpid()}-", dir=self._temporary, delete=False) as file:
                record = {"sha256": _digest_of_record(kind, key, value), "value": value}
                json.dump(record, file, separators=(",", ":"))
            os.replace(file.name, final)

    @contextmanager
    def scratch(self, mode: int = 0o700) -> Iterator[Path]:
        """A new empty folder on the cache's disk, removed afterwards unless it was moved. ``mode``: as of ``mkdir``."""
        with cache_errors(self.root):
            folder = self._temporary / f"{os.getpid()}-{uuid4().hex}"
            folder.mkdir(mode)
            try:
                yield folder
            finally:
                if os.path.lexists(folder):
                    shutil.rmtree(folder, ignore_errors=True)

    def require_space(self, stderr: bytes = b"") -> None:
        """See ``require_space``."""
        require_space(self.root, stderr)

    def lock(self, kind: str, key: str) -> Lock:
        """The lock of one entry, for work whose result is a record."""
        return self._lock(kind, key)

    def _lock(self, kind: str, key: str) -> Lock:
        with self._guard:
            return self._locks.setdefault((kind, key), Lock())

    def _remove_leftovers(self) -> None:
        """Temporary folders of processes that are no more (killed ones)."""
        for entry in self._temporary.iterdir():
            owner = entry.name.split("-")[0]
            if owner.isdigit() and not Path(f"/proc/{owner}").exists():
                shutil.rmtree(entry, ignore_errors=True) if entry.is_dir() else entry.unlink(missing_ok=True)


def _used(entry: Path) -> None:
    """Note, to the day, that somebody uses the entry: who makes room removes what nobody used for longest."""
    with suppress(OSError):  # on a disk that cannot be written everything is as old as it was
        if time.time() - entry.stat().st_mtime > _DAY:
            os.utime(entry)


def _digests(folder: Path) -> dict[str, str]:
    """Relative name → SHA-256 of every file, ``-> TARGET`` of every link; the file of digests is left out."""
    found: dict[str, str] = {}
    for parent, folders, files in os.walk(folder):
        for name in (*files, *folders):
            path = Path(parent, name)
            if path.is_symlink():
                found[path.relative_to(folder).as_posix()] = f"-> {path.readlink()}"
            elif path.is_file():
                found[path.relative_to(folder).as_posix()] = digest_file(path)
            elif not path.is_dir():
                found[path.relative_to(folder).as_posix()] = "neither a file nor a folder"
    found.pop(_SUMS, None)
    return found


def _digest_of_record(kind: str, key: str, value: Any) -> str:
    return digest_of([kind, key, value])


def _altered(what: Path, entry: Path) -> UsageError:
    return UsageError(
        "this entry of the cache was altered after it was made",
        where=str(what),
        hint=f"remove {entry}: it is made again; if you did not alter it, check the disk",
    )
