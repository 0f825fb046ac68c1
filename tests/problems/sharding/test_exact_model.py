"""The exact model finds what trying everything finds."""

import json
import subprocess
import sys
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest

from harness.base.paths import BASELINES
from harness.problems.instances.answers import Answers
from harness.problems.sharding.generate import generate
from tests.problems.sharding.made import as_json, by_hand

SOLVER = BASELINES / "exact-model" / "solver.py"


def problem(seed: int) -> dict[str, Any]:
    """Six nodes with three strategies each, parallel edges and a loop, forbidden pairs, memory that is tight."""
    draw = Random(seed)
    nodes, ways = 6, 3
    pairs = [[draw.randrange(nodes), draw.randrange(nodes)] for _ in range(9)]
    usages = [[draw.randrange(8, 40) for _ in range(ways)] for _ in range(nodes)]
    spans = [sorted(draw.sample(range(12), 2)) for _ in range(nodes)]
    tables = [[draw.choice([0, 7, 10**18, draw.randrange(10**9)]) for _ in range(ways * ways)] for _ in pairs]
    costs = [[draw.randrange(10**9) for _ in range(ways)] for _ in range(nodes)]
    live = max(
        sum(min(usages[node]) for node, (begin, end) in enumerate(spans) if begin <= moment < end)
        for moment in range(12)
    )
    return {
        "problem": {
            "name": f"made-{seed}",
            "nodes": {"intervals": spans, "costs": costs, "usages": usages},
            "edges": {"nodes": pairs, "costs": tables},
            "usage_limit": live + 6,
        }
    }


def solve(content: bytes, nodes: int, folder: Path, seconds: float = 20.0) -> list[list[int]]:
    """All that it prints."""
    (folder / "instance.json").write_bytes(content)
    words = [sys.executable, SOLVER, folder / "instance.json", str(seconds)]
    done = subprocess.run(words, capture_output=True, check=True, timeout=60)
    answers = Answers(nodes, "nodes", "strategies")
    for number, line in enumerate(done.stdout.splitlines(keepends=True)):
        answers.feed(line, float(number))
    assert answers.fault is None
    return [answer.assignment.tolist() for answer in answers]


@pytest.mark.parametrize("seed", [0, 2, 3, 5, 8, 10, 11])
def test_it_finds_the_cheapest_assignment_that_fits(seed: int, tmp_path: Path) -> None:
    document = problem(seed)
    judged = [by_hand(document, chosen) for chosen in product(range(3), repeat=6)]
    lowest = min(cost for cost, feasible in judged if feasible)
    found = [by_hand(document, tuple(answer)) for answer in solve(as_json(document), 6, tmp_path)]
    assert all(feasible for _, feasible in found)
    assert found[-1][0] == lowest < 10**18
    assert (lowest == min(cost for cost, _ in judged)) == (seed == 5), "memory decides all but one of them"


def test_where_only_forbidden_choices_fit_it_says_what_it_has(tmp_path: Path) -> None:
    (only,) = solve(as_json(problem(4)), 6, tmp_path)
    assert by_hand(problem(4), tuple(only))[1]


def test_a_large_instance_gets_something_feasible_at_once(tmp_path: Path) -> None:
    content = generate("large", 1, 140)
    nodes = len(json.loads(content)["problem"]["nodes"]["costs"])
    (only,) = solve(content, nodes, tmp_path)
    assert len(only) == nodes
