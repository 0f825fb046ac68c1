"""10 lists of passes, all compiled; the smallest object whose program gives the right outputs is kept.

The lists were found by python -m harness.learn.pass_lists
on 162 programs of the train splits, x86-64, 109255 trials.
"""

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


def search(session: Any, seed: int, seconds: float) -> list[int]:
    """The best of the lists. It does not go by the clock."""
    assert seed == 0 and seconds > 0
    numbers = [[session.actions.index(name) for name in one] for one in LISTS]
    sizes = [(size, place) for place, one in enumerate(numbers) if (size := size_of(session, one)) is not None]
    for _, place in sorted(sizes):
        if is_right(session, numbers[place]):
            return numbers[place]
    return [session.actions.index("clang-Oz")]


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
