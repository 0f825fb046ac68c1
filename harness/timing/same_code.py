"""Whether two objects hold the same functions: instruction by instruction, wherever they stand.

Equal but for what comes of a function's place: padding between instructions, the length of jumps to other functions
(relaxation), and how a place elsewhere is named: by distance, or by a relocation for the linker.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from harness.base.errors import CellError
from harness.base.vocabulary import Outcome
from harness.basic_blocks.disassembly import PADDING
from harness.sandbox.bench import Bench
from harness.sandbox.tools import run_tool, tool_job
from harness.toolchain.elf import sections, symbols

__all__ = ["code_of", "differing"]

_OBJECT = "program.o"
_SECONDS = 120.0
_CODE = ".text"
_SECTION = re.compile(r"Disassembly of section (\S+):\Z")
_FUNCTION = re.compile(r"[0-9a-f]+ <(.*)>:\Z")
_INSTRUCTION = re.compile(r"\s*([0-9a-f]+):\s+(.*)\Z")
_RELOCATION = re.compile(r"\s*[0-9a-f]+:\s+R_X86_64_(\w+)\s+(\S+?)(?:([+-]0x[0-9a-f]+))?\Z")
_REMARK = re.compile(r"\s+<[^>]*>\Z|\s+# 0x([0-9a-f]+)(?: <.*>)?\Z|\s+# .*\Z")
_BRANCH = re.compile(r"(j\w+|call\w*|xbegin)\s+(?:0x([0-9a-f]+)\Z)?")
_FILLED = re.compile(r"-?0x[0-9a-f]+\(%rip\)|\(%rip\)|\$-?0x[0-9a-f]+|-?0x[0-9a-f]+(?=\(|\Z)")
"""What a relocation may fill in."""
_FROM_END = 4
"""A relocation counts from its own place, the instruction from its end: nearly always four bytes apart."""


@dataclass
class _Instruction:
    address: int
    text: str
    relocations: list[tuple[str, int]] = field(default_factory=list)
    """Symbol and addend."""
    points: int | None = None
    """The address that a remark names."""


@dataclass
class _Function:
    name: str
    section: str
    instructions: list[_Instruction] = field(default_factory=list)


def differing(one: Path, other: Path, bench: Bench) -> list[str]:
    """Names of the functions that are not the same in two x86-64 objects, or only in one of them.

    Raises CellError for an object that cannot be disassembled.
    """
    mine, theirs = code_of(one, bench), code_of(other, bench)
    return sorted(name for name in mine.keys() | theirs.keys() if mine.get(name) != theirs.get(name))


def code_of(path: Path, bench: Bench) -> dict[str, tuple[str, ...]]:
    """Function → its instructions, each as a text that says nothing of where the function stands."""
    done = run_tool(
        tool_job("llvm-objdump", ("-dr", "--no-show-raw-insn", _OBJECT), {_OBJECT: path}, (), _SECONDS, bench), bench
    )
    if not done.ok:
        raise CellError(Outcome.COMPILE_ERROR, f"cannot be disassembled: {done.reason_line()}", done.transient)
    there = sections(path)
    functions = {(there[s.section].name, s.value): s.name for s in symbols(path) if s.is_function and s.section}
    return {one.name: _texts(one, functions) for one in _functions(done.stdout.decode("utf-8", "replace"))}


def _functions(said: str) -> list[_Function]:
    section, found = "", list[_Function]()
    for line in said.split("\n"):
        if match := _SECTION.match(line):
            section = match[1]
        elif match := _FUNCTION.match(line):
            found.append(_Function(match[1], section))
        elif match := _RELOCATION.match(line):
            found[-1].instructions[-1].relocations.append((match[2], int(match[3] or "0", 16)))
        elif found and (match := _INSTRUCTION.match(line)):
            found[-1].instructions.append(_instruction(int(match[1], 16), match[2]))
    return found


def _instruction(address: int, text: str) -> _Instruction:
    points = None
    while match := _REMARK.search(text):
        points = int(match[1], 16) if match[1] else points
        text = text[: match.start()]
    return _Instruction(address, text.strip(), points=points)


def _texts(function: _Function, functions: dict[tuple[str, int], str]) -> tuple[str, ...]:
    own = [one for one in function.instructions if not PADDING.match(one.text)]
    addresses = [one.address for one in own]
    end = function.instructions[-1].address if function.instructions else 0
    found = []
    for one in own:
        branch = _BRANCH.match(one.text)
        if one.relocations:
            places = [_place(name, addend, functions) for name, addend in one.relocations]
            text = branch[1] if branch else _FILLED.sub("", one.text)
            found.append(" ".join((text, *places)))
        elif branch and branch[2]:
            found.append(f"{branch[1]} {_target(int(branch[2], 16), function, addresses, end, functions)}")
        elif one.points is not None and (name := functions.get((function.section, one.points))):
            found.append(f"{_FILLED.sub('', one.text)} {name}")
        else:
            found.append(one.text)
    return tuple(found)


def _target(
    address: int, function: _Function, addresses: Sequence[int], end: int, functions: dict[tuple[str, int], str]
) -> str:
    """Another function by its name, a place in this one by the number of its instruction."""
    other = functions.get((function.section, address))
    if other is not None and other != function.name:
        return other
    inside = addresses and addresses[0] <= address <= end + 1
    return f"@{bisect_left(addresses, address)}" if inside or not addresses else f"{address - addresses[0]:+#x}"


def _place(name: str, addend: int, functions: dict[tuple[str, int], str]) -> str:
    """What a relocation names: a function or a symbol by its name, other sections by their sort."""
    if name.startswith(_CODE):
        return functions.get((name, addend + _FROM_END)) or functions.get((name, addend)) or f"{name}{addend:+#x}"
    return f".{name.split('.')[1]}" if name.startswith(".") else name
