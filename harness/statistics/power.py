"""What a campaign of this size could have seen, and what size would see a given difference."""

import math

from harness.statistics.normal import normal_quantile
from harness.statistics.paired import MIN_PAIRS, Effect
from harness.statistics.values import tail

__all__ = ["items_needed", "minimum_detectable_effect"]


def minimum_detectable_effect(effect: Effect, power: float = 0.8, confidence: float = 0.95) -> float:
    """The log-ratio whose interval excludes 0 with probability ``power``, given this interval's half-width.

    (z₁₋α⸝₂ + z_power) standard errors, with the half-width for z₁₋α⸝₂ of them. Infinite if the interval is, 0 if the
    effect is known. ``confidence`` is that of the interval. Raises ValueError unless 0.5 ≤ power < 1.
    Source: Lehmann, Nonparametrics, 1975 (the power of rank tests by the normal approximation).
    """
    if not 0.5 <= power < 1:
        raise ValueError(f"power lies from 0.5 to 1, not at {power}")
    width = normal_quantile(1 - tail(confidence))
    return effect.half_width * (width + normal_quantile(power)) / width


def items_needed(effect: Effect, difference: float, power: float = 0.8, confidence: float = 0.95) -> int | None:
    """How many independent items, noisy as this effect's, would resolve a ``difference`` > 0 (a log-ratio).

    The number grows with the square of the precision; at least ``MIN_PAIRS``. 0 if the effect is known, None if its
    interval is infinite: then nothing is known of the noise. Raises ValueError unless ``difference`` is above 0.
    """
    if not 0 < difference < math.inf:
        raise ValueError(f"a difference to resolve is finite and above 0, not {difference}")
    detectable = minimum_detectable_effect(effect, power, confidence)
    if effect.count == 0:
        return 0
    if math.isinf(detectable):
        return None
    return max(MIN_PAIRS, math.ceil(effect.count * (detectable / difference) ** 2))
