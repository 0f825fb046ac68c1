"""Effects of paired log-ratios: intervals against enumeration and the tests they invert, and what they let one say."""

import itertools
import math
import statistics

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from harness.statistics.paired import (
    FLOOR,
    MIN_PAIRS,
    Effect,
    Verdict,
    by_layout,
    hodges_lehmann,
    hodges_lehmann_interval,
    identical,
    is_narrow,
    median_interval,
    paired_effect,
    verdict,
)
from harness.statistics.signed_rank import signed_rank_p

INTERVALS = (hodges_lehmann_interval, median_interval)
dyadic = st.integers(-(2**20), 2**20).map(lambda i: i / 2**16)
"""Values whose sums are exact, so that shifts are too."""
lists = st.lists(dyadic, min_size=1, max_size=25)
both = pytest.mark.parametrize("interval", INTERVALS)


def resolved(estimate: float, half: float, count: int = MIN_PAIRS) -> Verdict:
    return verdict(Effect(estimate, estimate - half, estimate + half, count))


# --- intervals


@given(lists)
def test_the_estimate_is_the_median_of_all_pairs_means(values: list[float]) -> None:
    pairs = itertools.combinations_with_replacement(values, 2)
    assert hodges_lehmann(values) == statistics.median((a + b) / 2 for a, b in pairs)
    assert hodges_lehmann_interval(values).estimate == hodges_lehmann(values)
    assert median_interval(values).estimate == statistics.median(values)


@both
@given(lists, dyadic)
def test_a_shift_of_the_values_shifts_the_interval(interval, values: list[float], shift: float) -> None:
    here, there = interval(values), interval([v + shift for v in values])
    assert there == Effect(here.estimate + shift, here.low + shift, here.high + shift, len(values))


@both
@given(lists)
def test_negated_values_mirror_the_interval(interval, values: list[float]) -> None:
    here = interval(values)
    assert interval([-v for v in values]) == Effect(-here.estimate, -here.high, -here.low, len(values))


@both
@given(lists, st.randoms(use_true_random=False))
def test_order_is_of_no_consequence(interval, values: list[float], random) -> None:
    shuffled = values.copy()
    random.shuffle(shuffled)
    assert interval(shuffled) == interval(values)


@both
@given(lists, st.floats(0.01, 0.98), st.floats(0.001, 0.01))
def test_more_confidence_nests_the_interval(interval, values: list[float], confidence: float, more: float) -> None:
    narrow, wide = interval(values, confidence), interval(values, confidence + more)
    assert wide.low <= narrow.low <= narrow.estimate <= narrow.high <= wide.high


@both
@pytest.mark.parametrize("n", [6, 7, 30, 61, 100])
def test_equal_values_leave_no_width(interval, n: int) -> None:
    assert interval([0.1] * n) == Effect(0.1, 0.1, 0.1, n)


@both
def test_too_few_values_have_no_ends(interval) -> None:
    for n in range(1, 6):
        effect = interval(np.linspace(-1, 2, n))
        assert (effect.low, effect.high, effect.count) == (-math.inf, math.inf, n)
        assert math.isfinite(effect.estimate)
    assert math.isfinite(interval(np.linspace(-1, 2, 6)).half_width)
    assert interval([1.0, 2.0], 0.5) == Effect(1.5, 1.0, 2.0, 2)


def test_the_ends_of_the_signed_rank_interval() -> None:
    """n = 10, critical value 8: the 9th of the 55 pairs' means from either end."""
    values = [0.3, -0.1, 0.7, 0.25, 1.1, 0.05, -0.4, 0.9, 0.45, 0.6]
    means = sorted((a + b) / 2 for a, b in itertools.combinations_with_replacement(values, 2))
    effect = hodges_lehmann_interval(values)
    assert (effect.low, effect.estimate, effect.high) == (means[8], means[27], means[46])


@pytest.mark.parametrize(("n", "k"), [(6, 1), (8, 1), (9, 2), (10, 2), (12, 3), (15, 4), (20, 6), (25, 8), (30, 10)])
def test_the_published_ends_of_the_median_interval(n: int, k: int) -> None:
    """As in Conover's and other tables of the 95 % interval of a median."""
    effect = median_interval(np.arange(1, n + 1))
    assert (effect.low, effect.high) == (k, n + 1 - k)


