"""What chosen values are worth on programs that had no part in the choice: cross-validation over programs.

A search of few programs learns these programs: its best trial gains on them and loses on others. Every trial has been
measured on every program already, so that leaving some out of the choice costs nothing.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Protocol

__all__ = ["FEWEST_PROGRAMS", "held_out", "stopped_at"]

FEWEST_PROGRAMS = 4
"""Of fewer, what is left out says nothing."""
_FOLDS = 10


class Measured(Protocol):
    """A trial."""

    @property
    def by_program(self) -> Mapping[str, float]:
        """Program → log of reference/policy; empty where the trial failed."""


def held_out(trials: Sequence[Measured]) -> float | None:
    """Geometric mean, over programs, of how much better than the first trial's the values are that the others choose.

    The programs are dealt into ten folds, or into one each; for each fold the best trial is chosen by the programs
    outside of it. None for fewer than four programs, and where the first trial failed.
    """
    if not trials or len(names := sorted(trials[0].by_program)) < FEWEST_PROGRAMS:
        return None
    whole = [trial.by_program for trial in trials if trial.by_program.keys() == trials[0].by_program.keys()]
    sums = [math.fsum(one.values()) for one in whole]
    gains: list[float] = []
    for start in range(min(_FOLDS, len(names))):
        fold = names[start :: min(_FOLDS, len(names))]
        outside = [total - math.fsum(one[name] for name in fold) for total, one in zip(sums, whole, strict=True)]
        chosen = whole[max(range(len(whole)), key=lambda at: (round(outside[at], 12), -at))]
        gains += [chosen[name] - whole[0][name] for name in fold]
    return math.exp(math.fsum(sorted(gains)) / len(gains))


def stopped_at(trials: Sequence[Measured], patience: int, least: int) -> bool:
    """Whether to stop: for ``patience`` trials the held-out programs have gained nothing by what was tried.

    Never before ``least`` trials and so many more; never where ``held_out`` is None. It depends on the trials alone,
    so that an interrupted search stops where another one does.
    """
    if patience <= 0 or len(trials) < least + patience:
        return False
    now, then = held_out(trials), held_out(trials[:-patience])
    return now is not None and then is not None and now <= then
