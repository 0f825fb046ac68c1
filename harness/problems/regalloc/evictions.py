"""What is said of a live range for which LLVM's Greedy allocator may evict others, and what is asked about it."""

from harness.policy.forms.interface import Element, Index, Interface, Native, Tensor
from harness.problems.regalloc.features import HEADERS

__all__ = ["EVICTION", "SLOTS", "SLOT_FEATURES"]

SLOTS = 33
"""Registers that may be freed, and at the end none."""


def _tensors(element: Element, names: str) -> tuple[Tensor, ...]:
    """One element for each slot."""
    return tuple(Tensor(name, element, (SLOTS,)) for name in names.split())


_FEATURES: tuple[Tensor, ...] = (
    # Those of LLVM's own learned advisor, in its order.
    *_tensors(Element.INT64, "mask is_free"),
    *_tensors(Element.FLOAT, "nr_urgent nr_broken_hints"),
    *_tensors(Element.INT64, "is_hint is_local"),
    *_tensors(Element.FLOAT, "nr_rematerializable nr_defs_and_uses weighed_reads_by_max weighed_writes_by_max"),
    *_tensors(Element.FLOAT, "weighed_read_writes_by_max weighed_indvars_by_max hint_weights_by_max"),
    *_tensors(Element.FLOAT, "start_bb_freq_by_max end_bb_freq_by_max hottest_bb_freq_by_max"),
    *_tensors(Element.FLOAT, "liverange_size use_def_density"),
    *_tensors(Element.INT64, "max_stage min_stage"),
    Tensor("progress", Element.FLOAT),
    # And what ``native/regalloc/eviction.cpp`` adds.
    Tensor("default_slot"),
)

SLOT_FEATURES: tuple[Tensor, ...] = tuple(
    Tensor(tensor.name, tensor.element) for tensor in _FEATURES if tensor.shape == (SLOTS,)
)
"""Of one slot."""

_ENTRY = """\
extern "C" __attribute__((visibility("default"))) unsigned harness_heuristic(const llvm::LiveInterval *LI,
                                                                             harness::EvictionContext *Context) {
  return getEviction(*LI, *Context);
}"""

EVICTION = Interface(
    subject="LLVM's eviction advisor",
    features=_FEATURES,
    decision=Index("index_to_evict", mask="mask"),
    native=Native(
        headers=HEADERS,
        entry=_ENTRY,
        rules="an eviction function may look at the machine code and compute (docs/regalloc.md says with what)",
        reserved=frozenset({"getEviction", "EvictionContext", "NoEviction", "NumSlots", "LiveInterval"}),
        hook="eviction",
    ),
    summary="Which register to free for a live range, from what LLVM knows of those that hold them",
    listed_in="docs/regalloc.md",
)
"""The registers that can be freed for a live range, and which is. It is called as in models trained for LLVM itself."""
