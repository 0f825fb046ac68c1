"""The signed-rank distribution: enumeration of all sign vectors, the published table, zeros and ties."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.statistics.signed_rank import EXACT_UP_TO, critical_rank, null_counts, signed_rank_p

# Largest sum of ranks that is significant, two-sided (Wilcoxon and Wilcox 1964): n → at .05 and .01.
TABLE = {
    6: (0, None), 7: (2, None), 8: (3, 0), 9: (5, 1), 10: (8, 3), 11: (10, 5), 12: (13, 7), 13: (17, 9), 14: (21, 12),
    15: (25, 15), 16: (29, 19), 17: (34, 23), 18: (40, 27), 19: (46, 32), 20: (52, 37), 25: (89, 68), 30: (137, 109),
}  # fmt: skip


def enumerated(n: int) -> Counter[int]:
    """The sums of positive ranks over every sign vector."""
    return Counter(sum(itertools.compress(range(1, n + 1), signs)) for signs in itertools.product((0, 1), repeat=n))


def midranks(values: list[float]) -> list[float]:
    """The rank of each absolute value, ties sharing their mean."""
    sizes = [abs(value) for value in values]
    return [sum(other < size for other in sizes) + (sizes.count(size) + 1) / 2 for size in sizes]


def brute_p(values: list[float]) -> float:
    """The p by enumeration, zeros ranked and then dropped."""
    ranked = [(rank, value > 0) for rank, value in zip(midranks(values), values, strict=True) if value != 0]
    sums = [
        sum(rank for (rank, _), sign in zip(ranked, signs, strict=True) if sign)
        for signs in itertools.product((False, True), repeat=len(ranked))
    ]
    observed = sum(rank for rank, sign in ranked if sign)
    below, above = sum(s <= observed for s in sums), sum(s >= observed for s in sums)
    return min(1.0, 2 * min(below, above) / len(sums))


@pytest.mark.parametrize("n", range(1, 12))
def test_the_distribution_is_that_of_every_sign_vector(n: int) -> None:
    expected = enumerated(n)
    assert null_counts(n).tolist() == [expected[t] for t in range(n * (n + 1) // 2 + 1)]


@pytest.mark.parametrize("n", [20, 43, EXACT_UP_TO])
def test_all_sign_vectors_are_counted_and_mirror_images_alike(n: int) -> None:
    counts = null_counts(n)
    assert sum(counts.tolist()) == 2**n
    assert (counts == counts[::-1]).all()
    assert counts.min() >= 1


def test_what_cannot_be_counted_is_refused() -> None:
    for n in (-1, EXACT_UP_TO + 1):
        with pytest.raises(ValueError, match="counted for"):
            null_counts(n)


@pytest.mark.parametrize("n", TABLE)
def test_the_published_critical_values(n: int) -> None:
    for confidence, value in zip((0.95, 0.99), TABLE[n], strict=True):
        k, beyond = critical_rank(n, confidence)
        assert k - 1 == (-1 if value is None else value)
        assert beyond <= (1 - confidence) / 2


def test_too_few_values_have_no_critical_rank() -> None:
    assert [critical_rank(n, 0.95)[0] for n in range(1, 7)] == [0, 0, 0, 0, 0, 1]
    assert critical_rank(6, 0.96875) == (1, 1 / 64), "a level that is met exactly counts"
    assert critical_rank(6, 0.97)[0] == 0


@pytest.mark.parametrize("n", [61, 80, 120])
def test_the_approximation_beyond_is_close_and_keeps_the_level(n: int) -> None:
    packed, bits = 1, n + 1  # all counts in one integer: Π (1 + x^rank) at x = 2^bits
    for rank in range(1, n + 1):
        packed += packed << bits * rank
    counts = [packed >> bits * t & 2**bits - 1 for t in range(n * (n + 1) // 4)]
    for confidence in (0.5, 0.68, 0.8, 0.9, 0.95, 0.98, 0.99):
        total, exact = 0, 0
        while (total + counts[exact]) * 2 <= (1 - confidence) * 2**n:
            total += counts[exact]
            exact += 1
        assert exact - 8 <= critical_rank(n, confidence)[0] <= exact


signs_and_sizes = st.lists(st.integers(-4, 4).map(float), max_size=9)


@given(signs_and_sizes)
def test_p_is_that_of_every_sign_vector(values: list[float]) -> None:
    assert signed_rank_p(values) == pytest.approx(brute_p(values), rel=1e-12)


@given(st.lists(st.integers(-9, 9).map(float), max_size=40), st.randoms(use_true_random=False))
def test_p_knows_neither_order_nor_direction(values: list[float], random: object) -> None:
    assert signed_rank_p([-v for v in values]) == signed_rank_p(values)
    assert signed_rank_p(sorted(values)) == pytest.approx(signed_rank_p(values), rel=1e-12)
    assert 0 < signed_rank_p(values) <= 1


@pytest.mark.parametrize("n", [1, 2, 10, 25, 60, 100])
def test_all_on_one_side_is_the_rarest_case(n: int) -> None:
    assert signed_rank_p(np.arange(1, n + 1)) == pytest.approx(min(1.0, 2.0 ** (1 - n)), rel=1e-12)


def test_the_example_of_the_handbook() -> None:
    """Depression scale factors before and after tranquiliser, Hollander and Wolfe 1999, example 3.1: T+ = 5, n = 9."""
    before = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]
    after = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]
    assert signed_rank_p(np.subtract(after, before)) == pytest.approx(2 * 0.01953125, rel=1e-12)


def test_nothing_to_rank_decides_nothing() -> None:
    assert signed_rank_p([]) == 1.0
    assert signed_rank_p([0.0]) == signed_rank_p([0.0] * 30) == 1.0


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_what_is_not_finite_is_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="not finite"):
        signed_rank_p([0.1, bad])
