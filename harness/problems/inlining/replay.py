"""Decisions on call sites to a compile plan: the plugin follows them, and nothing of the policy is needed."""

from harness.apply.decisions import Decisions
from harness.apply.plan import CompilePlan, clang_generate, clang_optimise
from harness.base.vocabulary import Target
from harness.problems.inlining.sites import body_fault, log_of

__all__ = ["GROWTH_CAP", "PLUGIN", "RULES", "replay_plan"]

PLUGIN = "inline"
"""Of ``native/``: the one advisor of all inlining policies."""

GROWTH_CAP = 4
"""Nothing more is inlined once the module has this many times the IR that it began with. The same for all: without
it, a policy that always inlines takes minutes and gigabytes. LLVM's own value is 2, and at -O3 LLVM's own heuristic
meets that on small programs (sha, crc32): this one it never meets, so that it is what it is without the plugin."""

RULES = (f"-ml-advisor-size-increase-threshold={GROWTH_CAP}",)
"""Options that every policy is compiled with."""

_FILE = "decisions.txt"


def replay_plan(decisions: Decisions, target: Target) -> CompilePlan:
    """clang's own plan, with the inliner following these decisions.

    Raises CellError, ``not-replayable``, for decisions of another form.
    """
    decisions.require(decisions.frozen_at is not None, "they name no level")
    decisions.require((fault := body_fault(decisions.body)) is None, str(fault))
    options = ("-inline-policy=replay", f"-inline-policy-file={_FILE}", *RULES)
    files = ((_FILE, log_of(decisions.body)),)
    return CompilePlan(
        clang_optimise(decisions.level, target, PLUGIN, options, files), clang_generate(decisions.level, target)
    )
