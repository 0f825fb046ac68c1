"""What a campaign could have seen: the formula by hand, and simulated campaigns."""

import math

import numpy as np
import pytest

from harness.statistics.paired import MIN_PAIRS, Effect, hodges_lehmann_interval, identical
from harness.statistics.power import items_needed, minimum_detectable_effect

EFFECT = Effect(0.01, -0.01, 0.03, 20)
ENDLESS = Effect(0.01, -math.inf, math.inf, 4)


def test_by_hand() -> None:
    assert minimum_detectable_effect(EFFECT) == pytest.approx(0.02 * (1.959964 + 0.841621) / 1.959964, rel=1e-6)
    assert minimum_detectable_effect(EFFECT, power=0.5) == pytest.approx(0.02)
    assert minimum_detectable_effect(EFFECT, 0.9, 0.99) == pytest.approx(
        0.02 * (2.575829 + 1.281552) / 2.575829, rel=1e-6
    )


def test_items_grow_with_the_square_of_the_precision() -> None:
    detectable = minimum_detectable_effect(EFFECT)
    assert items_needed(EFFECT, detectable * 1.0001) == 20
    assert items_needed(EFFECT, detectable / 2) == pytest.approx(80, abs=1)
    assert items_needed(EFFECT, detectable / 10) == pytest.approx(2000, abs=1)
    assert items_needed(EFFECT, 10.0) == MIN_PAIRS


def test_what_is_known_and_what_is_not() -> None:
    assert minimum_detectable_effect(identical()) == 0
    assert items_needed(identical(), 0.01) == 0
    assert minimum_detectable_effect(ENDLESS) == math.inf
    assert items_needed(ENDLESS, 0.01) is None
    assert items_needed(Effect(0.1, 0.1, 0.1, 30), 0.01) == MIN_PAIRS


@pytest.mark.parametrize("power", [0.4, 1.0, math.nan])
def test_what_is_no_power_is_refused(power: float) -> None:
    with pytest.raises(ValueError, match="power"):
        minimum_detectable_effect(EFFECT, power)


@pytest.mark.parametrize("difference", [0.0, -0.1, math.inf, math.nan])
def test_what_is_no_difference_is_refused(difference: float) -> None:
    with pytest.raises(ValueError, match="difference"):
        items_needed(EFFECT, difference)


def test_a_detectable_difference_is_detected() -> None:
    """Four in five campaigns exclude 0 when the truth is the detectable effect of a typical one."""
    rng = np.random.default_rng(2)
    noise = rng.standard_normal((2000, 20))
    typical = float(np.median([minimum_detectable_effect(hodges_lehmann_interval(row)) for row in noise]))
    found = sum(hodges_lehmann_interval(row + typical).low > 0 for row in rng.standard_normal((2000, 20)))
    assert 0.77 <= found / 2000 <= 0.86  # standard deviation 0.009; the normal approximation costs a few percent
