"""Step 2 for inlining policies: clang's own pipeline asks the policy, in the sandbox, and logs what it decides."""

from dataclasses import dataclass
from typing import Any

from harness.apply.plan import OPTIMISED, clang_optimise
from harness.base.errors import CellError
from harness.base.vocabulary import Outcome
from harness.freeze import FrozenModule
from harness.problems.inlining.replay import PLUGIN, RULES
from harness.problems.inlining.sites import LogError, Who, counts, parse_log
from harness.problems.programs.allowance import Allowance
from harness.problems.programs.asking import Asked, AskingStep, Told, require_tolerable
from harness.problems.programs.deciding import require_recordable
from harness.sandbox.bench import Bench

__all__ = ["DEFAULT", "QUESTIONS", "TRIED", "TRIED_SHARE", "Answer", "about", "ask", "asking"]

_PREFIX = "inline-policy"
_LOG, _FEATURES = "decisions.txt", "features.bin"

DEFAULT = Asked("default")
"""LLVM's own heuristic, through the plugin."""

QUESTIONS = ("call", "callee")
"""Each call; or the first call of each function, for all of them. The first is asked where none is named."""

TRIED_SHARE = 60.0
"""Trials may compile sixty times as many instructions as the module has, which takes up to thirty times as long as
compiling it."""
TRIED = (f"trials={TRIED_SHARE:g}",)
"""The plugin's options that say so. Without them a policy that asks what trials find is refused: whoever compiles
several candidates, and keeps what costs least, is a search."""


def about(question: str) -> tuple[str, ...]:
    """The plugin's options that ask it."""
    return () if question in ("", QUESTIONS[0]) else (f"question={question}",)


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of one module under a policy."""

    body: dict[str, Any]
    """Of the decisions file."""
    bitcode: bytes
    """The optimised module. Whatever wrote it had the policy in its process: it is compared, never measured."""
    cpu: float
    """CPU seconds of the optimise step with the policy in it; with a host, of its sandbox too."""
    wall: float
    """Wall seconds of the optimise step with the policy in it."""
    features: bytes = b""
    """Where asked for: rows of int64, as ``native/inline/advisor.h`` says."""


def ask(
    policy: Asked,
    frozen: FrozenModule,
    bench: Bench,
    *,
    features: bool = False,
    allowance: Allowance | None = None,
) -> Answer:
    """The policy's decisions on every call site of the module.

    Raises CellError as ``AskingStep.ask`` does; ``policy-error`` too for one that writes no usable log, or decides more
    than can be recorded.
    """
    told = asking(frozen, features=features).ask(policy, bench, allowance)
    answer = _read(told, features=features)
    require_tolerable(policy, counts(answer.body)[Who.REPLACED], told)
    return answer


def asking(frozen: FrozenModule, *, features: bool = False) -> AskingStep:
    """The optimise step that asks a policy."""
    options = [f"-{_PREFIX}-log={_LOG}", *RULES, *([f"-{_PREFIX}-features={_FEATURES}"] if features else [])]
    return AskingStep(
        PLUGIN,
        _PREFIX,
        lambda options: clang_optimise(frozen.level, frozen.target, PLUGIN, options),
        frozen.bitcode,
        (OPTIMISED, _LOG, *((_FEATURES,) if features else ())),
        tuple(options),
    )


def _read(told: Told, *, features: bool) -> Answer:
    require_recordable(len(told.results[_LOG]))
    try:
        body = parse_log(told.results[_LOG].decode("ascii"))
    except (LogError, UnicodeDecodeError) as error:
        raise CellError(Outcome.POLICY_ERROR, f"the policy's process altered the log of decisions: {error}") from None
    table = told.results[_FEATURES] if features else b""
    return Answer(body, told.results[OPTIMISED], told.cpu, told.wall, table)
