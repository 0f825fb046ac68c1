"""Call sites of two lists of decisions, matched by identity: (caller, callee, ordinal)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import unquote

from harness.problems.inlining.sites import Site

__all__ = ["Identity", "Met", "Pair", "identity", "match", "symbol", "telling"]

Identity = tuple[str, str, int]
"""Caller, callee, ordinal."""


class Met(StrEnum):
    """How a call site stands in two lists."""

    EQUAL = "equal"
    """Decided in the same way."""
    DIFFERS = "differs"
    """Inlined under one of them only: that is a cause."""
    ONLY_A = "only A"
    """Only the first met it. Other decisions are why."""
    ONLY_B = "only B"


@dataclass(frozen=True, slots=True)
class Pair:
    """One call site as the two lists have it; at least one of them has."""

    a: Site | None
    b: Site | None

    @property
    def site(self) -> Site:
        """For the identity: the first that there is."""
        found = self.a or self.b
        assert found is not None
        return found

    @property
    def met(self) -> Met:
        """How the two lists differ here."""
        if self.a is None:
            return Met.ONLY_B
        if self.b is None:
            return Met.ONLY_A
        return Met.EQUAL if self.a.inline == self.b.inline else Met.DIFFERS

    @property
    def chosen(self) -> bool:
        """Decided otherwise, and by choice on both sides."""
        return self.met is Met.DIFFERS and all(site is not None and site.chosen for site in (self.a, self.b))


def identity(site: Site) -> Identity:
    """What is compared."""
    return site.caller, site.callee, site.ordinal


def match(a: Sequence[Site], b: Sequence[Site]) -> list[Pair]:
    """Every call site of both lists once: the first's in its order, then those that only the second has in its."""
    others = {identity(site): site for site in b}
    pairs = [Pair(site, others.pop(identity(site), None)) for site in a]
    return pairs + [Pair(None, site) for site in others.values()]


def telling(pairs: Iterable[Pair], moved: Mapping[str, int]) -> list[Pair]:
    """Those that are not equal, the most telling first: causes before consequences, what was inlined before what was
    not, then by how many bytes moved in caller and callee (``moved``: symbol → bytes more)."""

    def rank(pair: Pair) -> tuple[int, int]:
        ends = dict.fromkeys((pair.site.caller, pair.site.callee))
        weight = sum(abs(moved.get(symbol(name), 0)) for name in ends)
        return (0 if pair.met is Met.DIFFERS else 1 if pair.site.inline else 2, -weight)

    return sorted((pair for pair in pairs if pair.met is not Met.EQUAL), key=rank)


def symbol(name: str) -> str:
    """The symbol of a function as the decisions name it: ``%xx`` is a byte; LLVM's mark of a literal name goes."""
    return unquote(name, errors="replace").removeprefix("\x01")
