"""What campaigns differ by."""

import math

import numpy as np
import pytest

from harness.statistics import between


def test_one_campaign_and_campaigns_that_agree_say_nothing() -> None:
    rng = np.random.default_rng(0)
    assert between([rng.normal(0, 1, 20)]) == 0
    assert between([[1.0, 2.0, 3.0], [1.1, 2.0, 2.9]]) == 0
    assert between([[5.0], [1.0, 2.0, 3.0]]) == 0, "one item has no spread to compare with"


def test_identical_items_leave_the_spread_of_the_means() -> None:
    assert between([[1.0, 1.0], [2.0, 2.0]]) == pytest.approx(math.sqrt(0.5) / math.sqrt(2))


def test_over_many_tables_it_is_what_they_were_made_with() -> None:
    """The mean of the variance that it finds is the true one, of which it drops what is below zero."""
    rng = np.random.default_rng(1)
    found = [between([rng.normal(place, 0.5, 15) for place in rng.normal(0, 1, 5)]) ** 2 * 5 for _ in range(400)]
    assert np.mean(found) == pytest.approx(1.0, rel=0.12)


def test_a_value_that_is_not_finite_is_refused() -> None:
    with pytest.raises(ValueError, match="finite"):
        between([[1.0, math.nan], [1.0, 2.0]])
