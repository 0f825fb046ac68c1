"""Whether a program stands inputs of other seeds: the share of them that could not judge an object.

Fresh verification (``harness.problems.programs.fresh``) and hidden workloads give the suite's generators seeds that
its author never tried. An input on which builds disagree, or on which a sanitizer reports an error, is unfit.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from harness.base.vocabulary import Target
from harness.sandbox.bench import Bench
from harness.suite.hidden import reseeded, takes_seeds
from harness.suite.load import Program
from harness.suite.workloads import ReadyWorkload, prepare_one
from harness.verify.fitness import disagreement
from harness.verify.sanitizers import sanitizer_findings

__all__ = ["SeedTrial", "seed_faults", "try_seeds"]

SEEDS = 3
"""Inputs that are tried of each workload."""
_MOST = 1 / 3
"""Share of unfit inputs that is tolerated: three attempts then find a fit one in 96 of 100 runs."""


@dataclass(frozen=True, slots=True)
class SeedTrial:
    """One workload under another seed."""

    workload: str
    seed: int
    """Number of the trial's seed, from 1: the same in every check."""
    problem: str
    """Why the input is unfit; empty where it is not."""


def try_seeds(program: Program, bench: Bench, seeds: int = SEEDS) -> list[SeedTrial]:
    """Every count workload with generated inputs under so many other seeds."""
    workloads = [w for w in program.benchmark.workloads if w.kind == "count" and takes_seeds(w)]
    ready: dict[str, tuple[str, int, ReadyWorkload]] = {}
    for workload in workloads:
        for number in range(1, seeds + 1):
            name = f"{workload.name}-{number}"
            other = reseeded(workload, name, f"{program.id}/{workload.name}", b"admission %d" % number)
            ready[name] = workload.name, number, prepare_one(program, other, bench.store)
    problems = {name: disagreement(program, item, Target, bench)[1] or "" for name, (_, _, item) in ready.items()}
    for message in sanitizer_findings(program, [item for _, _, item in ready.values()], bench) if ready else []:
        name = message.removeprefix("workload ").partition(":")[0]
        for found in [name] if name in problems else list(problems):
            problems[found] = problems[found] or f"under the sanitizers: {message}"
    return [SeedTrial(workload, number, problems[name]) for name, (workload, number, _) in ready.items()]


def seed_faults(trials: Sequence[SeedTrial]) -> dict[str, str]:
    """Workload → what is wrong with it under other seeds, where too many of its inputs are unfit."""
    by_workload: dict[str, list[SeedTrial]] = defaultdict(list)
    for trial in trials:
        by_workload[trial.workload].append(trial)
    faults: dict[str, str] = {}
    for name, mine in by_workload.items():
        unfit = [trial.problem for trial in mine if trial.problem]
        if len(unfit) > _MOST * len(mine):
            faults[name] = f"{len(unfit)} of {len(mine)} inputs of other seeds are unfit: {unfit[0]}"
    return faults
