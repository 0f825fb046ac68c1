"""Section headers of an ELF64 object: all that the size metrics need of the format.

Layout: System V ABI, "Object Files"; both targets are 64-bit little-endian.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from harness.errors import UsageError

__all__ = ["SHF_ALLOC", "SHF_EXECINSTR", "SHT_NOBITS", "Section", "sections"]

SHF_ALLOC = 0x2
SHF_EXECINSTR = 0x4
SHT_NOBITS = 8
_FILE_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION_HEADER = struct.Struct("<IIQQQQIIQQ")


@dataclass(frozen=True, slots=True)
class Section:
    """One section header's type, flags and size in bytes."""

    type: int
    flags: int
    size: int


def sections(path: Path) -> list[Section]:
    """The sections of an ELF64 file. Raises UsageError when the file is not one."""
    data = path.read_bytes()
    try:
        return list(_sections(data))
    except (struct.error, ValueError):
        raise UsageError("not a 64-bit little-endian ELF object", where=str(path)) from None


def _sections(data: bytes) -> Iterator[Section]:
    header = _FILE_HEADER.unpack_from(data)
    if header[0][:6] != b"\x7fELF\x02\x01":
        raise ValueError("magic")
    offset, entry_size, count = header[6], header[11], header[12]
    if count == 0 and offset:  # more than 65,279 sections: the count is in the first header
        count = _SECTION_HEADER.unpack_from(data, offset)[5]
    for index in range(count):
        _, kind, flags, _, _, size, *_ = _SECTION_HEADER.unpack_from(data, offset + index * entry_size)
        yield Section(kind, flags, size)
