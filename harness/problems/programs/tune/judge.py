"""What values of a policy's constants are worth: the geometric mean of reference/policy over all programs."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from harness.base.engine import Engine, stage
from harness.base.errors import CellError, UsageError
from harness.base.progress import Observer
from harness.base.vocabulary import Level, Target
from harness.freeze import freeze
from harness.measure import find_metric
from harness.policy import Policy
from harness.policy.forms.parameters import Value
from harness.problems.programs.tune.request import Search, Tunable
from harness.problems.programs.tune.reward import measure, reference_value, taken_on
from harness.problems.programs.tune.timed import Entrant, Opponent, entrant, opponent, race, race_anew
from harness.sandbox.bench import Bench
from harness.statistics import SuiteEffect, suite_effect
from harness.suite.load import Program

__all__ = ["FAILED", "Goal", "Judge", "goals_of"]

T = TypeVar("T")
FAILED = 0.5
"""What a trial is worth in which a program could not be compiled: worse than any that compiles."""


@dataclass(frozen=True)
class Goal:
    """A program, and what is to be beaten on it."""

    program: Program
    target: Target
    against: float | Opponent
    """The metric's value under the track's reference; of a time, the reference's object."""
    instructions: int
    """Of the frozen module."""
    depends_on: tuple[object, ...]
    """What the metric's value depends on besides the policy: the frozen module's digest, and what it is taken on."""

    @property
    def value(self) -> float:
        """The reference's, of a metric that is no time."""
        assert isinstance(self.against, float)
        return self.against

    @property
    def opponent(self) -> Opponent:
        """The reference's object, of a time."""
        assert isinstance(self.against, Opponent)
        return self.against


def goals_of(
    places: Sequence[tuple[Program, Target]],
    search: Search,
    level: Level,
    bench: Bench,
    engine: Engine,
    observer: Observer,
) -> tuple[Goal, ...]:
    """The largest first, so that none is left over at the end of a trial. Raises CellError: one has no reference."""
    take = partial(_goal, search=search, level=level, bench=bench)
    found = [goal for _, goal in stage("reference", take, places, engine, observer, lambda place: place[0].id)]
    return tuple(sorted(found, key=lambda goal: (-goal.instructions, goal.program.id, goal.target)))


class _FailedError(Exception):
    """A program failed under the values: which, how and why."""


@dataclass(frozen=True)
class Judge:
    """Says what values are worth."""

    what: Tunable
    goals: Sequence[Goal]
    search: Search
    study: str
    """Names the search: times are kept for it alone."""
    bench: Bench
    engine: Engine
    marks: set[str] = field(default_factory=set)
    """Why campaigns so far would not be used for the leaderboard."""

    def score(self, values: Mapping[str, Value]) -> tuple[float, str, dict[str, float]]:
        """What they are worth, why it is no more where a program failed, and each program's log."""
        try:
            found = self._raced(values) if self.search.timed else self._taken(values)
        except _FailedError as error:
            return FAILED, str(error), {}
        logs = [log for _, log in found]
        by_program: dict[str, list[float]] = {}
        for goal, log in found:
            by_program.setdefault(goal.program.id, []).append(log)
        means = {name: math.fsum(sorted(mine)) / len(mine) for name, mine in sorted(by_program.items())}
        return math.exp(math.fsum(sorted(logs)) / len(logs)), "", means

    def anew(self, first: Mapping[str, Value], best: Mapping[str, Value]) -> SuiteEffect:
        """The log of first/best, by pairs that no trial has seen. Raises UsageError where a program fails now."""
        try:
            before, after = (self._each(_entrant, values) for values in (first, best))
            entrants = [(goal.opponent, one, other) for (goal, one), (_, other) in zip(before, after, strict=True)]
            pairs = race_anew(entrants, self.search.seconds, self.study, self.bench)
        except (_FailedError, CellError) as error:
            raise UsageError(f"timed anew: {error}", hint="the same command times it once more") from None
        return suite_effect([[found] for found in pairs.values()])

    def _taken(self, values: Mapping[str, Value]) -> list[tuple[Goal, float]]:
        ratio = partial(_ratio, metric=self.search.metric)
        return [(goal, math.log(value)) for goal, value in self._each(ratio, values)]

    def _raced(self, values: Mapping[str, Value]) -> list[tuple[Goal, float]]:
        made = self._each(_entrant, values)
        try:
            raced = race([(goal.opponent, mine) for goal, mine in made], self.search.seconds, self.study, self.bench)
        except CellError as error:
            raise _FailedError(f"{error.outcome.value}: {error.message}") from None
        self.marks.update(raced.marks)
        return [(goal, raced.worth(goal.program.id, mine.digest)) for goal, mine in made]

    def _each(self, take: Callable[..., T], values: Mapping[str, Value]) -> list[tuple[Goal, T]]:
        """Of every program what is taken of it under the values, in the goals' order. Raises _FailedError."""
        policy = self.what.having(values)
        found: dict[tuple[str, Target], T] = {}
        why = ""
        for done in self.engine.run(partial(take, policy=policy, what=self.what, bench=self.bench), self.goals):
            if isinstance(done.error, CellError):
                why = f"{done.task.program.id}: {done.error.outcome.value}: {done.error.message}"
            elif done.error is not None:
                raise done.error
            else:
                assert done.value is not None
                found[done.task.program.id, done.task.target] = done.value
        if why:
            raise _FailedError(why)
        return [(goal, found[goal.program.id, goal.target]) for goal in self.goals]


def _goal(place: tuple[Program, Target], search: Search, level: Level, bench: Bench) -> Goal:
    program, target = place
    frozen = freeze(program, target, level, bench)
    if search.timed:
        against = opponent(program, level, bench)
        return Goal(program, target, against, frozen.instructions, (frozen.digest, *against.depends_on))
    value = reference_value(program, target, search.metric, level, bench)
    depends_on = frozen.digest, *taken_on(program, target, search.metric, bench)
    return Goal(program, target, float(value), frozen.instructions, depends_on)


def _ratio(goal: Goal, metric: str, policy: Policy, what: Tunable, bench: Bench) -> float:
    """Reference/policy on one program; of a metric that may be 0, of the values plus one."""
    mine = measure(policy, what.problem, goal.program, goal.target, metric, what.level, bench)
    more = 1 if find_metric(metric).can_be_zero else 0
    return (goal.value + more) / (mine + more)


def _entrant(goal: Goal, policy: Policy, what: Tunable, bench: Bench) -> Entrant:
    return entrant(policy, what.problem, goal.opponent, what.level, bench)
