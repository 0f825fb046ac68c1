"""Sign flips of clusters against plain enumeration; what they tell apart, and what they must not."""

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.statistics.flips import LEVEL, Chance, Table, family, interval, pair_chance

small = st.lists(st.integers(-20, 20), min_size=8, max_size=8)
clusters_of_8 = st.lists(st.integers(0, 5), min_size=8, max_size=8)


def plain_t(values: Sequence[float], clusters: Sequence[int]) -> float:
    """|mean| / its cluster-robust standard error, as a textbook writes it."""
    names = sorted(set(clusters))
    mean = sum(values) / len(values)
    away = [sum(v - mean for v, c in zip(values, clusters, strict=True) if c == name) for name in names]
    count = len(names)
    error = math.sqrt(count / max(1, count - 1) * sum(one * one for one in away)) / len(values)
    if abs(mean) < 1e-12:
        return 0.0
    return math.inf if error < 1e-9 * abs(mean) else abs(mean) / error


def plain_family(rows: Sequence[Sequence[float]], clusters: Sequence[int]) -> list[float]:
    """Step-down max-T by definition: every sign vector, mirror images included."""
    names = sorted(set(clusters))
    seen = [plain_t(row, clusters) for row in rows]
    drawn = []
    for flips in itertools.product((1, -1), repeat=len(names)):
        sign = dict(zip(names, flips, strict=True))
        drawn.append([plain_t([v * sign[c] for v, c in zip(row, clusters, strict=True)], clusters) for row in rows])
    order = sorted(range(len(rows)), key=lambda place: -seen[place])
    found, last = [1.0] * len(rows), 0.0
    for step, place in enumerate(order):
        rest = order[step:]
        hits = sum(max(one[other] for other in rest) >= seen[place] * (1 - 1e-7) for one in drawn)
        last = max(last, hits / len(drawn))
        found[place] = last if seen[place] > 0 else 1.0
    return found


@given(st.lists(small, min_size=1, max_size=4), clusters_of_8)
@settings(max_examples=40, deadline=None)
def test_every_p_is_that_of_plain_enumeration(rows: list[list[int]], clusters: list[int]) -> None:
    found = family(Table.of(rows, clusters)).chances
    assert [one.p for one in found] == pytest.approx(plain_family(rows, clusters), abs=1e-12)
    assert all(one.low == one.p == one.high for one in found)


@given(st.lists(small, min_size=1, max_size=3), clusters_of_8, st.integers(1, 10))
@settings(max_examples=25, deadline=None)
def test_copies_of_a_policy_change_nothing(rows: list[list[int]], clusters: list[int], copies: int) -> None:
    alone = family(Table.of(rows, clusters))
    more = family(Table.of([*rows, *[rows[0]] * copies], clusters))
    assert more.chances[: len(rows)] == alone.chances and more.critical == alone.critical


def test_programs_of_one_cluster_count_once() -> None:
    """Four programs of one library that all gain say no more than one."""
    values = [0.1, 0.11, 0.12, 0.1, 0.2, 0.1, 0.3, 0.1]
    assert pair_chance(values, range(8)).p == 2**-7
    assert pair_chance(values, [0, 0, 0, 0, 1, 2, 3, 4]).p == 2**-4


@pytest.mark.parametrize(("clusters", "least"), [(5, 1 / 16), (6, 1 / 32), (8, 1 / 128)])
def test_what_few_clusters_can_show(clusters: int, least: float) -> None:
    values = np.linspace(1, 1.1, clusters)
    assert pair_chance(values, range(clusters)).p == least
    assert (family(Table.of(values, range(clusters))).critical == math.inf) == (least > LEVEL)
    low, high = interval(Table.of(values, range(clusters)))
    assert math.isfinite(low) == math.isfinite(high) == (least <= LEVEL)


def test_the_band_of_drawn_signs_decides_nothing_within_it() -> None:
    values = np.random.default_rng(1).normal(0.3, 1, 40)
    found = pair_chance(values, range(40))
    assert found.low < found.p < found.high < found.p + 0.003
    assert found.below(found.p) is None and found.below(found.high) is True and found.below(found.low / 2) is False
    assert Chance(0.05, 0.05, 0.05).below(0.05) is True


def test_drawn_signs_are_close_to_all() -> None:
    values = np.random.default_rng(2).normal(0.4, 1, 20)
    exact = pair_chance(values, range(20))
    drawn = pair_chance([*values, 1e-12], range(21))
    assert exact.low == exact.high and drawn.low <= exact.p <= drawn.high


@given(small, clusters_of_8)
@settings(max_examples=40, deadline=None)
def test_the_interval_holds_the_means_that_the_test_does_not_reject(row: list[int], clusters: list[int]) -> None:
    table = Table.of([row], clusters)
    low, high = interval(table)
    assert low <= table.means[0] <= high
    for end, side in ((low, -1), (high, 1)):
        if math.isfinite(end) and low < high:
            step = 1e-6 * (high - low) * side
            assert family(table.moved(end + step)).chances[0].p <= LEVEL + 1e-12
            assert family(table.moved(end - step)).chances[0].p > LEVEL


@pytest.mark.parametrize("bad", [[], [[]], [[math.nan]], [[math.inf]]])
def test_what_is_no_table_is_refused(bad: list[list[float]]) -> None:
    with pytest.raises(ValueError, match="table"):
        Table.of(bad, [0] if bad and bad[0] else [])


def test_each_program_has_a_cluster() -> None:
    with pytest.raises(ValueError, match="clusters"):
        Table.of([[1.0, 2.0]], [0])


def test_equal_policies_are_seldom_called_different() -> None:
    """Thirteen policies that differ by heavy-tailed noise alone: any alarm among them in 5 % of families."""
    rng = np.random.default_rng(3)
    alarms = sum(
        any(one.below(LEVEL) for one in family(Table.of(rng.standard_t(3, (13, 10)), range(10))).chances)
        for _ in range(300)
    )
    assert alarms <= 25  # 15 expected; more in 1 % of sets
