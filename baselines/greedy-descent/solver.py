"""Greedy descent: from the assignment of least memory, each node in turn takes what is cheapest beside its neighbours.

A strategy is only taken where memory allows it at every moment of the node's life. Passes go forward and backward until
one changes nothing or the time is over; each prints what it has.
"""

import json
import sys
import time
from itertools import count

import numpy as np

STARTED = time.monotonic()
MARGIN = 3.0
"""Seconds that are left for printing."""


def main(path: str, seconds: float) -> None:
    """Descend, and print after each pass."""
    with open(path) as file:
        problem = json.load(file)["problem"]
    costs = [np.array(vector, float) for vector in problem["nodes"]["costs"]]
    usages = [np.array(vector, np.int64) for vector in problem["nodes"]["usages"]]
    neighbours: list[list[tuple[int, np.ndarray]]] = [[] for _ in costs]
    for (a, b), table in zip(problem["edges"]["nodes"], problem["edges"]["costs"], strict=True):
        matrix = np.array(table, float).reshape(len(costs[a]), len(costs[b]))
        if a == b:
            costs[a] += matrix.diagonal()
        else:
            neighbours[a].append((b, matrix))
            neighbours[b].append((a, matrix.T))
    moments = np.unique(problem["nodes"]["intervals"])
    lives = [slice(*np.searchsorted(moments, interval)) for interval in problem["nodes"]["intervals"]]
    chosen = [int(vector.argmin()) for vector in usages]
    free = np.full(len(moments), problem.get("usage_limit") or 1 << 62, np.int64)
    for node, life in enumerate(lives):
        free[life] -= usages[node][chosen[node]]
    print(chosen, flush=True)
    for turn in count():
        changed = False
        for node in range(len(costs))[:: -1 if turn % 2 else 1]:
            if len(costs[node]) == 1:
                continue
            if time.monotonic() - STARTED > seconds - MARGIN:
                print(chosen, flush=True)
                return
            total = costs[node].copy()
            for other, matrix in neighbours[node]:
                total += matrix[:, chosen[other]]
            old, life = chosen[node], lives[node]
            more = usages[node] - usages[node][old]
            room = free[life].min() if life.start < life.stop else 1 << 62
            total[(more > room) & (more > 0)] = np.inf
            best = int(total.argmin())
            if total[best] < total[old]:
                free[life] -= more[best]
                chosen[node] = best
                changed = True
        print(chosen, flush=True)
        if not changed:
            return


main(sys.argv[1], float(sys.argv[2]))
