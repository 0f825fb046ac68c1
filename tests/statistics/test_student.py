"""Student's t: the published table, closed forms, and the inverse of a numeric integration."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.statistics.student import t_quantile

# Upper percentage points as every handbook prints them: degrees → 0.95, 0.975, 0.995, 0.9995.
TABLE = {
    1: (6.314, 12.706, 63.657, 636.619),
    2: (2.920, 4.303, 9.925, 31.599),
    3: (2.353, 3.182, 5.841, 12.924),
    4: (2.132, 2.776, 4.604, 8.610),
    5: (2.015, 2.571, 4.032, 6.869),
    9: (1.833, 2.262, 3.250, 4.781),
    10: (1.812, 2.228, 3.169, 4.587),
    19: (1.729, 2.093, 2.861, 3.883),
    20: (1.725, 2.086, 2.845, 3.850),
    30: (1.697, 2.042, 2.750, 3.646),
    60: (1.671, 2.000, 2.660, 3.460),
    120: (1.658, 1.980, 2.617, 3.373),
}
PROBABILITIES = (0.95, 0.975, 0.995, 0.9995)


def integrated(t: float, degrees: int) -> float:
    """P(T ≤ t) by Simpson's rule on the density, with x = √degrees · tan θ, which makes it a cosine's power."""
    steps = 4000
    end = math.atan(t / math.sqrt(degrees))
    weights = [1, *([4, 2] * (steps // 2 - 1)), 4, 1]
    area = math.fsum(w * math.cos(end * i / steps) ** (degrees - 1) for i, w in enumerate(weights)) * end / steps / 3
    log_scale = math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2) - math.log(math.pi) / 2
    return 0.5 + area * math.exp(log_scale)


@pytest.mark.parametrize("degrees", TABLE)
def test_the_published_table(degrees: int) -> None:
    for probability, value in zip(PROBABILITIES, TABLE[degrees], strict=True):
        assert round(t_quantile(probability, degrees), 3) == value


@given(st.floats(0.5001, 0.9999), st.integers(1, 200))
def test_it_inverts_the_distribution(probability: float, degrees: int) -> None:
    assert integrated(t_quantile(probability, degrees), degrees) == pytest.approx(probability, abs=1e-9)


@given(st.floats(0.5001, 0.999))
def test_closed_forms_for_one_and_two_degrees(probability: float) -> None:
    assert t_quantile(probability, 1) == pytest.approx(math.tan(math.pi * (probability - 0.5)), rel=1e-9)
    square = (2 * probability - 1) / math.sqrt(2 * probability * (1 - probability))
    assert t_quantile(probability, 2) == pytest.approx(square, rel=1e-9)


@given(st.floats(0.501, 0.999), st.floats(1e-4, 0.4), st.integers(1, 150))
def test_it_grows_with_the_probability_and_shrinks_with_the_degrees(
    probability: float, more: float, degrees: int
) -> None:
    here = t_quantile(probability, degrees)
    assert here > 0
    assert t_quantile(probability + more * (0.9995 - probability), degrees) > here
    assert t_quantile(probability, degrees + 1) < here


def test_many_degrees_are_nearly_normal() -> None:
    assert t_quantile(0.975, 100_000) == pytest.approx(1.959964, abs=1e-4)


@pytest.mark.parametrize(
    ("probability", "degrees"), [(0.5, 3), (1.0, 3), (0.2, 3), (-1, 3), (0.9, 0), (float("nan"), 3)]
)
def test_what_has_no_quantile_is_refused(probability: float, degrees: int) -> None:
    with pytest.raises(ValueError, match="no t quantile"):
        t_quantile(probability, degrees)
