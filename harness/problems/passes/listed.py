"""Lists of passes as decisions, whoever chose them, and the plan that they are."""

from collections.abc import Sequence

from harness.apply.decisions import Decisions
from harness.apply.plan import FROZEN, OPTIMISED, Again, CompilePlan, Step, clang_generate
from harness.base.digest import digest_of
from harness.base.errors import CellError
from harness.base.vocabulary import Outcome, Target
from harness.freeze import FrozenModule
from harness.problems.passes.check import PassRefusedError, varying, vet
from harness.problems.passes.vetted import VETTED

__all__ = ["AGAIN_DIGEST", "LONGEST", "OPT_OPTIONS", "PASSES", "decisions_of", "plan_of_list"]

PASSES = "passes"
LONGEST = 100_000
"""Characters of a pipeline: the kernel's limit for one argument is 128 KiB."""
OPT_OPTIONS = ("-relocation-model=pic",)
"""Of every opt that runs a list. Without it opt takes code to be at a fixed address, which clang's is not (``-fPIE``):
``rel-lookup-table-converter`` would do nothing, and clang's own -Oz, pass by pass, would make larger objects.
"""
_AGAIN, _AGAIN_VARYING = 1, 7
"""Processes beside the first that have to give a list's object: of any list, and of one with a pass that is known to
give others.
"""
AGAIN_DIGEST = digest_of(["again", _AGAIN, _AGAIN_VARYING, sorted(name for name in VETTED if VETTED[name].varies)])
"""Of what a list has to stand before its object counts."""
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
    doubtful = varying(dict.fromkeys(passes or ()))
    command = (*OPT_OPTIONS, f"-passes={text}", FROZEN, "-o", OPTIMISED)
    return CompilePlan(
        optimise=Step("opt", command, FROZEN, OPTIMISED, unless=unless, again=_again(doubtful)),
        generate=clang_generate(decisions.level, target),
    )


def _again(varying: Sequence[str]) -> Again:
    known = ", ".join(varying)
    why = f"what LLVM makes of {known} goes by addresses" if varying else "a pass goes by addresses, or by chance"
    otherwise = f"the same passes give another object in another process ({why}): nobody could rebuild it"
    return Again(_AGAIN_VARYING if varying else _AGAIN, otherwise)
