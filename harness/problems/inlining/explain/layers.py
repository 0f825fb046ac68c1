"""Places for the nodes of a call graph: callers left of what they call. Pure and deterministic.

After Sugiyama, Tagawa and Toda (1981): a layer is the longest way from a function that nobody calls; within layers,
nodes are ordered by where their neighbours stand.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

__all__ = ["layers_of", "places"]

Node = TypeVar("Node", bound=Hashable)
_SWEEPS = 8


def layers_of(nodes: Sequence[Node], calls: Sequence[tuple[Node, Node]]) -> dict[Node, int]:
    """Layer of each node, from 0 on. A call that closes a circle counts for nothing."""
    after: dict[Node, list[Node]] = {node: [] for node in nodes}
    for caller, callee in calls:
        if caller != callee and callee not in after[caller]:
            after[caller].append(callee)
    order = _finished(nodes, after)
    position = {node: place for place, node in enumerate(order)}
    layer = dict.fromkeys(nodes, 0)
    for node in order:
        for callee in after[node]:
            if position[callee] > position[node]:
                layer[callee] = max(layer[callee], layer[node] + 1)
    used = {old: new for new, old in enumerate(sorted(set(layer.values())))}
    return {node: used[layer[node]] for node in nodes}


def _finished(nodes: Sequence[Node], after: Mapping[Node, Sequence[Node]]) -> list[Node]:
    """Callers before callees where there is no circle: a depth-first search's nodes, the last finished first.

    Functions that nobody calls come first as starting points; a stack of one's own, for deep graphs.
    """
    called = {callee for callees in after.values() for callee in callees}
    done: list[Node] = []
    seen: set[Node] = set()
    for start in sorted(nodes, key=lambda node: node in called):
        if start in seen:
            continue
        seen.add(start)
        stack = [(start, iter(after[start]))]
        while stack:
            node, rest = stack[-1]
            callee = next((one for one in rest if one not in seen), None)
            if callee is None:
                done.append(node)
                stack.pop()
            else:
                seen.add(callee)
                stack.append((callee, iter(after[callee])))
    return done[::-1]


def places(nodes: Sequence[Node], calls: Sequence[tuple[Node, Node]]) -> dict[Node, tuple[int, float]]:
    """Layer of each node and its height within, in rows: no two of a layer are nearer than one row."""
    layer = layers_of(nodes, calls)
    columns: list[list[Node]] = [[] for _ in range(1 + max(layer.values(), default=-1))]
    for node in nodes:
        columns[layer[node]].append(node)
    near: dict[Node, list[Node]] = {node: [] for node in nodes}
    for caller, callee in dict.fromkeys(calls):
        if caller != callee:
            near[caller].append(callee)
            near[callee].append(caller)
    height = {node: row - (len(column) - 1) / 2 for column in columns for row, node in enumerate(column)}
    for sweep in range(_SWEEPS):
        for column in columns if sweep % 2 == 0 else columns[::-1]:
            wanted = {n: sum(height[m] for m in near[n]) / len(near[n]) if near[n] else height[n] for n in column}
            column.sort(key=lambda node: wanted[node])
            for row, node in enumerate(column):
                height[node] = row - (len(column) - 1) / 2
    return {node: (layer[node], height[node]) for node in nodes}
