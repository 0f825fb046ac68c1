"""What several campaigns differ by, beyond what their items do."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from harness.statistics.values import finite

__all__ = ["between"]


def between(campaigns: Sequence[ArrayLike]) -> float:
    """The standard error of a mean that comes of differences between campaigns; 0 for one, or where they agree.

    ``campaigns``: the independent items (n,) of each; those with fewer than two say nothing here. The variance between
    them is DerSimonian's and Laird's (Meta-analysis in clinical trials, Controlled Clinical Trials 7, 1986): what the
    spread of the campaigns' means exceeds by what their items' spread explains. Raises ValueError for a value that is
    not finite.
    """
    groups = [values for values in map(finite, campaigns) if values.size > 1]
    if len(groups) < 2:
        return 0.0
    means = np.array([values.mean() for values in groups])
    own = np.array([values.var(ddof=1) / values.size for values in groups])
    if not np.all(own > 0):  # items that are all the same: only the means vary
        return float(means.std(ddof=1)) / math.sqrt(len(groups))
    weights = 1 / own
    place = float((weights * means).sum() / weights.sum())
    excess = float((weights * (means - place) ** 2).sum()) - (len(groups) - 1)
    scale = float(weights.sum() - (weights**2).sum() / weights.sum())
    return math.sqrt(max(0.0, excess / scale) / len(groups))
