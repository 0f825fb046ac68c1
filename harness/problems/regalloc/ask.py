"""Step 2 for policies that decide in Greedy's place: clang's code generation asks the policy, in the sandbox, and logs
what it decides."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from harness.apply.compile import optimise
from harness.apply.plan import OBJECT, clang_generate, reference_plan
from harness.base.digest import digest_bytes
from harness.base.errors import CellError
from harness.base.vocabulary import Outcome
from harness.freeze import FrozenModule
from harness.policy.forms.decider import Decider
from harness.problems.programs.allowance import Allowance
from harness.problems.programs.asking import Asked, AskingStep, asked_as, require_tolerable
from harness.problems.programs.deciding import require_recordable
from harness.problems.regalloc.log import LogError, parse_log
from harness.problems.regalloc.replay import BY_FUNCTION, PLUGIN, PREFIX
from harness.sandbox.bench import Bench

__all__ = ["DEFAULT", "Answer", "about", "ask", "asking", "kept", "known"]

_LOG = "decisions.txt"


def known(function: str, question: str = "priority") -> Asked:
    """A function of the plugin's own, or another of LLVM's allocators, which then allocates every function."""
    return Asked("known", options=(f"question={question}", f"function={function}"))


def about(question: str, decider: Decider) -> Asked:
    """What came of a policy's file, asked this question."""
    return replace(asked_as(decider), options=(f"question={question}",))


DEFAULT = known("default")
"""Greedy's own, through the plugin."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of one module under a policy."""

    body: dict[str, Any]
    """Of the decisions file."""
    object: bytes
    """Whatever wrote it had the policy in its process: it is compared, never measured."""
    cpu: float
    """CPU seconds of the generate step with the policy in it; with a host, of its sandbox too."""
    wall: float
    """Wall seconds of the generate step with the policy in it."""
    replaced: int = 0
    """Answers that could not be used: Greedy's own decisions stand in their place."""


def ask(policy: Asked, frozen: FrozenModule, bench: Bench, *, allowance: Allowance | None = None) -> Answer:
    """What the policy decides about the functions of the module.

    Raises CellError as ``AskingStep.ask`` does; ``policy-error`` too for one that writes no usable log, or decides more
    than can be recorded.
    """
    told = asking(frozen, bench).ask(policy, bench, allowance)
    require_recordable(len(told.results[_LOG]))
    try:
        body, replaced = parse_log(told.results[_LOG].decode("ascii"))
    except (LogError, UnicodeDecodeError) as error:
        raise CellError(Outcome.POLICY_ERROR, f"the policy's process altered the log of decisions: {error}") from None
    require_tolerable(policy, replaced, told)
    return Answer(body, told.results[OBJECT], told.cpu, told.wall, replaced)


def asking(frozen: FrozenModule, bench: Bench) -> AskingStep:
    """The generate step that asks a policy. Raises CellError where clang cannot optimise the module."""
    level, target = frozen.level, frozen.target
    optimised = optimise(frozen, reference_plan(level, target), bench)
    return AskingStep(
        PLUGIN,
        PREFIX,
        lambda options: clang_generate(level, target, options, PLUGIN),
        optimised.bitcode,
        (OBJECT, _LOG),
        (*BY_FUNCTION, f"-{PREFIX}-log={_LOG}"),
    )


def kept(answer: Answer, bench: Bench) -> Path:
    """The object that the policy's own process generated, in the cache."""

    def make(entry: Path) -> None:
        (entry / OBJECT).write_bytes(answer.object)

    return bench.store.folder(bench.area("attempts"), digest_bytes(answer.object), make) / OBJECT
