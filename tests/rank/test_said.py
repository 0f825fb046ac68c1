"""What policies reach of a ceiling."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.rank.contest import Result, known, lost, result
from harness.rank.said import shares_of_ceiling as shares_by_problem
from harness.rank.sides import Side, counted

FLOOR = 0.5
"""What the floor gives on each program."""


def shares_of_ceiling(sides: list[Side], ceilings: list[str]) -> dict[str, float]:
    """Of policies that all decide about the same."""
    return shares_by_problem(sides, ceilings, {side.policy: "passes" for side in sides})


def side(policy: str, *ratios: float | None) -> Side:
    """A policy on as many programs; None: it failed."""
    results: dict[str, Result] = {
        f"p{number}": result([lost("failed") if ratio is None else known(ratio)]) for number, ratio in enumerate(ratios)
    }
    lowest = {name: result([known(FLOOR)]) for name in results}
    objects = {name: (f"{policy} {name}",) for name in results}
    return Side(policy, "fixed", results, counted(results, lowest), tuple(results), objects, 0)


def test_a_share_is_of_the_highest_ceilings_gain() -> None:
    strict = {"Oz": 1.0, "half": math.sqrt(1.1), "best": 1.1, "lower": 1.05, "worse": 1 / 1.1}
    sides = [*(side(name, value) for name, value in strict.items()), side("failed", None)]
    shares = shares_of_ceiling(sides, ["lower", "best"])
    assert shares == pytest.approx(
        {"Oz": 0.0, "half": 0.5, "best": 1.0, "lower": math.log(1.05) / math.log(1.1), "worse": -1.0}
    )


def test_a_share_is_over_the_programs_that_the_ceiling_has() -> None:
    """A list that nobody has looked for is no failure: as one, the ceiling would be below everyone."""
    sides = [side("best", 1.2, 1.2, None), side("mine", 1.2, 1.0, 0.7), side("Oz", 1.0, 1.0, 1.0)]
    assert shares_of_ceiling(sides, ["best"]) == pytest.approx({"best": 1.0, "mine": 0.5, "Oz": 0.0})


def test_of_two_ceilings_that_counts_which_has_more_programs() -> None:
    sides = [side("few", 2.0, None), side("all", 1.1, 1.1), side("mine", 1.1, 1.1)]
    assert shares_of_ceiling(sides, ["few", "all"])["mine"] == pytest.approx(1.0)


def test_who_decides_about_something_else_is_measured_by_another_ceiling_or_by_none() -> None:
    names = {"best": ("passes", 1.2), "list": ("passes", 1.1), "all": ("inlining", 1.05), "model": ("inlining", 1.05)}
    sides = [side(name, strict, strict) for name, (_, strict) in (names | {"O2": ("levels", 1.1)}).items()]
    problems = {name: problem for name, (problem, _) in names.items()} | {"O2": "levels"}
    shares = shares_by_problem(sides, ["best", "all"], problems)
    mine = math.log(1.1) / math.log(1.2)
    assert shares == pytest.approx({"best": 1.0, "list": mine, "all": 1.0, "model": 1.0})


@pytest.mark.parametrize("ceiling", [None, 0.9, 1.0, 1.00001])
def test_a_ceiling_that_is_not_above_the_reference_measures_nobody(ceiling: float | None) -> None:
    assert shares_of_ceiling([side("Oz", 1.0), side("best", ceiling)], ["best"]) == {}
    assert shares_of_ceiling([side("Oz", 1.0)], []) == {}


@given(st.floats(1.001, 3), st.floats(0.3, 3), st.floats(0.3, 3))
def test_who_is_better_has_the_larger_share(ceiling: float, one: float, other: float) -> None:
    shares = shares_of_ceiling([side("best", ceiling), side("one", one), side("other", other)], ["best"])
    assert (shares["one"] > shares["other"]) == (math.log(one) > math.log(other))
