"""Verbs of the command line for policies that allocate registers."""

from harness.base.answers import Answer
from harness.problems.verbs import Context, SelfTest

__all__ = ["SELFTESTS"]


def _selftest(context: Context, suites: list[str]) -> Answer:
    """Check the plugin, with Greedy's own priorities in it, against plain clang."""
    from harness.problems.regalloc.selftest import selftest

    return selftest(context, suites)


SELFTESTS: dict[str, SelfTest] = {"regalloc": _selftest}
