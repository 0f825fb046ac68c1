"""The best decisions that a long search finds for one program: what nobody has to reach, and everyone is shown against.

It begins with LLVM's own decisions, or with the best that are known, and changes one thing at a time: whether all calls
of one function are inlined, then single call sites. What saves a byte is kept. Nothing is learnt from it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from harness.learn.inliners.collector import HEURISTIC, Collector, Compiled
from harness.learn.inliners.judge import size_of
from harness.learn.inliners.modules import Module
from harness.problems.inlining.sites import Site, body_of, log_of, parse_log, sites_of

__all__ = ["Budget", "Ceiling", "search"]


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


class _Search:
    """Counts, and knows the best so far."""

    def __init__(self, module: Module, metric: str, collector: Collector, budget: Budget) -> None:
        self._content, self._closed = module.read(), module.closed
        self._metric, self._collector, self._budget = metric, collector, budget
        self._until = collector.cpu + budget.seconds
        self.trials = 0

    @property
    def is_over(self) -> bool:
        return self.trials >= self._budget.trials or self._collector.cpu >= self._until

    def under(self, table: Sequence[Site] | None, forced: dict[int, bool]) -> tuple[int, Compiled]:
        """Bytes, and the rest."""
        text = None if table is None else log_of(body_of(list(table))).encode()
        self.trials += 1
        done = self._collector.compile(
            self._content, HEURISTIC, forced=forced, table=text, with_decisions=True, closed=self._closed
        )
        return size_of(done, self._metric), done


def search(
    module: Module, metric: str, collector: Collector, budget: Budget, *, begin: Sequence[Site] = (), seed: int = 0
) -> Ceiling:
    """Search from LLVM's own decisions, or from ``begin``: decisions that are better, until the budget is spent.

    Leaving out what LLVM decides alike then takes some compilations more. Raises SessionLost where a decision ends the
    worker.
    """
    trying = _Search(module, metric, collector, budget)
    chance = np.random.default_rng(seed)
    plain, own = trying.under(None, {})
    if begin:
        best, own = trying.under(list(begin), {})
        trying.trials = 1
        best, table = _known_functions(trying, _chosen(own), best, chance)
    else:
        best, table = _functions(trying, own, plain, chance)
    order: Sequence[int] = chance.permutation(len(table)).tolist()
    for place in order:
        if trying.is_over:
            break
        one = table[place]
        changed = [*table[:place], replace(one, inline=not one.inline)]
        bytes_, _ = trying.under([*changed, *table[place + 1 :]], {})
        if bytes_ < best:
            best, table = bytes_, [*changed, *table[place + 1 :]]
    return Ceiling(_differing(trying, table, best), best, plain, trying.trials)


def _functions(trying: _Search, own: Compiled, best: int, chance: np.random.Generator) -> tuple[int, list[Site]]:
    """All calls of one function the other way, from LLVM's own decisions, until nothing saves a byte."""
    forced: dict[int, bool] = {}
    improved = True
    while improved and not trying.is_over:
        improved = False
        for callee in chance.permutation(np.unique(own.steps.callees[own.steps.callees >= 0])).tolist():
            if trying.is_over:
                break
            decided = own.steps.inline[own.steps.callees == callee]
            ways = [not bool(decided[0])] if decided.size and (decided == decided[0]).all() else [True, False]
            for way in ways:
                bytes_, done = trying.under(None, {**forced, callee: way})
                if bytes_ < best:
                    best, own, forced, improved = bytes_, done, {**forced, callee: way}, True
                    break
    return best, _chosen(own)


def _known_functions(
    trying: _Search, table: list[Site], best: int, chance: np.random.Generator
) -> tuple[int, list[Site]]:
    """The same from decisions that are known. A call that only comes up then is decided by LLVM's heuristic."""
    improved = True
    while improved and not trying.is_over:
        improved = False
        for callee in chance.permutation(sorted({site.callee for site in table})).tolist():
            decided = {site.inline for site in table if site.callee == callee}
            for way in sorted(not one for one in decided):
                if trying.is_over:
                    return best, table
                changed = [replace(site, inline=way) if site.callee == callee else site for site in table]
                bytes_, done = trying.under(changed, {})
                if bytes_ < best:
                    best, table, improved = bytes_, _chosen(done), True
                    break
    return best, table


def _chosen(done: Compiled) -> list[Site]:
    return [site for site in sites_of(parse_log(done.table.decode("ascii"))) if site.chosen]


def _differing(trying: _Search, table: Sequence[Site], best: int) -> tuple[Site, ...]:
    """The fewest sites that give the same bytes: those that LLVM decides alike when it meets them are left out, half by
    half.
    """
    kept = list(table)
    size = max(len(kept) // 2, 1)
    while kept:
        place = 0
        while place < len(kept):
            fewer = [*kept[:place], *kept[place + size :]]
            if trying.under(fewer, {})[0] == best:
                kept = fewer
            else:
                place += size
        if size == 1:
            break
        size //= 2
    return tuple(kept)
