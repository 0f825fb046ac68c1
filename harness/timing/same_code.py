"""Whether two objects hold the same program: instruction by instruction and byte by byte, wherever things stand.

Equal but for what comes of a function's place: padding between instructions, the length of jumps to other functions
(relaxation), and how a place elsewhere is named: by a distance that the assembler knew, or by a relocation for the
linker, from a symbol or from the start of a section. What such a name leads to must be the same: the instruction of
a function, the symbol and the distance from it, or, where data has no symbol, the same data. Data is compared too, as
far as the program reads or writes it: variables section by section, constants and tables by their symbols or by the
references to them. Tables for unwinding and for debuggers are not: they are about the code.
"""

from pathlib import Path

from harness.sandbox.bench import Bench
from harness.timing.assembled import Assembled, Chunk, Instruction, Place, Reference, assembled

__all__ = ["CHECK", "differing"]

CHECK = 2
"""Version of the comparison: what an earlier one found counts no more."""


def differing(one: Path, other: Path, bench: Bench) -> list[str]:
    """Names of functions, constants and sections of variables that are not the same in two x86-64 objects, or only in
    one of them.

    Raises CellError for an object that cannot be disassembled.
    """
    return _Comparison(assembled(one, bench), assembled(other, bench)).differing()


class _Comparison:
    def __init__(self, one: Assembled, other: Assembled) -> None:
        self._one, self._other = one, other
        self._same: dict[tuple[int, int, int, int], bool] = {}
        """Sections and offsets of two places → whether the same data is there."""

    def differing(self) -> list[str]:
        one, other = self._one, self._other
        functions = {name for name in one.functions.keys() | other.functions.keys() if not self._function(name)}
        constants = {name for name in one.constants.keys() | other.constants.keys() if not self._constant(name)}
        variables = {name for name in one.variables.keys() | other.variables.keys() if not self._variables(name)}
        return sorted(functions | constants | variables)

    def _function(self, name: str) -> bool:
        mine, theirs = self._one.functions.get(name), self._other.functions.get(name)
        if mine is None or theirs is None or len(mine) != len(theirs):
            return False
        return all(map(self._instruction, mine, theirs))

    def _instruction(self, mine: Instruction, theirs: Instruction) -> bool:
        alike = mine.text == theirs.text and len(mine.references) == len(theirs.references)
        return alike and all(map(self._reference, mine.references, theirs.references))

    def _reference(self, mine: Reference, theirs: Reference) -> bool:
        return (mine.at, mine.kind) == (theirs.at, theirs.kind) and self._place(mine.place, theirs.place)

    def _constant(self, name: str) -> bool:
        mine, theirs = self._one.constants.get(name, []), self._other.constants.get(name, [])
        return len(mine) == len(theirs) and all(map(self._chunks, mine, theirs))

    def _variables(self, name: str) -> bool:
        mine, theirs = self._one.variables.get(name, []), self._other.variables.get(name, [])
        if [(size, named) for size, _, named in mine] != [(size, named) for size, _, named in theirs]:
            return False
        return all(self._chunks(a, b) for (_, a, _), (_, b, _) in zip(mine, theirs, strict=True))

    def _chunks(self, mine: Chunk, theirs: Chunk) -> bool:
        if mine.content != theirs.content or len(mine.relocations) != len(theirs.relocations):
            return False
        for a, b in zip(self._one.references(mine), self._other.references(theirs), strict=True):
            if a[:2] != b[:2] or not any(map(self._place, a[2], b[2])):
                return False
        return True

    def _place(self, mine: Place, theirs: Place) -> bool:
        if mine.names & theirs.names:
            return True
        key = (mine.section, mine.offset, theirs.section, theirs.offset)
        if key not in self._same:
            self._same[key] = True  # data that leads to itself is the same as long as nothing else tells it apart
            a, b = self._one.chunk(mine), self._other.chunk(theirs)
            self._same[key] = a is not None and b is not None and self._chunks(a, b)
        return self._same[key]
