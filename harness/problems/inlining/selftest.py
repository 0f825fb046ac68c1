"""Whether LLVM's own heuristic, through the inlining plugin, gives plain clang's objects: on whole suites."""

from harness.base.answers import Answer
from harness.base.vocabulary import Level
from harness.freeze import FrozenModule
from harness.problems.inlining.check import default_decisions, is_faithful
from harness.problems.inlining.sites import Who, counts
from harness.problems.programs.selftest import Checked
from harness.problems.programs.selftest import selftest as general
from harness.problems.verbs import Context
from harness.sandbox.bench import Bench

__all__ = ["selftest"]


def selftest(context: Context, suites: list[str]) -> Answer:
    """Compare the inlining plugin, with LLVM's own heuristic in it, with plain clang. Failed where they differ."""
    return general(context, suites, (Level.OZ, Level.O3), _judged, "decisions capped")


def _judged(frozen: FrozenModule, bench: Bench) -> Checked:
    """Beside it: call sites that LLVM's heuristic decided, and those that the growth cap did, which clang has not."""
    decided = counts(default_decisions(frozen, bench).body)
    found = {"decisions": decided[Who.POLICY], "capped": decided[Who.CAP]}
    return Checked(is_faithful(frozen, bench), found)
