"""Whether a campaign's times can be used: its control, and what happened to the machine. Pure.

Interleaved turns take much: a machine that is slower for a while is so for everyone. These rules say where that
ends; their figures are deliberate choices, and a marked campaign is shown with its reasons and ranks nobody.
"""

import math
from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from harness.record.rows import CONTROL, MOVED, Block, Control, Moved
from harness.statistics.paired import Effect, hodges_lehmann_interval

__all__ = ["control_effect", "control_of", "marks", "moved_of"]

_CONFIDENCE = 0.99
_WAITED = 0.1
"""Share of their turns that timed programs may wait in, and share of the core that others may use."""
_STEAL = 0.05
_CROWDED = 0.75
"""Cores' worth of other work, for each core beside the timed one."""
_STILL = 1.0
"""Seconds that a block may stand still, beside half its CPU time."""
_SUSPENDED = 0.5
_THROTTLED = 0.05
"""Share of blocks in which a quota or heat may stop the programs."""
_SLOW, _SLOW_SHARE = 1.3, 0.25
"""More than this share of blocks in which the reference takes more than so many times its fast quarter's time."""


def control_effect(blocks: Sequence[Block], reference: dict[str, str], confidence: float = _CONFIDENCE) -> Effect:
    """The copy of the reference against the reference, over all programs' blocks; ``reference``: by benchmark."""
    values = _against(blocks, reference, CONTROL)
    return hodges_lehmann_interval(np.array(values), confidence) if values else Effect(0.0, -math.inf, math.inf, 0)


def control_of(effect: Effect) -> Control:
    """As it is recorded."""
    known = math.isfinite(effect.half_width)
    return Control(
        ratio=round(effect.ratio, 6),
        low=round(effect.ratio_low, 6) if known else None,
        high=round(effect.ratio_high, 6) if known else None,
        pairs=effect.count,
    )


def moved_of(blocks: Sequence[Block], reference: dict[str, str]) -> Moved | None:
    """What moved functions do, beside what is measured where nothing moved; None without pairs of the first."""
    moved = _against(blocks, reference, MOVED)
    still = _against(blocks, reference, CONTROL)
    if not moved or not still:
        return None
    return Moved(pairs=len(moved), moved=round(_deviation(moved), 6), still=round(_deviation(still), 6))


def _against(blocks: Sequence[Block], reference: dict[str, str], name: str) -> list[float]:
    """Log-ratios of the reference to what has this name, one a block that timed both."""
    values = []
    for block in blocks:
        cpu = {sample.object: sample.cpu for sample in block.samples}
        original, other = cpu.get(reference[block.benchmark]), cpu.get(name)
        if original and other:
            values.append(math.log(original / other))
    return values


def _deviation(values: Sequence[float]) -> float:
    return 1.4826 * float(np.median(np.abs(values)))


def marks(blocks: Sequence[Block], reference: dict[str, str], cores: int) -> list[str]:
    """Why these blocks' times cannot be used, in words; nothing when they can. ``cores``: of the machine."""
    if not blocks:
        return []
    machine = [block.conditions for block in blocks]
    seconds = sum(found.seconds for found in machine)

    def mean(name: str) -> float:
        return float(sum(getattr(found, name) * found.seconds for found in machine) / seconds)

    found: list[str] = []
    control = control_effect(blocks, reference)
    if control.count and not control.low <= 0 <= control.high:
        found.append(
            f"the control failed: a copy of the reference differs from it "
            f"({control.ratio:.4f}, 99 % interval {control.ratio_low:.4f} – {control.ratio_high:.4f})"
        )
    still = [block for block in blocks if _stood_still(block)]
    if any(c.suspended > _SUSPENDED for c in machine) or still:
        longest = max(max(c.suspended for c in machine), *(_lost(block) for block in blocks))
        found.append(f"the machine or the programs were stopped for {longest:.1f} s")
    waited, others = mean("waited"), mean("others")
    if waited > _WAITED or others > _WAITED:
        found.append(f"a busy neighbour: programs waited for their core in {max(waited, others):.0%} of the time")
    elif mean("busy") > _CROWDED * max(1, cores - 1):
        found.append(f"a busy neighbour: other processes kept {mean('busy'):.1f} of {cores} cores busy")
    if mean("steal") > _STEAL:
        found.append(f"the hypervisor gave the core to others in {mean('steal'):.0%} of the time")
    if sum(c.throttled > 0 for c in machine) > _THROTTLED * len(blocks):
        found.append(f"throttled {sum(c.throttled for c in machine)} times by heat or a CPU quota")
    slow = _slow(blocks, reference)
    if slow > _SLOW_SHARE * len(blocks):
        found.append(f"the machine's speed changed: the reference was {_SLOW - 1:.0%} slower in {slow} blocks")
    return found


def _lost(block: Block) -> float:
    """Seconds of the block in which no timed program ran."""
    wall = sum(sample.wall for sample in block.samples) * block.passes
    return block.conditions.idle + block.conditions.waited * wall


def _stood_still(block: Block) -> bool:
    cpu = sum(sample.cpu for sample in block.samples) * block.passes
    return _lost(block) > _STILL + cpu / 2


def _slow(blocks: Sequence[Block], reference: dict[str, str]) -> int:
    """Blocks in which the reference took much more than in its fast quarter."""
    taken: dict[str, list[float]] = defaultdict(list)
    for block in blocks:
        taken[block.benchmark] += [s.cpu for s in block.samples if s.object == reference[block.benchmark]]
    return sum(
        sum(value > _SLOW * float(np.quantile(values, 0.25)) for value in values) for values in taken.values() if values
    )
