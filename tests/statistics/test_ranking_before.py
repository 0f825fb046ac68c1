"""Randomisation tests against enumeration, and ranks that policies may hold."""

import itertools
import math
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.ranking import RankInterval, rank_intervals, sign_flip_p
from harness.statistics.multiple import holm

# Fisher 1935: Darwin's fifteen pairs of plants, crossed minus self-fertilised, eighths of an inch.
DARWIN = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]


def brute_p(differences: list[float]) -> float:
    """The p over every sign vector, mirror images included."""
    sums = [abs(math.fsum(map(math.prod, zip(differences, signs, strict=True))))
            for signs in itertools.product((1, -1), repeat=len(differences))]  # fmt: skip
    return sum(total >= sums[0] - 1e-12 * math.fsum(map(abs, differences)) for total in sums) / len(sums)


def table(*rows: list[float]) -> list[RankInterval]:
    return rank_intervals(np.array(rows))[0]


# --- the test


@given(st.lists(st.integers(-30, 30), min_size=1, max_size=9))
def test_p_is_that_of_every_sign_vector(differences: list[int]) -> None:
    assert sign_flip_p(differences) == brute_p([float(d) for d in differences])
    assert sign_flip_p([d / 10 for d in differences]) == sign_flip_p(differences), "rounding makes and breaks no ties"


def test_fishers_example() -> None:
    """Fisher counts 1,726 of 32,768 sign vectors whose total is at least as far from 0."""
    assert sign_flip_p(DARWIN) == 1726 / 32768


@pytest.mark.parametrize("n", range(1, 17))
def test_all_on_one_side_is_the_rarest_case(n: int) -> None:
    assert sign_flip_p(np.linspace(1, 2, n)) == 2.0 ** (1 - n)


def test_zeros_move_nothing() -> None:
    assert sign_flip_p([0.0]) == sign_flip_p([0.0] * 40) == 1.0
    assert sign_flip_p([*DARWIN, *[0] * 30]) == sign_flip_p(DARWIN)


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=30), st.randoms(use_true_random=False))
def test_p_is_a_probability_and_knows_no_direction(differences: list[float], random) -> None:
    p = sign_flip_p(differences)
    assert 0 < p <= 1
    assert sign_flip_p([-d for d in differences]) == p
    if sum(d != 0 for d in differences) <= 16:
        random.shuffle(differences)
        assert sign_flip_p(differences) == p


def test_many_differences_are_sampled_close_to_the_normal_distribution_and_repeatably() -> None:
    differences = np.random.default_rng(4).normal(0.2, 1, 40)
    p = sign_flip_p(differences)
    z = abs(differences.sum()) / math.sqrt((differences**2).sum())
    assert p == pytest.approx(math.erfc(z / math.sqrt(2)), abs=0.02)
    assert sign_flip_p(differences) == p
    assert sign_flip_p(differences, seed=1) == pytest.approx(p, abs=0.01)
    assert sign_flip_p(differences, seed=1) != p
    assert sign_flip_p(np.ones(40)) == pytest.approx(1 / (1 + 2**16), rel=0.01), "never 0"


def test_seventeen_sampled_are_close_to_sixteen_enumerated() -> None:
    assert sign_flip_p([*DARWIN, 1e-9, 1e-9]) == pytest.approx(sign_flip_p(DARWIN), abs=0.004)


@pytest.mark.parametrize("bad", [[math.nan, 1.0], [math.inf], [], [[1.0]]])
def test_what_is_no_vector_of_finite_differences_is_refused(bad: list[float]) -> None:
    with pytest.raises(ValueError, match="value"):
        sign_flip_p(bad)


@pytest.mark.parametrize("programs", [6, 12, 21])
def test_false_alarms_are_as_rare_as_said(programs: int) -> None:
    rng = np.random.default_rng(programs)
    alarms = sum(sign_flip_p(row, seed=i) <= 0.05 for i, row in enumerate(rng.standard_t(2, (200, programs))))
    assert alarms <= 18  # 10 expected; more than 18 in 0.5 % of sets


# --- ranks


