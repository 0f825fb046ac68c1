"""A suite's effect: what its intervals rest on, and what they are when a level is missing."""

import itertools
import math
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.statistics.paired import hodges_lehmann, hodges_lehmann_interval
from harness.statistics.student import t_quantile
from harness.statistics.suite import FEW, SuiteEffect, _locate, suite_effect

dyadic = st.integers(-(2**12), 2**12).map(lambda i: i / 2**10)
seeds = st.lists(st.lists(dyadic, min_size=1, max_size=8), min_size=1, max_size=3)
trees = st.lists(seeds, min_size=1, max_size=6)
few_examples = settings(max_examples=30)


def deterministic(values: object) -> list[list[list[float]]]:
    return [[[float(value)]] for value in values]  # type: ignore[attr-defined]


def noisy(programs: int, items: int, seeds: int = 1, seed: int = 0) -> list[list[np.ndarray]]:
    rng = np.random.default_rng(seed)
    return [[rng.normal(i, 1, items) for _ in range(seeds)] for i in range(programs)]


def width(interval: tuple[float, float] | None) -> float:
    assert interval is not None
    return interval[1] - interval[0]


def close(a: SuiteEffect, b: SuiteEffect, scale: float = 1.0, shift: float = 0.0) -> bool:
    pairs = [(a.estimate, b.estimate), *zip(a.these, b.these, strict=True)]
    assert (a.like_these is None) == (b.like_these is None)
    if a.like_these and b.like_these:
        pairs += zip(a.like_these, b.like_these, strict=True)
    return all(there == pytest.approx(here * scale + shift, rel=1e-9, abs=1e-9) for here, there in pairs)


# --- the tree


@given(trees)
@few_examples
def test_the_estimate_is_the_mean_of_means_of_estimates(tree: list[list[list[float]]]) -> None:
    expected = np.mean([np.mean([hodges_lehmann(items) for items in program]) for program in tree])
    effect = suite_effect(tree)
    assert effect.estimate == pytest.approx(expected, abs=1e-12)
    assert effect.these[0] <= effect.estimate <= effect.these[1]
    assert effect.programs == len(tree)
    if len(tree) == 1:
        assert effect.like_these is None
    else:
        assert effect.like_these is not None
        assert effect.like_these[0] <= effect.these[0] <= effect.these[1] <= effect.like_these[1]


@given(trees, st.randoms(use_true_random=False))
@few_examples
def test_order_is_of_no_consequence(tree: list[list[list[float]]], random) -> None:
    before = suite_effect(tree)
    for level in (tree, *tree, *(items for program in tree for items in program)):
        random.shuffle(level)
    assert suite_effect(tree) == before


@given(trees, dyadic, st.sampled_from([0.25, 2.0, 64.0]))
@few_examples
def test_a_shift_shifts_and_a_scale_scales(tree: list[list[list[float]]], shift: float, scale: float) -> None:
    changed = [[[v * scale + shift for v in items] for items in program] for program in tree]
    assert close(suite_effect(tree), suite_effect(changed), scale, shift)


def test_negated_values_mirror_the_intervals_nearly() -> None:
    tree = noisy(6, 12)
    here, there = suite_effect(tree), suite_effect([[-items for items in program] for program in tree])
    assert there.estimate == -here.estimate
    assert there.these == pytest.approx((-here.these[1], -here.these[0]), abs=0.1 * width(here.these))
    assert here.like_these is not None
    assert there.like_these == pytest.approx(
        (-here.like_these[1], -here.like_these[0]), abs=0.1 * width(here.like_these)
    )


@pytest.mark.parametrize("tree", [noisy(6, 12), noisy(6, 5, 3), noisy(3, 1, 5), deterministic(range(9))])
def test_more_confidence_nests_the_intervals(tree: list[list[np.ndarray]]) -> None:
    effects = [suite_effect(tree, confidence) for confidence in (0.5, 0.8, 0.95, 0.99, 0.998)]
    for narrow, wide in itertools.pairwise(effects):
        assert wide.these[0] <= narrow.these[0] and narrow.these[1] <= wide.these[1]
        assert narrow.like_these and wide.like_these
        assert wide.like_these[0] <= narrow.like_these[0] and narrow.like_these[1] <= wide.like_these[1]


