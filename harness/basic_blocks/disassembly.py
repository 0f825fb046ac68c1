"""Instructions of a linked program, by llvm-objdump, in the text that llvm-mca reads.

Addresses are taken out of branches and of references relative to the program counter: they say nothing
of an instruction's cost, and without them a block's text is the same wherever it is placed.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.base.errors import CellError
from harness.base.vocabulary import Outcome
from harness.basic_blocks.address_map import MappedBlock
from harness.sandbox.bench import Bench
from harness.sandbox.tools import run_tool, tool_job

__all__ = ["PADDING", "BlockText", "block_texts"]

_PROGRAM = "program"
_LINE = re.compile(r"\s*([0-9a-f]+):\s+(.*)\Z")
_REMARK = re.compile(r"\s*(?:<(?!unknown>)[^>]*>|//.*|# .*)\s*")
_ADDRESS = re.compile(r"(?<![#$\w])-?0x[0-9a-f]+(?=\Z|\(%rip\))")
PADDING = re.compile(r"(?:(?:data16|cs)\s+)*(?:nop[wl]?\b|xchgw\s+%ax, %ax\Z)")
"""Instructions that only fill."""

_LEAVES = re.compile(
    r"(?:j\w+|call\w*|ret\w*|loop\w*|sys\w+|ud2|int3?|b|bl|br|blr|b\.\w+|cbn?z|tbn?z|svc|brk)\b", re.ASCII
)
"""Mnemonics behind which control may be elsewhere."""
_LARGEST_GAP = 64
"""Bytes between two blocks of a function that can only be alignment; its cold part may be far away."""
_REPEATS = re.compile(r"rep\w*\b")
"""An instruction that the emulator executes, and counts, once a repetition."""


@dataclass(frozen=True, slots=True)
class BlockText:
    """A block's instructions."""

    lines: tuple[str, ...]
    """One instruction each; alignment padding behind the last one is left out."""
    size: int
    """Bytes of these instructions."""
    padding: int
    """Bytes of alignment padding between them and the function's next block, whether the map has it in the
    block or between the two."""
    nops: int
    """Instructions of padding."""
    segments: tuple[tuple[int, int], ...]
    """(offset in bytes, instructions) of the parts that are executed from first to last: a branch or a call
    in the middle of a block may leave it."""


def block_texts(program: Path, blocks: Sequence[MappedBlock], bench: Bench) -> list[BlockText]:
    """The blocks' instructions, in the blocks' order.

    Raises ValueError when objdump fails, and CellError when it runs out of time or is killed.
    """
    if not blocks:
        return []
    low = min(block.address for block in blocks)
    high = max(block.address + block.size for block in blocks)
    window = (f"--start-address={low}", f"--stop-address={high}")
    words = ("-d", "--no-show-raw-insn", *window, _PROGRAM)
    done = run_tool(tool_job("llvm-objdump", words, {_PROGRAM: program}, (), 120, bench), bench)
    if done.transient:
        raise CellError(Outcome.COMPILE_TIMEOUT, done.reason_line(), transient=True)
    if not done.ok:
        raise ValueError(f"the program cannot be disassembled: {done.reason_line()}")
    addresses: list[int] = []
    texts: list[str] = []
    for line in done.stdout.decode("utf-8", "replace").split("\n"):
        if match := _LINE.match(line):
            addresses.append(int(match[1], 16))
            texts.append(_ADDRESS.sub("0", _REMARK.sub("", match[2])).strip())
    place = {address: index for index, address in enumerate(addresses)}
    addresses.append(high)
    limits = _limits(blocks)
    found = []
    for block in blocks:
        limit = limits[block.address, block.function] if block.size else block.address
        first = last = place.get(block.address, len(texts))
        if block.size and block.address not in place:
            raise ValueError(f"no instruction begins at {block.address:#x}, where a block of {block.function} does")
        while last < len(texts) and addresses[last] < limit:
            last += 1
        end = last
        while end > first and PADDING.match(texts[end - 1]):
            end -= 1
        size = min(addresses[end], limit) - block.address if end > first else 0
        if size > block.size:
            raise ValueError(f"instructions behind the block at {block.address:#x} of {block.function} are in no block")
        lines = tuple(texts[first:end])
        offsets = [address - block.address for address in addresses[first:end]]
        padding = limit - block.address - size if last > end else 0
        found.append(BlockText(lines, size, padding, last - end, _segments(lines, offsets)))
    return found


def _limits(blocks: Sequence[MappedBlock]) -> dict[tuple[int, str], int]:
    """Where each block's part of its function ends: at the next block, or where the map says."""
    ordered = sorted(blocks, key=lambda block: (block.address, block.size))
    limits: dict[tuple[int, str], int] = {}
    for block, after in zip(ordered, [*ordered[1:], None], strict=True):
        end = block.address + block.size
        limits[block.address, block.function] = end
        if block.size and after and after.function == block.function and after.address - end < _LARGEST_GAP:
            limits[block.address, block.function] = after.address
    return limits


def _segments(lines: Sequence[str], offsets: Sequence[int]) -> tuple[tuple[int, int], ...]:
    if not lines:
        return ()
    starts = [
        number
        for number, line in enumerate(lines)
        if number == 0 or _REPEATS.match(line) or _LEAVES.match(lines[number - 1]) or _REPEATS.match(lines[number - 1])
    ]
    ends = [*starts[1:], len(lines)]
    return tuple((offsets[start], end - start) for start, end in zip(starts, ends, strict=True))
