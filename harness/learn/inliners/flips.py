"""Functions decided the other way, one at a time: what a question about a function is answered with."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from harness.learn.inliners.collector import Compiled

__all__ = ["Flip", "flips"]

Number = TypeVar("Number", np.int64, np.float64)


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


def flips(
    compiled: Callable[[Mapping[int, bool]], Compiled],
    own: Compiled,
    most: int,
    chance: np.random.Generator,
    *,
    once_for_callee: bool,
) -> Iterator[Flip]:
    """At most so many functions of a module, drawn. ``compiled``: the module with these functions decided so. ``own``:
    with none of them.
    """
    steps = own.steps
    callees = [callee for callee in np.unique(steps.callees).tolist() if callee >= 0]
    for callee in chance.permutation(callees)[:most].tolist():
        place = np.flatnonzero(steps.callees == callee)
        inline = bool(steps.inline[place[0]])
        alike = place[steps.inline[place] == inline]
        as_is = own
        if once_for_callee and len(alike) < len(place):  # LLVM decides each call, and these otherwise
            as_is = compiled({callee: inline})
        yield Flip(
            steps.features[place[:1] if once_for_callee else alike], inline, as_is, compiled({callee: not inline})
        )
