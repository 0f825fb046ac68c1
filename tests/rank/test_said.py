"""What policies reach of a ceiling."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.rank.said import shares_of_ceiling


def test_a_share_is_of_the_highest_ceilings_gain() -> None:
    strict = {"Oz": 1.0, "half": math.sqrt(1.1), "best": 1.1, "lower": 1.05, "worse": 1 / 1.1, "failed": None}
    shares = shares_of_ceiling(strict, ["lower", "best"])
    assert shares == pytest.approx(
        {"Oz": 0.0, "half": 0.5, "best": 1.0, "lower": math.log(1.05) / math.log(1.1), "worse": -1.0}
    )


@pytest.mark.parametrize("ceiling", [None, 0.9, 1.0, 1.00001])
def test_a_ceiling_that_is_not_above_the_reference_measures_nobody(ceiling: float | None) -> None:
    assert shares_of_ceiling({"Oz": 1.0, "best": ceiling}, ["best"]) == {}
    assert shares_of_ceiling({"Oz": 1.0}, []) == {}


@given(st.floats(1.001, 3), st.floats(0.3, 3), st.floats(0.3, 3))
def test_who_is_better_has_the_larger_share(ceiling: float, one: float, other: float) -> None:
    shares = shares_of_ceiling({"best": ceiling, "one": one, "other": other}, ["best"])
    assert (shares["one"] > shares["other"]) == (math.log(one) > math.log(other))