def test_one_surely_best_two_alike_one_surely_worst() -> None:
    rng = np.random.default_rng(0)
    base = rng.normal(0, 0.02, 20)
    first, second = base + rng.normal(0, 0.01, (2, 20))
    assert table(list(second), list(base + 0.5), list(first), list(base - 0.5)) == [
        RankInterval(2, 3, 1, 1),
        RankInterval(1, 1, 3, 0),
        RankInterval(2, 3, 1, 1),
        RankInterval(4, 4, 0, 3),
    ]


def test_equal_rows_are_never_told_apart() -> None:
    rng = np.random.default_rng(1)
    row = rng.normal(0, 1, 25)
    ranks, p = rank_intervals(np.array([row, row, row - 1]))
    assert p[0, 1] == 1.0
    assert ranks == [RankInterval(1, 2, 1, 0), RankInterval(1, 2, 1, 0), RankInterval(3, 3, 0, 2)]


def test_one_policy_has_the_only_rank() -> None:
    ranks, p = rank_intervals(np.array([[0.1, 0.2]]))
    assert ranks == [RankInterval(1, 1, 0, 0)]
    assert p.tolist() == [[1.0]]


def test_few_programs_tell_nothing_apart() -> None:
    """Of 2 policies, 5 programs give at least 2^-4, 6 give 2^-5; of 45 pairs at least 11 programs are needed."""
    for programs, expected in ((5, 0), (6, 1)):
        assert table([1.0] * programs, [0.0] * programs)[0].better_than == expected
    for programs, expected in ((10, 0), (11, 9)):
        rows = np.arange(10.0)[:, np.newaxis] + np.zeros(programs)
        assert rank_intervals(rows)[0][9].better_than == expected


@pytest.mark.parametrize("programs", [9, 20])
def test_each_pair_is_tested_alone_and_corrected_with_all(programs: int) -> None:
    values = np.random.default_rng(programs).normal(np.linspace(0, 1, 5)[:, np.newaxis], 1, (5, programs))
    _, p = rank_intervals(values)
    first, second = np.triu_indices(5, 1)
    alone = holm([sign_flip_p(values[a] - values[b]) for a, b in zip(first, second, strict=True)])
    assert p[first, second] == pytest.approx(alone, rel=1e-12)
    assert (p == p.T).all() and (p.diagonal() == 1).all()


@given(st.integers(2, 6), st.integers(1, 12), st.integers(0, 100), st.floats(0.5, 0.99))
def test_ranks_are_consistent(policies: int, programs: int, seed: int, confidence: float) -> None:
    rng = np.random.default_rng(seed)
    values = rng.normal(rng.normal(0, 2, (policies, 1)), 1, (policies, programs))
    ranks, p = rank_intervals(values, confidence)
    place = (-values.mean(axis=1)).argsort().argsort() + 1
    for i, rank in enumerate(ranks):
        assert 1 <= rank.low <= place[i] <= rank.high <= policies
        assert (rank.low - 1, policies - rank.high) == (rank.worse_than, rank.better_than)
        told = [j for j in range(policies) if p[i, j] <= 1 - confidence]
        assert rank.better_than == sum(place[i] < place[j] for j in told)
        assert rank.worse_than == sum(place[i] > place[j] for j in told)
    order = rng.permutation(policies)
    assert rank_intervals(values[order], confidence)[0] == [ranks[i] for i in order]


@pytest.mark.parametrize("bad", [[[math.nan]], [[1.0, math.inf]], [1.0, 2.0], [[]], []])
def test_what_is_no_table_is_refused(bad: list[list[float]]) -> None:
    with pytest.raises(ValueError, match="table"):
        rank_intervals(bad)


def test_what_is_no_confidence_is_refused() -> None:
    with pytest.raises(ValueError, match="confidence"):
        rank_intervals([[0.1], [0.2]], 1.0)


def test_equal_policies_are_ranked_in_one_suite_of_twenty() -> None:
    rng = np.random.default_rng(3)
    alarms = sum(any(rank.better_than for rank in rank_intervals(rng.standard_t(3, (5, 12)))[0]) for _ in range(200))
    assert alarms <= 18  # at most 10 expected; more than 18 in 0.5 % of sets


def test_a_whole_leaderboard_takes_two_seconds_at_most() -> None:
    values = np.random.default_rng(0).normal(0, 0.05, (60, 30))
    start = time.process_time()
    rank_intervals(values)
    assert time.process_time() - start < 6  # 0.7 s alone; threads and neighbours count too
