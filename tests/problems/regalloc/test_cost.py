"""What a function's code costs: a sum of metrics."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.problems.regalloc.cost import COSTS, cost_of, parse_cost

weights = st.integers(1, 10**9 - 1).map(lambda number: number / 1000)


@given(st.dictionaries(st.sampled_from(COSTS), weights, min_size=1), st.sampled_from(["+", " + ", "  +  "]))
def test_a_sum_is_read_as_it_is_written(weights: dict[str, float], plus: str) -> None:
    assert parse_cost(plus.join(f"{weight:.3f} {metric}" for metric, weight in weights.items())) == weights


@given(st.text(max_size=60))
def test_anything_is_a_sum_or_an_error(text: str) -> None:
    try:
        found = parse_cost(text)
    except ValueError as error:
        assert str(error)
    else:
        assert set(found) <= set(COSTS) and all(weight >= 0 for weight in found.values())


def test_what_is_not_said_counts_once() -> None:
    assert parse_cost("spills + 2 mca.static") == {"spills": 1, "mca.static": 2}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "'' is none of mca.static"),
        ("2", "'2' is none of"),
        ("accesses", "'accesses' is none of"),
        ("spills spills", "'spills spills' is none of"),
        ("1e3 spills", "'1e3 spills' is none of"),
        ("spills + 2 spills", "spills is twice"),
        ("0 spills + 0.0 reloads", "everything costs nothing"),
    ],
)
def test_what_is_no_sum(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        parse_cost(text)


def test_the_cost_of_a_function() -> None:
    parts = {"spills": {"f": 3, "g": 1}, "mca.static": {"f": 0.5}}
    assert cost_of("f", parts, {"spills": 2, "mca.static": 4}) == 8
    assert cost_of("g", parts, {"spills": 2, "mca.static": 4}) == 2