def test_it_repeats_exactly_and_hardly_depends_on_the_seed() -> None:
    tree = noisy(7, 11)
    effect = suite_effect(tree)
    assert suite_effect(tree) == effect
    other = suite_effect(tree, seed=1)
    assert other != effect and other.estimate == effect.estimate
    assert width(other.these) == pytest.approx(width(effect.these), rel=0.1)
    assert width(other.like_these) == pytest.approx(width(effect.like_these), rel=0.1)


@pytest.mark.parametrize("bad", [[], [[]], [[[1.0]], []], [[[]]], [[[math.nan]]], [[[0.1, math.inf]]], [[[[0.1]]]]])
def test_what_is_no_tree_of_finite_values_is_refused(bad: list[list[list[float]]]) -> None:
    with pytest.raises(ValueError, match=r"value|has programs"):
        suite_effect(bad)


@pytest.mark.parametrize("tree", [noisy(1, 10), noisy(6, 10), deterministic([1.0]), deterministic([1.0] * 8)])
@pytest.mark.parametrize("confidence", [0.0, 1.0, math.nan])
def test_what_is_no_confidence_is_refused(tree: list[list[np.ndarray]], confidence: float) -> None:
    with pytest.raises(ValueError, match="confidence"):
        suite_effect(tree, confidence)


# --- these programs


def test_exact_values_leave_no_width() -> None:
    effect = suite_effect(deterministic([0.1] * 3))
    assert effect == SuiteEffect(0.1, (0.1, 0.1), (0.1, 0.1), 3)
    effect = suite_effect(deterministic([0.1, 0.2, 0.6]))
    assert effect.these == (effect.estimate, effect.estimate)
    assert suite_effect(deterministic([0.3])) == SuiteEffect(0.3, (0.3, 0.3), None, 1)


def test_equal_items_leave_no_width() -> None:
    effect = suite_effect([[[0.1] * 12], [[0.1] * 9]])
    assert effect == SuiteEffect(0.1, (0.1, 0.1), (0.1, 0.1), 2)


def test_one_program_has_its_own_interval() -> None:
    items = noisy(1, 14)[0][0]
    own = hodges_lehmann_interval(items, 0.9)
    assert suite_effect([[items]], 0.9) == SuiteEffect(own.estimate, (own.low, own.high), None, 1)
    few = suite_effect([[items[:4]]])
    assert few.these == (-math.inf, math.inf)


def test_several_programs_are_near_the_normal_interval() -> None:
    """20 programs of 30 normal items: the standard error of a Hodges–Lehmann mean, π/3 the variance of a plain one."""
    effect = suite_effect([[items - i] for i, (items,) in enumerate(noisy(20, 30))])
    expected = 2 * 1.96 * math.sqrt(math.pi / 3 / 600)
    assert width(effect.these) == pytest.approx(expected, rel=0.15)
    assert effect.these[0] < 0 < effect.these[1]


def test_the_noise_of_one_program_counts_by_its_share() -> None:
    items = noisy(1, 12)[0][0]
    alone = suite_effect([[items]])
    diluted = suite_effect([[items], *deterministic([0.0] * 9)])
    assert width(diluted.these) == pytest.approx(width(alone.these) / 10, rel=0.25)


def test_few_items_are_enough_when_programs_are_many() -> None:
    assert width(suite_effect(noisy(1, 2)).these) == math.inf
    assert 0 < width(suite_effect(noisy(10, 2)).these) < 3


@pytest.mark.parametrize(("items", "slack"), [(2, 1.5), (5, 1.5), (6, 1.5), (10, 0.4), (15, 0.3), (30, 0.1), (70, 0.1)])
def test_standard_errors_are_of_the_size_of_the_errors(items: int, slack: float) -> None:
    """The mean square of the one is about that of the other; few items overstate it."""
    places, squares = _locate(np.random.default_rng(items).normal(0, 1, (2000, items)))
    assert 0.9 * places.var() < squares.mean() < (1 + slack) * places.var()


