"""The same problem under other numbers: nodes, strategies and edges in another order, edges turned, costs scaled."""

import json
from collections.abc import Callable
from random import Random

import numpy as np

from harness.problems.instances.domain import Integers
from harness.problems.sharding.instance import Instance

__all__ = ["renumbered"]

_FACTORS = (2, 3, 5, 7)
_LARGEST = (1 << 63) - 1


def renumbered(instance: Instance, seed: bytes) -> tuple[bytes, Callable[[Integers], Integers]]:
    """The instance as the contest's JSON, and what turns an assignment to it into one to the instance.

    The same for the same seed. An assignment that is optimal there is optimal here.
    """
    random = Random(seed)
    order = list(range(instance.nodes))
    random.shuffle(order)
    place = np.empty(instance.nodes, np.int64)
    place[order] = np.arange(instance.nodes)
    turns = [_shuffled(count, random) for count in instance.strategies.tolist()]
    edges = list(range(instance.edges))
    random.shuffle(edges)
    largest = max(int(costs.max(initial=0)) for costs in (instance.node_costs, instance.edge_costs))
    factor = random.choice([one for one in _FACTORS if largest * one <= _LARGEST] or [1])
    starts = instance.node_offsets
    ends, tables = [], []
    for edge in edges:
        a, b = instance.edge_nodes[edge].tolist()
        matrix = instance.edge_costs[instance.edge_offsets[edge] : instance.edge_offsets[edge + 1]]
        table = matrix.reshape(len(turns[a]), len(turns[b]))[np.ix_(turns[a], turns[b])] * factor
        pair = [int(place[a]), int(place[b])]
        if random.random() < 0.5:
            pair, table = pair[::-1], table.T
        ends.append(pair)
        tables.append(table.ravel().tolist())
    own = {node: slice(int(starts[node]), int(starts[node + 1])) for node in order}
    document = {
        "problem": {
            "name": "instance",
            "nodes": {
                "intervals": instance.intervals[order].tolist(),
                "costs": [(instance.node_costs[own[node]][turns[node]] * factor).tolist() for node in order],
                "usages": [instance.usages[own[node]][turns[node]].tolist() for node in order],
            },
            "edges": {"nodes": ends, "costs": tables},
            **({} if instance.usage_limit is None else {"usage_limit": instance.usage_limit}),
        }
    }
    every = np.concatenate(turns) if turns else np.zeros(0, np.int64)
    counts = instance.strategies

    def back(assignment: Integers) -> Integers:
        known = (assignment >= 0) & (assignment < counts[order])
        chosen = np.array(assignment, np.int64)  # what there is not here is not there either
        chosen[known] = every[starts[:-1][order][known] + assignment[known]]
        mine = np.empty_like(chosen)
        mine[order] = chosen
        return mine

    return json.dumps(document, separators=(",", ":")).encode(), back


def _shuffled(count: int, random: Random) -> Integers:
    turn = list(range(count))
    random.shuffle(turn)
    return np.array(turn, np.int64)
