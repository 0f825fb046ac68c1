"""Between two policies: a table that has some decisions of the one and all others of the other.

Changing one decision changes which call sites there are later; those that only the other policy knows are decided as
it did, and those that neither knows by LLVM's own heuristic. So the table without a change gives the first policy's
object, and the one with all changes the other's.
"""

from collections.abc import Collection, Sequence

from harness.problems.inlining.explain.sites import Identity, Pair, identity
from harness.problems.inlining.sites import Site

__all__ = ["table_of"]


def table_of(pairs: Sequence[Pair], switched: Collection[Identity]) -> list[Site]:
    """The first policy's choices, the other's where ``switched`` says so or only the other chose.

    Rules, caps and impossibilities are not in it: they come about by themselves.
    """
    table = []
    for pair in pairs:
        chosen = [site for site in (pair.a, pair.b) if site is not None and site.chosen]
        if chosen:
            table.append(chosen[-1] if identity(pair.site) in switched else chosen[0])
    return table
