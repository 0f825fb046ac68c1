"""What a policy may know of a call site: the 38 features of LLVM's ``InlineModelFeatureMaps.h`` in its order, and the
harness's own, of the callee and of trials; and the interface that is made of them."""

from harness.base.paths import NATIVE_SOURCES
from harness.policy.forms.interface import Choice, Interface, Native, Tensor

__all__ = ["CALLEE_FEATURES", "FEATURES", "INTERFACE", "LLVM_FEATURES", "STATIC_FEATURES", "TRIAL_FEATURES"]

_SOURCES = NATIVE_SOURCES / "inline"

LLVM_FEATURES: tuple[str, ...] = (
    # What LLVM's own cost analysis of the callee at this site adds up.
    *("sroa_savings", "sroa_losses", "load_elimination", "call_penalty", "call_argument_setup"),
    *("load_relative_intrinsic", "lowered_call_arg_setup", "indirect_call_penalty", "jump_table_penalty"),
    *("case_cluster_penalty", "switch_default_dest_penalty", "switch_penalty", "unsimplified_common_instructions"),
    *("num_loops", "dead_blocks", "simplified_instructions", "constant_args", "constant_offset_ptr_args"),
    *("callsite_cost", "cold_cc_penalty", "last_call_to_static_bonus", "is_multiple_blocks", "nested_inlines"),
    *("nested_inline_cost_estimate", "threshold"),
    # What the advisor knows of callee, caller and module.
    *("callee_basic_block_count", "callsite_height", "node_count", "nr_ctant_params", "cost_estimate", "edge_count"),
    *("caller_users", "caller_conditionally_executed_blocks", "caller_basic_block_count"),
    *("callee_conditionally_executed_blocks", "callee_users", "is_callee_avail_external", "is_caller_avail_external"),
)
"""Each an int64: numbers of LLVM's cost units, instructions, blocks, functions or calls; or 0 and 1."""

CALLEE_FEATURES: tuple[str, ...] = (
    *("callee_calls", "callee_calls_decided", "callee_calls_inlined", "callee_calls_legal", "callee_constant_args"),
    *("callee_can_go", "callee_is_last_call", "callee_instructions", "callee_bytes", "callee_bytes_if_gone"),
    *("caller_instructions", "caller_bytes", "caller_bytes_with_callee", "llvm_inlines", "llvm_inlines_without_bonus"),
)
"""Each an int64: numbers of calls, arguments, instructions or bytes; or 0 and 1 (``native/inline/policy.h``)."""

STATIC_FEATURES = LLVM_FEATURES + CALLEE_FEATURES
"""What a look at the module tells: these are logged, and trainings learn from them."""

TRIAL_FEATURES: tuple[str, ...] = ("trial_saves_alloc", "trial_saves_text", "trial_callers", "trial_instructions")
"""What the compiler finds out by compiling functions both ways: bytes that inlining all calls of the callee saves, and
how many callers it was tried in; and how many instructions that compiles. Each an int64. Only a policy that searches
gets them."""

FEATURES = STATIC_FEATURES + TRIAL_FEATURES

_ENTRY = """\
extern "C" __attribute__((visibility("default"))) bool harness_heuristic(llvm::CallBase *CB,
                                                                         harness::PolicyContext *Context) {
  return getEvolvableAdvice(*CB, *Context);
}"""

INTERFACE = Interface(
    subject="LLVM's inliner",
    features=tuple(Tensor(name) for name in FEATURES),
    decision=Choice("inlining_decision", ("do not inline", "inline")),
    native=Native(
        headers=(_SOURCES / "prelude.h", _SOURCES / "policy.h"),
        entry=_ENTRY,
        rules="a heuristic may look at the module and compute (docs/inlining.md says with what)",
        reserved=frozenset({"getEvolvableAdvice", "PolicyContext", "CallBase"}),
        hook="inline",
    ),
    summary="Whether to inline, from LLVM's inliner features",
    listed_in="docs/tree.md",
    together=len(LLVM_FEATURES),
    dear=frozenset(TRIAL_FEATURES),
)
"""A call site's features, and whether to inline it. The decision is called as in models trained for LLVM itself."""
