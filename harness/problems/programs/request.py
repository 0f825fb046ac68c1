"""A request, checked: names become programs, policies, targets and metrics; together, cells."""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, TypeVar

from harness.base.errors import UsageError
from harness.base.vocabulary import Level, Target, Track
from harness.measure import PROGRAM_TRACKS, Metric, choose_metrics
from harness.policy import Policy, all_policies
from harness.policy.load import choose_policies, load_policy
from harness.problems.programs.cell import Cell, CellTask
from harness.problems.programs.kinds import program_kind
from harness.problems.programs.rates import is_counted, remember_rate
from harness.problems.programs.tracks import REFERENCES
from harness.problems.protocol import Conclusion, Session
from harness.sandbox.bench import Bench
from harness.suite.hidden import commitment, with_hidden
from harness.suite.load import LoadedSuite, Program, choose, load_suite
from harness.suite.sources import forget_digests
from harness.timing.request import USUAL_TIMING, TimingRequest

__all__ = ["Module", "Request", "make_request", "parse_targets", "parse_track", "parse_word"]

Word = TypeVar("Word", bound=StrEnum)
Module = tuple[Program, Target, Level]
"""What one frozen module is made of."""
_SOME_METRIC = "decide.cpu"


@dataclass(frozen=True)
class Request:
    """Everything that a run on programs is asked for: ``harness.problems.protocol.Request``."""

    suite: LoadedSuite
    programs: tuple[Program, ...]
    policies: tuple[Policy, ...]
    targets: tuple[Target, ...]
    track: Track
    chosen: tuple[Metric, ...]
    """The metrics asked for."""
    timing: TimingRequest = USUAL_TIMING
    """How much is timed, where a run time is asked for."""
    copies: int = 0
    """Of each module, with other names and another order: policies run on them too."""
    hidden: str | None = None
    """Commitment to the secret of the hidden workloads, if there are any."""
    fresh: bool = True
    """Verify objects on inputs that nobody has seen, too."""
    extras: Mapping[str, Any] = field(default_factory=dict)
    """Options of the folders whose kinds decide about programs."""
    alone: ClassVar[bool] = False

    @property
    def measured(self) -> tuple[str, ...]:
        """See ``harness.problems.protocol.Request``."""
        return tuple(metric.name for metric in self.chosen)

    @property
    def metrics(self) -> tuple[str, ...]:
        """Those that cells take. A cell has at least one, so that a run in which all else is timed has its rows."""
        return tuple(metric.name for metric in self.chosen if not metric.timed) or (_SOME_METRIC,)

    @property
    def timed_metrics(self) -> tuple[str, ...]:
        """Those that a campaign takes."""
        places = set(self.targets)
        return tuple(metric.name for metric in self.chosen if metric.timed and metric.targets & places)

    @property
    def identity(self) -> object:
        """See ``harness.problems.protocol.Request``."""
        return [
            [(c.program.id, c.target.value, c.policy.digest, c.policy.name, c.seed, c.copy) for c in self.cells],
            self.hidden,
            [self.track.value, self.metrics, self.timed_metrics, self.suite.definition.version],
            self.fresh,
        ]

    def outlook(self, bench: Bench, workers: int) -> list[str]:
        """See ``harness.problems.protocol.Request``."""
        from harness.problems.programs.outlook import outlook_lines

        return outlook_lines(self, bench, workers)

    def tasks(self, session: Session) -> Sequence[CellTask]:
        """See ``harness.problems.protocol.Request``."""
        from harness.problems.programs.begin import begin

        return begin(self, session)

    def ready(self, pending: Sequence[CellTask], session: Session) -> Sequence[CellTask]:
        """See ``harness.problems.protocol.Request``."""
        from harness.problems.programs.begin import with_fresh_inputs

        return with_fresh_inputs(pending, session) if self.fresh else pending

    def took(self, tasks: int, seconds: float, bench: Bench) -> None:
        """See ``harness.problems.protocol.Request``."""
        remember_rate("counted" if is_counted(self.metrics) else "cells", seconds / tasks, bench)

    def conclude(self, done: Sequence[tuple[CellTask, Any]], session: Session) -> Conclusion:
        """See ``harness.problems.protocol.Request``."""
        from harness.problems.programs.end import conclude

        return conclude(self, done, session)

    def filed(self, file: Path | None, session: Session) -> list[str]:
        """See ``harness.problems.protocol.Request``."""
        from harness.problems.programs.end import filed

        return filed(self, file, session)

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """One for each program, target, policy and seed; and for each copy of the program's module."""
        return tuple(
            Cell(program, target, self.track, policy, seed, copy)
            for program in self.programs
            for target in self.targets
            for policy in self.policies
            for seed in policy.manifest.seeds
            for copy in range(1 + self.copies)
        )

    @cached_property
    def modules(self) -> tuple[Module, ...]:
        """The frozen modules that the cells need, each once."""
        needed = {(c.program.id, c.target, c.level): c for c in self.cells if c.target in c.policy.manifest.targets}
        return tuple((cell.program, target, level) for (_, target, level), cell in needed.items())


