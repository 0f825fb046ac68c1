"""Which programs lists are found on, and their modules."""

from collections.abc import Mapping, Sequence

from harness.base.vocabulary import Level, Split, Target
from harness.environments.benchmarks import modules_of
from harness.freeze import FrozenModule
from harness.sandbox.bench import Bench
from harness.suite.load import Program, load_suite, suite_names

__all__ = ["all_programs", "modules", "train_programs"]


def train_programs() -> list[Program]:
    """Of the train splits, each once: what suites share, and of programs of one library the first."""
    found: dict[str, Program] = {}
    for program in all_programs():
        if program.benchmark.split is Split.TRAIN:
            found.setdefault(program.benchmark.cluster or program.id, program)
    return list(found.values())


def all_programs() -> list[Program]:
    """Of every suite, each once: under the name of the suite that it is from."""
    everywhere = [program for suite in suite_names() for program in load_suite(suite).programs]
    return [program for program in everywhere if program.home is None]


def modules(
    programs: Sequence[str], target: Target, bench: Bench, smaller: int | None = None
) -> Mapping[str, FrozenModule]:
    """Name → module as it is before -Oz; those with less bitcode than ``smaller``, in bytes."""
    found = modules_of(programs, target, Level.OZ, bench)
    return {
        name: module for name, module in found.items() if smaller is None or module.bitcode.stat().st_size < smaller
    }
