"""An x86-64 object as functions of instructions and places in data, named so that two objects can be compared.

Nothing here compares: ``same_code.py`` does.
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from harness.base.errors import CellError, UsageError
from harness.base.vocabulary import Outcome
from harness.basic_blocks.disassembly import PADDING
from harness.sandbox.bench import Bench
from harness.sandbox.tools import run_tool, tool_job
from harness.toolchain.elf import (
    SHF_ALLOC,
    SHF_EXECINSTR,
    SHF_MERGE,
    SHF_STRINGS,
    SHF_WRITE,
    SHT_NOBITS,
    Relocation,
    Section,
    Symbol,
    relocations,
    sections,
    symbols,
)

__all__ = ["Assembled", "Chunk", "Function", "Instruction", "Place", "Reference", "assembled"]

_OBJECT = "program.o"
_SECONDS = 120.0
_SECTION = re.compile(r"Disassembly of section (.*):\Z")
_INSTRUCTION = re.compile(r"\s*([0-9a-f]+): ([0-9a-f]{2}(?: [0-9a-f]{2})*)\s*\t(.*)\Z")
_REMARK = re.compile(r"\s+<[^>]*>\Z|\s+# 0x([0-9a-f]+)(?: <.*>)?\Z|\s+# .*\Z")
_DIRECT = re.compile(r"(j\w+|call\w*|xbegin)\s+0x([0-9a-f]+)\Z")
_DISTANCE = re.compile(r"-?0x[0-9a-f]+\(%rip\)")

_PC32, _PLT32 = 2, 4
_RELATIVE = frozenset({_PC32, _PLT32, 9, 19, 20, 22, 24, 26, 41, 42})
"""Relocations that count from their own place: R_X86_64_PC32, PLT32, GOTPCREL, TLSGD, TLSLD, GOTTPOFF, PC64, GOTPC32,
GOTPCRELX, REX_GOTPCRELX. In an instruction they are meant from its end."""


@dataclass(frozen=True, slots=True)
class Place:
    """What a reference leads to."""

    names: frozenset[str]
    """Function and number of the instruction, or symbol and distance. A place between two functions has two names."""
    section: int
    """Number of the section that it is in; 0: in another object."""
    offset: int


@dataclass(frozen=True, slots=True)
class Reference:
    """Where in an instruction or in data, how, and to what."""

    at: int
    """Bytes from the beginning of the instruction, or of the data; 0 where the assembler filled it in."""
    kind: int
    """Number of the relocation."""
    place: Place


@dataclass(frozen=True, slots=True)
class Instruction:
    """Its text without what is filled in, and what that is."""

    text: str
    references: tuple[Reference, ...]


@dataclass(frozen=True, slots=True)
class Chunk:
    """Data from a place to the end of what can be told to belong together."""

    content: bytes
    """Without zeros at the end: they may be padding."""
    relocations: tuple[Relocation, ...]
    section: int
    start: int


@dataclass(slots=True)
class Function:
    """A function as it stands in the object; padding is left out."""

    name: str
    """Those of its symbols."""
    section: int
    start: int
    lines: list[tuple[int, int, str]] = field(default_factory=list)
    """Address, size in bytes and text of each instruction."""
    addresses: list[int] = field(default_factory=list)
    """Of the instructions."""
    ends: set[int] = field(default_factory=set)
    """Where an instruction ends, padding included."""

    def at(self, address: int) -> str:
        """The function with the number of the instruction that is executed first there, or the bytes to inside one."""
        if address == self.start or address in self.ends:
            return f"{self.name} @{bisect_left(self.addresses, address)}"
        return f"{self.name} {address - self.start:+}"


def assembled(path: Path, bench: Bench) -> "Assembled":
    """The object. Raises CellError when it cannot be disassembled."""
    words = ("-dz", _OBJECT)
    done = run_tool(tool_job("llvm-objdump", words, {_OBJECT: path}, (), _SECONDS, bench), bench)
    if not done.ok:
        raise CellError(Outcome.COMPILE_ERROR, f"cannot be disassembled: {done.reason_line()}", done.transient)
    try:
        return Assembled(path, done.stdout.decode("utf-8", "replace"))
    except (IndexError, UsageError):
        raise CellError(Outcome.COMPILE_ERROR, "cannot be disassembled: its sections are not understood") from None


class Assembled:
    """An object file with its disassembly (``llvm-objdump -dz``)."""

    def __init__(self, path: Path, said: str) -> None:
        self.sections = sections(path)
        self._data = path.read_bytes()
        self._symbols = symbols(path)
        self._relocations = relocations(path)
        self._functions: dict[int, list[Function]] = self._labels()
        self._fill(said)

    @cached_property
    def functions(self) -> dict[str, list[Instruction]]:
        """Function → its instructions."""
        return {one.name: list(self._instructions(one)) for some in self._functions.values() for one in some}

    @cached_property
    def constants(self) -> dict[str, list[Chunk]]:
        """Symbol of data that is only read → the data. Local symbols of one name are in the object's order."""
        found: dict[str, list[Chunk]] = defaultdict(list)
        for number, some in self._named.items():
            if not self.sections[number].flags & SHF_WRITE:
                for one in some:
                    if one.size:
                        found[one.name].append(self._chunk(number, one.value, one.value + one.size))
        return dict(found)

    @cached_property
    def variables(self) -> dict[str, list[tuple[int, Chunk, list[tuple[str, int, int]]]]]:
        """Name of a section that can be written → its size, content and symbols."""
        found = defaultdict(list)
        for number, one in enumerate(self.sections):
            if one.flags & SHF_ALLOC and one.flags & SHF_WRITE:
                named = sorted((s.name, s.value, s.size) for s in self._named.get(number, ()))
                found[one.name].append((one.size, self._chunk(number, 0, one.size), named))
        return dict(found)

    def chunk(self, place: Place) -> Chunk | None:
        """Data that is only read from a place on, to the next symbol or place that code refers to; None elsewhere."""
        if not place.section:
            return None
        section = self.sections[place.section]
        if not section.flags & SHF_ALLOC or section.flags & (SHF_WRITE | SHF_EXECINSTR):
            return None
        if not 0 <= place.offset < section.size:
            return None
        return self._chunk(place.section, place.offset, self._end(place.section, section, place.offset))

    def references(self, chunk: Chunk) -> Iterator[tuple[int, int, tuple[Place, ...]]]:
        """(bytes from its start, kind, place) of each relocation of data.

        A difference of two labels is stored as a distance from its own place: entries of a table that count from the
        table's beginning have the place that is meant behind the one that is named.
        """
        for one in chunk.relocations:
            at = one.offset - chunk.start
            shifts = (at, 0) if one.kind in _RELATIVE else (0,)
            yield at, one.kind, tuple(self._place(one, one.addend - shift) for shift in shifts)

    def _labels(self) -> dict[int, list[Function]]:
        names: dict[tuple[int, int], list[str]] = defaultdict(list)
        for one in self._symbols:
            if one.section and one.name and not one.is_section and self._is_code(one.section):
                names[one.section, one.value].append(one.name)
        found: dict[int, list[Function]] = defaultdict(list)
        for (number, value), some in sorted(names.items()):
            found[number].append(Function(" = ".join(sorted(some)), number, value))
        return found

    def _fill(self, said: str) -> None:
        """Give each function its instructions."""
        seen, number = Counter[str](), 0
        missing = {n: one.size for n, one in enumerate(self.sections) if self._is_code(n)}
        alike: dict[str, list[int]] = defaultdict(list)
        for n, size in missing.items():
            if size:
                alike[self.sections[n].name].append(n)
        for line in said.split("\n"):
            if match := _SECTION.match(line):
                number = alike[match[1]][seen[match[1]]]
                seen[match[1]] += 1
            elif match := _INSTRUCTION.match(line):
                address, size = int(match[1], 16), (len(match[2]) + 1) // 3
                missing[number] -= size
                function = self._at(number, address)
                function.ends.add(address + size)
                if not PADDING.match(match[3]):
                    function.lines.append((address, size, match[3]))
                    function.addresses.append(address)
        if any(missing.values()):
            raise CellError(Outcome.COMPILE_ERROR, "cannot be disassembled: not all of its code is instructions")

    def _at(self, number: int, address: int) -> Function:
        """The function that an instruction belongs to."""
        some = self._functions.setdefault(number, [])
        if not some or some[0].start > address:
            some.insert(0, Function(self.sections[number].name, number, address))
        return some[bisect_right(some, address, key=lambda one: one.start) - 1]

    def _is_code(self, number: int) -> bool:
        return bool(self.sections[number].flags & SHF_EXECINSTR)

    def _instructions(self, function: Function) -> Iterator[Instruction]:
        relocated = self._relocations.get(function.section, [])
        for address, size, line in function.lines:
            text, points = _without_remarks(line)
            first = bisect_left(relocated, address, key=lambda one: one.offset)
            last = bisect_left(relocated, address + size, key=lambda one: one.offset)
            direct = _DIRECT.match(text)
            if first < last:
                found = [self._reference(one, address, size) for one in relocated[first:last]]
                yield Instruction(direct[1] if direct else text, tuple(found))
            elif direct or points is not None:
                place = self._in_code(function.section, int(direct[2], 16) if direct else points or 0)
                filled = direct[1] if direct else _DISTANCE.sub("(%rip)", text)
                yield Instruction(filled, (Reference(0, _PC32, place),))
            else:
                yield Instruction(text, ())

    def _reference(self, one: Relocation, address: int, size: int) -> Reference:
        from_end = address + size - one.offset if one.kind in _RELATIVE else 0
        kind = _PC32 if one.kind == _PLT32 else one.kind
        return Reference(0 if kind == _PC32 else one.offset - address, kind, self._place(one, one.addend + from_end))

    def _place(self, one: Relocation, distance: int) -> Place:
        symbol = self._symbols[one.symbol]
        if not symbol.section:
            return Place(frozenset({f"{symbol.name}{distance:+}"}), 0, 0)
        if self._is_code(symbol.section):
            return self._in_code(symbol.section, symbol.value + distance)
        place = self._in_data(symbol.section, symbol.value + distance)
        return replace(place, names=place.names | {f"{symbol.name}{distance:+}"}) if symbol.size else place

    def _in_code(self, number: int, address: int) -> Place:
        some = self._functions.get(number, [])
        after = bisect_right(some, address, key=lambda one: one.start)
        near = [one for one in some[max(0, after - 2) : after] if address >= one.start]
        if len(near) == 2 and address > near[1].start:
            near = near[1:]
        return Place(frozenset(one.at(address) for one in near), number, address)

    def _in_data(self, number: int, offset: int) -> Place:
        section, named = self.sections[number], self._named.get(number, [])
        names = set[str]()
        after = bisect_right(named, offset, key=lambda one: one.value)
        if after:
            start = named[after - 1].value
            alike = [one for one in named[:after] if one.value == start]
            names |= {f"{one.name}{offset - start:+}" for one in alike if offset < start + one.size}
        if section.flags & SHF_WRITE:
            names.add(f"{section.name}{offset:+}")
        return Place(frozenset(names), number, offset)

    @cached_property
    def _named(self) -> dict[int, list[Symbol]]:
        """Number of a section of data → its symbols, by their places."""
        found: dict[int, list[Symbol]] = defaultdict(list)
        for one in self._symbols:
            if one.section and one.name and not one.is_section and not self._is_code(one.section):
                found[one.section].append(one)
        return {number: sorted(some, key=lambda one: one.value) for number, some in found.items()}

    @cached_property
    def _breaks(self) -> dict[int, list[int]]:
        """Number of a section of data → where something begins or ends."""
        found: dict[int, set[int]] = defaultdict(set)
        for number, some in self._named.items():
            found[number] |= {one.value for one in some} | {one.value + one.size for one in some}
        for instructions in self.functions.values():
            for reference in (one for instruction in instructions for one in instruction.references):
                found[reference.place.section].add(reference.place.offset)
        for number, relocated in self._relocations.items():
            if not self._is_code(number):
                for one in (one for one in relocated if one.kind not in _RELATIVE):
                    place = self._place(one, one.addend)
                    found[place.section].add(place.offset)
        return {number: sorted(some) for number, some in found.items()}

    def _end(self, number: int, section: Section, offset: int) -> int:
        if section.flags & SHF_MERGE and section.entry:
            entry = section.entry
            if not section.flags & SHF_STRINGS:
                return (offset // entry + 1) * entry
            data = self._data[section.offset : section.offset + section.size]
            ends = (at for at in range(offset, section.size, entry) if not any(data[at : at + entry]))
            return next(ends, section.size)
        breaks = self._breaks.get(number, [])
        after = bisect_right(breaks, offset)
        return breaks[after] if after < len(breaks) else section.size

    def _chunk(self, number: int, start: int, end: int) -> Chunk:
        section = self.sections[number]
        content = b"" if section.type == SHT_NOBITS else self._data[section.offset + start : section.offset + end]
        relocated = tuple(one for one in self._relocations.get(number, ()) if start <= one.offset < end)
        return Chunk(content.rstrip(b"\0"), relocated, number, start)


def _without_remarks(text: str) -> tuple[str, int | None]:
    """The instruction, and the address that a remark behind it names."""
    points = None
    while match := _REMARK.search(text):
        points = int(match[1], 16) if match[1] else points
        text = text[: match.start()]
    return text.strip(), points
