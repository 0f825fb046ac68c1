"""The evaluator in plain Python, for those who trust nothing else: it is to be read in a minute."""

__all__ = ["SCRIPT"]

SCRIPT = """
import json

problem = json.loads(content)["problem"]
nodes, edges = problem["nodes"], problem["edges"]

assert len(assignment) == len(nodes["costs"])
assert all(0 <= x < len(costs) for x, costs in zip(assignment, nodes["costs"]))
cost = sum(costs[x] for x, costs in zip(assignment, nodes["costs"]))
for (a, b), costs in zip(edges["nodes"], edges["costs"]):
    cost += costs[assignment[a] * len(nodes["costs"][b]) + assignment[b]]

changes = {}
for (begin, end), usages, x in zip(nodes["intervals"], nodes["usages"], assignment):
    changes[begin] = changes.get(begin, 0) + usages[x]
    changes[end] = changes.get(end, 0) - usages[x]
usage = peak = 0
for moment in sorted(changes):
    usage += changes[moment]
    peak = max(peak, usage)

limit = problem.get("usage_limit")
print("cost", cost, "peak", peak, "limit", limit)
if limit is not None and peak > limit:
    sys.exit("not feasible")
"""
