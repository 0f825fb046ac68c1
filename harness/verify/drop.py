"""The lines of a program's output that count: those that none of the workload's ``drop`` patterns matches.

A script of its own, run by ``execute`` in a process with limits, since a pattern may take exponential time. The first
line of standard input is a JSON list of the patterns, the rest the output.
"""

import json
import re
import sys


def main() -> None:
    """Copy standard input, without the lines that match."""
    source = sys.stdin.buffer
    patterns = [re.compile(pattern.encode()) for pattern in json.loads(source.readline())]
    lines = source.read().splitlines(keepends=True)
    sys.stdout.buffer.writelines(line for line in lines if not any(pattern.search(line) for pattern in patterns))
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
