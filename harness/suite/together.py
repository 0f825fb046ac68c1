"""Suites together: every distinct program of those that come with the harness, as if they were one suite.

A program that two suites share is counted once: own names of these suites are distinct (``tests/suite`` holds that).
"""

from collections.abc import Sequence
from functools import cache

from harness.base.errors import UsageError
from harness.base.paths import SUITES
from harness.suite.known import RESERVED, suites_defined_by
from harness.suite.load import DEFINITION, load_suite

__all__ = ["ALL_SUITES", "APPLICATIONS", "distinct", "headline", "members", "together"]

ALL_SUITES, APPLICATIONS = RESERVED


@cache
def together() -> dict[str, tuple[str, ...]]:
    """Name → suites: ``all``, and ``applications``, which are all but the suites of kernels."""
    shipped = [name for name in suites_defined_by(DEFINITION) if (SUITES / name / DEFINITION).is_file()]
    return {
        ALL_SUITES: tuple(shipped),
        APPLICATIONS: tuple(name for name in shipped if not load_suite(name).definition.kernels),
    }


def members(suite: str) -> tuple[str, ...]:
    """The suites that this name stands for: itself alone, where it is one."""
    return together()[suite] if suite in RESERVED else (suite,)


def headline() -> tuple[str, ...]:
    """The boards of ``all``: itself, the applications, and each suite of kernels apart."""
    kernels = [name for name in together()[ALL_SUITES] if name not in together()[APPLICATIONS]]
    return (*RESERVED, *kernels)


def distinct(suite: str, wanted: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Each suite that the name stands for → its own benchmarks, of which some may be ``wanted``.

    Raises UsageError for a benchmark that none of them has.
    """
    own = {name: [p.benchmark.name for p in load_suite(name).own_programs] for name in members(suite)}
    if unknown := sorted(set(wanted) - {benchmark for found in own.values() for benchmark in found}):
        raise UsageError(
            f"no suite of {suite!r} has a benchmark {unknown[0]!r}",
            hint=f"the suites are {', '.join(own)}; `harness suites show NAME` lists the benchmarks of one",
        )
    chosen = {name: tuple(b for b in found if not wanted or b in wanted) for name, found in own.items()}
    return {name: found for name, found in chosen.items() if found}
