import json
import sys

with open(sys.argv[1]) as file:
    problem = json.load(file)["problem"]
nodes = problem["nodes"]


def fits(chosen):
    used = {}
    for (first, last), usages, strategy in zip(nodes["intervals"], nodes["usages"], chosen, strict=True):
        for moment in range(first, last):
            used[moment] = used.get(moment, 0) + usages[strategy]
    return max(used.values(), default=0) <= problem.get("usage_limit", max(used.values(), default=0))


plain = [used.index(min(used)) for used in nodes["usages"]]
others = (
    [*plain[:node], strategy, *plain[node + 1 :]]
    for node, used in enumerate(nodes["usages"])
    for strategy in range(len(used))
    if strategy != plain[node]
)
other = next(filter(fits, others))
sys.stdout.write(f"{other}\n{plain}\n" * 10_000)
