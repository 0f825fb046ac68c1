"""Tarballs that want to write elsewhere, made by hand; and what must not happen."""

import hashlib
import io
import tarfile
from collections.abc import Iterable
from pathlib import Path

from harness.suite.load import LoadedSuite, Program, load_suite
from tests.programs import write_files

__all__ = ["debian_program", "debian_suite", "device", "fifo", "file", "folder", "hard", "link", "tar_of"]

Member = tuple[tarfile.TarInfo, bytes]


def file(name: str, content: bytes = b"", mode: int = 0o644) -> Member:
    """A regular file."""
    member = tarfile.TarInfo(name)
    member.size, member.mode, member.mtime = len(content), mode, 1_000_000_000
    return member, content


def _special(name: str, kind: bytes, target: str = "") -> Member:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, target
    return member, b""


def folder(name: str) -> Member:
    """A folder."""
    return _special(name, tarfile.DIRTYPE)


def link(name: str, target: str) -> Member:
    """A symbolic link."""
    return _special(name, tarfile.SYMTYPE, target)


def hard(name: str, target: str) -> Member:
    """A hard link."""
    return _special(name, tarfile.LNKTYPE, target)


def fifo(name: str) -> Member:
    """A FIFO."""
    return _special(name, tarfile.FIFOTYPE)


def device(name: str) -> Member:
    """The character device 1:3."""
    member, content = _special(name, tarfile.CHRTYPE)
    member.devmajor, member.devminor = 1, 3
    return member, content


def tar_of(members: Iterable[Member], path: Path, form: int = tarfile.PAX_FORMAT) -> str:
    """Write a gzipped archive of these; returns its sha256."""
    with tarfile.open(path, "w:gz", format=form, compresslevel=1) as archive:
        for member, content in members:
            archive.addfile(member, io.BytesIO(content))
    return hashlib.sha256(path.read_bytes()).hexdigest()


def debian_program(place: Path, sha256: str, more: str = "", tarball: str = "pack_1.0.orig.tar.gz") -> Program:
    """A program of a suite at ``place`` whose source is that tarball."""
    return debian_suite(place, sha256, more, tarball).programs[0]


def debian_suite(
    place: Path, sha256: str, more: str = "", tarball: str = "pack_1.0.orig.tar.gz", inputs: str = ""
) -> LoadedSuite:
    """A suite at ``place`` of one program whose source is that tarball; ``more`` is of the source."""
    text = f"""
name = "packed"
version = "1"
description = "One program."

[sources.pack]
origin = "debian"
licence = "MIT"
package = "pack"
version = "1.0"
tarball = "{tarball}"
sha256 = "{sha256}"
{more}

[[benchmarks]]
name = "main"
source = "pack"
description = "Nothing."
files = ["main.c"]
split = "train"
workloads = [{{ name = "small"{inputs} }}]
"""
    write_files(place, {"suite.toml": text})
    return load_suite(str(place / "suite.toml"))
