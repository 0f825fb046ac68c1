"""Local search over inlining decisions, from what trials of single functions say, and from LLVM's own.

It changes whether all calls of a function are inlined, then single calls, and keeps what saves a byte of the whole
object. Many changes that are far apart are made in one compilation first: the bytes of the functions around each say
which of them are worth it, and those are compiled once more, in halves if they do not help together. When nothing more
is found like this, each is tried alone; and then it begins once more, from the other of the two. It goes by
compilations, of which its manifest allows 400, not by the clock: so it finds the same again.
"""

import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

METRIC = "size.text"
WORK = 4_000_000
"""Bytes of objects that are generated, about ..."""
FEWEST = 40
"""... but so many compilations at least."""
PHASES = ((True, 1024), (True, 8192), (False, 1 << 30))
"""Whether changes are made together, and how many bytes one of them may add by the look of it."""


def search(session: Any, seed: int, seconds: float) -> list[Any]:
    """Call sites, each as it is decided."""
    assert seconds > 0
    trying = Search(session, random.Random(seed))
    for start in trying.starts:
        trying.climb(start)
    return list(trying.best.sites)


class Change(NamedTuple):
    """All calls of a function, or one of them: decided so."""

    callee: str
    inline: bool
    caller: str | None = None
    """None: all calls of the function."""
    ordinal: int = 0

    def concerns(self, site: Any) -> bool:
        """Whether the site is decided otherwise."""
        if site.callee != self.callee or site.inline == self.inline:
            return False
        return self.caller is None or (site.caller, site.ordinal) == (self.caller, self.ordinal)


class State:
    """Decisions, what became of them, and which functions have something to do with which."""

    def __init__(self, done: Any) -> None:
        self.bytes = done.bytes[METRIC]
        self.sites = done.sites
        self.weights = weights(done)
        self.code = done.code
        self.places: dict[str, list[int]] = defaultdict(list)
        self.into: dict[str, list[str]] = defaultdict(list)
        for place, site in enumerate(self.sites):
            self.places[site.callee].append(place)
            if site.inline:
                self.into[site.callee].append(site.caller)

    def changed(self, changes: Iterable[Change]) -> list[Any]:
        """The decisions with all of these."""
        sites = list(self.sites)
        for one in changes:
            for place in self.places[one.callee]:
                if one.concerns(sites[place]):
                    sites[place] = sites[place]._replace(inline=one.inline)
        return sites

    def around(self, change: Change) -> set[str]:
        """Functions whose bytes the change can change: the callee, its callers, and what these are inlined into. Empty
        where there is nothing to change.
        """
        there = [self.sites[place] for place in self.places[change.callee]]
        found = {site.caller for site in there if change.concerns(site)}
        waiting = list(found)
        while waiting:
            new = set(self.into[waiting.pop()]) - found
            found |= new
            waiting += new
        return found and found | {change.callee}

    def growth(self, change: Change) -> int:
        """Bytes that inlining adds, by the look of it: a copy for each call, and no function where it has no other."""
        if not change.inline:
            return 0
        copies = sum(change.concerns(self.sites[place]) for place in self.places[change.callee])
        last = copies == sum(not self.sites[place].inline for place in self.places[change.callee])
        return max(copies - last, 0) * self.code.get(change.callee, 0)


