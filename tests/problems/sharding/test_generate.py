"""Made instances: the same for ever, feasible, and tight as the contest's are."""

import json
from itertools import pairwise

import numpy as np
import pytest

from harness.base.digest import digest_bytes
from harness.problems.sharding.evaluate import evaluate, memory_profile, verify
from harness.problems.sharding.generate import generate, least_usage
from harness.problems.sharding.instance import FORBIDDEN
from harness.problems.sharding.parse import parse_instance

PINNED = "cedcc30653c2631479b5280ab6f8b3fcab6ced72800bc8082d83c779013e95b6"

SIZES = pytest.mark.parametrize(
    ("seed", "layers", "mesh"), [(1, 1, (2, 4)), (2, 6, (4, 4)), (3, 3, (2, 2, 2)), (4, 20, (8,))]
)


@SIZES
def test_least_memory_is_feasible_and_everything_everywhere_is_free_but_does_not_fit(
    seed: int, layers: int, mesh: tuple[int, ...]
) -> None:
    instance = parse_instance(generate("made", seed, layers, 0.1, mesh), "made")
    least = least_usage(instance)
    assert verify(instance, least) is None
    assert instance.usage_limit == int(memory_profile(instance, least).peak * 1.1)
    everywhere = np.zeros(instance.nodes, np.int64)
    assert evaluate(instance, everywhere) == 0
    assert str(verify(instance, everywhere)).startswith("at time ")
    assert 0 < evaluate(instance, least) < FORBIDDEN


def test_the_same_arguments_give_the_same_bytes() -> None:
    assert digest_bytes(generate("pinned", 7, 3)) == PINNED
    assert generate("pinned", 8, 3) != generate("pinned", 7, 3)


@SIZES
def test_it_has_the_structure_of_a_training_step(seed: int, layers: int, mesh: tuple[int, ...]) -> None:
    problem = json.loads(generate("made", seed, layers, 0.1, mesh))["problem"]
    spans, edges = problem["nodes"]["intervals"], problem["edges"]
    assert len(spans) == 15 * layers + 3
    end = max(stop for _, stop in spans)
    assert sum(span == [0, end] for span in spans) == 2 * layers + 2  # the weights, what comes in, its first use
    tied = [ends for ends, table in zip(edges["nodes"], edges["costs"], strict=True) if FORBIDDEN in table]
    assert len(tied) == 2 * layers
    assert all(spans[weight] == [0, end] for weight, _ in tied)
    for user, source in ((b, a) for a, b in edges["nodes"]):  # what is taken is there when it is taken
        assert spans[source][0] <= spans[user][0] < spans[source][1]
    if layers > 2:  # layers repeat: the tables of one come again in the next
        tables = [json.dumps(table) for table in edges["costs"]]
        assert len(set(tables)) < 30 < len(tables)
    lasts = [stop - start for start, stop in spans if [start, stop] != [0, end]]
    assert max(lasts) > end // 2 >= min(lasts)  # the first layer's results wait for the backward pass
    assert all(len(set(map(tuple, pair))) == 2 for pair in pairwise(edges["nodes"]))


@pytest.mark.parametrize(
    "wrong", [{"layers": 0}, {"layers": 1, "slack": -0.1}, {"layers": 1, "mesh": ()}, {"layers": 1, "mesh": (2, 1)}]
)
def test_sizes_that_make_no_program(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="an instance needs"):
        generate("made", 1, **wrong)  # type: ignore[arg-type]
