"""The best decisions that a long search finds for one program: what nobody has to reach, and everyone is shown against.

It begins with LLVM's own decisions, with the best that are known, or with a policy's, and changes one thing at a time:
whether all calls of one function are inlined, then single call sites. What saves a byte is kept. At first many things
that are far apart are changed in one compilation, and the bytes of the functions around each say which of them are
worth it: only the bytes of the whole decide what is kept. Nothing is learnt from it.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from harness.learn.inliners.collector import HEURISTIC, Collector, Compiled
from harness.learn.inliners.judge import METRICS, size_of
from harness.learn.inliners.modules import Module
from harness.problems.inlining.sites import Site, body_of, log_of, parse_log, sites_of

__all__ = ["Budget", "Ceiling", "search"]

_MOST_GROWTH = 256
"""Bytes that a change may add by the look of it, if it is tried together with others: what inlines a large function
in many places makes them all slow to compile, and seldom helps."""
_Identity = tuple[str, str, int]


@dataclass(frozen=True, slots=True)
class Ceiling:
    """What was found."""

    sites: tuple[Site, ...]
    """Those that are decided otherwise than LLVM's heuristic decides them."""
    bytes: int
    plain: int
    """Bytes under LLVM's heuristic."""
    trials: int
    """Compilations, one of LLVM's own decisions among them."""


@dataclass(frozen=True, slots=True)
class Budget:
    """Of one program. What comes first ends its search."""

    trials: int
    """Compilations."""
    seconds: float
    """CPU seconds of them."""


@dataclass(frozen=True, slots=True)
class _Change:
    """All calls of a function, or one of them: decided so."""

    callee: str
    inline: bool
    caller: str | None = None
    """None: all calls of the function."""
    ordinal: int = 0

    def concerns(self, site: Site) -> bool:
        """Whether the site is decided otherwise."""
        if site.callee != self.callee or site.inline == self.inline:
            return False
        return self.caller is None or (site.caller, site.ordinal) == (self.caller, self.ordinal)


class _State:
    """Decisions, what became of them, and which functions have something to do with which."""

    def __init__(self, done: Compiled, metric: str, numbers: Mapping[str, int]) -> None:
        """``numbers``: of functions that the module begins with, by name."""
        self.bytes = size_of(done, metric)
        self.table = _chosen(done)
        self.weights = _weights(done, metric)
        self._code = np.maximum(done.functions, 0)
        self._numbers = numbers
        self._into: dict[str, list[str]] = defaultdict(list)
        self._places: dict[str, list[int]] = defaultdict(list)
        for place, site in enumerate(self.table):
            self._places[site.callee].append(place)
            if site.inline:
                self._into[site.callee].append(site.caller)

    def calls(self, function: str) -> int:
        """How many there are of it."""
        return len(self._places[function])

    def with_changes(self, changes: Sequence[_Change]) -> list[Site]:
        """The table with all of them."""
        table = list(self.table)
        for one in changes:
            for place in self._places[one.callee]:
                if one.concerns(table[place]):
                    table[place] = replace(table[place], inline=one.inline)
        return table

    def around(self, change: _Change) -> set[str]:
        """Functions whose bytes the change can change: the callee, its callers, and what these are inlined into. Empty
        where there is nothing to change.
        """
        there = [self.table[place] for place in self._places[change.callee]]
        found = {site.caller for site in there if change.concerns(site)}
        waiting = list(found)
        while waiting:
            new = set(self._into[waiting.pop()]) - found
            found |= new
            waiting += new
        return found and found | {change.callee}

    def growth(self, change: _Change) -> int:
        """Bytes that inlining adds, by the look of it: one copy for each call, and the function itself gone if it has
        no other. 0 for what ends inlining.
        """
        if not change.inline:
            return 0
        copies = sum(change.concerns(self.table[place]) for place in self._places[change.callee])
        last = copies == sum(not self.table[place].inline for place in self._places[change.callee])
        return max(copies - last, 0) * self.weight(self._code, {change.callee})

    def weight(self, weights: NDArray[np.int64], names: set[str]) -> int:
        """Bytes of these functions. ``weights``: of each, as compiled."""
        return int(weights[[self._numbers[name] for name in names if name in self._numbers]].sum())


