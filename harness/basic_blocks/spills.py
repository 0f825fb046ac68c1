"""Spills and reloads of machine code, out of LLVM's own text of it (MIR).

A *spill* is a memory operand that stores to a spill slot, a *reload* one that loads from it; an
instruction can have several (``stp``), or both (a folded read-modify-write). Slots that keep registers
for the caller are none of the allocator's spills and do not count. The text is that of the finished
code, after the last pass that changes it, so that each operand stands in the block that executes it.
"""

import re
from dataclasses import dataclass

__all__ = ["FLAGS", "Traffic", "spill_traffic"]

FLAGS = ("-fbasic-block-address-map", "-mllvm", "-stop-after=stack-frame-layout")
"""clang's options, beside ``-S``. The address map's numbers of blocks stand in the text, too."""

_FUNCTION = re.compile(r"name: +(\S.*)\Z")
_SLOT = re.compile(r" *- \{ id: (\d+), (?:name: '[^']*', )?type: spill-slot,")
_BLOCK = re.compile(r"  bb\.\d+\S* .*\bbb_id (\d+)\b")
_OPERAND = re.compile(r"\((?:[a-z-]+ )*?(load store|load|store) [^()]*(?:\([^()]*\) )?(?:into|from|on) %stack\.(\d+)\b")
_CALLEE_SAVED = "callee-saved-register: '$"


@dataclass(frozen=True, slots=True)
class Traffic:
    """Spill-slot operands of one block."""

    spills: int
    reloads: int


def spill_traffic(mir: str) -> dict[str, dict[int, Traffic]]:
    """Function → number of block → its operands, for every block of the module.

    The module's IR, which comes first, is indented, and has no numbers of blocks.
    """
    found: dict[str, dict[int, Traffic]] = {}
    blocks: dict[int, Traffic] = {}
    slots: set[int] = set()
    candidate: int | None = None
    in_stack = False
    number = -1
    for line in mir.splitlines():
        if line.startswith("name:"):
            name = _FUNCTION.match(line)
            blocks = found.setdefault(name[1].strip("'\"") if name else "", {})
            slots = set()
            number = -1
        elif line.startswith("stack:"):
            in_stack = True
        elif in_stack and line.startswith(" "):
            if slot := _SLOT.match(line):
                candidate = int(slot[1])
                slots.add(candidate)
            elif line.lstrip().startswith("- {"):
                candidate = None
            if candidate is not None and _CALLEE_SAVED in line:
                slots.discard(candidate)
        elif not line.startswith(" "):
            in_stack = False
        elif line.startswith("  bb.") and (block := _BLOCK.match(line)):
            number = int(block[1])
            blocks[number] = Traffic(0, 0)
        elif "%stack." in line and number >= 0:
            blocks[number] = _more(blocks[number], line, slots)
    return found


def _more(traffic: Traffic, line: str, slots: set[int]) -> Traffic:
    kinds = [kind for kind, slot in _OPERAND.findall(line) if int(slot) in slots]
    spills = sum("store" in kind for kind in kinds)
    reloads = sum("load" in kind for kind in kinds)
    return Traffic(traffic.spills + spills, traffic.reloads + reloads)
