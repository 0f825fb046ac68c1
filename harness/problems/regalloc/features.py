"""What is said of a live range that LLVM's Greedy allocator puts into its queue, and what is asked about it."""

from harness.base.paths import NATIVE_SOURCES
from harness.policy.forms.interface import Element, Interface, Native, Number, Tensor

__all__ = ["PRIORITY", "RANGE_FEATURES"]

_SOURCES = NATIVE_SOURCES / "regalloc"

RANGE_FEATURES: tuple[Tensor, ...] = (
    # Those of LLVM's own learned advisor.
    Tensor("li_size"),
    Tensor("stage"),
    Tensor("weight", Element.FLOAT),
    # And what else ``native/regalloc/range.cpp`` knows.
    *map(Tensor, ("default_priority", "is_spillable", "is_local", "is_split", "has_hint", "segments", "values")),
    *map(Tensor, ("operands", "calls", "registers", "class_priority", "begin", "end", "function_size")),
)

_ENTRY = """\
extern "C" __attribute__((visibility("default"))) double harness_heuristic(const llvm::LiveInterval *LI,
                                                                           harness::PriorityContext *Context) {
  return getPriority(*LI, *Context);
}"""

PRIORITY = Interface(
    subject="LLVM's Greedy allocator",
    features=RANGE_FEATURES,
    decision=Number("priority"),
    native=Native(
        headers=(_SOURCES / "prelude.h", _SOURCES / "policy.h", _SOURCES / "evictions.h"),
        entry=_ENTRY,
        rules="a priority function may look at the machine code and compute (docs/regalloc.md says with what)",
        reserved=frozenset({"getPriority", "PriorityContext", "RangeFeature", "LiveInterval"}),
        hook="priority",
    ),
    summary="The priority of a live range, from what Greedy knows of it",
    listed_in="docs/regalloc.md",
)
"""A live range, and its priority: what has the highest is allocated first. It is called as in LLVM's own models."""
