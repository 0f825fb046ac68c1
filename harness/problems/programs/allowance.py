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
    search: bool = False
    """Whether it is a search's, which has what its manifest says."""

    @property
    def exceeded(self) -> str:
        """What a policy did that took more, for people."""
        if self.search:
            return f"took more CPU time than the {self.seconds:g} s that its budget gives it"
        return (
            f"took more than {self.seconds:.3g} s of CPU time to decide: a policy that does not search may take "
            f"{LEAST_SECONDS:g} s, or {SHARE:g} times the plain compilation's {self.plain:.3g} s, whichever is more"
        )


def allowance(policy_class: PolicyClass, plain: float, budget: float | None = None) -> Allowance | None:
    """What a policy of the class may take on a module whose plain step takes so many CPU seconds.

    ``budget``: seconds that a search says it takes. None: as much as fits into a step's time. What says that it is
    fixed has less to decide than a zero-shot policy.
    """
    if policy_class is PolicyClass.SEARCH:
        return None if budget is None else Allowance(budget, plain, search=True)
    return Allowance(max(LEAST_SECONDS, SHARE * plain), plain)
