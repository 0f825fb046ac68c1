"""What a run on programs is asked for, as a value: programs, policies, targets and metrics; together, cells."""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

from harness.base.errors import UsageError
from harness.base.vocabulary import Level, Target
from harness.measure import PROGRAM_TRACKS, Metric
from harness.policy import Policy
from harness.policy.tracks import all_tracks
from harness.problems.programs.cell import Cell
from harness.sandbox.bench import Bench
from harness.suite.load import LoadedSuite, Program
from harness.timing.contestants import NATIVE
from harness.timing.request import USUAL_TIMING, TimingRequest
from harness.toolchain.targets import TARGETS

__all__ = ["Module", "Request", "parse_targets", "parse_track", "parse_word"]

Word = TypeVar("Word", bound=str)
Module = tuple[Program, Target, Level]
"""What one frozen module is made of."""
_SOME_METRIC = "decide.cpu"
MODELLED = "mca.cycles"
"""What is modelled of the very CPU that programs are timed on, too."""


@dataclass(frozen=True)
class Request:
    """Everything that a run on programs is asked for."""

    suite: LoadedSuite
    programs: tuple[Program, ...]
    policies: tuple[Policy, ...]
    targets: tuple[Target, ...]
    track: str
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
    log_features: bool = False
    """Write what policies saw beside the run, too."""
    extras: Mapping[str, Any] = field(default_factory=dict)
    """Options of the folders whose policies decide about programs."""
    remarks: tuple[str, ...] = ()
    """See ``harness.problems.protocol.Request``."""

    @property
    def measured(self) -> tuple[str, ...]:
        """See ``harness.problems.protocol.Request``."""
        return tuple(metric.name for metric in self.chosen)

    @property
    def metrics(self) -> tuple[str, ...]:
        """Those that cells take. A cell has at least one, so that a run in which all else is timed has its rows."""
        return tuple(metric.name for metric in self.chosen if not metric.timed) or (_SOME_METRIC,)

    def metrics_on(self, target: Target, bench: Bench) -> tuple[str, ...]:
        """Those that its cells take there. Where programs are timed, modelled cycles are of the timed CPU too."""
        here = bench.toolchain.host_cpu
        wanted = target is NATIVE and self.timed_metrics and MODELLED in self.metrics
        another = here not in (None, TARGETS[target].model)
        return (*self.metrics, f"{MODELLED}@{here}") if wanted and another else self.metrics

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
            [self.track, self.metrics, self.timed_metrics, self.suite.definition.version],
            self.fresh,
        ]

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


def parse_targets(names: Sequence[str]) -> tuple[Target, ...]:
    """Targets from words, each of which may be a comma-separated list; both when none is given."""
    words = [word.strip() for name in names for word in name.split(",") if word.strip()]
    return tuple(dict.fromkeys(parse_word(Target, word, "target") for word in words)) or tuple(Target)


def parse_track(name: str) -> str:
    """A track of programs from its name."""
    track = parse_word(all_tracks(), name, "track")
    if track not in PROGRAM_TRACKS:
        known = ", ".join(sorted(PROGRAM_TRACKS))
        raise UsageError(f"track {name!r} is one of instances, not of programs", hint=f"there are: {known}")
    return track


def parse_word(kind: Iterable[Word], word: str, what: str) -> Word:
    """The one of these that is spelt so. Raises UsageError, with a suggestion, where none is."""
    known = {str(one): one for one in kind}
    if word in known:
        return known[word]
    close = difflib.get_close_matches(word, known, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(known)}"
    raise UsageError(f"unknown {what} {word!r}", hint=hint)
