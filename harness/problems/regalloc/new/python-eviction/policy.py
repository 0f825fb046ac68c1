"""Frees registers by what LLVM knows of those who hold them (docs/regalloc.md)."""

from typing import Any

NOTHING = 32
"""The last slot: nothing is evicted, and the live range waits to be split or spilled."""


def decide(features: dict[str, Any]) -> int:
    """The slot of the register to free: of those whose mask is not 0, the one with the fewest operands.

    Slot 32 describes the live range itself, so that it waits where its own are the fewest. Greedy's own slot is kept
    where it is as good as any.
    """
    operands: list[float] = features["nr_defs_and_uses"]
    greedy: int = features["default_slot"]
    legal = [slot for slot in range(NOTHING + 1) if features["mask"][slot]]
    return min(legal, key=lambda slot: (operands[slot], slot != greedy))
