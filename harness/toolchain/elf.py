"""Section headers of an ELF64 file, and what its sections hold: all that the harness needs of the format.

Layout: System V ABI, "Object Files"; both targets are 64-bit little-endian.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from harness.base.errors import UsageError

__all__ = [
    *("SHF_ALLOC", "SHF_EXECINSTR", "SHT_NOBITS", "Section"),
    *("allocated_bytes", "executable_bytes", "loaded", "sections"),
]

SHF_ALLOC = 0x2
SHF_EXECINSTR = 0x4
SHT_NOBITS = 8
_FILE_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION_HEADER = struct.Struct("<IIQQQQIIQQ")
_BUILD_ID = ".note.gnu.build-id"


@dataclass(frozen=True, slots=True)
class Section:
    """One section header."""

    name: str
    type: int
    flags: int
    address: int
    """Where it is loaded; 0 in an object."""
    offset: int
    """In the file."""
    size: int
    """Bytes."""


def sections(path: Path) -> list[Section]:
    """The sections of an ELF64 file. Raises UsageError when the file is not one."""
    return _sections_of(path.read_bytes(), path)


def allocated_bytes(path: Path) -> int:
    """What is loaded of an object: allocated sections, unwind tables included, without .bss."""
    return sum(s.size for s in sections(path) if s.flags & SHF_ALLOC and s.type != SHT_NOBITS)


def executable_bytes(path: Path) -> int:
    """Executable sections of an object."""
    return sum(s.size for s in sections(path) if s.flags & SHF_EXECINSTR)


def loaded(path: Path) -> dict[tuple[str, int], bytes]:
    """What a linked program's memory holds at first: (section, address) → content, empty for .bss.

    The linker's build id is left out: it is a digest of the file, sections that are not loaded included.
    """
    data = path.read_bytes()
    return {
        (s.name, s.address): b"" if s.type == SHT_NOBITS else data[s.offset : s.offset + s.size]
        for s in _sections_of(data, path)
        if s.flags & SHF_ALLOC and s.name != _BUILD_ID
    }


def _sections_of(data: bytes, path: Path) -> list[Section]:
    try:
        return list(_sections(data))
    except (struct.error, ValueError, IndexError):
        raise UsageError("not a 64-bit little-endian ELF object", where=str(path)) from None


def _sections(data: bytes) -> Iterator[Section]:
    header = _FILE_HEADER.unpack_from(data)
    if header[0][:6] != b"\x7fELF\x02\x01":
        raise ValueError("magic")
    offset, entry_size, count, names = header[6], header[11], header[12], header[13]
    if count == 0 and offset:  # more than 65,279 sections: count and index are in the first header
        first = _SECTION_HEADER.unpack_from(data, offset)
        count, names = first[5], first[6]
    if count and (entry_size != _SECTION_HEADER.size or offset + count * entry_size > len(data)):
        raise ValueError("section headers")
    headers = [_SECTION_HEADER.unpack_from(data, offset + index * entry_size) for index in range(count)]
    table = headers[names][4] if headers else 0
    for name, kind, flags, address, start, size, *_ in headers:
        end = data.find(b"\0", table + name)
        yield Section(data[table + name : end].decode("utf-8", "replace"), kind, flags, address, start, size)
