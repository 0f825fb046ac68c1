"""Near-duplicates: which units stay, and which functions are listed. Pure, and the same from whatever machine.

A function is known by the digest of its shape (``native/corpus/shape.cpp``): opcodes, kinds of types, control flow, and
neither names nor constants. Units are looked at in one order, the programs of the suites before all of them; a unit of
which ``MOST_KNOWN`` of the instructions are in functions that came before is left out. A function is listed once, where
it came first, and never if a suite has it.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from harness.learn.corpus.facts import FunctionFacts, ModuleFacts

__all__ = ["MOST_KNOWN", "Judged", "Known", "judged", "known_of"]

MOST_KNOWN = 0.8
"""Share of a unit's instructions from which on it is a duplicate."""

Known = dict[str, str]
"""Digest of a function's shape → where it came first."""


class HasFacts(Protocol):
    """A unit."""

    @property
    def facts(self) -> ModuleFacts:
        """Of its module."""

    @property
    def name(self) -> str:
        """How people call it."""


One = TypeVar("One", bound=HasFacts)


@dataclass(frozen=True, slots=True)
class Judged(Generic[One]):
    """A unit, and what of it was there before."""

    unit: One
    known: float
    """Share of its instructions."""
    like: str | None
    """What has most of them; None where nothing of it is known."""
    listed: tuple[int, ...]
    """Positions of its functions that are nowhere before; none where it is left out."""

    @property
    def is_duplicate(self) -> bool:
        """Whether it is left out."""
        return self.known >= MOST_KNOWN


def known_of(programs: Mapping[str, ModuleFacts]) -> Known:
    """What the programs of the suites have: name → facts."""
    known: Known = {}
    for name, facts in programs.items():
        for function in facts.functions:
            known.setdefault(function.digest, name)
    return known


def judged(units: Iterable[One], known: Mapping[str, str]) -> Iterator[Judged[One]]:
    """Each unit in turn, by ``known`` and by the units that stayed before it."""
    seen: Known = dict(known)
    for unit in units:
        functions = unit.facts.functions
        weights: dict[str, int] = {}
        for function in functions:
            if (where := seen.get(function.digest)) is not None:
                weights[where] = weights.get(where, 0) + function.instructions
        share = sum(weights.values()) / max(1, sum(function.instructions for function in functions))
        like = max(weights, key=lambda where: (weights[where], where)) if weights else None
        one = Judged(unit, share, like, _new(functions, seen))
        if one.is_duplicate:
            yield Judged(unit, share, like, ())
            continue
        for place in one.listed:
            seen[functions[place].digest] = unit.name
        yield one


def _new(functions: tuple[FunctionFacts, ...], seen: Known) -> tuple[int, ...]:
    first: dict[str, int] = {}
    for place, function in enumerate(functions):
        if function.digest not in seen:
            first.setdefault(function.digest, place)
    return tuple(first.values())
