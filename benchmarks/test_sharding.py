"""What the harness itself takes for a sharding instance: the contest's largest file that is here, or a large made one.

``make bench`` runs it.
"""

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from harness.base.errors import PrerequisiteError
from harness.base.store import Store
from harness.problems.instances.compact import read_compact, write_compact
from harness.problems.instances.files import instance_content
from harness.problems.instances.suite import load_instances
from harness.problems.sharding.domain import Sharding
from harness.problems.sharding.evaluate import evaluate, verify
from harness.problems.sharding.generate import generate, least_usage
from harness.problems.sharding.instance import Instance
from harness.problems.sharding.parse import parse_instance

DOMAIN = Sharding()

LOADED_TO_PARSED = 0.1
"""Mapping the compact form and touching all of it takes at most this share of parsing the file."""
JUDGED_TO_PARSED = 0.02
"""Verifying and evaluating an assignment takes at most this share of parsing the instance's file."""


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The file."""
    (largest,) = load_instances(DOMAIN, "iopddl").choose(["D"])
    try:
        return instance_content(replace(largest, upstream=None), Store(tmp_path_factory.mktemp("cache")))
    except PrerequisiteError:  # it is not here
        return generate("large", 1, 600)


@pytest.fixture(scope="module")
def parsed(content: bytes) -> tuple[Instance, float]:
    """The instance, and the seconds that parsing took."""
    started = time.perf_counter()
    return parse_instance(content, "largest"), time.perf_counter() - started


def test_loading(benchmark: Any, parsed: tuple[Instance, float], tmp_path: Path) -> None:
    instance, seconds = parsed
    write_compact(instance, tmp_path)

    def load() -> int:
        again = read_compact(Instance, tmp_path)
        return int(again.edge_costs.max()) + int(again.node_costs.max()) + int(again.usages.max())

    benchmark(load)
    benchmark.extra_info["parsing"] = round(seconds, 3)
    print(f"\n{instance.nodes:,} nodes, {instance.edges:,} edges, {len(instance.edge_costs):,} costs of edges")
    print(f"  parsed in {seconds:.2f} s, loaded in {benchmark.stats['median'] * 1000:.1f} ms")
    assert benchmark.stats["median"] <= LOADED_TO_PARSED * seconds


def test_judging(benchmark: Any, parsed: tuple[Instance, float], tmp_path: Path) -> None:
    instance, seconds = parsed
    write_compact(instance, tmp_path)
    again = read_compact(Instance, tmp_path)
    assignment = np.asarray(least_usage(again))

    def judge() -> int:
        assert verify(again, assignment) is None
        return evaluate(again, assignment)

    benchmark(judge)
    print(f"\n  judged in {benchmark.stats['median'] * 1000:.1f} ms")
    assert benchmark.stats["median"] <= JUDGED_TO_PARSED * seconds
