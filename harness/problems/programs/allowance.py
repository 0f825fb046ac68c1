"""What deciding may cost, and what it has cost, beyond the compile step that every policy's module goes through."""

from dataclasses import dataclass

from harness.base.vocabulary import PolicyClass

__all__ = ["LEAST_SECONDS", "SHARE", "Allowance", "allowance"]

LEAST_SECONDS = 1.0
SHARE = 2.0
"""A policy that does not search may take ``LEAST_SECONDS`` of CPU time to decide on a module, or ``SHARE`` times what
its plain compile step takes, whichever is more: enough to look at the module, too little to compile it many times."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """CPU seconds for deciding on one module."""

    seconds: float
    plain: float
    """Of the module's plain step."""

    @property
    def exceeded(self) -> str:
        """What a policy did that took more, for people."""
        return (
            f"took more than {self.seconds:.3g} s of CPU time to decide: a policy that does not search may take "
            f"{LEAST_SECONDS:g} s, or {SHARE:g} times the plain compilation's {self.plain:.3g} s, whichever is more"
        )


def allowance(policy_class: PolicyClass, plain: float) -> Allowance | None:
    """What a policy of the class may take on a module whose plain step takes so many CPU seconds.

    None: as much as fits into a step's time. What says that it is fixed has less to decide than a zero-shot policy.
    """
    return None if policy_class is PolicyClass.SEARCH else Allowance(max(LEAST_SECONDS, SHARE * plain), plain)
