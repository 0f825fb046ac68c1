"""Simulated campaigns: how often each interval holds the truth, how often equal programs are called different, and how
often different ones are.

Nominal 95 % intervals must hold the truth in 93 % of campaigns. Seeds are fixed, so that a result repeats; a set of
simulations passes if its count is one that an interval of exactly 93 % falls below in 1 % of sets (``enough``).
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.random import Generator

from harness.statistics.paired import (
    FLOOR,
    SEQUENTIAL,
    Effect,
    Verdict,
    hodges_lehmann_interval,
    is_narrow,
    median_interval,
    paired_effect,
    verdict,
)
from harness.statistics.suite import suite_effect
from tests.statistics.noise import EFFECTS, KINDS, effects, pairs

DAILY = ("normal", "t3", "delays", "lognormal")
"""What is simulated every day; all kinds are by ``make test-all``."""


def some_daily(every: tuple[str, ...]) -> list[Any]:
    """Parameters: those that are not simulated every day are marked."""
    return [kind if kind in DAILY else pytest.param(kind, marks=pytest.mark.slow) for kind in every]


kinds = pytest.mark.parametrize("kind", some_daily(KINDS))
PRECISION = 0.005
FIRST, LAST = 10, 30
"""Blocks of a campaign, at least and at most."""
SPREAD = 0.01
"""Of the mean of a block's pairs in CPU time: 2.25 % a pair, five pairs a block."""


def enough(simulations: int) -> float:
    """The count that a coverage of 93 % falls below in 1 % of sets, by the normal approximation."""
    return simulations * 0.93 - 2.33 * math.sqrt(simulations * 0.93 * 0.07)


def check(held: int, simulations: int) -> None:
    print(f"coverage {held / simulations:.3f}")
    assert held >= enough(simulations), f"{held} of {simulations} intervals hold the truth"


# --- one program


@kinds
@pytest.mark.parametrize("items", [10, 15, 30])
@pytest.mark.parametrize("interval", [hodges_lehmann_interval, median_interval])
def test_one_program(interval: Callable[..., Effect], items: int, kind: str) -> None:
    values = pairs(kind, np.random.default_rng(items), 800, items)
    found = [interval(row) for row in values]
    check(sum(effect.low <= 0 <= effect.high for effect in found), len(found))


@pytest.mark.parametrize("confidence", [0.8, 0.99])
def test_one_program_at_other_levels(confidence: float) -> None:
    values = pairs("t3", np.random.default_rng(1), 2000, 12)
    for interval in (hodges_lehmann_interval, median_interval):
        held = sum(effect.low <= 0 <= effect.high for effect in (interval(row, confidence) for row in values))
        assert held / 2000 >= confidence - 2.33 * math.sqrt(confidence * (1 - confidence) / 2000)


def test_the_median_interval_needs_no_symmetry() -> None:
    values = np.random.default_rng(2).exponential(1, (2000, 15)) - math.log(2)
    held = sum(effect.low <= 0 <= effect.high for effect in map(median_interval, values))
    assert held >= 0.95 * 2000 - 2.33 * math.sqrt(2000 * 0.95 * 0.05)


# --- a suite


def these(rng: Generator, simulations: int, kind: str, programs: int, items: int) -> int:
    """How often the interval for these programs holds their mean; one is three times as noisy, and all differ."""
    held = 0
    for seed in range(simulations):
        truth = rng.normal(0, 3, programs)
        noise = pairs(kind, rng, programs, items)
        noise[0] *= 3
        low, high = suite_effect([[row] for row in truth[:, np.newaxis] + noise], seed=seed).these
        held += low <= truth.mean() <= high
    return held


def like_these(rng: Generator, simulations: int, kind: str, programs: int, noise: float = 0, items: int = 10) -> int:
    """How often the interval for programs like these holds the mean of all of them, 0."""
    held = 0
    for seed in range(simulations):
        values = effects(kind, rng, programs)[:, np.newaxis]
        if noise:
            values = values + noise * pairs("t3", rng, programs, items)
        interval = suite_effect([[row] for row in values], seed=seed).like_these
        assert interval is not None
        held += interval[0] <= 0 <= interval[1]
    return held


@kinds
def test_these_programs(kind: str) -> None:
    check(these(np.random.default_rng(7), 150, kind, 5, 10), 150)


@pytest.mark.slow
@kinds
@pytest.mark.parametrize(("programs", "items"), [(2, 15), (5, 30), (10, 15), (21, 10), (21, 15), (30, 10)])
def test_these_programs_at_length(kind: str, programs: int, items: int) -> None:
    check(these(np.random.default_rng(items), 300, kind, programs, items), 300)


