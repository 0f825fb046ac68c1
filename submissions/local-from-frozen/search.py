"""Local search by bytes: a list is changed at one place or a few, and the change kept if the object is no larger."""

import random
from typing import Any

from harness.problems.passes.search.client import SessionLost

BEGINNINGS = ((),)
"""The module as it was frozen."""
LONGEST = 45
CHECKED = 0.9
"""Share of the budget after which nothing new is tried: the list must still be checked."""


def search(session: Any, seed: int, seconds: float) -> list[int]:
    """The smallest list that was found. Every proposal has given the right outputs."""
    assert seconds > 0
    chance = random.Random(seed)
    beginnings = [[session.actions.index(name) for name in names] for names in BEGINNINGS]
    sized = [(size, one) for one in beginnings if (size := size_of(session, one)) is not None]
    best, found = min(sized)
    session.propose(found)
    base = found  # as large, perhaps other: only what is smaller is checked, and proposed
    while session.has_time(CHECKED):
        changed = change(base, len(session.actions), chance)
        size = size_of(session, changed)
        if size is None or size > best:
            continue
        if size == best:
            base = changed if len(changed) <= len(base) else base
        elif is_right(session, changed):
            best, base, found = size, changed, changed
            session.propose(found)
        else:
            base = found
    return found


def change(actions: list[int], known: int, chance: random.Random) -> list[int]:
    """Another list: something put in, left out, replaced or moved."""
    changed = list(actions)
    what = chance.random()
    if what < 0.5 or not changed:
        for _ in range(chance.choice((1, 1, 2, 3))):
            changed.insert(chance.randrange(len(changed) + 1), chance.randrange(known))
    elif what < 0.7:
        del changed[chance.randrange(len(changed))]
    elif what < 0.9:
        changed[chance.randrange(len(changed))] = chance.randrange(known)
    else:
        moved = changed.pop(chance.randrange(len(changed)))
        changed.insert(chance.randrange(len(changed) + 1), moved)
    return changed[:LONGEST]


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
