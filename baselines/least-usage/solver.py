"""The least that can be done: each node takes the strategy that uses least memory, the cheapest of these."""

import json
import sys

with open(sys.argv[1]) as file:
    nodes = json.load(file)["problem"]["nodes"]
print(
    [
        min(range(len(usages)), key=lambda way, costs=costs, usages=usages: (usages[way], costs[way]))
        for costs, usages in zip(nodes["costs"], nodes["usages"], strict=True)
    ]
)
