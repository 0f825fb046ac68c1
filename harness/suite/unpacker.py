"""Reads a tarball inside the sandbox and writes down what is in it, unpacking nothing.

A program of its own, started by ``unpack.py`` and not imported by it. Decompressors and the reader of tar's formats
parse what a stranger wrote, and nobody's rights are enough for that. What is written down is believed no more than
the tarball: the harness checks all of it.

usage: unpacker.py ARCHIVE INDEX CONTENT MOST_ENTRIES MOST_BYTES

INDEX gets one JSON array a line: kind, name, mode, time of modification in nanoseconds, size, target of a link.
CONTENT gets the regular files' contents, one after the other in the index's order.
"""

import json
import sys
import tarfile
from decimal import Decimal
from typing import BinaryIO, TextIO

_CHUNK = 1 << 20
_LONGEST = 4096
_KINDS = (
    (tarfile.TarInfo.isreg, "file"),
    (tarfile.TarInfo.isdir, "folder"),
    (tarfile.TarInfo.issym, "link"),
    (tarfile.TarInfo.islnk, "hard link"),
    (tarfile.TarInfo.isfifo, "FIFO"),
    (tarfile.TarInfo.isdev, "device"),
)


def main() -> None:
    """Read, write, and exit with status 1 and a line on standard error for what cannot be read."""
    archive, index, content = sys.argv[1:4]
    most_entries, most_bytes = map(int, sys.argv[4:])
    try:
        with tarfile.open(archive) as tar, open(index, "w", encoding="ascii") as lines, open(content, "wb") as data:
            _read(tar, lines, data, most_entries, most_bytes)
    except (tarfile.TarError, OSError, EOFError, ValueError, ArithmeticError, LookupError) as error:
        sys.exit(f"error: {' '.join(str(error).split())[:200] or type(error).__name__}")
    except Exception as error:  # noqa: BLE001 - a fault of the reader is one of the tarball, and ends this process
        sys.exit(f"error: {type(error).__name__}")


def _read(tar: tarfile.TarFile, lines: TextIO, data: BinaryIO, most_entries: int, most_bytes: int) -> None:
    left = most_bytes
    for number, member in enumerate(tar, start=1):
        if number > most_entries:
            raise ValueError(f"more than {most_entries} members")
        if max(len(member.name), len(member.linkname)) > _LONGEST:
            raise ValueError("a name is too long")
        kind = next((name for is_kind, name in _KINDS if is_kind(member)), "special file")
        left -= member.size if kind == "file" else 0
        if left < 0 or member.size < 0:
            raise ValueError(f"more than {most_bytes >> 20} MiB of files")
        size = member.size if kind == "file" else 0
        time = int(Decimal(member.pax_headers.get("mtime", member.mtime)) * 10**9)
        lines.write(json.dumps([kind, member.name, member.mode, time, size, member.linkname]) + "\n")
        if kind == "file":
            _copy(tar, member, data)


def _copy(tar: tarfile.TarFile, member: tarfile.TarInfo, data: BinaryIO) -> None:
    source = tar.extractfile(member)
    assert source is not None
    left = member.size
    while left:
        chunk = source.read(min(left, _CHUNK))
        if not chunk:
            raise EOFError("the archive ends in the middle of a file")
        data.write(chunk)
        left -= len(chunk)


if __name__ == "__main__":
    main()
