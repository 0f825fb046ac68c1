"""What two policies made of one program: call sites decided otherwise, bytes of functions and of sections."""

from dataclasses import dataclass
from functools import cached_property

from harness.measure.layout import Comparison, layout_of
from harness.problems.inlining.explain.sides import Side
from harness.problems.inlining.explain.sites import Met, Pair, match, symbol, telling

__all__ = ["Explanation", "explain"]


@dataclass(frozen=True)
class Explanation:
    """Of ``policy`` against ``against``: a negative change is one that the policy saves."""

    policy: Side
    against: Side
    bytes: Comparison
    """Of ``against``'s object with the policy's."""
    pairs: tuple[Pair, ...] | None
    """All call sites, ``against``'s decision first; None where one of the two decides none."""

    @cached_property
    def sites(self) -> list[Pair]:
        """Call sites that are not decided in the same way, the most telling first."""
        return telling(self.pairs or (), self.bytes.moved)

    def count(self, met: Met, *, inlined: bool | None = None) -> int:
        """How many call sites stand so; ``inlined``: only those inlined, or not, by the side that says so last."""
        found = [pair for pair in self.pairs or () if pair.met is met]
        return sum(inlined is None or (pair.b or pair.site).inline is inlined for pair in found)

    def inlined_into(self, function: str) -> tuple[int, int]:
        """How many calls each of the two inlined into a function, ``against`` first, among sites that differ."""
        mine = [pair for pair in self.sites if symbol(pair.site.caller) == function]
        before = sum(pair.a is not None and pair.a.inline for pair in mine)
        return before, sum(pair.b is not None and pair.b.inline for pair in mine)


def explain(policy: Side, against: Side) -> Explanation:
    """Put the two beside each other. Raises UsageError for an object that is none."""
    pairs = tuple(match(against.sites, policy.sites)) if policy.inlines and against.inlines else None
    compared = Comparison(layout_of(against.compiled.object), layout_of(policy.compiled.object))
    return Explanation(policy, against, compared, pairs)
