"""The normal quantile: the published table, and its inverse."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.statistics.normal import normal_quantile


@pytest.mark.parametrize(
    ("probability", "value"), [(0.5, 0.0), (0.8, 0.8416212), (0.975, 1.9599640), (0.995, 2.5758293), (0.1, -1.2815516)]
)
def test_the_published_table(probability: float, value: float) -> None:
    assert normal_quantile(probability) == pytest.approx(value, abs=1e-7)


@given(st.floats(1e-9, 1 - 1e-9))
def test_it_inverts_the_distribution(probability: float) -> None:
    assert math.erfc(-normal_quantile(probability) / math.sqrt(2)) / 2 == pytest.approx(probability, rel=1e-9)


@pytest.mark.parametrize("probability", [0.0, 1.0, -0.1, 2.0, math.nan])
def test_what_has_no_quantile_is_refused(probability: float) -> None:
    with pytest.raises(ValueError, match="no normal quantile"):
        normal_quantile(probability)
