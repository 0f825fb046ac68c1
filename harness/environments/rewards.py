"""What an agent is paid for a step: a metric of the module saved, in shares of what -Oz saves.

R_t = (C(s_t) - C(s_t+1)) / max(C(s_0) - C(Oz), 1), as CodeZero (section 4) and CompilerGym (``IrInstructionCountOz``)
have it; C: ``ir.instructions`` or ``size.alloc``.
"""

from collections.abc import Callable
from dataclasses import dataclass

from harness.apply import compile_plan
from harness.apply.plan import reference_plan
from harness.base.vocabulary import Level
from harness.freeze import FrozenModule
from harness.problems.passes.session import Line
from harness.sandbox.bench import Bench
from harness.toolchain.elf import allocated_bytes

__all__ = ["COSTS", "Cost", "OverOz", "Smoothed"]


@dataclass(frozen=True)
class Cost:
    """A metric that is to become small."""

    metric: str
    of_line: Callable[[Line], int]
    of_oz: Callable[[FrozenModule, Bench], int]
    """Of what clang makes of the frozen module. Raises CellError where it cannot be compiled."""


def _oz_instructions(frozen: FrozenModule, bench: Bench) -> int:
    return compile_plan(frozen, reference_plan(Level.OZ, frozen.target), bench).ir_instructions


def _oz_bytes(frozen: FrozenModule, bench: Bench) -> int:
    return allocated_bytes(compile_plan(frozen, reference_plan(Level.OZ, frozen.target), bench).object)


COSTS = {
    cost.metric: cost
    for cost in (
        Cost("ir.instructions", Line.count, _oz_instructions),
        Cost("size.alloc", lambda line: line.object_size().alloc, _oz_bytes),
    )
}
"""By metric."""


@dataclass(frozen=True, slots=True)
class OverOz:
    """Rewards of one episode."""

    start: int
    """The metric of the frozen module."""
    oz: int
    """The metric of what clang -Oz makes of it."""

    def of(self, before: int, after: int) -> float:
        """Of a step. All rewards of an episode sum up to 1 where it ends as small as -Oz."""
        return (before - after) / max(self.start - self.oz, 1)


@dataclass(slots=True)
class Smoothed:
    """CodeZero's rewards for training: limited, then averaged with a weight that fades."""

    limit: float = 3.0
    fading: float = 0.6
    last: float = 0.0

    def of(self, reward: float) -> float:
        """r'_t = 0.6 r'_{t-1} + 0.4 r_t, r_t within the limits."""
        limited = max(-self.limit, min(self.limit, reward))
        self.last = self.fading * self.last + (1 - self.fading) * limited
        return self.last
