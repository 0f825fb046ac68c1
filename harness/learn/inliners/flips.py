"""Functions decided the other way: what a question about a function is answered with."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from harness.learn.inliners.collector import Compiled, Steps
from harness.learn.inliners.judge import METRICS, size_of

__all__ = ["Answer", "Flip", "answers", "flips"]

Number = TypeVar("Number", np.int64, np.float64)

_Compile = Callable[[Mapping[int, bool]], Compiled]
"""The module with these functions decided so: number of a function → whether its calls are inlined."""


@dataclass(frozen=True, slots=True, eq=False)
class Flip:
    """A function, decided as it was and the other way; everything else decided as before."""

    asked: NDArray[np.int64]
    """(questions, features): whenever the policy was asked about a call of it that was decided so; the first time alone
    where that one decides for all."""
    inline: bool
    """What had been decided."""
    as_is: Compiled
    other: Compiled

    def saved(self, weigh: Callable[[Compiled], NDArray[Number]]) -> NDArray[Number]:
        """What inlining saves of whatever ``weigh`` finds."""
        inlined, called = (self.as_is, self.other) if self.inline else (self.other, self.as_is)
        return weigh(called) - weigh(inlined)


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """What inlining a function saves."""

    asked: NDArray[np.int64]
    """As of a ``Flip``."""
    saved: NDArray[np.float64]
    """(metrics,): bytes of ``METRICS``."""


@dataclass(frozen=True, slots=True, eq=False)
class _Question:
    callee: int
    inline: bool
    asked: NDArray[np.int64]
    mixed: bool
    """Whether some of its calls are decided otherwise, though one decision is wanted for all."""


def flips(
    compiled: _Compile, own: Compiled, most: int, chance: np.random.Generator, *, once_for_callee: bool
) -> Iterator[Flip]:
    """At most so many functions of a module, drawn, each in a compilation of its own. ``own``: the module as it is."""
    for one in _questions(own.steps, most, chance, once_for_callee=once_for_callee):
        as_is = compiled({one.callee: one.inline}) if one.mixed else own
        yield Flip(one.asked, one.inline, as_is, compiled({one.callee: not one.inline}))


def answers(
    compiled: _Compile, own: Compiled, calls: Steps, most: int, chance: np.random.Generator, *, once_for_callee: bool
) -> Iterator[Answer]:
    """The same of functions that are far apart in one compilation: what each saves is what the functions around it have
    in bytes, before and after. Where one is tried alone, it is what the module has.

    ``calls``: what is asked where each call is decided by itself, so that every caller is known.

    All other functions whose calls were all decided alike are held to that, since a policy may decide otherwise
    wherever anything in the module has changed, and that would be counted, too.
    """
    waiting = _questions(own.steps, most, chance, once_for_callee=once_for_callee)
    held = _held(own.steps)
    around = _Surroundings(own.steps, calls, held)
    while waiting:
        together, waiting = around.apart(waiting)
        as_is = own
        if mixed := {one.callee: one.inline for one in together if one.mixed}:
            as_is = compiled({**held, **mixed})
        other = compiled({**held, **{one.callee: not one.inline for one in together}})
        for one in together:
            near = around.of(one.callee) if len(together) > 1 else None
            more = _bytes(other, near) - _bytes(as_is, near)
            yield Answer(one.asked, (more if one.inline else -more).astype(np.float64))


class _Surroundings:
    """Which functions have something to do with which."""

    def __init__(self, own: Steps, calls: Steps, held: Mapping[int, bool]) -> None:
        """``held``: functions whose calls are decided so, wherever they are."""
        self._callers: dict[int, set[int]] = defaultdict(set)
        self._callees: dict[int, set[int]] = defaultdict(set)
        self._into: dict[int, set[int]] = defaultdict(set)
        for steps in (own, calls):
            asked = zip(steps.callers.tolist(), steps.callees.tolist(), steps.inline.tolist(), strict=True)
            for caller, callee, inline in asked:
                self._callers[callee].add(caller)
                self._callees[caller].add(callee)
                if held.get(callee, inline):
                    self._into[callee].add(caller)

    def of(self, callee: int) -> frozenset[int]:
        """Functions whose bytes change with what is decided about this one: itself, what it calls, its callers, and
        what these are inlined into.
        """
        found = {callee} | self._callees[callee] | self._callers[callee]
        waiting = list(self._callers[callee])
        while waiting:
            new = self._into[waiting.pop()] - found
            found |= new
            waiting += new
        return frozenset(found)

    def apart(self, waiting: Sequence[_Question]) -> tuple[list[_Question], list[_Question]]:
        """Those that have no function in common, first come, and the rest."""
        taken: set[int] = set()
        chosen: list[_Question] = []
        rest: list[_Question] = []
        for one in waiting:
            near = self.of(one.callee)
            if taken & near:
                rest.append(one)
            else:
                chosen.append(one)
                taken |= near
        return chosen, rest


def _questions(steps: Steps, most: int, chance: np.random.Generator, *, once_for_callee: bool) -> list[_Question]:
    callees = [callee for callee in np.unique(steps.callees).tolist() if callee >= 0]
    found = []
    for callee in chance.permutation(callees)[:most].tolist():
        place = np.flatnonzero(steps.callees == callee)
        inline = bool(steps.inline[place[0]])
        alike = place[steps.inline[place] == inline]
        mixed = once_for_callee and len(alike) < len(place)  # LLVM decides each call, and these otherwise
        found.append(_Question(callee, inline, steps.features[place[:1] if once_for_callee else alike], mixed))
    return found


def _held(steps: Steps) -> dict[int, bool]:
    """Number of a function → what was decided about all of its calls."""
    known = zip(steps.callees.tolist(), steps.inline.tolist(), strict=True)
    ways: dict[int, set[bool]] = defaultdict(set)
    for callee, inline in known:
        ways[callee].add(inline)
    return {callee: way.pop() for callee, way in ways.items() if callee >= 0 and len(way) == 1}


def _bytes(done: Compiled, near: frozenset[int] | None) -> NDArray[np.int64]:
    """(metrics,): of the module, or of these functions alone."""
    if near is None:
        return np.array([size_of(done, metric) for metric in METRICS], np.int64)
    there = [number for number in near if number >= 0 and done.functions[number] >= 0]
    code, unwind = int(done.functions[there].sum()), int(done.unwinds[there].sum())
    return np.array([code + unwind if metric == METRICS[0] else code for metric in METRICS], np.int64)
