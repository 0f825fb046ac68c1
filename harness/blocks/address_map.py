"""The BB address map of a linked program: section ``.llvm_bb_addr_map``, read by llvm-readobj.

clang writes it with ``-fbasic-block-address-map``; with ``-pgo-analysis-map=bb-freq`` it also holds
the frequencies that LLVM's block-frequency analysis expects.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.process import Limits, run
from harness.toolchain import Toolchain

__all__ = ["FLAGS", "MappedBlock", "read_address_map"]

FLAGS = ("-fbasic-block-address-map", "-mllvm", "-pgo-analysis-map=bb-freq")
"""clang's options; they add sections and leave the code as it is."""
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


def read_address_map(program: Path, toolchain: Toolchain) -> list[MappedBlock]:
    """The blocks, in the map's order. Empty for a program without a map.

    A function without a symbol is called ``<unnamed 1>``, ``<unnamed 2>`` in the order of the map.
    Raises ValueError when the map cannot be read.
    """
    command = [toolchain.tool("llvm-readobj"), "--bb-addr-map", "--elf-output-style=JSON", str(program)]
    done = run(command, cwd=program.parent, limits=Limits(wall=60))
    if not done.ok:
        raise ValueError(f"the BB address map cannot be read: {done.reason()}")
    try:
        functions = [entry["Function"] for entry in json.loads(done.stdout)[0].get("BBAddrMap", [])]
        return [block for number, function in enumerate(functions, 1) for block in _blocks(function, number)]
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise ValueError(f"the BB address map is not as llvm-readobj 22 writes it: {error!r}") from None


def _blocks(function: dict[str, Any], number: int) -> list[MappedBlock]:
    name = function["Name"] if function["Name"] != _NAMELESS else f"<unnamed {number}>"
    places = [
        (int(entry["ID"]), int(part["Base Address"]) + int(entry["Offset"]), int(entry["Size"]))
        for part in function["BB Ranges"]
        for entry in part["BB Entries"]
    ]
    expected = [int(entry["Frequency"]) for entry in function["PGO analyses"]["PGO BB entries"]]
    entry = expected[0] or 1
    return [
        MappedBlock(name, block, address, size, frequency / entry)
        for (block, address, size), frequency in zip(places, expected, strict=True)
    ]
