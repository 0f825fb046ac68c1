"""Which decisions make the difference: the search, with the compiler as its test.

Nothing is ever concluded by adding up: decisions interact, so every set that matters is compiled.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from harness.apply import compile_plan
from harness.apply.decisions import Decisions
from harness.base.delta_debugging import beginning, fewest
from harness.base.engine import Engine
from harness.base.errors import CellError
from harness.base.progress import Observer
from harness.base.vocabulary import Outcome
from harness.freeze import FrozenModule
from harness.measure import seen_in
from harness.measure.layout import Comparison, layout_of
from harness.problems.inlining.bisect.table import table_of
from harness.problems.inlining.explain.sides import Side
from harness.problems.inlining.explain.sites import Identity, Pair, identity, match, telling
from harness.problems.inlining.guided import guided
from harness.problems.inlining.replay import replay_plan
from harness.sandbox.bench import Bench

__all__ = ["Bisection", "Culprit", "Limits", "bisect"]

Switched = frozenset[Identity]
"""Call sites where A's decision is replaced by B's."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What is asked of the search."""

    metric: str = "size.alloc"
    share: float = 0.9
    """Of the difference, above 0 and at most 1: what the set must bring."""
    most: int = 200
    """Compilations."""


@dataclass(frozen=True, slots=True)
class Culprit:
    """A call site of the set, and what B's decision there changes in the metric: bytes, below 0 where it shrinks."""

    pair: Pair
    alone: int | None
    """With A's decisions everywhere else. None: not compiled, there were no compilations left."""
    within: int | None
    """With B's decisions at the set's other sites, and A's elsewhere."""


@dataclass(frozen=True)
class Bisection:
    """The answer."""

    metric: str
    a: int
    """Bytes under A's decisions."""
    b: int
    value: int
    """Bytes with the set's decisions switched to B's: measured on the object that the replayed decisions give."""
    candidates: int
    """Call sites that both decided, and otherwise."""
    culprits: tuple[Culprit, ...]
    """The set, the most important first."""
    minimal: bool
    """Without any one of them the share is missed. False where the compilations ran out first."""
    compilations: int
    """How many sets of decisions were looked at, those in the cache included."""
    failed: int
    """How many of them did not compile; they count as without effect."""
    decisions: Decisions
    """Of the answer: a decisions file like any other."""
    object_digest: str

    @property
    def explained(self) -> float | None:
        """Share of the difference that the set brings; None where there is no difference."""
        return None if self.a == self.b else (self.a - self.value) / (self.a - self.b)


def bisect(a: Side, b: Side, limits: Limits, bench: Bench, engine: Engine, observer: Observer) -> Bisection:
    """The smallest set of call sites that bring the share when A's decision becomes B's there.

    Both sides decide call sites. Raises CellError where a compilation fails on which all else rests.
    """
    pairs = match(a.sites, b.sites)
    trials = _Trials(a.frozen, tuple(pairs), limits, bench, engine, observer)

    def measured(path: Path) -> int:
        return int(seen_in(path, a.frozen.target, bench)[limits.metric])

    from_a, from_b = (measured(side.compiled.object) for side in (a, b))
    chosen = {identity(pair.site): pair for pair in _candidates(a, b, pairs)}
    trials.values |= {frozenset(): from_a, frozenset(chosen): from_b}
    if from_a == from_b:
        return Bisection(
            limits.metric, from_a, from_b, from_a, len(chosen), (), True, 0, 0, a.decisions, a.compiled.digest
        )
    _require_ends(a, b, pairs, bench)

    def passes(sets: Sequence[Switched]) -> list[bool]:
        found = trials.take(sets)
        return [one is not None and (from_a - one) / (from_a - from_b) >= limits.share for one in found]

    order = _ranked(list(chosen), from_a, from_b, trials)
    trials.stage("shorten", 2 * len(order).bit_length())
    first = beginning(order, passes, most=trials.left)
    trials.stage("thin", 2 * len(first.items))
    last = fewest(first.items, passes, most=trials.left, batch=engine.workers)
    kept = frozenset(last.items)
    _take_contributions(kept, trials)
    culprits = [_culprit(chosen[one], one, kept, from_a, trials) for one in last.items]
    culprits.sort(key=lambda one: (one.within or 0) * (1 if from_b < from_a else -1))
    decisions, path, digest = _verified(a.frozen, pairs, kept, bench)
    return Bisection(
        limits.metric,
        from_a,
        from_b,
        measured(path),
        len(chosen),
        tuple(culprits),
        first.complete and last.complete,
        trials.compilations,
        trials.failed,
        decisions,
        digest,
    )