class Search:
    """Counts, knows the best so far, and where it is."""

    def __init__(self, session: Any, chance: random.Random) -> None:
        self.session, self.chance = session, chance
        own = State(session.compile())
        session.propose([])
        self.left = max(FEWEST, WORK // max(own.bytes, 1))
        self.best = self.here = own
        tried = State(session.by_trial(METRIC))
        self.starts = sorted((own, tried), key=lambda state: state.bytes)
        self.keep(self.starts[0])

    def climb(self, start: State) -> None:
        """Change it as long as that helps."""
        self.here = start
        for together, growth in PHASES:
            helped = True
            while helped and not self.is_over:
                of_functions = self.go_on(self.functions(), together, growth)
                helped = self.go_on(self.sites(), together, growth) or of_functions

    @property
    def is_over(self) -> bool:
        """Whether all compilations were made."""
        return self.left <= 0 or not self.session.has_time()

    def functions(self) -> list[Change]:
        """Calls of each function, all of them inlined, and none."""
        return [
            Change(callee, inline) for callee, inline in sorted({(s.callee, not s.inline) for s in self.here.sites})
        ]

    def sites(self) -> list[Change]:
        """Each call alone, of those of functions that have several."""
        several = [site for site in self.here.sites if len(self.here.places[site.callee]) > 1]
        return [Change(site.callee, not site.inline, site.caller, site.ordinal) for site in several]

    def go_on(self, changes: list[Change], together: bool, most: int) -> bool:
        """Try them, first those that add little, none that adds more than ``most`` bytes: many at once, or each alone.
        Returns whether one helped.
        """
        self.chance.shuffle(changes)
        drawn = sorted(((self.here.growth(one), one) for one in changes), key=lambda pair: pair[0].bit_length())
        waiting = [change for growth, change in drawn if growth <= most]
        helped = False
        while waiting and not self.is_over:
            tried, waiting = self.apart(waiting, len(waiting) if together else 1)
            if tried:
                helped |= self.attempt(tried)
        return helped

    def apart(self, waiting: Sequence[Change], most: int) -> tuple[list[Change], list[Change]]:
        """Changes that have no function in common, and the rest. What is decided so already is in neither."""
        taken: set[str] = set()
        chosen: list[Change] = []
        rest: list[Change] = []
        for one in waiting:
            if len(chosen) == most:
                rest.append(one)
            elif around := self.here.around(one):
                if taken & around:
                    rest.append(one)
                else:
                    chosen.append(one)
                    taken |= around
        return chosen, rest

    def attempt(self, changes: Sequence[Change]) -> bool:
        """Keep what the bytes around it speak for, if the whole becomes smaller."""
        done = self.compile(changes)
        if len(changes) == 1:
            return self.kept_if_smaller(done)
        before, after = self.here, weights(done)
        around = [(one, before.around(one)) for one in changes]
        promising = [one for one, of in around if total(after, of) < total(before.weights, of)]
        if len(promising) == len(changes):
            return self.kept_if_smaller(done) or self.halves(promising)
        return self.kept(promising)

    def kept(self, changes: Sequence[Change]) -> bool:
        """Keep what helps: all of them, or what helps of either half."""
        if not changes or self.is_over:
            return False
        if self.kept_if_smaller(self.compile(changes)):
            return True
        return len(changes) > 1 and self.halves(changes)

    def halves(self, changes: Sequence[Change]) -> bool:
        """Keep what helps of either half."""
        middle = len(changes) // 2
        kept = [self.kept(half) for half in (changes[:middle], changes[middle:])]
        return any(kept)

    def compile(self, changes: Sequence[Change]) -> Any:
        """The program under these decisions, with these changes."""
        self.left -= 1
        return self.session.compile(self.here.changed(changes))

    def kept_if_smaller(self, done: Any) -> bool:
        """Go on from it if it is smaller."""
        if done.bytes[METRIC] >= self.here.bytes:
            return False
        self.here = State(done)
        self.keep(self.here)
        return True

    def keep(self, state: State) -> None:
        """Propose it if nothing was better."""
        if state.bytes < self.best.bytes:
            self.best = state
            self.session.propose(state.sites)


def weights(done: Any) -> dict[str, int]:
    """Bytes of each function that the metric counts."""
    if METRIC == "size.text":
        return dict(done.code)
    return {name: code + done.unwind[name] for name, code in done.code.items()}


def total(of: dict[str, int], names: Iterable[str]) -> int:
    """Bytes of these functions; those that are gone have none."""
    return sum(of.get(name, 0) for name in names)
