"""A run on programs, checked and ready: ``harness.problems.protocol.Request``."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

from harness.base.errors import UsageError
from harness.base.vocabulary import SIZE, Split, Target
from harness.measure import Metric, choose_metrics
from harness.policy import Policy
from harness.policy.load import choose_policies, load_policy
from harness.policy.usual import EVERY, Usual, every_policy, usual_policies
from harness.problems.programs import begin, end
from harness.problems.programs.cell import CellTask
from harness.problems.programs.outlook import outlook_lines
from harness.problems.programs.problems import program_problem
from harness.problems.programs.rates import is_counted, remember_rate
from harness.problems.programs.request import Request, parse_targets, parse_track
from harness.problems.programs.stages import is_frozen
from harness.problems.programs.tracks import REFERENCES
from harness.problems.protocol import Conclusion, Session
from harness.sandbox.bench import Bench
from harness.suite.hidden import commitment, with_hidden
from harness.suite.load import Program, choose, load_suite
from harness.suite.sources import forget_digests
from harness.timing.request import USUAL_TIMING, TimingRequest

__all__ = ["ProgramRun", "make_request"]


@dataclass(frozen=True)
class ProgramRun(Request):
    """What is asked for, and each step of the run that answers it."""

    alone: ClassVar[bool] = False

    def outlook(self, bench: Bench, workers: int) -> list[str]:
        """See ``harness.problems.protocol.Request``."""
        return outlook_lines(self, bench, workers)

    def beginning(self, bench: Bench) -> "ProgramRun | None":
        """A few small programs of the test split, where next to nothing is in the cache yet."""
        chosen = first_programs(self.programs)
        if len(chosen) < _LEAST or len(self.programs) < 2 * len(chosen) or self.timed_metrics:
            return None
        part = replace(self, programs=chosen)
        return None if any(is_frozen(module, bench) for module in part.modules) else part

    def header(self, bench: Bench) -> Mapping[str, Any]:
        """See ``harness.problems.protocol.Request``."""
        return end.header_of(self, bench)

    def tasks(self, session: Session) -> Sequence[CellTask]:
        """See ``harness.problems.protocol.Request``."""
        return begin.begin(self, session)

    def ready(self, pending: Sequence[CellTask], session: Session) -> Sequence[CellTask]:
        """See ``harness.problems.protocol.Request``."""
        return begin.with_fresh_inputs(pending, session) if self.fresh else pending

    def took(self, tasks: int, seconds: float, bench: Bench) -> None:
        """See ``harness.problems.protocol.Request``."""
        remember_rate("counted" if is_counted(self.metrics) else "cells", seconds / tasks, bench)

    def conclude(self, done: Sequence[tuple[CellTask, Any]], session: Session) -> Conclusion:
        """See ``harness.problems.protocol.Request``."""
        return end.conclude(self, done, session)

    def filed(self, file: Path | None, session: Session) -> list[str]:
        """See ``harness.problems.protocol.Request``."""
        return end.filed(self, file, session)


_FIRST, _LEAST = 6, 3
"""Programs that come first: of fewer than six clusters no verdict is possible, of fewer than three nothing is seen."""


def first_programs(programs: Iterable[Program]) -> tuple[Program, ...]:
    """The smallest programs of the test split, one of each cluster."""
    test = [program for program in programs if program.benchmark.split is Split.TEST]
    clusters: dict[str, Program] = {}
    for program in sorted(test, key=lambda one: (one.benchmark.weight, one.benchmark.name)):
        clusters.setdefault(program.benchmark.cluster or program.benchmark.name, program)
    return tuple(clusters.values())[:_FIRST]


def make_request(
    suite: str,
    benchmarks: Iterable[str] = (),
    policies: Iterable[str | Policy] = (),
    targets: Sequence[str] = (),
    track: str = SIZE,
    metrics: Iterable[str] = (),
    copies: int = 0,
    secret: bytes | None = None,
    timing: TimingRequest = USUAL_TIMING,
    *,
    fresh: bool = True,
    log_features: bool = False,
    extras: Mapping[str, Any] = MappingProxyType({}),
) -> ProgramRun:
    """Check every name. Raises UsageError for the first that means nothing.

    Without policies: the usual ones of the track; ``["all"]``: every baseline and submission of it. Without metrics:
    those of the track. With a ``secret``: hidden workloads of that seed verify every object too.
    """
    forget_digests()
    loaded = load_suite(suite)
    chosen_track = parse_track(track)
    named = [*policies]
    if named == [EVERY]:
        named = [*every_policy(chosen_track)]
    given = [policy for policy in named if isinstance(policy, Policy)]
    found = choose_policies(policy for policy in named if isinstance(policy, str))
    usual = Usual(()) if named else usual_policies(chosen_track)
    chosen = choose_metrics(metrics, chosen_track)
    timed = [metric for metric in chosen if metric.timed]
    places = _targets(targets, chosen)
    timed = [metric for metric in timed if metric.targets & set(places)]
    policies_ = [*found, *given, *usual.policies]
    if timed:  # a time is one beside the references', never against what was timed some other day
        there = {policy.name for policy in policies_}
        policies_ += [load_policy(name) for name in REFERENCES[chosen_track] if name not in there]
    for policy in policies_:
        try:
            program_problem(policy.manifest.problem)
        except UsageError as error:
            raise UsageError(f"{policy.name} cannot be run on {loaded.name}, a suite of programs: {error}") from None
    programs = choose(loaded, benchmarks)
    return ProgramRun(
        suite=loaded,
        programs=programs if secret is None else with_hidden(programs, secret),
        policies=tuple(policies_),
        targets=places,
        track=chosen_track,
        chosen=tuple(chosen),
        timing=timing,
        copies=copies,
        fresh=fresh,
        log_features=log_features,
        extras=extras,
        hidden=None if secret is None else commitment(secret),
        remarks=usual.remarks,
    )


def _targets(names: Sequence[str], metrics: Sequence[Metric]) -> tuple[Target, ...]:
    """The targets asked for, or those on which some metric can be taken. Raises UsageError where none can."""
    found = parse_targets(names)
    possible = tuple(target for target in found if any(target in metric.targets for metric in metrics))
    if not possible:
        raise UsageError(
            f"{', '.join(metric.name for metric in metrics)} cannot be measured on {', '.join(found)}",
            hint="run time is measured where programs run natively: --target x86-64",
        )
    return possible
