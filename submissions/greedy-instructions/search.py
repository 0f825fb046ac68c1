"""Greedy search by instructions: each step takes the action that leaves the fewest, until none helps."""

from typing import Any

STEPS = 45


def search(session: Any, seed: int, seconds: float) -> list[int]:
    """The list, shortened from its end until its program gives the right outputs. It does not go by the clock."""
    assert seed == 0 and seconds > 0
    line = session.line()
    best, found = line.count(), []
    while len(found) < STEPS:
        counts = []
        for action in range(len(session.actions)):
            copy = line.fork()
            counts.append(copy.apply(action))
            copy.drop()
        if min(counts) >= best:
            break
        best = min(counts)
        found.append(counts.index(best))
        line.run(found[-1])
        session.propose(found)
    while found:
        line.reset()
        line.run(*found)
        if line.is_right():
            break
        found.pop()
    return found
