"""Tables of actions: what an agent may choose from, by position. A position means the same pass for ever."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

from harness.base.digest import digest_of
from harness.base.errors import UsageError
from harness.freeze.facts import Fact
from harness.problems.passes.check import pipeline_of_action, refused_on, vet
from harness.problems.passes.llvm22 import LLVM_22, NAMED
from harness.problems.passes.names import GONE, LEGACY_ACTIONS

__all__ = ["AUTOPHASE_42", "TABLES", "ActionTable", "action_table"]


@dataclass(frozen=True)
class ActionTable:
    """Actions by position."""

    name: str
    actions: tuple[str, ...]
    """What each is called: a legacy name of ``LEGACY_ACTIONS``, one of ``NAMED``, or a pipeline of LLVM 22."""

    def pipelines(self, facts: Collection[Fact]) -> tuple[str, ...]:
        """What each runs on a module with these facts; empty for what does nothing there, so that positions stay."""
        return tuple(_pipeline(action, facts) or "" for action in self.actions)

    @cached_property
    def digest(self) -> str:
        """Of what the actions are on a module without any fact."""
        return digest_of([self.actions, self.pipelines(())])


def _pipeline(action: str, facts: Collection[Fact]) -> str | None:
    if action in LEGACY_ACTIONS or action in GONE:
        return pipeline_of_action(action, facts)
    pipeline = NAMED.get(action, action)
    return None if refused_on(vet(pipeline), facts) else pipeline


AUTOPHASE_42 = ActionTable(
    "autophase42",
    (
        *("adce", "break-crit-edges", "constmerge", "correlated-propagation", "deadargelim", "dse", "early-cse"),
        *("functionattrs", "functionattrs", "globaldce", "globalopt", "gvn", "indvars", "inline", "instcombine"),
        *("ipsccp", "jump-threading", "lcssa", "licm", "loop-deletion", "loop-idiom", "loop-reduce", "loop-rotate"),
        *("loop-simplify", "loop-unroll", "loop-unswitch", "lower-expect", "loweratomic", "lowerinvoke"),
        *("lowerswitch", "mem2reg", "memcpyopt", "partial-inliner", "prune-eh", "reassociate", "sccp", "simplifycfg"),
        *("sink", "sroa", "strip", "strip-nondebug", "tailcallelim"),
    ),
)
"""The 42 actions of CodeZero's Table B2 and of CompilerGym's ``Autophase`` space, in their order."""

TABLES = {table.name: table for table in (AUTOPHASE_42, ActionTable("llvm22", LLVM_22))}
"""By name."""


def action_table(name: str) -> ActionTable:
    """The table of this name. Raises UsageError where there is none."""
    if name not in TABLES:
        raise UsageError(f"unknown action table {name!r}; there are: {', '.join(TABLES)}")
    return TABLES[name]
