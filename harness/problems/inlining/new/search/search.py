"""A search to start from. It runs in the sandbox with numpy; ``session`` is LLVM with the program in memory."""

import random
from typing import Any


def search(session: Any, seed: int, seconds: float) -> list[Any]:
    """The best decisions, within so many CPU seconds of LLVM: call sites that are decided otherwise than LLVM would.

    docs/inlining.md says what a session can do: the program compiled under decisions, or with all functions tried.
    """
    assert seconds > 0
    chance = random.Random(seed)
    best = session.compile()  # under LLVM's own heuristic
    session.propose([])
    while session.has_time() and best.sites:  # a call that comes too late raises BudgetSpent: what was proposed counts
        callee, inline = chance.choice(best.sites).callee, chance.random() < 0.5
        changed = [site._replace(inline=inline) if site.callee == callee else site for site in best.sites]
        done = session.compile(changed)
        if done.bytes["size.alloc"] < best.bytes["size.alloc"]:
            best = done
            session.propose(best.sites)
    return list(best.sites)
