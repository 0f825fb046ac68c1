"""Whether the plugin can be trusted: Greedy's own decisions through it must give plain clang's object."""

from harness.apply.compile import compile_plan
from harness.apply.decisions import Decisions
from harness.apply.plan import reference_plan
from harness.base.digest import digest_bytes
from harness.base.errors import CellError, PrerequisiteError
from harness.freeze import FrozenModule
from harness.problems.regalloc.ask import Answer
from harness.problems.regalloc.replay import REGALLOC, replay_plan
from harness.sandbox.bench import Bench

__all__ = ["is_faithful", "is_repeated", "require_faithful"]


def is_faithful(frozen: FrozenModule, bench: Bench, question: str = "priority") -> bool:
    """Whether the module's object is the same with the plugin, and Greedy's own decisions in it, as without.

    Raises CellError where clang cannot compile the module.
    """
    level, target = frozen.level, frozen.target
    through = replay_plan(Decisions(REGALLOC, level, {question: "default"}), target)
    plain = compile_plan(frozen, reference_plan(level, target), bench)
    return compile_plan(frozen, through, bench).digest == plain.digest


def is_repeated(answer: Answer, frozen: FrozenModule, bench: Bench) -> bool:
    """Whether the object of an answer, and that of the decisions in it when they are followed, are plain clang's.

    So they are of Greedy's own decisions. Raises CellError where clang cannot compile the module.
    """
    level, target = frozen.level, frozen.target
    plain = compile_plan(frozen, reference_plan(level, target), bench).digest
    followed = compile_plan(frozen, replay_plan(Decisions(REGALLOC, level, answer.body), target), bench).digest
    return digest_bytes(answer.object) == plain == followed


def require_faithful(frozen: FrozenModule, bench: Bench, where: str) -> None:
    """Raise PrerequisiteError, naming the module, unless the plugin is faithful on it, whatever it asks."""
    try:
        faithful = all(is_faithful(frozen, bench, question) for question in ("priority", "eviction"))
    except CellError as error:
        raise PrerequisiteError(f"the regalloc plugin cannot be checked: {error.message}", where=where) from None
    if not faithful:
        raise PrerequisiteError(
            "Greedy's own decisions give another object through the regalloc plugin than without it, so nothing that "
            "is decided through it could be compared",
            where=where,
            hint="`harness selftest regalloc` shows all such modules; other policies can still be run on it",
        )