class _Trials:
    """Compilations, counted and remembered: value of the metric by what is switched, None where nothing compiles."""

    def __init__(
        self,
        frozen: FrozenModule,
        pairs: tuple[Pair, ...],
        limits: Limits,
        bench: Bench,
        engine: Engine,
        observer: Observer,
    ) -> None:
        self.values: dict[Switched, int | None] = {}
        self.compilations = 0
        self.failed = 0
        self._room = 0.0
        self._most, self._engine, self._observer = limits.most, engine, observer
        self._compile = partial(_trial, frozen=frozen, pairs=pairs, metric=limits.metric, bench=bench)

    @property
    def left(self) -> int:
        """How many there may still be."""
        return self._most - self.compilations

    def stage(self, name: str, expected: float) -> None:
        """Say what the next compilations are for, and about how many they are: never more than are left."""
        self._room = min(expected, self.left)
        self._observer.stage(name, self._room)

    def take(self, sets: Sequence[Switched]) -> list[int | None]:
        """The values of these, compiled where they are not known."""
        new = [one for one in dict.fromkeys(sets) if one not in self.values]
        for done in self._engine.run(self._compile, new):
            if done.error is not None and not (isinstance(done.error, CellError) and not done.error.transient):
                raise done.error
            self.compilations += 1
            self.failed += done.error is not None
            self.values[done.task] = done.value
            self._advance()
        return [self.values[one] for one in sets]

    def _advance(self) -> None:
        weight = min(1.0, self._room)
        self._room -= weight
        self._observer.advance(weight, f"compilation {self.compilations}, at most {self._most}")


def _trial(switched: Switched, *, frozen: FrozenModule, pairs: tuple[Pair, ...], metric: str, bench: Bench) -> int:
    return int(seen_in(guided(frozen, table_of(pairs, switched), bench).object, frozen.target, bench)[metric])


def _require_ends(a: Side, b: Side, pairs: Sequence[Pair], bench: Bench) -> None:
    """The table without a change must give A's object, and with all changes B's: all else rests on that."""
    every = {identity(pair.site) for pair in pairs if pair.chosen}
    for side, switched in ((a, frozenset[Identity]()), (b, every)):
        if guided(a.frozen, table_of(pairs, switched), bench).digest != side.compiled.digest:
            raise CellError(
                Outcome.NOT_REPLAYABLE, f"{side.name}'s decisions, looked up by identity, do not give its object"
            )


def _candidates(a: Side, b: Side, pairs: Iterable[Pair]) -> list[Pair]:
    """Sites that both decided, and otherwise; those in functions where many bytes moved first."""
    compared = Comparison(layout_of(a.compiled.object), layout_of(b.compiled.object))
    return [pair for pair in telling(pairs, compared.moved) if pair.chosen]


def _ranked(candidates: list[Identity], from_a: int, from_b: int, trials: _Trials) -> list[Identity]:
    """By what each brings alone, where two thirds of the compilations suffice to find out; otherwise as they are."""
    if 3 * len(candidates) > 2 * trials.left:
        return candidates
    trials.stage("alone", len(candidates))
    values = trials.take([frozenset([one]) for one in candidates])
    direction = 1 if from_b < from_a else -1
    changed = [0 if value is None else direction * (value - from_a) for value in values]
    return [one for _, one in sorted(zip(changed, candidates, strict=True), key=lambda found: found[0])]


def _take_contributions(kept: Switched, trials: _Trials) -> None:
    """Of each site of the answer alone and within it, as far as compilations are left."""
    wanted = [*(kept - {one} for one in kept), *(frozenset([one]) for one in kept)]
    new = [one for one in dict.fromkeys(wanted) if one not in trials.values][: trials.left]
    if new:
        trials.stage("effects", len(new))
        trials.take(new)


def _culprit(pair: Pair, one: Identity, kept: Switched, from_a: int, trials: _Trials) -> Culprit:
    alone = trials.values.get(frozenset([one]))
    whole, without = trials.values.get(kept), trials.values.get(kept - {one})
    return Culprit(
        pair,
        None if alone is None else alone - from_a,
        None if whole is None or without is None else whole - without,
    )


def _verified(
    frozen: FrozenModule, pairs: Sequence[Pair], kept: Collection[Identity], bench: Bench
) -> tuple[Decisions, Path, str]:
    """The answer again from its decisions alone, as every object is that is measured."""
    found = guided(frozen, table_of(pairs, kept), bench)
    compiled = compile_plan(frozen, replay_plan(found.decisions, frozen.target), bench)
    if compiled.digest != found.digest:
        raise CellError(Outcome.NOT_REPLAYABLE, "the answer's decisions give another object when they are replayed")
    return found.decisions, compiled.object, compiled.digest
