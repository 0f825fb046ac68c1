"""Taking results out of a scratch folder that a stranger filled.

Nobody writes to it any more (every process of the sandbox is dead), but anything may lie there:
links to elsewhere, FIFOs that never answer, files of a terabyte with nothing in them.
"""

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
    names = list(dict.fromkeys(_everything(scratch, most) if EVERYTHING in wanted else wanted))
    found: dict[str, bytes] = {}
    refused = dict.fromkeys(names[most:], f"more than {most} files")
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


def _everything(folder: int, most: int) -> list[str]:
    """The paths of all that is no folder, in order; one more than ``most`` at the most."""
    found: list[str] = []
    for path, is_folder in _walk(folder, "", 4 * most + 64, 0):
        if not is_folder:
            found.append(path)
        if len(found) > most:
            break
    return sorted(found)


def _walk(folder: int, prefix: str, most: int, depth: int) -> Iterator[tuple[str, bool]]:
    """Path and whether it is a folder, of all that lies below ``folder``: no more than ``most``."""
    seen = 0
    with os.scandir(folder) as entries:
        for entry in entries:
            if seen >= most:
                return
            seen += 1
            path = f"{prefix}{entry.name}"
            is_folder = entry.is_dir(follow_symlinks=False)
            yield path, is_folder
            if not is_folder or depth == _DEEPEST:
                continue
            try:
                inner = os.open(entry.name, _FLAGS | os.O_DIRECTORY, dir_fd=folder)
            except OSError:
                continue
            try:
                for found in _walk(inner, f"{path}/", most - seen, depth + 1):
                    seen += 1
                    yield found
            finally:
                os.close(inner)


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
