"""What every procedure asks of its input: finite values, a confidence between 0 and 1."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Floats", "exact_mean", "finite", "tail"]

Floats = NDArray[np.float64]


def finite(values: ArrayLike) -> Floats:
    """The values as a vector (n,), n ≥ 1. Raises ValueError if they are none, not a vector, or not all finite."""
    vector = np.asarray(values, dtype=np.float64)
    if vector.ndim != 1 or vector.size == 0:
        raise ValueError(f"expected a vector of at least one value, not the shape {vector.shape}")
    if not np.isfinite(vector).all():
        raise ValueError("a value is not finite: it is an outcome, not a number")
    return vector


def tail(confidence: float) -> float:
    """Half of what the confidence leaves over. Raises ValueError unless it lies strictly between 0 and 1."""
    if not 0 < confidence < 1:
        raise ValueError(f"no interval has a confidence of {confidence}")
    return (1 - confidence) / 2


def exact_mean(values: Floats) -> float:
    """The mean of a vector (n,), which of equal values is that value exactly."""
    return float(values[0] + np.mean(values - values[0]))
