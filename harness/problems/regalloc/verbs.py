"""Verbs of the command line for policies that allocate registers."""

from harness.base.answers import Answer
from harness.problems.verbs import Asked, Context, Explainer, SelfTest

__all__ = ["EXPLAINERS", "SELFTESTS"]


def _explain(context: Context, asked: Asked) -> Answer:
    """What each function spills, reloads, copies and executes."""
    from harness.problems.regalloc.explain import explain_allocation

    return explain_allocation(context, asked)


def _selftest(context: Context, suites: list[str]) -> Answer:
    """Check the plugin, with Greedy's own decisions in it, against plain clang."""
    from harness.problems.regalloc.selftest import selftest

    return selftest(context, suites)


EXPLAINERS: dict[str, Explainer] = {"regalloc": _explain}
SELFTESTS: dict[str, SelfTest] = {"regalloc": _selftest}
