"""Random search by instructions: episodes of 45 passes by chance; the best beginning of any of them is the answer."""

import random
from typing import Any

from harness.problems.passes.search.client import SessionLost

STEPS = 45
CHECKED = 0.7
"""Share of the budget after which nothing new is tried: the best lists must still be checked."""


def search(session: Any, seed: int, seconds: float) -> list[int]:
    """The list with the fewest instructions that gives the right outputs."""
    assert seconds > 0
    chance = random.Random(seed)
    found = first_episode(session, chance)
    while session.has_time(CHECKED):
        try:
            line = session.line()
            actions = [chance.randrange(len(session.actions)) for _ in range(STEPS)]
            counts = [count for _, count in line.steps(*actions)]
            line.drop()
        except SessionLost:
            continue
        best = min(counts)
        found.setdefault(best, actions[: counts.index(best) + 1])
    for count in sorted(found):
        session.propose(found[count])
        line = session.line()
        line.run(*found[count])
        if line.is_right():
            return found[count]
    return []


def first_episode(session: Any, chance: random.Random) -> dict[int, list[int]]:
    """Action by action, and each better beginning is proposed: the budget may be spent before the episode is over."""
    line, taken, best = session.line(), [], None
    try:
        while len(taken) < STEPS and session.has_time(CHECKED):
            taken.append(chance.randrange(len(session.actions)))
            count = line.apply(taken[-1])
            if best is None or count < best[0]:
                best = count, list(taken)
                session.propose(best[1])
        line.drop()
    except SessionLost:
        pass
    return {} if best is None else {best[0]: best[1]}