@pytest.mark.parametrize("count", [2, 3, 5, 10])
def test_seeds_of_one_program_have_students_interval(count: int) -> None:
    values = np.random.default_rng(count).normal(0, 1, count)
    effect = suite_effect([[[value] for value in values]])
    expected = 2 * t_quantile(0.975, count - 1) * values.std(ddof=1) / math.sqrt(count)
    assert width(effect.these) == pytest.approx(expected, rel=0.25 if count == 2 else 0.1)
    assert effect.like_these is None


def test_seeds_hold_the_noise_of_their_items() -> None:
    tree = noisy(4, 10, 6)
    means = [[[hodges_lehmann(items)] for items in program] for program in tree]
    assert close(suite_effect(tree), suite_effect(means))


def test_seeds_with_the_same_values_are_one_seed() -> None:
    items = noisy(1, 12)[0][0]
    assert suite_effect([[items, items[::-1], items], [[0.5]]]) == suite_effect([[items], [[0.5]]])
    assert suite_effect(deterministic([0.1, 0.4])) == suite_effect([[[0.1]] * 5, [[0.4]] * 5])


# --- programs like these


@pytest.mark.parametrize("count", [2, 3, 4])
def test_few_programs_have_students_interval(count: int) -> None:
    values = np.random.default_rng(count).normal(0, 1, count)
    effect = suite_effect(deterministic(values))
    reach = t_quantile(0.975, count - 1) * values.std(ddof=1) / math.sqrt(count)
    assert effect.like_these == pytest.approx((values.mean() - reach, values.mean() + reach))


@pytest.mark.parametrize("count", [FEW, 10, 30])
def test_the_interval_is_about_students_or_wider(count: int) -> None:
    values = np.random.default_rng(count).normal(0, 1, count)
    effect = suite_effect(deterministic(values))
    reach = t_quantile(0.975, count - 1) * values.std(ddof=1) / math.sqrt(count)
    assert effect.like_these is not None
    assert 0.95 < width(effect.like_these) / (2 * reach) < (1.8 if count == FEW else 1.25)


def test_a_skewed_suite_has_a_skewed_interval() -> None:
    effect = suite_effect(deterministic(np.exp(np.random.default_rng(0).normal(0, 1, 15))))
    assert effect.like_these is not None
    assert effect.like_these[1] - effect.estimate > 1.3 * (effect.estimate - effect.like_these[0])


@pytest.mark.parametrize("programs", [5, 21, 30])
def test_one_effect_among_none_leaves_finite_ends(programs: int) -> None:
    effect = suite_effect(deterministic([0.0] * (programs - 1) + [0.1]))
    assert effect.like_these is not None
    assert all(map(math.isfinite, effect.like_these))
    assert effect.like_these[0] < 0 < effect.like_these[1]


def test_noise_alone_is_in_both_intervals() -> None:
    effect = suite_effect([[items - i] for i, (items,) in enumerate(noisy(2, 12))])
    assert effect.like_these is not None
    assert effect.like_these[0] <= effect.these[0] and effect.these[1] <= effect.like_these[1]


def test_programs_that_share_code_count_as_one() -> None:
    values = [0.1, 0.12, -0.05, 0.3, 0.02, 0.08, 0.11, 0.2]
    each = suite_effect(deterministic(values))
    thrice = deterministic([value for value in values for _ in range(3)])
    same = suite_effect(thrice, clusters=[place for place in range(8) for _ in range(3)])
    assert same.estimate == pytest.approx(each.estimate)
    assert same.like_these == pytest.approx(each.like_these, rel=0.05)
    alone = suite_effect(thrice)
    assert width(alone.like_these) < 0.7 * width(same.like_these)


# --- time


@pytest.mark.parametrize(("tree", "limit"), [(noisy(21, 15), 0.060), (deterministic(range(21)), 0.060)])
def test_it_is_fast(tree: list[list[np.ndarray]], limit: float) -> None:
    taken = []
    for _ in range(5):
        start = time.process_time()
        suite_effect(tree)
        taken.append(time.process_time() - start)
    assert min(taken) < limit  # a quarter of it on an idle machine
