"""Greedy search by bytes: each step tries a sample of the actions at the end of the list, and keeps the best."""

import random
from typing import Any

from harness.problems.passes.search.client import SessionLost

BEGINNING = ("default<Oz>",)
SAMPLE = 16
"""Actions that a step tries, of 139: with all of them ten seconds would be a step or two."""
CHECKED = 0.9
"""Share of the budget after which nothing new is tried: the list must still be checked."""


def search(session: Any, seed: int, seconds: float) -> list[int]:
    """The smallest list that was found. Every proposal has given the right outputs."""
    assert seconds > 0
    chance = random.Random(seed)
    found = [session.actions.index(name) for name in BEGINNING]
    best = size_of(session, found)
    session.propose(found)
    while session.has_time(CHECKED):
        tried = []
        for action in chance.sample(range(len(session.actions)), SAMPLE):
            size = size_of(session, [*found, action])
            if size is not None and (best is None or size < best):
                tried.append((size, action))
            if not session.has_time(CHECKED):
                break
        for size, action in sorted(tried):
            if is_right(session, [*found, action]):
                best, found = size, [*found, action]
                session.propose(found)
                break
    return found


def size_of(session: Any, actions: list[int]) -> int | None:
    """Bytes of the object; None where a pass ends the session."""
    try:
        line = session.line()
        line.run(*actions)
        size = int(line.size())
        line.drop()
    except SessionLost:
        return None
    return size


def is_right(session: Any, actions: list[int]) -> bool:
    """Whether the program of this list gives the right outputs."""
    line = session.line()
    line.run(*actions)
    right = bool(line.is_right())
    line.drop()
    return right
