"""What deciding has cost, beyond the optimise step that every policy's module goes through."""

from harness.apply.compile import optimise
from harness.apply.plan import reference_plan
from harness.freeze import FrozenModule
from harness.sandbox.bench import Bench

__all__ = ["plain_cpu"]


def plain_cpu(frozen: FrozenModule, bench: Bench) -> float:
    """CPU seconds of the optimise step that no policy has a part in, as they were when it was first run here.

    Raises CellError where clang cannot compile the module.
    """
    level, target = frozen.level, frozen.target
    return optimise(frozen, reference_plan(level, target), bench).cpu
