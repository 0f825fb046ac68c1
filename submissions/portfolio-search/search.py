"""Local search by bytes that begins with 10 lists of passes, and goes on from the best of them.

The lists were found by python -m harness.learn.pass_lists
on 32 programs of the train splits, x86-64, 109255 trials.
"""

import random
from typing import Any

from harness.problems.passes.search.client import SessionLost

LISTS = (
    ("clang-Oz<no-slp>",),
    ("clang-Oz",),
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
        "deadargelim",
        "globalopt",
        "globaldce",
        "constmerge",
    ),
    (
        "function(sroa)",
        "function(simplifycfg<hoist-common-insts>)",
        "function(gvn-sink)",
        "ipsccp<no-func-spec>",
        "function(slsr)",
        "cgscc(inline)",
        "function(gvn<no-pre>)",
        "function(gvn-hoist)",
        "function(aggressive-instcombine)",
        "cgscc(inline)",
        "function(simplifycfg)",
        "ipsccp",
        "function(aggressive-instcombine)",
        "function(early-cse<memssa>)",
        "function(tailcallelim)",
        "function(gvn-sink)",
        "function(jump-threading)",
        "constmerge",
        "function(instcombine<no-verify-fixpoint>)",
        "function(simplifycfg<hoist-common-insts>)",
        "function(typepromotion)",
        "function(instcombine<no-verify-fixpoint>)",
        "deadargelim",
        "globalopt",
        "globaldce",
        "constmerge",
    ),
    (
        "cgscc(inline)",
        "function(simplifycfg<hoist-common-insts>)",
        "function(tailcallelim)",
        "rel-lookup-table-converter",
        "function(gvn<no-pre>)",
        "function(instcombine<no-verify-fixpoint>)",
        "function(reassociate)",
        "function(jump-threading)",
        "function(reassociate)",
        "function(simplifycfg<bonus-inst-threshold=1;switch-range-to-icmp;no-keep-loops;hoist-common-insts;sink-common-insts>)",
        "function(early-cse)",
        "cgscc(function-attrs)",
        "function(typepromotion)",
        "ipsccp",
        "deadargelim",
        "globalopt",
        "globaldce",
        "constmerge",
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
        "function(simplifycfg<bonus-inst-threshold=1;switch-range-to-icmp;no-keep-loops;hoist-common-insts;sink-common-insts>)",
        "function(early-cse)",
        "function(typepromotion)",
        "cgscc(function-attrs)",
        "function(instcombine<no-verify-fixpoint>)",
        "ipsccp<no-func-spec>",
        "function(gvn<no-pre>)",
        "function(sroa)",
        "function(loop-mssa(licm))",
        "function(aggressive-instcombine)",
        "function(early-cse<memssa>)",
        "cgscc(inline)",
        "function(instcombine<no-verify-fixpoint>)",
        "function(jump-threading)",
        "globalopt",
        "function(partially-inline-libcalls)",
        "function(mem2reg)",
        "function(simplifycfg<bonus-inst-threshold=1;switch-range-to-icmp;no-keep-loops;hoist-common-insts;sink-common-insts>)",
        "function(early-cse)",
        "function(separate-const-offset-from-gep<lower-gep>)",
        "function(instcombine<no-verify-fixpoint>)",
        "function(lower-switch)",
        "function(simplifycfg)",
        "function(loop-unroll<O3>)",
        "deadargelim",
        "globalopt",
        "globaldce",
        "constmerge",
    ),
    (
        "cgscc(function-attrs)",
        "thinlto-pre-link<Oz>",
        "function(gvn<no-pre>)",
        "function(reg2mem)",
        "function(jump-threading)",
        "rel-lookup-table-converter",
        "function(instcombine<no-verify-fixpoint>)",
        "cgscc(inline)",
        "default<Os>",
    ),
    (
        "cgscc(inline)",
        "function(reassociate)",
        "function(loop-mssa(lnicm))",
        "function(simplifycfg<sink-common-insts>)",
        "function(load-store-vectorizer)",
        "function(instcombine<no-verify-fixpoint>)",
        "function(simplifycfg<no-speculate-blocks>)",
        "function(early-cse<memssa>)",
        "rel-lookup-table-converter",
        "ipsccp",
        "function(instcombine<no-verify-fixpoint>)",
        "function(tailcallelim)",
        "function(loop(loop-reduce))",
        "function(instcombine<no-verify-fixpoint>)",
        "function(sroa)",
        "deadargelim",
        "globalopt",
        "globaldce",
        "constmerge",
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
        "deadargelim",
        "globalopt",
        "globaldce",
        "constmerge",
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