@pytest.mark.parametrize("n", [6, 13, 40, 99])
@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.99])
def test_the_median_interval_is_the_narrowest_that_keeps_the_level(n: int, confidence: float) -> None:
    effect = median_interval(np.arange(1, n + 1), confidence)
    missed = [2 * sum(math.comb(n, i) for i in range(k)) for k in range(n // 2 + 1)]
    k = 0 if math.isinf(effect.low) else int(effect.low)
    assert missed[k] <= (1 - confidence) * 2**n
    assert k == n // 2 or missed[k + 1] > (1 - confidence) * 2**n


@given(st.lists(dyadic, min_size=6, max_size=20, unique=True), dyadic)
def test_the_interval_holds_what_the_signed_rank_test_does_not_reject(values: list[float], centre: float) -> None:
    averages = {(a + b) / 2 for a, b in itertools.combinations_with_replacement(values, 2)}
    assume(centre not in averages and len(averages) == len(values) * (len(values) + 1) // 2)
    effect = hodges_lehmann_interval(values)
    assert (effect.low < centre < effect.high) == (signed_rank_p([v - centre for v in values]) > 0.05)


@pytest.mark.parametrize("function", [hodges_lehmann, *INTERVALS, paired_effect])
@pytest.mark.parametrize("bad", [[], [math.nan], [0.1, math.inf], [-math.inf], [[0.1, 0.2]]])
def test_what_is_no_vector_of_finite_values_is_refused(function, bad: list[float]) -> None:
    with pytest.raises(ValueError, match="value"):
        function(bad)


@both
@pytest.mark.parametrize("confidence", [0.0, 1.0, -1.0, math.nan])
def test_what_is_no_confidence_is_refused(interval, confidence: float) -> None:
    with pytest.raises(ValueError, match="confidence"):
        interval([0.1, 0.2], confidence)


# --- layouts


def test_layouts_are_the_items_in_order_of_first_appearance() -> None:
    assert by_layout([1.0, 10.0, 3.0, 20.0, 5.0], ["b", "a", "b", "a", 7]).tolist() == [2.0, 15.0, 5.0]


@given(lists)
def test_a_layout_each_changes_nothing(values: list[float]) -> None:
    assert by_layout(values, range(len(values))).tolist() == values
    assert paired_effect(values, range(len(values))) == paired_effect(values) == hodges_lehmann_interval(values)


def test_equal_values_of_uneven_layouts_stay_equal() -> None:
    layouts = [i % 7 for i in range(50)]
    assert paired_effect([0.1] * 50, layouts) == Effect(0.1, 0.1, 0.1, 7)


def test_pairs_of_one_layout_are_one_item() -> None:
    effect = paired_effect(np.arange(60), [0] * 60)
    assert (effect.count, effect.low, effect.high) == (1, -math.inf, math.inf)


def test_each_value_has_its_layout() -> None:
    with pytest.raises(ValueError, match="3 values of 2 layouts"):
        by_layout([0.1, 0.2, 0.3], ["a", "b"])


# --- effects and verdicts


def test_an_effect_as_ratios() -> None:
    effect = Effect(math.log(1.02), math.log(1.01), math.log(1.05), 12)
    assert (effect.ratio, effect.ratio_low, effect.ratio_high) == pytest.approx((1.02, 1.01, 1.05))
    assert effect.half_width == pytest.approx(math.log(1.05 / 1.01) / 2)
    assert Effect(0.0, -math.inf, math.inf, 2).half_width == math.inf


@pytest.mark.parametrize(
    "parts", [(0.0, 0.1, 0.2, 1), (0.3, 0.1, 0.2, 1), (math.nan, 0.0, 1.0, 1), (0.0, 0.0, 0.0, -1)]
)
def test_what_contradicts_itself_is_no_effect(parts: tuple[float, float, float, int]) -> None:
    with pytest.raises(ValueError, match="no effect"):
        Effect(*parts)


def test_the_floor_is_half_a_percent() -> None:
    assert math.exp(FLOOR) == pytest.approx(1.005)


@pytest.mark.parametrize(
    ("estimate", "half", "expected"),
    [
        (0.02, 0.01, Verdict.BETTER),
        (-0.02, 0.01, Verdict.WORSE),
        (0.02, 0.02, Verdict.UNRESOLVED),  # 0 itself is not excluded
        (0.02, 0.03, Verdict.UNRESOLVED),
        (-0.02, 0.02, Verdict.UNRESOLVED),
        (0.0, 0.004, Verdict.EQUAL),
        (0.0, FLOOR, Verdict.EQUAL),
        (0.0, FLOOR * 1.01, Verdict.UNRESOLVED),
        (0.003, 0.001, Verdict.EQUAL),  # surely better, and practically equal
        (-0.003, 0.001, Verdict.EQUAL),
        (0.0049, 0.002, Verdict.UNRESOLVED),  # surely better, by more than nothing or by less
        (FLOOR, 0.001, Verdict.BETTER),
        (-FLOOR, 0.0, Verdict.WORSE),
        (0.0, 0.0, Verdict.EQUAL),
        (0.5, math.inf, Verdict.UNRESOLVED),
    ],
)
def test_verdicts(estimate: float, half: float, expected: Verdict) -> None:
    assert resolved(estimate, half) is expected


def test_few_items_decide_nothing_and_none_are_needed_for_what_is_known() -> None:
    assert resolved(0.5, 0.1, MIN_PAIRS - 1) is Verdict.UNRESOLVED
    assert resolved(0.0, 0.0, MIN_PAIRS - 1) is Verdict.UNRESOLVED
    assert resolved(0.5, 0.1, MIN_PAIRS) is Verdict.BETTER
    assert identical() == Effect(0.0, 0.0, 0.0, 0)
    assert verdict(identical()) is Verdict.EQUAL
    assert verdict(identical(), floor=0.0) is Verdict.EQUAL


def test_another_floor_is_another_verdict() -> None:
    effect = Effect(0.02, 0.01, 0.03, 20)
    assert [verdict(effect, floor) for floor in (0.0, 0.02, 0.025, 0.03)] == [
        Verdict.BETTER, Verdict.BETTER, Verdict.UNRESOLVED, Verdict.EQUAL,
    ]  # fmt: skip


@given(lists, st.floats(0, 0.1))
def test_the_mirrored_effect_has_the_opposite_verdict(values: list[float], floor: float) -> None:
    opposite = {Verdict.BETTER: Verdict.WORSE, Verdict.WORSE: Verdict.BETTER}
    here = verdict(paired_effect(values), floor)
    assert verdict(paired_effect([-v for v in values]), floor) is opposite.get(here, here)


def test_narrow_enough() -> None:
    assert is_narrow(Effect(0.0, -0.25, 0.25, 9), 0.25)
    assert not is_narrow(Effect(0.0, -0.25, 0.26, 9), 0.25)
    assert not is_narrow(Effect(0.0, -math.inf, math.inf, 2), 1e9)
    assert is_narrow(identical(), 0.0)
