"""Lists of passes as decisions, whoever chose them, and the plan that they are."""

from collections.abc import Sequence

from harness.apply.decisions import Decisions
from harness.apply.plan import FROZEN, OPTIMISED, CompilePlan, Step, clang_generate
from harness.base.errors import CellError
from harness.base.vocabulary import Outcome, Target
from harness.freeze import FrozenModule
from harness.problems.passes.check import PassRefusedError, vet

__all__ = ["LONGEST", "OPT_OPTIONS", "PASSES", "decisions_of", "plan_of_list"]

PASSES = "passes"
LONGEST = 100_000
"""Characters of a pipeline: the kernel's limit for one argument is 128 KiB."""
OPT_OPTIONS = ("-relocation-model=pic",)
"""Of every opt that runs a list. Without it opt takes code to be at a fixed address, which clang's is not (``-fPIE``):
``rel-lookup-table-converter`` would do nothing, and clang's own -Oz, pass by pass, would make larger objects.
"""
_NOTHING = "no-op-module"
"""What opt runs where nothing was chosen."""


def decisions_of(actions: Sequence[int], pipelines: Sequence[str], frozen: FrozenModule) -> Decisions:
    """The decisions of somebody who chose these actions, of which each runs one of the pipelines, or nothing."""
    chosen = [pipelines[action] for action in actions if pipelines[action]]
    return Decisions(PASSES, frozen.level, {"passes": chosen or [_NOTHING], "dropped": []})


def plan_of_list(decisions: Decisions, target: Target) -> CompilePlan:
    """opt runs the list; clang generates code as for the reference.

    Raises CellError for decisions that somebody may have written by hand: ``not-replayable`` for another form,
    ``policy-error`` for a pass that is refused.
    """
    passes = decisions.body.get("passes")
    listed = isinstance(passes, list) and passes and all(isinstance(name, str) for name in passes)
    decisions.require(decisions.frozen_at is not None and bool(listed), "they name a level and passes")
    text = ",".join(map(str, passes or ()))
    decisions.require(text.isascii() and text.isprintable(), "a pass has a character that no pass has")
    decisions.require(len(text) <= LONGEST, f"the pipeline has more than {LONGEST} characters")
    try:
        conditions = [condition for pipeline in dict.fromkeys(passes or ()) for condition in vet(pipeline)]
    except PassRefusedError as error:
        raise CellError(Outcome.POLICY_ERROR, f"decisions: {error}") from None
    unless = tuple({condition.unless: condition.message for condition in reversed(conditions)}.items())
    command = (*OPT_OPTIONS, f"-passes={text}", FROZEN, "-o", OPTIMISED)
    return CompilePlan(
        optimise=Step("opt", command, FROZEN, OPTIMISED, unless=unless),
        generate=clang_generate(decisions.level, target),
    )
