"""Instances that the tests make, and the plainest way to judge an assignment."""

import json
from itertools import product
from typing import Any

from hypothesis import strategies as st

__all__ = ["as_json", "by_hand", "documents"]


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    """Small problems of every shape: parallel edges, loops, empty intervals, forbidden and huge costs, no limit."""
    count = draw(st.integers(1, 5))
    cost = st.one_of(st.integers(0, 9), st.just(10**18), st.integers(0, 2**63 - 1))
    usage = st.one_of(st.integers(0, 9), st.integers(0, 2**58))
    sizes = [draw(st.integers(1, 3)) for _ in range(count)]
    spans = [sorted((draw(st.integers(0, 12)), draw(st.integers(0, 12)))) for _ in range(count)]
    node = st.integers(0, count - 1)
    joined = [[draw(node), draw(node)] for _ in range(draw(st.integers(0, 6)))]
    tables = [draw(st.lists(cost, min_size=(n := sizes[a] * sizes[b]), max_size=n)) for a, b in joined]
    problem = {
        "name": draw(st.text(max_size=5)),
        "nodes": {
            "intervals": spans,
            "costs": [draw(st.lists(cost, min_size=n, max_size=n)) for n in sizes],
            "usages": [draw(st.lists(usage, min_size=n, max_size=n)) for n in sizes],
        },
        "edges": {"nodes": joined, "costs": tables},
    }
    if draw(st.booleans()):
        problem["usage_limit"] = draw(usage)
    return {"problem": problem}


def as_json(document: Any) -> bytes:
    """The file."""
    return json.dumps(document).encode()


def by_hand(document: dict[str, Any], chosen: tuple[int, ...]) -> tuple[int, bool]:
    """Cost, and whether it is feasible: moment by moment, in Python's integers."""
    problem = document["problem"]
    nodes, edges = problem["nodes"], problem["edges"]
    cost = sum(costs[x] for costs, x in zip(nodes["costs"], chosen, strict=True))
    for (a, b), table in zip(edges["nodes"], edges["costs"], strict=True):
        pairs = dict(zip(product(range(len(nodes["costs"][a])), range(len(nodes["costs"][b]))), table, strict=True))
        cost += pairs[chosen[a], chosen[b]]
    limit = problem.get("usage_limit")
    peak = max(
        sum(
            usages[x]
            for (start, end), usages, x in zip(nodes["intervals"], nodes["usages"], chosen, strict=True)
            if start <= moment < end
        )
        for moment in range(13)
    )
    return cost, limit is None or peak <= limit
