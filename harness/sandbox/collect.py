"""Taking results out of a scratch folder that a stranger filled.

Nobody writes to it any more (every process of the sandbox is dead), but anything may lie there:
links to elsewhere, FIFOs that never answer, files of a terabyte with nothing in them.
"""

import contextlib
import errno
import os
import stat
from collections.abc import Iterator, Sequence

__all__ = ["EVERYTHING", "collect", "count_files"]

EVERYTHING = "**"
_DEEPEST = 64
_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY


def collect(scratch: int, wanted: Sequence[str], largest: int, most: int) -> tuple[dict[str, bytes], dict[str, str]]:
    """The wanted files' contents, and for every one that is not given out the reason.

    ``scratch`` is a descriptor of the folder; ``largest`` the bytes that all files together may
    have, ``most`` how many they may be.
    """
    names = list(dict.fromkeys(name for name in wanted if name != EVERYTHING))
    found: dict[str, bytes] = {}
    refused: dict[str, str] = {}
    if EVERYTHING in wanted:
        bound = 4 * most + 64
        everything, seen = _everything(scratch, most, bound)
        names = list(dict.fromkeys([*names, *everything]))
        if seen == bound:
            refused[EVERYTHING] = f"more than {bound - 1} files and folders"
    refused |= dict.fromkeys(names[most:], f"more than {most} files")
    left = largest
    for name in names[:most]:
        try:
            content = _read(scratch, name, left)
        except OSError as error:
            refused[name] = _why(error)
        except ValueError as error:
            refused[name] = str(error)
        else:
            found[name] = content
            left -= len(content)
    return found, refused


def count_files(scratch: int, most: int) -> int:
    """Files, folders and all else in the folder; counting ends at ``most``."""
    return sum(1 for _ in _walk(scratch, "", most, 0))


def _read(folder: int, name: str, largest: int) -> bytes:
    """A regular file's content. Raises OSError, or ValueError for what is no file to give out."""
    *parents, last = name.split("/")
    if not all(part not in ("", ".", "..") for part in (*parents, last)):
        raise ValueError("not a path inside the scratch folder")
    opened: list[int] = []
    try:
        for parent in parents:
            folder = os.open(parent, _FLAGS | os.O_DIRECTORY, dir_fd=folder)
            opened.append(folder)
        if not stat.S_ISREG(os.stat(last, dir_fd=folder, follow_symlinks=False).st_mode):
            raise ValueError(_kind(os.stat(last, dir_fd=folder, follow_symlinks=False).st_mode))
        file = os.open(last, _FLAGS, dir_fd=folder)
        opened.append(file)
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode):
            raise ValueError(_kind(status.st_mode))
        if status.st_size > largest:
            raise ValueError(f"{status.st_size} bytes, {largest} are allowed")
        with open(file, "rb", closefd=False) as content:
            return content.read(status.st_size)
    finally:
        for descriptor in reversed(opened):
            os.close(descriptor)


def _everything(folder: int, most: int, bound: int) -> tuple[list[str], int]:
    """The paths of all that is no folder that can be entered, in order, and how much was seen for it.

    They are one more than ``most`` at the most; what is seen with the folders, ``bound``.
    """
    found: list[str] = []
    seen = 0
    for path, is_entered in _walk(folder, "", bound, 0):
        seen += 1
        if not is_entered:
            found.append(path)
        if len(found) > most:
            break
    return sorted(found), seen


def _walk(folder: int, prefix: str, most: int, depth: int) -> Iterator[tuple[str, bool]]:
    """Path of all that lies below ``folder``, no more than ``most``, and whether it is a folder and entered."""
    seen = 0
    with os.scandir(folder) as entries:
        for entry in entries:
            if seen >= most:
                return
            seen += 1
            path = f"{prefix}{entry.name}"
            inner = _enter(folder, entry) if depth < _DEEPEST else None
            try:
                yield path, inner is not None
                if inner is not None:
                    for found in _walk(inner, f"{path}/", most - seen, depth + 1):
                        seen += 1
                        yield found
            finally:
                if inner is not None:
                    os.close(inner)


def _enter(folder: int, entry: os.DirEntry[str]) -> int | None:
    """A descriptor of the folder that ``entry`` is; None when it is none, or closed to us."""
    if not entry.is_dir(follow_symlinks=False):
        return None
    with contextlib.suppress(OSError):
        return os.open(entry.name, _FLAGS | os.O_DIRECTORY, dir_fd=folder)
    return None


def _kind(mode: int) -> str:
    kinds = {
        stat.S_IFLNK: "a symbolic link",
        stat.S_IFIFO: "a FIFO",
        stat.S_IFSOCK: "a socket",
        stat.S_IFCHR: "a device",
        stat.S_IFBLK: "a device",
        stat.S_IFDIR: "a folder",
    }
    return f"{kinds.get(stat.S_IFMT(mode), 'something strange')}, no regular file"


def _why(error: OSError) -> str:
    if error.errno in (errno.ELOOP, errno.ENOTDIR):
        return "not below a folder of the scratch folder itself"
    return "not there" if error.errno == errno.ENOENT else str(error.strerror)
