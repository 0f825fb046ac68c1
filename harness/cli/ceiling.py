"""``harness ceiling``: what its command asks of ``harness.learn.inliners.ceilings``."""

from collections.abc import Sequence

from harness.base.answers import Answer
from harness.base.errors import UsageError
from harness.learn.inliners.ceiling import Budget
from harness.learn.inliners.ceilings import Asked
from harness.learn.inliners.ceilings import improve as improved
from harness.problems.programs.request import parse_targets
from harness.problems.verbs import Context
from harness.suite.load import choose, load_suite

__all__ = ["improve"]


def improve(
    context: Context,
    policy: str,
    suites: Sequence[str],
    benchmarks: Sequence[str],
    targets: Sequence[str] | None,
    metric: str,
    trials: int,
    seconds: float,
    again: bool,
    seed: int,
    jobs: int | None,
    begin: Sequence[str],
) -> Answer:
    """Search, and say what was found."""
    if benchmarks and len(suites) != 1:
        raise UsageError("--benchmark needs one --suite", hint="name the suite that has these programs")
    programs = tuple(program for suite in suites for program in choose(load_suite(suite), benchmarks))
    chosen = parse_targets(targets) if targets else ()
    budget = Budget(trials, seconds)
    return improved(context, Asked(policy, programs, chosen, metric, budget, again, seed, jobs, tuple(begin)))
