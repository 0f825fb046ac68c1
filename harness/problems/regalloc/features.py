"""What is said of a live range and of a function, and what is asked about them."""

from harness.base.paths import NATIVE_SOURCES
from harness.policy.forms.interface import Choice, Element, Interface, Native, Number, Tensor
from harness.problems.regalloc.replay import ALLOCATIONS

__all__ = ["FUNCTION", "FUNCTION_FEATURES", "HEADERS", "PRIORITY", "RANGE_FEATURES"]

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

FUNCTION_FEATURES: tuple[Tensor, ...] = (
    # What ``native/regalloc/pressure.cpp`` measures.
    *map(Tensor, ("instructions", "blocks", "loops", "depth", "calls")),
    *(Tensor(name, Element.FLOAT) for name in ("frequency", "call_frequency", "accesses", "copies")),
    *(
        Tensor(f"{bank}_{name}", Element.FLOAT if name in ("excess", "over_calls") else Element.INT64)
        for bank in ("general", "vector")
        for name in ("ranges", "registers", "pressure", "excess", "over_calls")
    ),
)

_PRIORITY_ENTRY = """\
extern "C" __attribute__((visibility("default"))) double harness_heuristic(const llvm::LiveInterval *LI,
                                                                           harness::PriorityContext *Context) {
  return getPriority(*LI, *Context);
}"""
_FUNCTION_ENTRY = """\
extern "C" __attribute__((visibility("default"))) int64_t harness_heuristic(const llvm::MachineFunction *MF,
                                                                            harness::FunctionContext *Context) {
  return static_cast<int64_t>(getAllocation(*MF, *Context));
}"""
HEADERS = (_SOURCES / "prelude.h", _SOURCES / "policy.h", _SOURCES / "evictions.h")
"""What every policy in C++ sees."""

PRIORITY = Interface(
    subject="LLVM's Greedy allocator",
    features=RANGE_FEATURES,
    decision=Number("priority"),
    native=Native(
        headers=HEADERS,
        entry=_PRIORITY_ENTRY,
        rules="a priority function may look at the machine code and compute (docs/regalloc.md says with what)",
        reserved=frozenset({"getPriority", "PriorityContext", "RangeFeature", "LiveInterval"}),
        hook="priority",
    ),
    summary="The priority of a live range, from what Greedy knows of it",
    listed_in="docs/regalloc.md",
)
"""A live range, and its priority: what has the highest is allocated first. It is called as in LLVM's own models."""

FUNCTION = Interface(
    subject="the allocation of a function",
    features=FUNCTION_FEATURES,
    decision=Choice("allocation", ALLOCATIONS),
    native=Native(
        headers=HEADERS,
        entry=_FUNCTION_ENTRY,
        rules="a chooser may look at the machine code and compute (docs/regalloc.md says with what)",
        reserved=frozenset({"getAllocation", "Allocation", "FunctionContext", "FunctionFeature"}),
        hook="function",
    ),
    summary="What allocates the registers of a function, from what is known before",
    listed_in="docs/regalloc.md",
)
"""A function, and what allocates its registers."""
