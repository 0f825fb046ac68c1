"""Called as ``solver.py INSTANCE.json SECONDS``; prints assignments (docs/sharding.md has the instance's format)."""

import json
import sys

with open(sys.argv[1]) as file:
    problem = json.load(file)["problem"]
seconds = float(sys.argv[2])

# A strategy for each node, by its position. The last whole line that is printed in time counts.
assignment = [usages.index(min(usages)) for usages in problem["nodes"]["usages"]]
print(assignment, flush=True)

# Now look for something cheaper, and print it as soon as there is: costs are problem["nodes"]["costs"] and
# problem["edges"]["costs"]; memory at any moment may not exceed problem["usage_limit"].
