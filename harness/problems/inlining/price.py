"""What deciding may cost, and what it has cost, beyond the compilation that every policy's module goes through."""

from dataclasses import dataclass

from harness.apply.compile import optimise
from harness.apply.plan import reference_plan
from harness.base.vocabulary import PolicyClass
from harness.freeze import FrozenModule
from harness.sandbox.bench import Bench

__all__ = ["LEAST_SECONDS", "SHARE", "Allowance", "allowance", "plain_cpu"]

LEAST_SECONDS = 1.0
SHARE = 2.0
"""A zero-shot policy may take ``LEAST_SECONDS`` of CPU time to decide on a module, or ``SHARE`` times what its plain
compilation takes, whichever is more: enough to look at the module, too little to compile it many times."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """CPU seconds for deciding on one module."""

    seconds: float
    plain: float
    """Of the module's plain optimise step."""

    @property
    def exceeded(self) -> str:
        """What a policy did that took more, for people."""
        return (
            f"took more than {self.seconds:.3g} s of CPU time to decide: a zero-shot policy may take "
            f"{LEAST_SECONDS:g} s, or {SHARE:g} times the plain compilation's {self.plain:.3g} s, whichever is more"
        )


def allowance(policy_class: PolicyClass, frozen: FrozenModule, bench: Bench) -> Allowance | None:
    """What a policy of the class may take on the module; None: as much as fits into a compile step's time."""
    if policy_class is not PolicyClass.ZERO_SHOT:
        return None
    plain = plain_cpu(frozen, bench)
    return Allowance(max(LEAST_SECONDS, SHARE * plain), plain)


def plain_cpu(frozen: FrozenModule, bench: Bench) -> float:
    """CPU seconds of the optimise step that no policy has a part in, as they were when it was first run here.

    Raises CellError where clang cannot compile the module.
    """
    level, target = frozen.level, frozen.target
    return optimise(frozen, reference_plan(level, target), bench).cpu
