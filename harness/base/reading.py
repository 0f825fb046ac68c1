"""Reading files that others have written: bounded in size, regular files only, never waiting.

A submission, a suite or a file that a user names may be a FIFO that nobody writes to, a device without an end, or
larger than memory. Every such file is read here. What the bytes mean is not this module's affair: see ``documents``.
"""

import errno
import os
import stat
from pathlib import Path

from harness.base.errors import UsageError

__all__ = ["GIB", "KIB", "MIB", "read_bytes", "read_text", "shown_size"]

KIB = 1 << 10
MIB = 1 << 20
GIB = 1 << 30

_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_SORTS = {
    stat.S_IFIFO: "a FIFO",
    stat.S_IFCHR: "a character device",
    stat.S_IFBLK: "a block device",
    stat.S_IFSOCK: "a socket",
    stat.S_IFDIR: "a folder",
}


def read_bytes(file: Path, most: int, *, inside: Path | None = None) -> bytes:
    """The content of a regular file of at most ``most`` bytes.

    ``inside``: the folder that the file must be in, once all links are followed.
    Raises UsageError, naming the file, for one that is missing, unreadable, larger, no regular file, or outside.
    """
    where = str(file)
    try:
        if inside is not None and not file.resolve().is_relative_to(inside.resolve()):
            raise UsageError(f"leads out of the folder {inside}", where=where, hint="put the file itself there")
        descriptor = os.open(file, _FLAGS)
    except OSError as error:
        # A socket cannot be opened at all, and a device may have no driver.
        words = "not a regular file" if error.errno == errno.ENXIO else f"cannot be read: {error.strerror}"
        raise UsageError(words, where=where) from None
    except (ValueError, RuntimeError) as error:  # a NUL in the name; links in a circle
        raise UsageError(f"cannot be read: {error}", where=ascii(where)) from None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            sort = _SORTS.get(stat.S_IFMT(status.st_mode), "something else")
            raise UsageError(f"{sort}, not a regular file", where=where)
        if status.st_size > most:
            raise _too_large(where, most, f"it has {shown_size(status.st_size)}")
        with os.fdopen(descriptor, "rb", closefd=False) as content:
            data = content.read(most + 1)
    except OSError as error:
        raise UsageError(f"cannot be read: {error.strerror}", where=where) from None
    finally:
        os.close(descriptor)
    if len(data) > most:
        raise _too_large(where, most, "it is growing")
    return data


def read_text(file: Path, most: int, *, inside: Path | None = None) -> str:
    """The same as text. Raises UsageError also for what is not UTF-8."""
    try:
        return read_bytes(file, most, inside=inside).decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"not UTF-8 text (byte {error.start:,})", where=str(file)) from None


def shown_size(count: int) -> str:
    """Bytes for people: ``64 KiB``, ``1.5 MiB``, ``3,000 bytes``."""
    for unit, name in ((GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB")):
        if count >= unit:
            return f"{count // unit:,} {name}" if count % unit == 0 else f"{count / unit:,.1f} {name}"
    return f"{count:,} bytes"


def _too_large(where: str, most: int, instead: str) -> UsageError:
    return UsageError(f"larger than {shown_size(most)}: {instead}", where=where)
