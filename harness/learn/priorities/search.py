"""One weight after the other: that whose change helps train programs most; and how often, by programs left out."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from harness.learn.priorities.scorer import COLUMNS, NAMES, Weights

__all__ = ["FEAR", "STEPS", "Gains", "Judge", "climbed", "folds", "left_out", "merit", "moves"]

Gains = NDArray[np.float64]
"""Logarithms of what Greedy executes for what others do: above 0 is better."""
Judge = Callable[[Weights, Sequence[str]], Sequence[float]]
"""From weights and names of programs to each program's gain."""

STEPS = (1.0, 0.5)
"""By how much a weight is changed in each round."""
FEAR = 1.0
"""How much more a loss counts than a gain, in gains."""
_MOVED = len(COLUMNS)
"""Weights that are changed: the first, of live ranges that reach beyond a block. Within one Greedy's order, that of the
code, already needs the fewest registers."""


def moves(weights: Weights, step: float) -> list[Weights]:
    """Each of the weights that are changed more and less by ``step``: 2 × columns times (weights,)."""
    steps = np.eye(len(NAMES))[:_MOVED] * step
    return [weights + sign * one for one in steps for sign in (1, -1)]


def merit(gains: Gains, clusters: Sequence[str], fear: float = FEAR) -> float:
    """Of (programs,): the mean over clusters of their programs' gains, where a loss counts ``1 + fear`` times.

    ``clusters``: of each program. Those of one cluster share code, and count as one.
    """
    felt = np.where(gains < 0, (1 + fear) * gains, gains)
    names = list(clusters)
    shares = np.array([1 / names.count(name) for name in names]) / len(set(names))
    return float(felt @ shares)


def climbed(programs: Sequence[str], clusters: Sequence[str], rounds: int, judge: Judge) -> Weights:
    """(weights,): from Greedy's, each round's best move, if it is better than none. Of equal ones the first."""
    weights, best = np.zeros(len(NAMES)), 0.0
    for step in STEPS[:rounds]:
        merits = {
            place: merit(np.array(judge(move, programs)), clusters) for place, move in enumerate(moves(weights, step))
        }
        place = max(merits, key=merits.__getitem__)
        if merits[place] > best:
            best, weights = merits[place], moves(weights, step)[place]
    return weights


def folds(clusters: Sequence[str], count: int) -> list[list[int]]:
    """Positions of programs in so many groups: every so-manyth cluster, in order."""
    names = list(dict.fromkeys(clusters))
    groups = [
        [place for place, cluster in enumerate(clusters) if names.index(cluster) % count == number]
        for number in range(count)
    ]
    return [group for group in groups if group]


def left_out(programs: Sequence[str], clusters: Sequence[str], rounds: int, count: int, judge: Judge) -> Gains:
    """(programs,): the gain of each under weights that were found without its group."""
    found = np.zeros(len(programs))
    for group in folds(clusters, count):
        others = [place for place in range(len(programs)) if place not in group]
        names, shared = ([every[place] for place in others] for every in (programs, clusters))
        found[group] = judge(climbed(names, shared, rounds, judge), [programs[place] for place in group])
    return found
