"""The machine code of one measured object, block by block: a value that can be stored and read back."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property

from harness.basic_blocks.address_map import MappedBlock
from harness.basic_blocks.disassembly import BlockText
from harness.basic_blocks.spills import Traffic

__all__ = ["Block", "Code"]


@dataclass(frozen=True, slots=True)
class Block:
    """One basic block of the linked program."""

    function: str
    id: int
    """LLVM's number of the block in its function."""
    address: int
    size: int
    """Bytes, without padding behind its last instruction."""
    instructions: int
    """Without padding."""
    padding: int
    """Bytes of alignment padding behind it: executed when control falls through to the next block."""
    nops: int
    """Instructions of padding."""
    frequency: float
    """Expected executions per call of the function, by LLVM's block-frequency analysis."""
    text: int
    """Index of its instructions in ``Code.texts``."""
    spills: int
    """Memory operands of spill slots: stores; ``reloads``: loads."""
    reloads: int
    segments: tuple[tuple[int, int], ...]
    """(offset in bytes, instructions) of the parts that are executed from first to last."""


@dataclass(frozen=True)
class Code:
    """All blocks of an object, by address."""

    blocks: tuple[Block, ...]
    texts: tuple[str, ...]
    """The different instruction sequences, one instruction a line."""
    spills_unknown: str | None = None
    """Why spills are not known, or None: they are."""

    @cached_property
    def functions(self) -> tuple[str, ...]:
        """The functions' names, in the order of their first blocks."""
        return tuple(dict.fromkeys(block.function for block in self.blocks))

    @classmethod
    def join(
        cls,
        mapped: Sequence[MappedBlock],
        texts: Sequence[BlockText],
        traffic: dict[str, dict[int, Traffic]],
    ) -> "Code":
        """Put together what the address map, the disassembly and the allocator's text say of the same blocks."""
        traffic, unknown = _matched(mapped, traffic)
        index: dict[str, int] = {}
        blocks = []
        for block, text in sorted(zip(mapped, texts, strict=True), key=lambda pair: pair[0].address):
            operands = traffic.get(block.function, {}).get(block.id, Traffic(0, 0))
            number = index.setdefault("\n".join(text.lines), len(index))
            blocks.append(
                Block(
                    function=block.function,
                    id=block.id,
                    address=block.address,
                    size=text.size,
                    instructions=len(text.lines),
                    padding=text.padding,
                    nops=text.nops,
                    frequency=block.frequency,
                    text=number,
                    spills=operands.spills,
                    reloads=operands.reloads,
                    segments=text.segments,
                )
            )
        return cls(tuple(blocks), tuple(index), unknown)

    def dump(self) -> bytes:
        """As ``load`` reads it."""
        rows = [list(asdict(block).values()) for block in self.blocks]
        return json.dumps([rows, self.texts, self.spills_unknown], separators=(",", ":")).encode()

    @classmethod
    def load(cls, content: bytes) -> "Code":
        """What ``dump`` wrote."""
        rows, texts, unknown = json.loads(content)
        for row in rows:
            row[-1] = tuple((offset, count) for offset, count in row[-1])
        return cls(tuple(Block(*row) for row in rows), tuple(texts), unknown)


def _matched(
    mapped: Sequence[MappedBlock], traffic: dict[str, dict[int, Traffic]]
) -> tuple[dict[str, dict[int, Traffic]], str | None]:
    """The traffic under the map's names, and why it is not to be trusted: the two disagree on the blocks."""
    ids: dict[str, set[int]] = {}
    for block in mapped:
        ids.setdefault(block.function, set()).add(block.id)
    # A function without a symbol has no name in the map; it can only be the one that is left.
    nameless, left = set(ids) - set(traffic), set(traffic) - set(ids)
    if len(nameless) == len(left) == 1:
        traffic = {**traffic, nameless.pop(): traffic[left.pop()]}
    for function, numbers in ids.items():
        if numbers != set(traffic.get(function, {})):
            return traffic, f"the blocks of function {function} are not those of the code before it was written"
    return traffic, None
