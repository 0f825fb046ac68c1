"""An instance as a few long arrays, and its compact form on disk."""

from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

__all__ = ["FORBIDDEN", "Instance", "Integers", "exact_sum", "read_compact", "write_compact"]

Integers = NDArray[np.int64]

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
_ARRAYS = tuple(entry.name for entry in fields(Instance) if entry.name not in ("name", "usage_limit"))


def exact_sum(values: Integers) -> int:
    """The sum of integers that are not negative, of at most four billion. Halves of 32 bits cannot overflow."""
    low = values & ((1 << _HALF) - 1)
    return (int((values >> _HALF).sum()) << _HALF) + int(low.sum())


def write_compact(instance: Instance, folder: Path) -> None:
    """Write it into an empty folder: one file an array, which ``read_compact`` maps rather than reads."""
    limit = -1 if instance.usage_limit is None else instance.usage_limit
    (folder / "name.txt").write_text(f"{limit}\n{instance.name}", encoding="utf-8")
    for name in _ARRAYS:
        np.save(folder / f"{name}.npy", getattr(instance, name))


def read_compact(folder: Path) -> Instance:
    """What ``write_compact`` wrote."""
    limit, _, name = (folder / "name.txt").read_text(encoding="utf-8").partition("\n")
    arrays = {key: np.load(folder / f"{key}.npy", mmap_mode="r") for key in _ARRAYS}
    return Instance(name, None if limit == "-1" else int(limit), **arrays)
