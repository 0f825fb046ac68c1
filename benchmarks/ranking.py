"""The rule before this one, to compare with: sign flips of sums, Holm's correction over all pairs of a board."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from harness.statistics.multiple import holm
from harness.statistics.values import Floats, finite, tail

__all__ = ["EXACT_UP_TO", "RankInterval", "rank_intervals", "sign_flip_p"]

EXACT_UP_TO = 16
"""Programs with a difference up to which every sign vector is tried: 2^16 of them."""
_DRAWS = 2**16
_ROUNDING = 1e-12
"""Sums that differ by less than this share of the absolute values' sum are equal."""
_AT_ONCE = 2**20
"""Sums that are held in memory."""


@dataclass(frozen=True, slots=True)
class RankInterval:
    """The ranks, 1 the best, that a policy may hold, and how many others it surely beats or loses to."""

    low: int
    high: int
    better_than: int
    worse_than: int


def sign_flip_p(differences: ArrayLike, seed: int = 0) -> float:
    """Two-sided p of the paired randomisation test that the differences (n,) have mean 0; 1.0 if all are zero.

    Exact up to 16 differences that are not zero; beyond, (1 + c) / (1 + R) of R = 2^16 random sign vectors. The
    smallest p is 2^(1-n) or 1 / (1 + R). Raises ValueError if a difference is not finite.
    Source: Fisher, The Design of Experiments, 1935, section 21; Edgington and Onghena, Randomization Tests,
    4th edition 2007.
    """
    return float(_flip(finite(differences)[:, np.newaxis], seed)[0])


def rank_intervals(table: ArrayLike, confidence: float = 0.95, seed: int = 0) -> tuple[list[RankInterval], Floats]:
    """The ranks of policies from their log-ratios (policies, programs), larger better; and the adjusted p of each pair.

    Each pair is tested by ``sign_flip_p`` over the programs, Holm's correction spans all pairs. A policy is surely
    better than another iff its mean is larger and the pair's adjusted p, in the symmetric matrix (policies,
    policies) with 1 on the diagonal, is at most what the confidence leaves over. The smallest p bounds what few
    programs can tell apart: of m pairs none unless m · 2^(1-programs) is that small. Raises ValueError if the
    table is no table of finite values. Source: Holm 1979; ``sign_flip_p``.
    """
    values = np.asarray(table, dtype=np.float64)
    if values.ndim != 2 or values.size == 0 or not np.isfinite(values).all():
        raise ValueError(f"expected a table of finite values, policies by programs, not the shape {values.shape}")
    policies = len(values)
    first, second = np.triu_indices(policies, 1)
    adjusted = np.ones((policies, policies))
    adjusted[first, second] = holm(_flip((values[first] - values[second]).T, seed))
    adjusted[second, first] = adjusted[first, second]
    ahead = np.zeros((policies, policies))
    ahead[first, second] = (values[first] - values[second]).sum(axis=1)
    ahead[second, first] = -ahead[first, second]
    surely = (adjusted <= 2 * tail(confidence)) & (ahead > 0)
    wins, losses = surely.sum(axis=1).tolist(), surely.sum(axis=0).tolist()
    return [RankInterval(1 + lost, policies - won, won, lost) for won, lost in zip(wins, losses, strict=True)], adjusted


def _flip(differences: Floats, seed: int) -> Floats:
    """The p of each column of (programs, tests), all under the same sign vectors."""
    moved = differences[np.any(differences != 0, axis=1)]
    programs, tests = moved.shape
    if programs == 0 or tests == 0:
        return np.ones(tests)
    exact = programs <= EXACT_UP_TO
    signs = _all_signs(programs) if exact else _drawn_signs(programs, seed)
    reach = np.abs(moved.sum(axis=0)) - _ROUNDING * np.abs(moved).sum(axis=0)
    step = max(1, _AT_ONCE // len(signs))
    hits = np.concatenate(
        [
            np.count_nonzero(np.abs(signs @ moved[:, at : at + step]) >= reach[at : at + step], axis=0)
            for at in range(0, tests, step)
        ]
    )
    return hits / len(signs) if exact else (1 + hits) / (1 + len(signs))


def _all_signs(n: int) -> Floats:
    """Every vector of n signs but for mirror images, which have the same absolute sum: (2^(n-1), n)."""
    bits = np.arange(2 ** (n - 1))[:, np.newaxis] >> np.arange(n) & 1
    return (1 - 2 * bits).astype(np.float64)


def _drawn_signs(n: int, seed: int) -> Floats:
    """Random vectors of n signs: (2^16, n)."""
    bits = np.random.default_rng(seed).integers(0, 2, (_DRAWS, n), dtype=np.int8)
    return (1 - 2 * bits).astype(np.float64)
