"""Simulated machines and programs: what timing on shared hardware does to pairs, and how effects differ by program."""

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Floats = NDArray[np.float64]

KINDS = ("normal", "t3", "t2", "mixture", "drift", "bursts", "delays")
"""Of machines: normal; Student's t with 3 and 2 degrees; one run in ten 10 times as noisy; a random walk of the
machine's speed under a growing spread; a stretch 5 to 10 times as noisy; one-sided delays on top of normal noise."""

EFFECTS = ("normal", "exponential", "lognormal", "large", "sparse")
"""Of programs: normal; two skewed ones (skewness 2 and 1.75); normal but for one or two large ones in each suite; none
for three programs in five."""


def pairs(kind: str, rng: Generator, campaigns: int, items: int) -> Floats:
    """Log-ratios of pairs of runs of equal programs in random order: (campaigns, items), of a spread of about 1."""
    runs = (campaigns, items, 2)
    noise = rng.standard_normal(runs)
    speed = np.zeros((campaigns, 2 * items))
    match kind:
        case "normal":
            pass
        case "t3" | "t2":
            noise = rng.standard_t(int(kind[1]), runs)
        case "mixture":
            noise *= np.where(rng.random(runs) < 0.1, 10, 1)
        case "drift":
            noise *= np.linspace(1, 3, items)[:, np.newaxis]
            speed = rng.normal(0, 0.5, speed.shape).cumsum(axis=1)
        case "bursts":
            start, length = (
                rng.integers(0, items, campaigns),
                rng.integers(max(1, items // 8), items // 2 + 1, campaigns),
            )
            at = np.arange(items)
            struck = (at >= start[:, np.newaxis]) & (at < (start + length)[:, np.newaxis])
            noise *= np.where(struck, rng.uniform(5, 10, (campaigns, 1)), 1)[:, :, np.newaxis]
        case "delays":
            noise = 0.3 * noise + rng.exponential(1, runs)
        case _:
            raise ValueError(kind)
    taken = noise + speed.reshape(runs)
    swapped = rng.random((campaigns, items)) < 0.5
    difference = taken[:, :, 0] - taken[:, :, 1]
    result: Floats = np.where(swapped, -difference, difference) / np.sqrt(2)
    return result


def effects(kind: str, rng: Generator, programs: int) -> Floats:
    """The effects (programs,) of one suite, drawn from all programs like these, whose mean is 0; spread about 1."""
    result: Floats
    match kind:
        case "normal":
            result = rng.standard_normal(programs)
        case "exponential":
            result = rng.exponential(1, programs) - 1
        case "lognormal":
            result = np.exp(rng.normal(0, 0.5, programs)) - np.exp(0.125)
        case "large":
            result = rng.standard_normal(programs) - 1.5 * 5 / programs
            result[: rng.integers(1, 3)] += 5
        case "sparse":
            result = np.where(rng.random(programs) < 0.4, rng.normal(1, 1, programs), 0.0) - 0.4
        case _:
            raise ValueError(kind)
    return result
