"""A search to start from. It runs in the sandbox with numpy; ``session`` is LLVM with the program in memory."""

import random
from typing import Any


def search(session: Any, seed: int, seconds: float) -> list[int]:
    """The best list of actions, within so many CPU seconds of LLVM.

    docs/agents.md says what a session can do: lines that passes are run on, forks, counts, sizes, outputs checked.
    """
    assert seconds > 0
    chance = random.Random(seed)
    best = None
    found: list[int] = []
    while session.has_time():  # a call that comes too late raises BudgetSpent, and what was proposed counts
        line = session.line()
        actions = [chance.randrange(len(session.actions)) for _ in range(45)]
        line.run(*actions)
        size = line.size()
        if (best is None or size < best) and line.is_right():
            best, found = size, actions
            session.propose(actions)
        line.drop()
    return found
