"""The evaluator against the plainest one, and against what is published."""

import gzip
import json
from itertools import islice, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from harness.problems.instances.compact import read_compact, write_compact
from harness.problems.sharding.evaluate import evaluate, memory_profile, verify
from harness.problems.sharding.instance import Instance
from harness.problems.sharding.parse import parse_instance
from tests.drive import ROOT
from tests.problems.sharding.made import as_json, by_hand, documents

DATA = ROOT.parent / "shared" / "iopddl"
EXAMPLE: dict[str, Any] = {
    "problem": {
        "name": "example",
        "nodes": {
            "intervals": [[0, 4], [2, 6], [4, 8]],
            "costs": [[15], [55, 65], [25, 45, 35]],
            "usages": [[10], [25, 20], [15, 20, 15]],
        },
        "edges": {"nodes": [[0, 1], [1, 2], [1, 2]], "costs": [[30, 40], [1, 2, 3, 4, 5, 6], [10, 20, 30, 40, 50, 60]]},
        "usage_limit": 40,
    }
}


@given(documents())
def test_every_assignment_is_judged_as_by_hand(document: dict[str, Any]) -> None:
    instance = parse_instance(as_json(document), "made")
    ways = [range(len(costs)) for costs in document["problem"]["nodes"]["costs"]]
    for chosen in islice(product(*ways), 50):
        cost, feasible = by_hand(document, chosen)
        assert evaluate(instance, chosen) == cost
        assert (verify(instance, chosen) is None) == feasible


def test_sums_beyond_64_bits_are_exact() -> None:
    costs = [[2**63 - 1]] * 9
    spans = [[0, 1]] * 9
    document = {
        "problem": {
            "name": "large",
            "nodes": {"intervals": spans, "costs": costs, "usages": [[1]] * 9},
            "edges": {"nodes": [[0, 8]], "costs": [[10**18]]},
        }
    }
    assert evaluate(parse_instance(as_json(document), "large"), [0] * 9) == 9 * (2**63 - 1) + 10**18


@pytest.mark.parametrize(
    ("chosen", "why"),
    [
        ([0, 0], "it has 2 strategies for 3 nodes"),
        ([0, 0, 0, 0], "it has 4 strategies for 3 nodes"),
        ([0, 2, 0], "node 1 has strategies 0 to 1, not 2"),
        ([0, 0, -1], "node 2 has strategies 0 to 2, not -1"),
        ([0, 10**30, 0], "node 1 has strategies 0 to 1, not 1000000000000000000000000000000"),
        ([0, -(10**30), 0], "node 1 has strategies 0 to 1, not -1000000000000000000000000000000"),
        ([0, 0, 1], "at time 4 it uses 45 bytes, 5 more than the limit of 40"),
    ],
)
def test_why_an_assignment_is_not_feasible(chosen: list[int], why: str) -> None:
    assert verify(parse_instance(as_json(EXAMPLE), "example"), chosen) == why


def test_usage_exactly_at_the_limit_is_feasible_and_ends_before_the_end() -> None:
    instance = parse_instance(as_json(EXAMPLE), "example")
    profile = memory_profile(instance, [0, 0, 0])
    assert profile.times.tolist() == [0, 2, 4, 6, 8]
    assert profile.usage.tolist() == [10, 35, 40, 15, 0]
    assert profile.peak == 40 and verify(instance, [0, 0, 0]) is None
    assert evaluate(instance, [0, 1, 2]) == 15 + 65 + 35 + 40 + 6 + 60


@given(documents())
def test_the_compact_form_holds_all(tmp_path_factory: pytest.TempPathFactory, document: dict[str, Any]) -> None:
    instance = parse_instance(as_json(document), "made")
    folder = tmp_path_factory.mktemp("compact")
    write_compact(instance, folder)
    again = read_compact(Instance, folder)
    assert (again.name, again.usage_limit) == (instance.name, instance.usage_limit)
    for array in ("intervals", "node_offsets", "node_costs", "usages", "edge_nodes", "edge_offsets", "edge_costs"):
        assert np.array_equal(getattr(again, array), getattr(instance, array)), array


def published() -> dict[str, Any]:
    """What is known of the contest's instances."""
    known: dict[str, Any] = json.loads((DATA / "published_costs.json").read_bytes())
    return known


def contest(letter: str) -> Instance:
    """One of the contest's instances."""
    file = DATA / f"asplos-2025-iopddl-{letter}.json.gz"
    return parse_instance(file.read_bytes(), file.name)


def least_usage(instance: Instance) -> np.ndarray[Any, np.dtype[np.int64]]:
    """The first strategy of each node that uses least."""
    ways = [instance.usages[a:b] for a, b in zip(instance.node_offsets, instance.node_offsets[1:], strict=False)]
    return np.array([int(np.argmin(usages)) for usages in ways])


@pytest.mark.skipif(not DATA.is_dir(), reason="the contest's instances are not beside the project")
@pytest.mark.parametrize("letter", ["B", "P", "K", pytest.param("A", marks=pytest.mark.slow),
                                    pytest.param("M", marks=pytest.mark.slow)])  # fmt: skip
def test_the_contests_instances_cost_what_is_published(letter: str, tmp_path: Path) -> None:
    instance = contest(letter)
    assignment = least_usage(instance)
    assert verify(instance, assignment) is None
    assert evaluate(instance, assignment) == published()[letter]["our_min_usage_cost"]
    unpacked = tmp_path / "plain.json"
    unpacked.write_bytes(gzip.decompress((DATA / f"asplos-2025-iopddl-{letter}.json.gz").read_bytes()))
    if letter == "B":  # plain and gzipped are one instance
        assert np.array_equal(parse_instance(unpacked.read_bytes(), "plain").edge_costs, instance.edge_costs)
