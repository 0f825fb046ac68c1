import json
import sys

with open(sys.argv[1]) as file:
    problem = json.load(file)["problem"]
counts = [len(one) for one in problem["nodes"]["costs"]]
print([True, float('nan'), -1], flush=True)
print('[' + '9' * 100_000 + ']', flush=True)
print('[' * 1_000_000, flush=True)
