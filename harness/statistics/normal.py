"""Quantiles of the normal distribution."""

from statistics import NormalDist

__all__ = ["normal_quantile"]

_STANDARD = NormalDist()


def normal_quantile(probability: float) -> float:
    """The ``z`` with P(Z ≤ z) = ``probability`` of a standard normal Z, to full precision (Wichura 1988, AS 241).

    Raises ValueError unless ``probability`` lies strictly between 0 and 1.
    """
    if not 0 < probability < 1:
        raise ValueError(f"no normal quantile for probability {probability}")
    return _STANDARD.inv_cdf(probability)
