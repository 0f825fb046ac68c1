"""Boosted trees of what a training of ``imitate`` has found out, as a policy of form ``tree``.

The policy under which functions are tried must be a network, which the worker knows. What was found out can be learnt
by anything, and on units that were left out trees answer more of it rightly than a network of that size.
"""

from collections.abc import Callable
from dataclasses import dataclass

import lightgbm
import numpy as np
from numpy.typing import NDArray

from harness.learn.inliners.gains import LLVM_INLINES, MARGINS, Gains, Trust, trust_of
from harness.policy.forms.tree import Leaf, Member, Split, Tree
from harness.policy.forms.tree.convert import from_lightgbm
from harness.problems.inlining.features import INTERFACE, STATIC_FEATURES

__all__ = ["Boosting", "boosted"]


@dataclass(frozen=True, slots=True)
class Boosting:
    """How to learn. Of LightGBM, on one thread, so that the same again gives the same."""

    trees: int = 800
    leaves: int = 31
    """Of each tree."""
    rate: float = 0.02
    least: int = 40
    """Questions of a leaf."""
    share: float = 0.7
    """Of features and of questions, for each tree."""
    margins: tuple[float, ...] = MARGINS
    seed: int = 0


def boosted(gains: Gains, how: Boosting) -> tuple[Tree, Trust]:
    """The trees, and one more for the margin. Raises ValueError where nothing that was tried made a difference."""
    if not gains.saved.any():
        raise ValueError("nothing was found out that could be learnt")
    trust = trust_of(gains, lambda part: _logits(_fitted(part, how)), how.seed, how.margins)
    return _leaning(from_lightgbm(_fitted(gains, how).dump_model(), INTERFACE), trust.margin), trust


def _fitted(gains: Gains, how: Boosting) -> lightgbm.Booster:
    told = gains.of(gains.saved != 0)
    words = {
        "objective": "binary",
        "num_leaves": how.leaves,
        "learning_rate": how.rate,
        "min_data_in_leaf": how.least,
        "feature_fraction": how.share,
        "bagging_fraction": how.share,
        "bagging_freq": 1,
        "seed": how.seed,
        "num_threads": 1,
        "deterministic": True,
        "force_row_wise": True,
        "verbose": -1,
    }
    weights = told.weights / told.weights.mean()
    rows = told.features.astype(np.float64)
    table = lightgbm.Dataset(rows, told.saved > 0, weight=weights, feature_name=list(STATIC_FEATURES))
    return lightgbm.train(words, table, how.trees)


def _logits(booster: lightgbm.Booster) -> Callable[[NDArray[np.int64]], NDArray[np.float64]]:
    return lambda features: np.asarray(booster.predict(features.astype(np.float64), raw_score=True))


def _leaning(tree: Tree, margin: float) -> Tree:
    """The same with ``margin`` more where LLVM inlines, and as much less where it does not."""
    if not margin:
        return tree
    features = tree.features if LLVM_INLINES in tree.features else (*tree.features, LLVM_INLINES)
    asks = Split(feature=features.index(LLVM_INLINES), threshold=0, below=1, above=2)
    leaning = Member(nodes=(asks, Leaf(value=-margin), Leaf(value=margin)))
    return Tree(schema=1, features=features, precision=tree.precision, base=tree.base, trees=(*tree.trees, leaning))
