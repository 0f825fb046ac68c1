"""Greedy search by bytes: each step tries a sample of the actions at the end of the list, and keeps the best."""

import random
from typing import Any

from harness.problems.passes.search.client import SessionLost

BEGINNINGS = ((),)
"""The module as it was frozen."""
SAMPLE = 16
"""Actions that a step tries, of 142: with all of them ten seconds would be a step or two."""
CHECKED = 0.9
"""Share of the budget after which nothing new is tried: the list must still be checked."""


def search(session: Any, seed: int, seconds: float) -> list[int]:
    """The smallest list that was found. Every proposal has given the right outputs."""
    assert seconds > 0
    chance = random.Random(seed)
    best, found, line = smallest_beginning(session)
    session.propose(found)
    while session.has_time(CHECKED):
        tried = []
        for action in chance.sample(range(len(session.actions)), SAMPLE):
            size, line = extended(session, line, found, action)
            if size is not None and size < best:
                tried.append((size, action))
            if not session.has_time(CHECKED):
                break
        for _, action in sorted(tried):
            if is_right(session, [*found, action]):
                found = [*found, action]
                line.drop()
                line = session.line()
                line.run(*found)
                best = int(line.size())
                session.propose(found)
                break
    return found


def smallest_beginning(session: Any) -> tuple[int, list[int], Any]:
    """Bytes of the object, the list, and the module after it."""
    found = []
    for names in BEGINNINGS:
        actions = [session.actions.index(name) for name in names]
        line = session.line()
        line.run(*actions)
        found.append((int(line.size()), actions, line))
    return min(found, key=lambda one: one[0])


def extended(session: Any, line: Any, found: list[int], action: int) -> tuple[int | None, Any]:
    """Bytes of the object with one action more, None where it ends the session; and the module without it."""
    try:
        copy = line.fork()
        copy.run(action)
        size = int(copy.size())
        copy.drop()
    except SessionLost:
        line = session.line()
        line.run(*found)
        return None, line
    return size, line


def is_right(session: Any, actions: list[int]) -> bool:
    """Whether the program of this list gives the right outputs."""
    line = session.line()
    line.run(*actions)
    right = bool(line.is_right())
    line.drop()
    return right
