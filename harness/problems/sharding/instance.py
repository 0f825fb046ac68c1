"""An instance as a few long arrays."""

from dataclasses import dataclass

import numpy as np

from harness.problems.instances.domain import Integers

__all__ = ["FORBIDDEN", "Instance", "exact_sum"]

FORBIDDEN = 10**18
"""The cost that the contest gives to choices that cannot be: sums of it exceed 64 bits."""


@dataclass(frozen=True, eq=False)
class Instance:
    """One problem. Nodes and edges are numbered from 0; all arrays are int64.

    Node ``i`` has the strategies ``node_offsets[i]`` to ``node_offsets[i + 1]`` of ``node_costs`` and ``usages``. Edge
    ``e`` joins nodes ``a, b = edge_nodes[e]``; what it costs when these have the strategies ``x`` and ``y`` is at
    ``edge_offsets[e] + x * len(strategies of b) + y`` of ``edge_costs``. Several edges may join the same nodes.
    """

    name: str
    usage_limit: int | None
    """Bytes that live nodes may use at any moment; None: no limit."""
    intervals: Integers
    """[nodes, 2]: the node is live from the first to before the second; never, where they are equal."""
    node_offsets: Integers
    """[nodes + 1]"""
    node_costs: Integers
    """[strategies]"""
    usages: Integers
    """[strategies]: bytes while the node is live."""
    edge_nodes: Integers
    """[edges, 2]"""
    edge_offsets: Integers
    """[edges + 1]"""
    edge_costs: Integers

    @property
    def nodes(self) -> int:
        """How many."""
        return len(self.intervals)

    @property
    def edges(self) -> int:
        """How many."""
        return len(self.edge_nodes)

    @property
    def strategies(self) -> Integers:
        """[nodes]: how many each node has."""
        return np.diff(self.node_offsets)

    @property
    def end(self) -> int:
        """The first moment at which nothing is live any more."""
        return int(self.intervals[:, 1].max(initial=0))


_HALF = 32


def exact_sum(values: Integers) -> int:
    """The sum of integers that are not negative, of at most four billion. Halves of 32 bits cannot overflow."""
    low = values & ((1 << _HALF) - 1)
    return (int((values >> _HALF).sum()) << _HALF) + int(low.sum())
