"""Sections and symbols of an ELF64 file: all that the harness needs of the format.

Layout: System V ABI, "Object Files"; both targets are 64-bit little-endian.
"""

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from harness.base.errors import UsageError

__all__ = [
    *("SHF_ALLOC", "SHF_EXECINSTR", "SHF_MERGE", "SHF_STRINGS", "SHF_WRITE", "SHT_NOBITS"),
    *("Relocation", "Section", "Symbol"),
    *("allocated_bytes", "executable_bytes", "loaded", "relocations", "sections", "symbols", "with_room_behind"),
]

SHF_WRITE = 0x1
SHF_ALLOC = 0x2
SHF_EXECINSTR = 0x4
SHF_MERGE = 0x10
SHF_STRINGS = 0x20
SHT_NOBITS = 8
_FILE_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION_HEADER = struct.Struct("<IIQQQQIIQQ")
_PLACE = struct.Struct("<QQ")
_PLACE_IN_HEADER = 24
"""Where a section's offset and size stand in its header."""
_ALIGNED = 16
_SYMBOL = struct.Struct("<IBBHQQ")
_RELOCATION = struct.Struct("<QIIq")
_SHT_SYMTAB = 2
_SHT_RELA = 4
_STT_SECTION = 3
_FUNCTIONS = (2, 10)
"""STT_FUNC and STT_GNU_IFUNC."""
_SPECIAL = 0xFF00
"""From here on, a symbol's section is none."""
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
    link: int = 0
    """Number of the section that this one needs: of a symbol table, its names."""
    info: int = 0
    """Of relocations, number of the section that they are of."""
    entry: int = 0
    """Bytes of one entry, where all have the same size; of strings, of a character."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """One symbol."""

    name: str
    kind: int
    section: int
    """Number of the section that it is in; 0: it is in none."""
    value: int
    """Where: in an object from the section's start, in a program the address."""
    size: int
    """Bytes."""

    @property
    def is_function(self) -> bool:
        """Whether it names code."""
        return self.kind in _FUNCTIONS

    @property
    def is_section(self) -> bool:
        """Whether it stands for the beginning of its section."""
        return self.kind == _STT_SECTION


@dataclass(frozen=True, slots=True)
class Relocation:
    """What the linker fills in at one place."""

    offset: int
    """From the section's start."""
    kind: int
    """The processor's number of how it is computed."""
    symbol: int
    """Number in the symbol table."""
    addend: int


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


def symbols(path: Path) -> list[Symbol]:
    """The file's symbols, in its table's order; none of a file without a table. Raises UsageError for a damaged one."""
    data = path.read_bytes()
    found = _sections_of(data, path)
    table = next((s for s in found if s.type == _SHT_SYMTAB), None)
    if table is None:
        return []
    try:
        names = found[table.link].offset
        return [_symbol(data, place, names) for place in range(table.offset, table.offset + table.size, _SYMBOL.size)]
    except (struct.error, ValueError, IndexError):
        raise UsageError("its symbol table is damaged", where=str(path)) from None


def relocations(path: Path) -> dict[int, list[Relocation]]:
    """Number of a section → its relocations (those with addends), by offset. Raises UsageError for a damaged one."""
    data = path.read_bytes()
    found: dict[int, list[Relocation]] = {}
    try:
        for one in _sections_of(data, path):
            if one.type == _SHT_RELA:
                places = range(one.offset, one.offset + one.size, _RELOCATION.size)
                found.setdefault(one.info, []).extend(_relocation(data, place) for place in places)
    except struct.error:
        raise UsageError("its relocations are damaged", where=str(path)) from None
    return {number: sorted(some, key=lambda one: one.offset) for number, some in found.items()}


def with_room_behind(path: Path, room: Mapping[int, int], fill: bytes) -> bytes:
    """The object with so many bytes more behind the content of sections, by their numbers: ``fill`` again and again."""
    data = bytearray(path.read_bytes())
    found = _sections_of(bytes(data), path)
    headers = _FILE_HEADER.unpack_from(data)[6]
    for number, more in room.items():
        one = found[number]
        content = data[one.offset : one.offset + one.size] + fill * more
        data += b"\0" * (-len(data) % _ALIGNED)
        place = headers + number * _SECTION_HEADER.size + _PLACE_IN_HEADER
        _PLACE.pack_into(data, place, len(data), len(content))
        data += content
    return bytes(data)


def _symbol(data: bytes, place: int, names: int) -> Symbol:
    name, info, _, section, value, size = _SYMBOL.unpack_from(data, place)
    end = data.index(b"\0", names + name)
    text = data[names + name : end].decode("utf-8", "replace")
    return Symbol(text, info & 0xF, section if section < _SPECIAL else 0, value, size)


def _relocation(data: bytes, place: int) -> Relocation:
    offset, kind, symbol, addend = _RELOCATION.unpack_from(data, place)
    return Relocation(offset, kind, symbol, addend)


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
    for name, kind, flags, address, start, size, link, info, _, entry in headers:
        end = data.find(b"\0", table + name)
        text = data[table + name : end].decode("utf-8", "replace")
        yield Section(text, kind, flags, address, start, size, link, info, entry)
