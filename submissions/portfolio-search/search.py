"""Local search by bytes that begins with 10 lists of passes, and goes on from the best of them.

The lists were found by python -m harness.learn.pass_lists
on 162 programs of the train splits, x86-64, 109255 trials.
"""

import random
from typing import Any

from harness.problems.passes.search.client import SessionLost

LISTS = (
    ("clang-Oz<no-slp>",),
    ("clang-Oz",),
    (
        "cgscc(inline)",
        "function(separate-const-offset-from-gep<lower-gep>)",
        "function(jump-threading)",
        "ipsccp",
        "function(simplifycfg<hoist-common-insts>)",
        "function(early-cse)",
        "function(sroa)",
        "cgscc(inline)",
        "function(jump-threading)",
        "function(instcombine<no-verify-fixpoint>)",
        "function(simplifycfg)",
        "function(lower-switch)",
        "function(early-cse<memssa>)",
        "function(loop(loop-rotate<no-header-duplication>))",
        "function(reassociate)",
        "function(speculative-execution)",
        "function(reassociate)",
        "function(irce)",
        "function(early-cse<memssa>)",
        "function(tailcallelim)",
        "function(jump-threading)",
    ),
    (
        "function(sroa)",
        "rel-lookup-table-converter",
        "function(instcombine<no-verify-fixpoint>)",
        "function(loop(loop-rotate<no-header-duplication>))",
        "function(correlated-propagation)",
        "function(loop(loop-reduce))",
        "function(reassociate)",
        "function(loop-mssa(licm))",
        "function(typepromotion)",
        "function(early-cse<memssa>)",
        "ipsccp",
        "function(tailcallelim)",
        "function(jump-threading)",
        "cgscc(function-attrs)",
        "cgscc(inline)",
    ),
    (
        "function(gvn-hoist)",
        "function(simplifycfg)",
        "function(instcombine<no-verify-fixpoint>)",
        "function(correlated-propagation)",
        "module-inline",
        "cgscc(inline)",
        "function(sroa)",
        "function(instsimplify)",
        "function(jump-threading)",
        "function(jump-threading)",
        "function(loop-unroll<O3>)",
        "function(gvn)",
        "function(simplifycfg<hoist-common-insts>)",
        "function(gvn-hoist)",
        "function(reassociate)",
        "lto<Oz>",
    ),
    (
        "function(jump-threading)",
        "function(instcombine<no-verify-fixpoint>)",
        "function(simplifycfg<bonus-inst-threshold=1;switch-range-to-icmp;no-keep-loops;hoist-common-insts;sink-common-insts>)",
        "function(aggressive-instcombine)",
        "constmerge",
        "function(gvn<no-pre>)",
        "function(loop-unroll<no-runtime;no-partial>)",
        "function(dse)",
        "cgscc(inline)",
        "function(instcombine<no-verify-fixpoint>)",
        "function(sroa)",
        "function(early-cse<memssa>)",
        "function(simplifycfg)",
        "ipsccp",
        "function(gvn<memoryssa>)",
        "function(gvn-hoist)",
        "function(typepromotion)",
        "cgscc(function-attrs)",
        "function(simplifycfg<sink-common-insts>)",
        "function(consthoist)",
    ),
    (
        "function(early-cse)",
        "function(instcombine<no-verify-fixpoint>)",
        "module-inline",
        "function(simplifycfg<no-speculate-blocks>)",
        "ipsccp<no-func-spec>",
        "function(reassociate)",
        "function(jump-threading)",
        "function(early-cse<memssa>)",
        "function(tailcallelim)",
        "function(sroa)",
        "function(instcombine<no-verify-fixpoint>)",
        "function(loop(loop-reduce))",
    ),
    (
        "function(reassociate)",
        "function(simplifycfg<switch-to-lookup>)",
        "rel-lookup-table-converter",
        "function(gvn<no-pre>)",
        "function(jump-threading)",
        "function(instcombine<no-verify-fixpoint>)",
        "function(loop(indvars))",
        "function(early-cse<memssa>)",
        "function(simplifycfg)",
        "function(tailcallelim)",
        "function(loop(loop-reduce))",
        "ipsccp",
        "cgscc(inline)",
        "function(reassociate)",
        "function(instcombine<no-verify-fixpoint>)",
        "deadargelim",
    ),
    (
        "function(reassociate)",
        "function(simplifycfg<bonus-inst-threshold=1;switch-range-to-icmp;no-keep-loops;hoist-common-insts;sink-common-insts>)",
        "function(jump-threading)",
        "function(gvn<no-pre>)",
        "function(sroa)",
        "cgscc(inline)",
        "function(tailcallelim)",
        "rel-lookup-table-converter",
        "ipsccp",
    ),
    (
        "function(jump-threading)",
        "cgscc(inline)",
        "function(early-cse)",
        "function(sroa)",
        "function(simplifycfg)",
        "function(sroa)",
        "function(instcombine<no-verify-fixpoint>)",
        "function(aggressive-instcombine)",
        "function(simplifycfg<hoist-common-insts>)",
        "function(gvn-hoist)",
        "function(aggressive-instcombine)",
        "function(typepromotion)",
        "function(gvn-hoist)",
        "function(early-cse<memssa>)",
        "function(jump-threading)",
        "function(gvn-hoist)",
        "function(instcombine<no-verify-fixpoint>)",
        "function(dse)",
        "mergefunc",
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