def make_request(
    suite: str,
    benchmarks: Iterable[str] = (),
    policies: Iterable[str | Policy] = (),
    targets: Sequence[str] = (),
    track: str = Track.SIZE.value,
    metrics: Iterable[str] = (),
    copies: int = 0,
    secret: bytes | None = None,
    timing: TimingRequest = USUAL_TIMING,
    *,
    fresh: bool = True,
    extras: Mapping[str, Any] = MappingProxyType({}),
) -> Request:
    """Check every name. Raises UsageError for the first that means nothing.

    Without policies: every baseline and submission of the track. Without metrics: those of the track. With a
    ``secret``: hidden workloads of that seed verify every object too.
    """
    forget_digests()
    loaded = load_suite(suite)
    chosen_track = parse_track(track)
    named = list(policies)
    given = [policy for policy in named if isinstance(policy, Policy)]
    found = choose_policies(policy for policy in named if isinstance(policy, str))
    every = [] if named else [p for p in all_policies() if p.manifest.track is chosen_track]
    chosen = choose_metrics(metrics, chosen_track)
    timed = [metric for metric in chosen if metric.timed]
    places = _targets(targets, chosen)
    timed = [metric for metric in timed if metric.targets & set(places)]
    policies_ = found + given + every
    if timed:  # a time is one beside the references', never against what was timed some other day
        there = {policy.name for policy in policies_}
        policies_ += [load_policy(name) for name in REFERENCES[chosen_track] if name not in there]
    for policy in policies_:
        try:
            program_kind(policy.manifest.kind)
        except UsageError as error:
            raise UsageError(f"{policy.name} cannot be run on {loaded.name}, a suite of programs: {error}") from None
    programs = choose(loaded, benchmarks)
    return Request(
        suite=loaded,
        programs=programs if secret is None else with_hidden(programs, secret),
        policies=tuple(policies_),
        targets=places,
        track=chosen_track,
        chosen=tuple(chosen),
        timing=timing,
        copies=copies,
        fresh=fresh,
        extras=extras,
        hidden=None if secret is None else commitment(secret),
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


def parse_targets(names: Sequence[str]) -> tuple[Target, ...]:
    """Targets from words, each of which may be a comma-separated list; both when none is given."""
    words = [word.strip() for name in names for word in name.split(",") if word.strip()]
    return tuple(dict.fromkeys(parse_word(Target, word, "target") for word in words)) or tuple(Target)


def parse_track(name: str) -> Track:
    """A track of programs from its name."""
    track = parse_word(Track, name, "track")
    if track not in PROGRAM_TRACKS:
        known = ", ".join(one.value for one in Track if one in PROGRAM_TRACKS)
        raise UsageError(f"track {name!r} is one of instances, not of programs", hint=f"there are: {known}")
    return track


def parse_word(kind: type[Word], word: str, what: str) -> Word:
    """A word of the vocabulary. Raises UsageError, with a suggestion, for any other."""
    known = [str(member) for member in kind]
    if word in known:
        return kind(word)
    close = difflib.get_close_matches(word, known, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(known)}"
    raise UsageError(f"unknown {what} {word!r}", hint=hint)
