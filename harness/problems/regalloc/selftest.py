"""Whether Greedy's own priorities and evictions, through the regalloc plugin, give plain clang's objects: on whole
suites."""

from harness.base.answers import Answer
from harness.base.vocabulary import Level
from harness.freeze import FrozenModule
from harness.problems.programs.selftest import Checked
from harness.problems.programs.selftest import selftest as general
from harness.problems.regalloc.ask import DEFAULT, ask
from harness.problems.regalloc.check import is_faithful, is_repeated
from harness.problems.verbs import Context
from harness.sandbox.bench import Bench

__all__ = ["selftest"]


def selftest(context: Context, suites: list[str]) -> Answer:
    """Compare the regalloc plugin, with Greedy's own decisions in it, with plain clang. Failed where they differ."""
    return general(context, suites, (Level.O3,), _judged, "functions")


def _judged(frozen: FrozenModule, bench: Bench) -> Checked:
    """By name, as they are asked for, and as they are followed function by function. Beside it: how many functions."""
    answer = ask(DEFAULT, frozen, bench)
    equal = all(is_faithful(frozen, bench, question) for question in ("priority", "eviction"))
    return Checked(equal and is_repeated(answer, frozen, bench), {"functions": len(answer.body["functions"])})
