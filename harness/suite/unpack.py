"""Tarballs to trees: read in the sandbox, checked here, not yet written anywhere.

What tar itself would do with a hostile archive (follow links that it has just made, keep set-user-id bits, make
devices) cannot happen, since tar unpacks nothing: the sandbox gives a list of entries and their contents, and only
folders, regular files and links that stay inside become a tree.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from harness.base.errors import UsageError
from harness.sandbox import GIB, MIB, SCRATCH, Job, Limits
from harness.sandbox.bench import Bench
from harness.sandbox.shown import python_folders
from harness.suite.tree import MOST_BYTES, MOST_ENTRIES, Entry, Kind, check_name, check_tree

__all__ = ["read_index", "read_tarball"]

_UNPACKER = Path(__file__).with_name("unpacker.py")
_LARGEST_TARBALL = 1 << 29
_INDEX, _CONTENT, _ARCHIVE = "index", "content", "archive"
_LATEST = 1 << 33
"""Seconds since 1970: no file was modified later."""
_SECOND = 1_000_000_000


def read_tarball(tarball: Path, bench: Bench) -> dict[str, Entry]:
    """The checked tree in a tarball, without the folder at its top. Raises UsageError for what no tree may hold."""
    where = str(tarball)
    size = tarball.stat().st_size
    if size > _LARGEST_TARBALL:
        raise UsageError(f"refused: {size} bytes, {_LARGEST_TARBALL} are allowed", where=where)
    here = {f"{SCRATCH}/{_UNPACKER.name}": _UNPACKER, f"{SCRATCH}/{_ARCHIVE}": tarball}
    job = Job(
        sys.executable,
        ("-I", "-B", "-S", _UNPACKER.name, _ARCHIVE, _INDEX, _CONTENT, str(MOST_ENTRIES), str(MOST_BYTES)),
        files=here,
        system=True,
        folders=python_folders(),
        environment={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"},
        results=(_INDEX, _CONTENT),
        limits=Limits(
            wall=300, memory=4 * GIB, processes=4, file_size=MOST_BYTES + MIB, scratch=MOST_BYTES + size + 256 * MIB
        ),
    )
    done = bench.sandbox.run(job)
    if not done.ok:
        words = done.stderr.decode("utf-8", "replace").strip().splitlines()
        why = words[-1].removeprefix("error: ") if words and words[-1].startswith("error: ") else done.ending
        raise UsageError(f"cannot be unpacked: {why if why.isprintable() else ascii(why)}", where=where)
    missing = [name for name in (_INDEX, _CONTENT) if name not in done.results]
    if missing:
        raise UsageError(f"cannot be unpacked: its {missing[0]} is {done.refused[missing[0]]}", where=where)
    tree = read_index(done.results[_INDEX], memoryview(done.results[_CONTENT]), where)
    check_tree(tree, where)
    return tree


def read_index(index: bytes, content: memoryview, where: str) -> dict[str, Entry]:
    """The entries that ``unpacker.py`` wrote down, each checked by itself. Raises UsageError, naming the first fault.

    The first folder of each name is left out, and what is only that. A hard link becomes a copy of the file that it
    names, which must have come before it.
    """
    tree: dict[str, Entry] = {}
    offset = total = 0
    for kind, name, mode, time, size, target in _lines(index, where):
        path = _stripped(name, where)
        if path is None:  # the folder at the top itself
            if kind != Kind.FOLDER:
                raise UsageError(f"refused: {name[:100]!a} is not in a folder", where=where)
            continue
        if mode & 0o7000 and kind != Kind.FOLDER:
            raise UsageError(f"refused: {path} is set-user-id, set-group-id or sticky", where=where)
        executable = bool(mode & 0o100)
        if kind == Kind.FOLDER:
            entry = Entry(Kind.FOLDER, time)
        elif kind == Kind.FILE:
            if offset + size > len(content):
                raise UsageError("cannot be unpacked: its list and its files do not agree", where=where)
            entry = Entry(Kind.FILE, time, executable, content=content[offset : offset + size], size=size)
            offset += size
        elif kind == Kind.LINK:
            entry = Entry(Kind.LINK, time, target=target)
        elif kind == "hard link":
            file = tree.get(_stripped(target, where) or "")
            if file is None or file.kind is not Kind.FILE:
                raise UsageError(f"refused: {path} is a hard link to no file of the tarball", where=where)
            entry = Entry(Kind.FILE, time, executable, content=file.content, size=file.size)
        else:
            raise UsageError(f"refused: {path} is a {kind[:20]}", where=where)
        if path in tree and not (entry.kind is tree[path].kind is Kind.FOLDER):
            raise UsageError(f"refused: {path} is there twice", where=where)
        tree[path] = entry
        total += entry.size
        if len(tree) > MOST_ENTRIES or total > MOST_BYTES:
            raise UsageError(f"refused: more than {MOST_ENTRIES} entries or {MOST_BYTES >> 20} MiB", where=where)
    return tree


def _lines(index: bytes, where: str) -> Iterator[tuple[str, str, int, int, int, str]]:
    for line in index.splitlines():
        try:
            fields: Any = json.loads(line)
            kind, name, mode, time, size, target = fields
        except (ValueError, TypeError, RecursionError):
            raise UsageError("cannot be unpacked: its list of entries is not readable", where=where) from None
        texts, numbers = (kind, name, target), (mode, time, size)
        if not all(type(text) is str for text in texts) or not all(type(number) is int for number in numbers):
            raise UsageError("cannot be unpacked: its list of entries is not readable", where=where)
        if not 0 <= mode <= 0o7777 or size < 0:
            raise UsageError(f"refused: {name[:100]!a} has a mode or a size that no file has", where=where)
        yield kind, name, mode, min(max(time, 0), _LATEST * _SECOND), size, target


def _stripped(name: str, where: str) -> str | None:
    """A member's name without its first part; None when nothing is left. Raises UsageError for an unsafe one."""
    plain = name.rstrip("/")
    while plain.startswith("./"):
        plain = plain[2:].lstrip("/")
    if plain in ("", "."):
        return None
    check_name(plain, where)
    return plain.partition("/")[2] or None
