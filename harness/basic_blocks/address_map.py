"""The BB address map of a linked program: section ``.llvm_bb_addr_map``, read by llvm-readobj.

clang writes it with ``-fbasic-block-address-map``; with ``-pgo-analysis-map=bb-freq`` it also holds
the frequencies that LLVM's block-frequency analysis expects.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.base.errors import CellError
from harness.base.vocabulary import Outcome
from harness.sandbox.bench import Bench
from harness.sandbox.tools import run_tool, tool_job

__all__ = ["EDGE_FLAGS", "FLAGS", "MappedBlock", "read_address_map"]

FLAGS = ("-fbasic-block-address-map", "-mllvm", "-pgo-analysis-map=bb-freq")
"""clang's options; they add sections and leave the code as it is."""
EDGE_FLAGS = ("-fbasic-block-address-map", "-mllvm", "-pgo-analysis-map=bb-freq,br-prob")
"""The same, and the map has the edges between blocks."""
_PROGRAM = "program"
_NAMELESS = "<?>"


@dataclass(frozen=True, slots=True)
class MappedBlock:
    """One machine basic block."""

    function: str
    id: int
    """LLVM's number of the block in its function; stable from its creation on."""
    address: int
    size: int
    """Bytes; alignment padding behind the last instruction may be in it or not."""
    frequency: float
    """Expected executions per call of the function."""
    landing_pad: bool = False
    """Whether it is entered by unwinding only: an exception was thrown."""
    successors: tuple[int, ...] = ()
    """Their numbers; empty without ``EDGE_FLAGS``."""


def read_address_map(program: Path, bench: Bench) -> list[MappedBlock]:
    """The blocks, in the map's order. Empty for a program without a map.

    A function without a symbol is called ``<unnamed 1>``, ``<unnamed 2>`` in the order of the map.
    Raises ValueError when the map cannot be read, and CellError when llvm-readobj runs out of time or is killed.
    """
    words = ("--bb-addr-map", "--elf-output-style=JSON", _PROGRAM)
    done = run_tool(tool_job("llvm-readobj", words, {_PROGRAM: program}, (), 60, bench), bench)
    if done.transient:
        raise CellError(Outcome.COMPILE_TIMEOUT, done.reason_line(), transient=True)
    if not done.ok:
        raise ValueError(f"the BB address map cannot be read: {done.reason_line()}")
    try:
        functions = [entry["Function"] for entry in json.loads(done.stdout)[0].get("BBAddrMap", [])]
        return [block for number, function in enumerate(functions, 1) for block in _blocks(function, number)]
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise ValueError(f"the BB address map is not as llvm-readobj 22 writes it: {error!r}") from None


def _blocks(function: dict[str, Any], number: int) -> list[MappedBlock]:
    name = function["Name"] if function["Name"] != _NAMELESS else f"<unnamed {number}>"
    places = [
        (int(entry["ID"]), int(part["Base Address"]) + int(entry["Offset"]), int(entry["Size"]), bool(entry["IsEHPad"]))
        for part in function["BB Ranges"]
        for entry in part["BB Entries"]
    ]
    analyses = function["PGO analyses"]["PGO BB entries"]
    entry = int(analyses[0]["Frequency"]) or 1
    return [
        MappedBlock(
            name,
            block,
            address,
            size,
            int(analysis["Frequency"]) / entry,
            landing_pad,
            tuple(int(edge["ID"]) for edge in analysis.get("Successors", ())),
        )
        for (block, address, size, landing_pad), analysis in zip(places, analyses, strict=True)
    ]
