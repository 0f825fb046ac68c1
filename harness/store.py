"""The cache: finished pieces of work in folders and small records, each named by its key's digest.

An entry appears whole or not at all (made in a temporary folder, then renamed), so that a killed
process leaves nothing that a later one could mistake for a result.
"""

import errno
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

from harness.errors import PrerequisiteError

__all__ = ["Store", "cache_errors", "make_cache_folder", "no_space", "require_space"]

_ENOUGH = 64 << 20
"""Bytes. A statically linked program takes a few MiB; a linker dies of SIGBUS, without a word, when
its output does not fit."""
_NO_SPACE = (b"No space left on device", b"Disk quota exceeded")


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

    def __init__(self, root: Path) -> None:
        self.root = root
        self._locks: dict[tuple[str, str], Lock] = {}
        self._guard = Lock()
        self._temporary = root / "tmp"
        make_cache_folder(self._temporary, root)
        self._remove_leftovers()

    def path(self, kind: str, key: str) -> Path:
        """Where the entry is, or would be."""
        return self.root / kind / key[:2] / key

    def folder(self, kind: str, key: str, make: Callable[[Path], None]) -> Path:
        """The entry's folder; ``make`` fills it first if it does not exist yet."""
        final = self.path(kind, key)
        if final.is_dir():
            return final
        with self._lock(kind, key):
            if final.is_dir():
                return final
            with self.scratch() as scratch, cache_errors(self.root):
                made = scratch / "entry"
                made.mkdir()
                make(made)
                final.parent.mkdir(parents=True, exist_ok=True)
                try:
                    made.rename(final)
                except OSError as error:  # another process was faster; its entry is as good
                    if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                        raise
        return final

    def get(self, kind: str, key: str) -> Any | None:
        """The JSON record stored under the key, or None."""
        try:
            return json.loads(self.path(kind, key).with_suffix(".json").read_bytes())
        except (FileNotFoundError, ValueError):  # missing, or no JSON: a damaged disk
            return None

    def put(self, kind: str, key: str, value: Any) -> None:
        """Store a JSON record under the key."""
        final = self.path(kind, key).with_suffix(".json")
        with cache_errors(self.root):
            final.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile("w", prefix=f"{os.getpid()}-", dir=self._temporary, delete=False) as file:
                json.dump(value, file, separators=(",", ":"))
            os.replace(file.name, final)

    @contextmanager
    def scratch(self) -> Iterator[Path]:
        """A new empty folder on the cache's disk, removed afterwards."""
        with cache_errors(self.root):
            folder = Path(tempfile.mkdtemp(prefix=f"{os.getpid()}-", dir=self._temporary))
            try:
                yield folder
            finally:
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
