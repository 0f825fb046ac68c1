"""Whether an assignment may be, and what it costs: two pure functions, exact whatever the numbers.

The rules are the contest's (ASPLOS/EuroSys 2025, intra-operator parallelism). An assignment is a sequence of one
strategy a node, each counted from 0.
"""

from dataclasses import dataclass

import numpy as np

from harness.problems.instances.domain import Assignment, Integers
from harness.problems.sharding.instance import Instance, exact_sum

__all__ = ["MemoryProfile", "evaluate", "memory_profile", "verify"]

_BEYOND = 1 << 62


@dataclass(frozen=True, eq=False)
class MemoryProfile:
    """Memory over time, as steps: from ``times[k]`` to before ``times[k + 1]``, ``usage[k]`` bytes are in use."""

    times: Integers
    """[moments]: when something begins or ends, ascending."""
    usage: Integers
    """[moments]: bytes from then on."""

    @property
    def peak(self) -> int:
        """The most at any moment."""
        return int(self.usage.max(initial=0))


def verify(instance: Instance, assignment: Assignment) -> str | None:
    """Why the assignment is not feasible, for people; None: it is."""
    if len(assignment) != instance.nodes:
        return f"it has {len(assignment):,} strategies for {instance.nodes:,} nodes"
    if wrong := _out_of_range(instance, assignment):
        return wrong
    if instance.usage_limit is None:
        return None
    profile = memory_profile(instance, assignment)
    if profile.peak <= instance.usage_limit:
        return None
    at = int(np.argmax(profile.usage > instance.usage_limit))
    excess = int(profile.usage[at]) - instance.usage_limit
    return (
        f"at time {int(profile.times[at]):,} it uses {int(profile.usage[at]):,} bytes, {excess:,} more than the "
        f"limit of {instance.usage_limit:,}"
    )


def evaluate(instance: Instance, assignment: Assignment) -> int:
    """The exact cost of an assignment that ``verify`` accepts, or that only memory speaks against."""
    chosen = np.asarray(assignment, np.int64)
    of_nodes = instance.node_costs[instance.node_offsets[:-1] + chosen]
    first, second = instance.edge_nodes.T
    places = instance.edge_offsets[:-1] + chosen[first] * instance.strategies[second] + chosen[second]
    return exact_sum(of_nodes) + exact_sum(instance.edge_costs[places])


def memory_profile(instance: Instance, assignment: Assignment) -> MemoryProfile:
    """What the chosen strategies use over time. An instance's usages fit 62 bits together."""
    usage = instance.usages[instance.node_offsets[:-1] + np.asarray(assignment, np.int64)]
    times, moments = np.unique(instance.intervals, return_inverse=True)
    begins, ends = moments.reshape(-1, 2).T
    steps = np.zeros(len(times), np.int64)
    np.add.at(steps, begins, usage)
    np.subtract.at(steps, ends, usage)
    return MemoryProfile(times, np.cumsum(steps))


def _out_of_range(instance: Instance, assignment: Assignment) -> str | None:
    try:
        chosen = np.asarray(assignment, np.int64)
    except OverflowError:
        chosen = np.array([min(max(int(value), -1), _BEYOND) for value in assignment], np.int64)
    wrong = np.flatnonzero((chosen < 0) | (chosen >= instance.strategies))
    if not len(wrong):
        return None
    node = int(wrong[0])
    return f"node {node:,} has strategies 0 to {int(instance.strategies[node]) - 1}, not {int(assignment[node])}"