class _Search:
    """Counts, and knows the best so far."""

    def __init__(
        self, module: Module, metric: str, collector: Collector, budget: Budget, chance: np.random.Generator
    ) -> None:
        self._content, self._closed = module.read(), module.closed
        self._metric, self._collector, self._budget, self._chance = metric, collector, budget, chance
        self._until = collector.cpu + budget.seconds
        self._numbers: dict[str, int] = {}
        self.trials = 0
        self.best: _State

    @property
    def is_over(self) -> bool:
        """Whether the budget is spent."""
        return self.trials >= self._budget.trials or self._collector.cpu >= self._until

    def under(self, table: Sequence[Site] | None) -> Compiled:
        """The module under these decisions; None: LLVM's own."""
        text = None if table is None else log_of(body_of(list(table))).encode()
        self.trials += 1
        return self._collector.compile(self._content, HEURISTIC, table=text, with_decisions=True, closed=self._closed)

    def begin(self, tables: Sequence[Sequence[Site]]) -> int:
        """Begin from the best of these decisions, or from LLVM's where none are better. Returns the bytes of LLVM's."""
        own = self.under(None)
        asked = zip(_chosen(own), own.steps.callers.tolist(), own.steps.callees.tolist(), strict=True)
        for site, caller, callee in asked:
            self._numbers |= {
                name: number for name, number in ((site.caller, caller), (site.callee, callee)) if number >= 0
            }
        self.best = self._state(own)
        for table in tables:
            self._keep(self.under(table))
        self.trials = 1
        return size_of(own, self._metric)

    def go_on(self, changes: Sequence[_Change], *, together: bool) -> bool:
        """Try them, as long as the budget lasts, first those that add little: many at once, or each alone. Returns
        whether one helped.
        """
        drawn = [(self.best.growth(changes[place]), changes[place]) for place in self._chance.permutation(len(changes))]
        drawn.sort(key=lambda one: one[0].bit_length())
        waiting = [change for growth, change in drawn if growth <= _MOST_GROWTH or not together]
        helped = False
        while waiting and not self.is_over:
            tried, waiting = self._apart(waiting, 0 if together else 1)
            if tried:
                helped |= self._try(tried)
        return helped

    def functions(self) -> list[_Change]:
        """Calls of each function, all of them inlined, and none."""
        known = {(site.callee, not site.inline) for site in self.best.table}
        return [_Change(callee, inline) for callee, inline in sorted(known)]

    def sites(self) -> list[_Change]:
        """Each call alone, of those of functions that have several."""
        several = [site for site in self.best.table if self.best.calls(site.callee) > 1]
        return [_Change(site.callee, not site.inline, site.caller, site.ordinal) for site in several]

    def _apart(self, waiting: Sequence[_Change], most: int) -> tuple[list[_Change], list[_Change]]:
        """Changes that have no function in common, ``most`` at most if it is not 0; and the rest. What there is nothing
        to change for any more is in neither."""
        taken: set[str] = set()
        chosen: list[_Change] = []
        rest: list[_Change] = []
        for one in waiting:
            if most and len(chosen) == most:
                rest.append(one)
            elif around := self.best.around(one):
                if taken & around:
                    rest.append(one)
                else:
                    chosen.append(one)
                    taken |= around
        return chosen, rest

    def _try(self, changes: Sequence[_Change]) -> bool:
        done = self.under(self.best.with_changes(changes))
        if len(changes) == 1:
            return self._keep(done)
        before = self.best
        around = [(one, before.around(one)) for one in changes]
        after = _weights(done, self._metric)
        promising = [one for one, of in around if before.weight(after, of) < before.weight(before.weights, of)]
        if len(promising) == len(changes):
            return self._keep(done) or self._kept_of_halves(promising)
        return self._kept(promising)

    def _kept(self, changes: Sequence[_Change]) -> bool:
        """Keep what helps: all of them, or what helps of either half."""
        if not changes or self.is_over:
            return False
        if self._keep(self.under(self.best.with_changes(changes))):
            return True
        return len(changes) > 1 and self._kept_of_halves(changes)

    def _kept_of_halves(self, changes: Sequence[_Change]) -> bool:
        middle = len(changes) // 2
        kept = [self._kept(half) for half in (changes[:middle], changes[middle:])]
        return any(kept)

    def _state(self, done: Compiled) -> _State:
        return _State(done, self._metric, self._numbers)

    def _keep(self, done: Compiled) -> bool:
        if size_of(done, self._metric) >= self.best.bytes:
            return False
        self.best = self._state(done)
        return True


def search(
    module: Module,
    metric: str,
    collector: Collector,
    budget: Budget,
    *,
    begin: Sequence[Sequence[Site]] = (),
    seed: int = 0,
) -> Ceiling:
    """Search from LLVM's own decisions, or from the best of ``begin``: decisions that are better, until the budget is
    spent or nothing helps.

    Leaving out what LLVM decides alike then takes some compilations more. Raises SessionLost where a decision ends the
    worker.
    """
    trying = _Search(module, metric, collector, budget, np.random.default_rng(seed))
    plain = trying.begin(begin)
    for together in (True, False):
        helped = True
        while helped and not trying.is_over:
            of_functions = trying.go_on(trying.functions(), together=together)
            helped = trying.go_on(trying.sites(), together=together) or of_functions
    trials = trying.trials
    return Ceiling(_differing(trying), trying.best.bytes, plain, trials)


def _weights(done: Compiled, metric: str) -> NDArray[np.int64]:
    """(functions,): bytes of each; 0 for one that is gone."""
    unwinds = done.unwinds if metric == METRICS[0] else np.zeros_like(done.unwinds)
    return np.where(done.functions >= 0, done.functions + unwinds, 0)


def _chosen(done: Compiled) -> list[Site]:
    return [site for site in sites_of(parse_log(done.table.decode("ascii"))) if site.chosen]


def _differing(trying: _Search) -> tuple[Site, ...]:
    """Sites that make LLVM decide all others as they are decided: those that it decides otherwise when it is left
    alone, and of the rest those that it then decides otherwise, until there are none.
    """
    kept: dict[_Identity, Site] = {}
    while True:
        done = {_identity(site): site.inline for site in _chosen(trying.under([*kept.values()]))}
        new = [site for site in trying.best.table if done.get(_identity(site)) is not site.inline]
        new = [site for site in new if _identity(site) not in kept]
        if not new:
            return tuple(kept.values())
        kept |= {_identity(site): site for site in new}


def _identity(site: Site) -> _Identity:
    return site.caller, site.callee, site.ordinal
