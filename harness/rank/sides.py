"""The policies of a question on the programs that count: what each gave, and what it counts as."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from harness.rank.contest import Result, result
from harness.rank.entries import Entry
from harness.statistics.values import exact_mean

__all__ = ["Side", "counted", "distinct", "sides_of"]


@dataclass(frozen=True)
class Side:
    """A policy on the programs that count. All sides of a question have the same programs in the same order."""

    policy: str
    policy_class: str
    results: Mapping[str, Result]
    counted: Mapping[str, Sequence[float]]
    """Program → what each seed counts as."""
    clusters: tuple[str, ...]
    """Of each program: programs that share code have the same."""
    objects: Mapping[str, tuple[str | None, ...]]
    """Program → the object of each seed."""
    otherwise: int
    """Programs on which another version of the metric measured it."""
    unfloored: tuple[str, ...] = ()
    """Programs that it failed and on which the track's floor has no value: what they count as is too little."""

    @property
    def seeds(self) -> int:
        """As many as it has."""
        return max(len(found.contests) for found in self.results.values())

    @cached_property
    def means(self) -> tuple[float, ...]:
        """Of each program."""
        return tuple(exact_mean(np.array(values)) for values in self.counted.values())

    @property
    def failed(self) -> bool:
        """Whether it failed any program, under any seed."""
        return not all(one.completed for one in self.results.values())

    @cached_property
    def lenient(self) -> tuple[float, ...]:
        """Of each program, at most what it would be without the failures: what failed counts as the policy's own worst
        that is not better than the reference, and not as the floor. No mean is above what ``means`` would be then."""
        return tuple(exact_mean(np.array(values)) for values in counted(self.results, {}).values())

    @cached_property
    def identity(self) -> Hashable:
        """Entries that are equal in it are one: the same objects and figures, under however many seeds."""
        objects = (tuple(sorted({str(one) for one in of})) for of in self.objects.values())
        return (*objects, *self.means)


def distinct(sides: Iterable[Side]) -> list[Side]:
    """The first of those that are the same entry."""
    found: dict[Hashable, Side] = {}
    for side in sides:
        found.setdefault(side.identity, side)
    return list(found.values())


def sides_of(found: Iterable[Entry], floor: str) -> list[Side]:
    """Every policy, from the entries that count. ``floor``: the policy below which nothing that works falls."""
    by_policy: dict[tuple[str, str], dict[str, list[Entry]]] = defaultdict(lambda: defaultdict(list))
    for entry in found:
        by_policy[entry.policy, entry.policy_class][entry.benchmark].append(entry)
    results = {
        names: {b: result(entry.contest for entry in mine) for b, mine in sorted(programs.items())}
        for names, programs in by_policy.items()
    }
    lowest = next((found for (policy, _), found in results.items() if policy == floor), {})
    return [
        Side(
            policy,
            policy_class,
            mine,
            counted(mine, lowest),
            tuple(entries[b][0].cluster for b in mine),
            {b: tuple(entry.object_digest for entry in entries[b]) for b in mine},
            sum(any(e.otherwise and not e.same_object for e in of) for of in entries.values()),
            () if policy == floor else tuple(b for b, one in mine.items() if not (one.completed or _known(lowest, b))),
        )
        for (policy, policy_class), mine in results.items()
        for entries in (by_policy[policy, policy_class],)
    ]


def _known(lowest: Mapping[str, Result], benchmark: str) -> bool:
    return benchmark in lowest and bool(lowest[benchmark].estimates)


def counted(results: Mapping[str, Result], lowest: Mapping[str, Result]) -> dict[str, list[float]]:
    """Program → what each seed counts as in strict. ``lowest``: the track's floor on the same programs.

    A program that failed under any seed counts, under every one, as the worst of the reference, the floor, and what
    the policy did anywhere under any seed: strict is never above matched.
    """
    own = min((place for found in results.values() for place in found.estimates), default=0.0)
    worst = {benchmark: min(0.0, own, *found.estimates) for benchmark, found in lowest.items()}
    return {
        benchmark: found.estimates if found.completed else [worst.get(benchmark, min(0.0, own))] * len(found.contests)
        for benchmark, found in results.items()
    }
