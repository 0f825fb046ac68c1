import sys

sys.path += ['@ROOT@', '@ROOT@/.venv/lib/python3.12/site-packages']
import harness.problems.sharding.evaluate

print(harness)
