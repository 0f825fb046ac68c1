"""Local search by bytes that begins with 8 lists of passes, and goes on from the best of them.

The lists were found by python -m harness.learn.pass_lists
on 32 programs of the train splits, x86-64, 14811 trials.
"""

import random
from typing import Any

from harness.problems.passes.search.client import SessionLost

LISTS = (
    (
        "function(separate-const-offset-from-gep<lower-gep>)",
        "function(sroa)",
        "function(loop-mssa(licm))",
        "cgscc(inline)",
        "ipsccp",
        "function(instcombine<no-verify-fixpoint>)",
        "function(early-cse<memssa>)",
        "function(simplifycfg<hoist-common-insts>)",
        "function(loop(loop-rotate<no-header-duplication>))",
        "function(simplifycfg)",
        "function(tailcallelim)",
        "function(dse)",
        "function(correlated-propagation)",
        "function(instcombine<no-verify-fixpoint>)",
        "function(jump-threading)",
        "cgscc(function-attrs)",
        "function(loop-mssa(simple-loop-unswitch<nontrivial>))",
    ),
    (
        "function(dse)",
        "mergefunc",
        "default<Oz>",
        "function(gvn-hoist)",
        "function(gvn-sink)",
        "function(instcombine<no-verify-fixpoint>)",
        "lto<Oz>",
        "lto<Os>",
        "cgscc(inline)",
        "mergefunc",
        "lto<Oz>",
    ),
    (
        "function(jump-threading)",
        "cgscc(inline)",
        "function(early-cse)",
        "ipsccp",
        "function(sroa)",
        "function(tailcallelim)",
        "function(reassociate)",
        "function(instcombine<no-verify-fixpoint>)",
        "function(simplifycfg)",
        "function(early-cse<memssa>)",
        "function(simplifycfg<hoist-common-insts>)",
        "function(instcombine<no-verify-fixpoint>)",
        "function(instcombine<no-verify-fixpoint>)",
        "function(loop(loop-idiom-vectorize))",
    ),
    (
        "function(instcombine<no-verify-fixpoint>)",
        "function(reassociate)",
        "function(gvn)",
        "ipsccp",
        "globalopt",
        "function(simplifycfg<hoist-common-insts>)",
        "function(instcombine<no-verify-fixpoint>)",
        "function(gvn<no-pre>)",
        "function(mldst-motion)",
        "cgscc(inline)",
        "function(instcombine<no-verify-fixpoint>)",
        "function(instcombine<no-verify-fixpoint>)",
        "function(gvn-hoist)",
        "function(early-cse<memssa>)",
        "function(early-cse)",
        "function(mem2reg)",
        "function(jump-threading)",
        "function(tailcallelim)",
        "function(loop(loop-simplifycfg))",
        "function(early-cse<memssa>)",
        "function(loop-load-elim)",
        "cgscc(function-attrs)",
        "function(loop(loop-reduce))",
        "function(gvn)",
        "function(simplifycfg)",
        "function(instcombine<no-verify-fixpoint>)",
        "function(simplifycfg<bonus-inst-threshold=1;switch-range-to-icmp;no-keep-loops;hoist-common-insts;sink-common-insts>)",
    ),
    (
        "function(simplifycfg)",
        "function(early-cse)",
        "function(instcombine<no-verify-fixpoint>)",
        "ipsccp<no-func-spec>",
        "cgscc(function-attrs)",
        "function(simplifycfg)",
        "cgscc(inline)",
        "function(sroa)",
        "function(tailcallelim)",
    ),
    (
        "function(instcombine<no-verify-fixpoint>)",
        "function(simplifycfg<bonus-inst-threshold=1;switch-range-to-icmp;no-keep-loops;hoist-common-insts;sink-common-insts>)",
        "ipsccp",
        "globalopt",
        "function(simplifycfg<hoist-common-insts>)",
        "function(instcombine<no-verify-fixpoint>)",
        "function(gvn<no-pre>)",
        "function(gvn-hoist)",
        "cgscc(inline)",
        "function(loop-unroll<no-runtime;no-partial>)",
        "function(instcombine<no-verify-fixpoint>)",
        "function(partially-inline-libcalls)",
        "function(early-cse<memssa>)",
        "function(gvn-hoist)",
        "function(early-cse)",
        "function(mem2reg)",
        "function(jump-threading)",
        "function(tailcallelim)",
        "function(reassociate)",
        "function(early-cse<memssa>)",
        "function(simplifycfg)",
        "function(instcombine<no-verify-fixpoint>)",
        "function(simplifycfg)",
    ),
    (
        "default<O1>",
        "lto<Oz>",
        "mergefunc",
        "function(loop-unroll<no-runtime;no-partial>)",
    ),
    (
        "function(mem2reg)",
        "function(gvn-hoist)",
        "function(gvn<no-load-pre>)",
        "function(simplifycfg<no-speculate-blocks>)",
        "function(gvn)",
        "lto<Oz>",
    ),
)
LONGEST = 45
KEPT = 4
"""Lists that are changed."""
CHECKED = 0.9
"""Share of the budget after which nothing new is tried."""


def search(session: Any, seed: int, seconds: float) -> list[int]:
    """The smallest list that was found. Every proposal has given the right outputs."""
    assert seconds > 0
    chance = random.Random(seed)
    numbers = [[session.actions.index(name) for name in one] for one in LISTS]
    session.propose(numbers[0])
    members = []
    for actions in numbers:
        size = size_of(session, actions) if session.has_time(CHECKED) else None
        if size is not None:
            members.append((size, actions))
    members.sort()
    members = members[: 2 * KEPT]
    while members and not is_right(session, members[0][1]):
        members.pop(0)
    members = members[:KEPT]
    if members:
        session.propose(members[0][1])
    while members and session.has_time(CHECKED):
        place = min(chance.randrange(len(members)), chance.randrange(len(members)))
        size, actions = members[place]
        changed = change(actions, numbers, len(session.actions), chance)
        now = size_of(session, changed)
        if now is None or now > size or (now == size and len(changed) > len(actions)):
            continue
        best = members[0][0]
        if now < best and not is_right(session, changed):
            continue
        members[place] = (now, changed)
        members.sort()
        if now < best:
            session.propose(changed)
    while members and not is_right(session, members[0][1]):
        members.pop(0)
    return members[0][1] if members else [session.actions.index("clang-Oz")]


def change(actions: list[int], lists: list[list[int]], known: int, chance: random.Random) -> list[int]:
    """Another list: something put in, left out, replaced or moved. What is put in is often what other lists have."""
    changed = list(actions)
    what = chance.random()
    used = [action for one in lists for action in one]

    def draw() -> int:
        return chance.choice(used) if chance.random() < 0.4 else chance.randrange(known)

    if what < 0.15 or not changed:
        other = chance.choice(lists)
        begin = chance.randrange(len(other))
        at = chance.randrange(len(changed) + 1)
        changed[at:at] = other[begin : begin + chance.randint(1, 4)]
    elif what < 0.55:
        for _ in range(chance.choice((1, 1, 2, 3))):
            changed.insert(chance.randrange(len(changed) + 1), draw())
    elif what < 0.75:
        del changed[chance.randrange(len(changed))]
    elif what < 0.9:
        changed[chance.randrange(len(changed))] = draw()
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
