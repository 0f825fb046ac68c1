"""Trees of files from elsewhere, as values: checked as a whole before anything of them is written or read.

A tree holds folders, regular files, and symbolic links that stay inside it. Devices, FIFOs, sockets, links that lead
out and names that no source has are refused. Nothing here follows a link.
"""

import io
import os
import stat
import tarfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from harness.base.errors import UsageError

__all__ = [
    *("MOST_BYTES", "MOST_ENTRIES", "Entry", "Kind", "Tree"),
    *("check_name", "check_tree", "laid_over", "pack", "read_folder", "write_tree"),
]

MOST_ENTRIES = 100_000
"""Files, folders and links of one tree."""
MOST_BYTES = 1 << 30
"""Of all files of one tree together."""
_LONGEST_NAME = 255
_LONGEST_PATH = 1024
_DEEPEST = 64
_MOST_LINKS = 40
"""Links that one path may lead through, as the kernel has it."""
_OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY


class Kind(StrEnum):
    """What an entry is."""

    FOLDER = "folder"
    FILE = "file"
    LINK = "link"


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a tree."""

    kind: Kind
    mtime_ns: int | None = None
    """Time of modification; None: now. Build systems compare them."""
    executable: bool = False
    """All that is kept of a file's mode."""
    content: memoryview | Path | None = None
    """A regular file's: bytes, or the file that has them."""
    size: int = 0
    """Of a regular file, in bytes."""
    target: str = ""
    """A link's."""


Tree = Mapping[str, Entry]
"""Entries by their path relative to the tree, with ``/`` between names."""


def check_name(path: str, where: str) -> None:
    """Raise UsageError unless the path is relative, stays inside its folder and is printable UTF-8."""
    parts = path.split("/")
    shown = ascii(path[:100])
    if not path or path.startswith("/") or any(part in ("", ".", "..") for part in parts):
        raise UsageError(f"refused: the name {shown} is no relative path inside the tree", where=where)
    if not path.isprintable() or "\\" in path:
        raise UsageError(f"refused: the name {shown} has control characters, or is not UTF-8", where=where)
    encoded = [len(part.encode()) for part in parts]
    if max(encoded) > _LONGEST_NAME or sum(encoded) + len(parts) > _LONGEST_PATH or len(parts) > _DEEPEST:
        raise UsageError(f"refused: the name {shown} is too long or too deep", where=where)


def check_tree(tree: Tree, where: str) -> None:
    """Raise UsageError, naming the entry, unless parents are folders, links stay inside, and the limits hold."""
    if len(tree) > MOST_ENTRIES:
        raise UsageError(f"refused: more than {MOST_ENTRIES} files and folders", where=where)
    if sum(entry.size for entry in tree.values()) > MOST_BYTES:
        raise UsageError(f"refused: more than {MOST_BYTES >> 20} MiB of files", where=where)
    for path, entry in tree.items():
        check_name(path, where)
        for parent in _parents(path):
            if parent in tree and tree[parent].kind is not Kind.FOLDER:
                raise UsageError(
                    f"refused: {path} lies below {parent}, which is a {tree[parent].kind.value}", where=where
                )
        if entry.kind is Kind.LINK and (fault := _link_fault(tree, path)):
            raise UsageError(f"refused: the link {path} {fault}", where=where)


def _parents(path: str) -> Iterator[str]:
    at = path.find("/")
    while at != -1:
        yield path[:at]
        at = path.find("/", at + 1)


def _link_fault(tree: Tree, link: str) -> str | None:
    """What is wrong with where a link leads; None when it stays in the tree, whether anything is there or not."""
    place: list[str] = []
    ahead = link.split("/")[::-1]
    links = 0
    while ahead:
        part = ahead.pop()
        if part in ("", "."):
            continue
        if part == "..":
            if not place:
                return "leads out of the source tree"
            place.pop()
            continue
        place.append(part)
        entry = tree.get("/".join(place))
        if entry is not None and entry.kind is Kind.LINK:
            links += 1
            if links > _MOST_LINKS:
                return "leads in a circle"
            if entry.target.startswith("/") or not entry.target.isprintable() or not entry.target:
                return "leads out of the source tree"
            if len(entry.target) > _LONGEST_PATH:
                return "has a target that is too long"
            place.pop()
            ahead += entry.target.split("/")[::-1]
        elif len(place) > 2 * _DEEPEST:
            return "is too deep"
    return None


def laid_over(tree: Tree, over: Tree, prefix: str, where: str) -> dict[str, Entry]:
    """The tree with another's entries on top, below the folder ``prefix`` ('' is the tree itself).

    A file takes a file's place, a folder joins a folder. Raises UsageError where anything else, such as a link, is in
    the way.
    """
    result = dict(tree)
    for path, entry in over.items():
        place = f"{prefix}/{path}" if prefix else path
        for above in _parents(place):
            _require_free(result.setdefault(above, Entry(Kind.FOLDER)), Kind.FOLDER, above, where)
        there = result.get(place)
        if there is not None:
            _require_free(there, entry.kind, place, where)
        result[place] = entry
    return result


