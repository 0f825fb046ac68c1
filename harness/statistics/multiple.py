"""Many tests at once."""

import numpy as np
from numpy.typing import ArrayLike

from harness.statistics.values import Floats

__all__ = ["holm"]


def holm(p: ArrayLike) -> Floats:
    """The adjusted p of each test, (n,) in the given order: those at most α have a family-wise error of at most α.

    Holds under any dependence of the tests. Raises ValueError if a p lies outside 0 to 1.
    Source: Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6, 1979.
    """
    given = np.asarray(p, dtype=np.float64)
    if given.ndim != 1 or not ((given >= 0) & (given <= 1)).all():
        raise ValueError("expected a vector of probabilities")
    order = np.argsort(given, kind="stable")
    steps = np.maximum.accumulate(given[order] * np.arange(given.size, 0, -1))
    adjusted = np.empty_like(given)
    adjusted[order] = np.minimum(steps, 1.0)
    return adjusted
