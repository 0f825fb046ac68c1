"""One of few lists for each program, by what the program is made of: a linear model of each list's gain."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from harness.learn.pass_lists.choose import Table, chosen

__all__ = ["Examples", "Selector", "fitted", "gains_left_out"]

_RIDGE = 20.0
"""Of features that are scaled to a standard deviation of 1, with weights that add up to the number of programs."""
_MOST = 0.15
"""Logarithm that gains are cut at: one function that a list ruins is not to bend everything."""
_WORST = 0.85
"""A list whose object of some whole program is larger than 1 over this is not taken: who knows where else it is."""
_FAR = 2.0
"""Standard deviations that features are cut at: a linear model is not to be believed far from what it has seen."""
_CAUTION = 0.5
"""How much of its own spread a list's score loses on a module that is as far from the center as most are."""


@dataclass(frozen=True)
class Examples:
    """Modules, and what lists gain on them: whole programs, parts of them, and units of the corpus."""

    programs: tuple[str, ...]
    """Of each module, the program that it is, or is a part of."""
    whole: NDArray[np.bool_]
    """(modules,)"""
    features: NDArray[np.float64]
    """(modules, 56): Autophase over the number of instructions, as agents see it."""
    gains: NDArray[np.float64]
    """(modules, lists): log of size.alloc of clang -Oz over that of the list; -inf where it breaks."""
    homes: tuple[frozenset[str], ...]
    """Of each list, the programs on which it was found."""
    unit: NDArray[np.bool_]
    """(modules,): which are units of the corpus, and of no program."""

    @property
    def weights(self) -> NDArray[np.float64]:
        """(modules,): a program has 1, half of it the whole program and half of it its parts; units have together as
        much as all programs.
        """
        found = np.zeros(len(self.programs))
        names = np.array(self.programs)
        for program in set(names[~self.unit]):
            mine = names == program
            parts = mine & ~self.whole
            found[mine & self.whole] = 0.5 if parts.any() else 1.0
            found[parts] = 0.5 / max(int(parts.sum()), 1)
        found[self.unit] = found.sum() / max(int(self.unit.sum()), 1)
        return found


@dataclass(frozen=True)
class Selector:
    """Scores of lists: the largest is taken. Features are scaled, cut, and taken from the center.

    A score is the gain that is expected, less the more the module differs from those that were looked at.
    """

    lists: tuple[int, ...]
    """Positions among the examples' lists."""
    middle: NDArray[np.float64]
    scale: NDArray[np.float64]
    center: NDArray[np.float64]
    """(56,): of features; of scaled ones."""
    weights: NDArray[np.float64]
    """(lists, 56)"""
    means: NDArray[np.float64]
    """(lists,): gains at the center."""
    caution: NDArray[np.float64]
    """(lists,): what a score loses for each standard deviation that features are away from the center."""

    def pick(self, features: NDArray[np.float64]) -> int:
        """The position of the list for a module with these features, (56,)."""
        offset = np.clip((features - self.middle) / self.scale, -_FAR, _FAR) - self.center
        scores = self.means + self.weights @ offset - self.caution * np.sqrt((offset**2).mean())
        return self.lists[int(scores.argmax())]


def fitted(
    examples: Examples, size: int, always: Sequence[int], over: NDArray[np.bool_], allowed: NDArray[np.bool_]
) -> Selector:
    """The ``size`` lists that serve best together, and those of ``always``, each with a model of its gain.

    ``over``: modules that are looked at; ``allowed``: lists that may be taken.
    """
    sound = examples.gains[over & examples.whole].min(axis=0) >= np.log(_WORST)
    table = Table(examples.programs, (), examples.gains.T, examples.homes)
    found = chosen(table, size, allowed & sound, over, examples.weights).lists
    lists = list(dict.fromkeys([*found, *always]))
    weights, features = examples.weights[over], examples.features[over]
    gains = np.clip(examples.gains[over][:, lists], -_MOST, _MOST)
    means = weights @ gains / weights.sum()
    middle, scale = features.mean(axis=0), features.std(axis=0) + 1e-6
    scaled = np.clip((features - middle) / scale, -_FAR, _FAR)
    center = weights @ scaled / weights.sum()
    offset = scaled - center
    gram = (offset * weights[:, None]).T @ offset + _RIDGE * np.eye(features.shape[1])
    slopes = np.linalg.solve(gram, (offset * weights[:, None]).T @ (gains - means))
    left = gains - means - offset @ slopes
    spread = np.sqrt(weights @ left**2 / weights.sum())
    return Selector(tuple(lists), middle, scale, center, slopes.T, means, _CAUTION * spread)


def gains_left_out(
    examples: Examples, size: int, always: Sequence[int], clusters: Mapping[str, str]
) -> dict[str, float]:
    """Program → gain of the list that is picked by a selector that was fitted without it.

    Neither it, nor programs of its cluster, nor lists that were found on them have a say.
    """
    found = {}
    for row, program in enumerate(examples.programs):
        if not examples.whole[row]:
            continue
        family = {other for other in examples.programs if clusters.get(other, other) == clusters[program]}
        over = np.array([other not in family for other in examples.programs])
        allowed = np.array([not home & family for home in examples.homes])
        picked = fitted(examples, size, always, over, allowed).pick(examples.features[row])
        found[program] = float(examples.gains[row, picked])
    return found