def _require_free(there: Entry, kind: Kind, path: str, where: str) -> None:
    if there.kind is not kind or there.kind is Kind.LINK:
        raise UsageError(
            f"refused: {path} cannot be laid over the source tree, which has a {there.kind.value} in that place",
            where=where,
        )


def read_folder(root: Path, *, links: bool = True) -> dict[str, Entry]:
    """The checked tree below a folder. ``links``: whether symbolic links may be there at all.

    Raises UsageError, naming the entry, for what no source tree may hold.
    """
    tree: dict[str, Entry] = {}
    waiting = [""]
    while waiting:
        above = waiting.pop()
        try:
            found = sorted(os.scandir(root / above), key=lambda entry: entry.name)
        except OSError as error:
            raise UsageError(f"cannot be read: {error.strerror}", where=str(root / above)) from None
        for entry in found:
            path = f"{above}/{entry.name}" if above else entry.name
            tree[path] = _entry(entry, root / path, links=links)
            if tree[path].kind is Kind.FOLDER:
                waiting.append(path)
            if len(tree) > MOST_ENTRIES or path.count("/") >= _DEEPEST:
                raise UsageError(
                    f"refused: more than {MOST_ENTRIES} files and folders, or deeper than {_DEEPEST}", where=str(root)
                )
    check_tree(tree, str(root))
    return dict(sorted(tree.items()))


def _entry(entry: os.DirEntry[str], path: Path, *, links: bool) -> Entry:
    status = entry.stat(follow_symlinks=False)
    if stat.S_ISDIR(status.st_mode):
        return Entry(Kind.FOLDER, status.st_mtime_ns)
    if stat.S_ISREG(status.st_mode):
        executable = bool(status.st_mode & stat.S_IXUSR)
        return Entry(Kind.FILE, status.st_mtime_ns, executable, content=path, size=status.st_size)
    if stat.S_ISLNK(status.st_mode) and links:
        return Entry(Kind.LINK, status.st_mtime_ns, target=str(path.readlink()))
    what = "a symbolic link" if stat.S_ISLNK(status.st_mode) else "a FIFO, a socket or a device"
    raise UsageError(f"refused: {what}, not a regular file", where=str(path))


def _content(entry: Entry) -> bytes | memoryview:
    """A file's bytes. Raises UsageError for one that has become something else."""
    if not isinstance(entry.content, Path):
        return entry.content or b""
    try:
        descriptor = os.open(entry.content, _OPEN)
    except OSError as error:
        raise UsageError(f"cannot be read: {error.strerror}", where=str(entry.content)) from None
    with open(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise UsageError("refused: not a regular file", where=str(entry.content))
        content = file.read(entry.size + 1)
    if len(content) != entry.size:
        raise UsageError("changed while it was read", where=str(entry.content), hint="run it again")
    return content


def write_tree(tree: Tree, folder: Path, where: str) -> None:
    """Write a checked tree into an empty folder: files first, links last, so that nothing is written through one.

    Modes are 0755 for folders and executables and 0644 for the rest, whatever the tarball and the umask say.
    """
    known = {parent: Entry(Kind.FOLDER) for path in tree for parent in _parents(path)} | dict(tree)
    root = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    folders = sorted(path for path, entry in known.items() if entry.kind is Kind.FOLDER)
    try:
        for path in folders:
            os.mkdir(path, 0o755, dir_fd=root)
            os.chmod(path, 0o755, dir_fd=root)  # noqa: S103 - whatever the umask
        for path, entry in known.items():
            if entry.kind is Kind.FILE:
                _write_file(path, entry, root)
        for path, entry in known.items():
            if entry.kind is Kind.LINK:
                os.symlink(entry.target, path, dir_fd=root)
        for path in reversed(folders):
            if (time := known[path].mtime_ns) is not None:
                os.utime(path, ns=(time, time), dir_fd=root, follow_symlinks=False)
    except FileExistsError as error:  # a file system that takes two names for one
        raise UsageError(f"refused: two entries have the name {error.filename}", where=where) from None
    finally:
        os.close(root)


def _write_file(path: str, entry: Entry, root: int) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with open(os.open(path, flags, 0o600, dir_fd=root), "wb") as file:
        file.write(_content(entry))
        file.flush()
        os.fchmod(file.fileno(), 0o755 if entry.executable else 0o644)
        if entry.mtime_ns is not None:
            os.utime(file.fileno(), ns=(entry.mtime_ns, entry.mtime_ns))


def pack(tree: Tree, output: Path) -> None:
    """A checked tree as a tar archive for the sandbox, in the order of names, with the files' times."""
    with tarfile.open(output, "w", format=tarfile.GNU_FORMAT) as archive:
        for path, entry in sorted(tree.items()):
            member = tarfile.TarInfo(path)
            member.mtime = max(entry.mtime_ns or 0, 0) // 1_000_000_000
            match entry.kind:
                case Kind.FOLDER:
                    member.type, member.mode = tarfile.DIRTYPE, 0o755
                    archive.addfile(member)
                case Kind.LINK:
                    member.type, member.linkname = tarfile.SYMTYPE, entry.target
                    archive.addfile(member)
                case Kind.FILE:
                    member.mode, member.size = 0o755 if entry.executable else 0o644, entry.size
                    archive.addfile(member, io.BytesIO(_content(entry)))