@pytest.mark.parametrize("spread", [0.0, 1.0])
@pytest.mark.parametrize(("programs", "seeds"), [(1, 2), (1, 5), (5, 3), pytest.param(10, 5, marks=pytest.mark.slow)])
def test_these_programs_under_seeds(programs: int, seeds: int, spread: float) -> None:
    """The truth is the mean over all seeds that there could be."""
    rng = np.random.default_rng(seeds)
    held = 0
    for i in range(300):
        tree = [list(pairs("t3", rng, seeds, 6) + rng.normal(0, spread, (seeds, 1))) for _ in range(programs)]
        low, high = suite_effect(tree, seed=i).these
        held += low <= 0 <= high
    check(held, 300)


@pytest.mark.parametrize(
    "programs", [5, *(pytest.param(programs, marks=pytest.mark.slow) for programs in (10, 21, 30))]
)
@pytest.mark.parametrize("kind", some_daily(EFFECTS))
def test_programs_like_these(kind: str, programs: int) -> None:
    if (kind, programs) == ("sparse", 5):
        pytest.skip("one suite in thirteen of these has no effect at all")
    check(like_these(np.random.default_rng(programs), 300, kind, programs), 300)


@pytest.mark.parametrize("noise", [0.3, pytest.param(3.0, marks=pytest.mark.slow)])
def test_programs_like_these_under_noise(noise: float) -> None:
    check(like_these(np.random.default_rng(8), 150, "normal", 5, noise), 150)


@pytest.mark.slow
@pytest.mark.parametrize("noise", [0.3, 1.0])
@pytest.mark.parametrize("programs", [5, 10, 21])
@pytest.mark.parametrize("kind", ["normal", "exponential", "lognormal", "large"])
def test_programs_like_these_at_length(kind: str, programs: int, noise: float) -> None:
    check(like_these(np.random.default_rng(9), 300, kind, programs, noise), 300)


@pytest.mark.parametrize("programs", [2, 3, 4])
def test_few_programs_are_covered_if_normal(programs: int) -> None:
    check(like_these(np.random.default_rng(programs), 1500, "normal", programs), 1500)


# --- campaigns


def campaign(values: np.ndarray) -> Effect:
    """The effect of one that stops at the precision, from ten blocks on."""
    for blocks in range(FIRST, LAST):
        effect = paired_effect(values[:blocks], confidence=SEQUENTIAL)
        if is_narrow(effect, PRECISION):
            return effect
    return paired_effect(values[:LAST], confidence=SEQUENTIAL)


@kinds
def test_equal_programs_are_rarely_called_different(kind: str) -> None:
    """At most 15 of 200, even without the floor: a rate of 5 % would exceed that in 4 % of sets, one of 4 % in 1 %."""
    found = [campaign(row) for row in SPREAD * pairs(kind, np.random.default_rng(3), 200, LAST)]
    for floor in (FLOOR, 0.0):
        called = sum(verdict(effect, floor) in (Verdict.BETTER, Verdict.WORSE) for effect in found)
        print(f"{called} of 200 called different, floor {floor:.3f}, {np.mean([e.count for e in found]):.1f} blocks")
        assert called <= 15


@kinds
@pytest.mark.parametrize("spread", [0.0075, pytest.param(SPREAD, marks=pytest.mark.slow), 0.0125])
def test_stopping_when_narrow_keeps_the_level(spread: float, kind: str) -> None:
    """95 % of intervals hold the truth although the campaign stopped because they were narrow."""
    found = [campaign(row) for row in spread * pairs(kind, np.random.default_rng(5), 600, LAST)]
    held = sum(effect.low <= 0 <= effect.high for effect in found)
    print(f"coverage {held / 600:.3f}")
    assert held >= 0.95 * 600 - 2.33 * math.sqrt(600 * 0.95 * 0.05)


@pytest.mark.parametrize("kind", ["normal", "t3", "delays"])
@pytest.mark.parametrize("direction", [-1, 1])
def test_one_percent_is_called(direction: int, kind: str) -> None:
    """In at least 160 of 200 campaigns, and always in the right direction."""
    right, wrong = (Verdict.BETTER, Verdict.WORSE)[::direction]
    noise = SPREAD * pairs(kind, np.random.default_rng(4), 200, LAST)
    found = [verdict(campaign(row)) for row in noise + direction * 0.01]
    print(f"{found.count(right)} of 200 called")
    assert found.count(right) >= 160
    assert found.count(wrong) == 0


@pytest.mark.parametrize("kind", ["normal", "t3"])
def test_equal_is_said_of_equal_programs_only(kind: str) -> None:
    """Of quiet campaigns most say equivalent when nothing differs, hardly any when 1 % does."""
    noise = 0.003 * pairs(kind, np.random.default_rng(6), 200, LAST)
    same, other = ([verdict(campaign(row + shift)) for row in noise] for shift in (0.0, 0.01))
    print(f"{same.count(Verdict.EQUAL)} and {other.count(Verdict.EQUAL)} of 200 called equivalent")
    assert same.count(Verdict.EQUAL) >= 100
    assert other.count(Verdict.EQUAL) == 0
