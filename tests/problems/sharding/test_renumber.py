"""A copy is the same problem: every assignment to it costs there, scaled, what it costs here, and may be if it may."""

import json

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from harness.problems.sharding.domain import Sharding
from harness.problems.sharding.generate import generate
from harness.problems.sharding.parse import parse_instance
from tests.problems.sharding.made import as_json
from tests.problems.sharding.test_evaluate import EXAMPLE

DOMAIN = Sharding()
SMALL = parse_instance(as_json(EXAMPLE), "example")
LAYERED = parse_instance(generate("layered", 7, 2, 0.1, (2, 2)), "layered")


@given(st.sampled_from([SMALL, LAYERED]), st.binary(min_size=1, max_size=32), st.integers(0, 2**32))
def test_costs_and_feasibility_are_the_same(instance, seed, number) -> None:  # type: ignore[no-untyped-def]
    content, back = DOMAIN.renumbered(instance, seed)
    copy = parse_instance(content, "copy")
    random = np.random.default_rng(number)
    factors = set()
    for _ in range(5):
        assignment = random.integers(0, copy.strategies)
        mine = back(assignment)
        assert (DOMAIN.verify(copy, assignment) is None) == (DOMAIN.verify(instance, mine) is None)
        there, here = DOMAIN.cost(copy, assignment), DOMAIN.cost(instance, mine)
        assert there % max(here, 1) == 0
        factors.add(there // max(here, 1))
    assert len(factors) == 1 and factors <= {1, 2, 3, 5, 7}
    assert DOMAIN.renumbered(instance, seed)[0] == content


@given(st.binary(min_size=8, max_size=8))
def test_what_is_no_strategy_of_the_copy_is_none_here(seed: bytes) -> None:
    content, back = DOMAIN.renumbered(LAYERED, seed)
    copy = parse_instance(content, "copy")
    for wrong in (-1, 10**9, 2**62):
        assignment = np.zeros(copy.nodes, np.int64)
        assignment[3] = wrong
        assert "strategies" in str(DOMAIN.verify(LAYERED, back(assignment)))


def test_no_seed_gives_the_order_of_another() -> None:
    contents = {DOMAIN.renumbered(LAYERED, bytes([seed]))[0] for seed in range(20)}
    assert len(contents) == 20
    own = json.loads(generate("layered", 7, 2, 0.1, (2, 2)))["problem"]
    for content in contents:
        problem = json.loads(content)["problem"]
        assert problem["name"] == "instance"
        assert problem["nodes"]["costs"] != own["nodes"]["costs"]
        assert problem["edges"]["nodes"] != own["edges"]["nodes"]
