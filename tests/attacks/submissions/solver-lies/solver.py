import json
import sys

with open(sys.argv[1]) as file:
    problem = json.load(file)["problem"]
counts = [len(one) for one in problem["nodes"]["costs"]]
print('{"cost": 0, "assignment": []}')
print([count for count in counts], flush=True)
