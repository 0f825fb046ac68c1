"""What an ELF64 shared object or program asks of the dynamic loader, and what it offers.

Only what a linker has written is understood; anything else is an error.
"""

import mmap
import struct
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

from harness.base.errors import UsageError

__all__ = ["Binding", "DynamicObject", "Symbol", "read_dynamic"]

_FILE_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_PROGRAM_HEADER = struct.Struct("<IIQQQQQQ")
_SECTION_HEADER = struct.Struct("<IIQQQQIIQQ")
_ENTRY = struct.Struct("<QQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_DYNAMIC, _INTERPRETER, _STACK = 2, 3, 0x6474E551
_EXECUTABLE = 1
_DYNSYM = 11
_TAG_NEEDED, _TAG_STRINGS, _TAG_SYMBOLS = 1, 5, 6
_MOST = 1 << 20


class Binding(IntEnum):
    """How a symbol's definition is chosen among several."""

    LOCAL = 0
    GLOBAL = 1
    WEAK = 2
    UNIQUE = 10
    """The first of the whole process, however it was loaded: a GNU extension."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """An entry of the dynamic symbol table."""

    name: str
    binding: int
    type: int
    is_defined: bool


@dataclass(frozen=True, slots=True)
class DynamicObject:
    """The parts that matter to the loader."""

    interpreter: str
    """Of a program; empty for a library."""
    needed: tuple[str, ...]
    """Names of the libraries that it wants loaded."""
    tags: frozenset[int]
    """Kinds of entries in its dynamic section."""
    symbols: tuple[Symbol, ...]
    """Without local ones."""
    executable_stack: bool


def read_dynamic(path: Path, *, symbols: bool = True) -> DynamicObject:
    """The dynamic part of a file; without its ``symbols``, of which there may be many, where they are not wanted.

    Raises UsageError for what is no 64-bit little-endian ELF file that has one."""
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return _read(data, symbols)
    except (struct.error, ValueError, IndexError, OSError):
        raise UsageError("not a dynamically linked 64-bit little-endian ELF file", where=str(path)) from None


def _read(data: mmap.mmap, with_symbols: bool) -> DynamicObject:
    header = _FILE_HEADER.unpack_from(data)
    if header[0][:6] != b"\x7fELF\x02\x01":
        raise ValueError("magic")
    programs = [_PROGRAM_HEADER.unpack_from(data, header[5] + at * header[9]) for at in range(header[10])]
    sections = [_SECTION_HEADER.unpack_from(data, header[6] + at * header[11]) for at in range(header[12])]
    dynamic = next(segment for segment in (*programs, None) if segment is None or segment[0] == _DYNAMIC)
    if dynamic is None:
        raise ValueError("no dynamic segment")
    entries: list[tuple[int, int]] = []
    for at in range(dynamic[2], dynamic[2] + dynamic[5], _ENTRY.size):
        tag, value = _ENTRY.unpack_from(data, at)
        if tag == 0:
            break
        entries.append((tag, value))
    values = dict(entries)
    (table,) = [section for section in sections if section[1] == _DYNSYM]
    strings = sections[table[6]]
    if (table[3], strings[3]) != (values[_TAG_SYMBOLS], values[_TAG_STRINGS]):
        raise ValueError("the loader would read other symbols")
    names = data[strings[4] : strings[4] + strings[5]]

    def name(offset: int) -> str:
        return names[offset : names.index(b"\0", offset)].decode("utf-8", "replace")

    if table[5] > _MOST * _SYMBOL.size:
        raise ValueError("too many symbols")
    symbols = []
    for at in range(table[4], table[4] + table[5] if with_symbols else 0, _SYMBOL.size):
        offset, info, _, section, _, _ = _SYMBOL.unpack_from(data, at)
        if info >> 4 != Binding.LOCAL:
            symbols.append(Symbol(name(offset), info >> 4, info & 15, section != 0))
    interpreter = next((segment for segment in programs if segment[0] == _INTERPRETER), None)
    stack = next((segment for segment in programs if segment[0] == _STACK), None)
    return DynamicObject(
        interpreter=data[interpreter[2] : interpreter[2] + interpreter[5]].rstrip(b"\0").decode()
        if interpreter
        else "",
        needed=tuple(name(value) for tag, value in entries if tag == _TAG_NEEDED),
        tags=frozenset(tag for tag, _ in entries),
        symbols=tuple(symbols),
        executable_stack=stack is None or bool(stack[1] & _EXECUTABLE),
    )
