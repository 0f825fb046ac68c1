"""Whether the plugin can be trusted: LLVM's own heuristic through it must give plain clang's object."""

from harness.apply.compile import compile_plan, optimise
from harness.apply.decisions import Decisions
from harness.apply.plan import reference_plan
from harness.base.digest import digest_of
from harness.base.errors import CellError, PrerequisiteError
from harness.freeze import FrozenModule
from harness.problems.inlining.ask import DEFAULT, ask
from harness.problems.inlining.decide import decided
from harness.problems.inlining.replay import PLUGIN, RULES, replay_plan
from harness.sandbox.bench import Bench
from harness.toolchain.native import native_digest

__all__ = ["default_decisions", "is_faithful", "require_faithful"]


def default_decisions(frozen: FrozenModule, bench: Bench) -> Decisions:
    """What LLVM's own heuristic decides on the module, through the plugin. Cached.

    Raises CellError where clang cannot compile the module.
    """
    key = digest_of(["default", frozen.digest, *_tools(bench)])
    known: str | None = bench.store.get("defaults", key)
    if known is None:
        taken = decided(lambda: ask(DEFAULT, frozen, bench), frozen, bench)
        known = taken.decisions.content.decode()
        bench.store.put("defaults", key, known)
    return Decisions.parse(known.encode(), "the cache")


def is_faithful(frozen: FrozenModule, bench: Bench) -> bool:
    """Whether the module's object is the same with the plugin, and LLVM's own heuristic in it, as without. Cached.

    Raises CellError where clang cannot compile the module.
    """
    key = digest_of(["faithful", frozen.digest, *_tools(bench)])
    known: bool | None = bench.store.get("faithful", key)
    if known is None:
        known = _compare(frozen, bench)
        bench.store.put("faithful", key, known)
    return known


def require_faithful(frozen: FrozenModule, bench: Bench, where: str) -> None:
    """Raise PrerequisiteError, naming the module, unless the plugin is faithful on it."""
    try:
        faithful = is_faithful(frozen, bench)
    except CellError as error:
        raise PrerequisiteError(f"the inlining plugin cannot be checked: {error.message}", where=where) from None
    if not faithful:
        raise PrerequisiteError(
            "LLVM's own heuristic gives another object through the inlining plugin than without it, so nothing that "
            "is decided through it could be compared",
            where=where,
            hint="`harness selftest inline` shows all such modules; other policies can still be run on it",
        )


def _compare(frozen: FrozenModule, bench: Bench) -> bool:
    level, target = frozen.level, frozen.target
    plain = reference_plan(level, target)
    decisions = default_decisions(frozen, bench)
    plan = replay_plan(decisions, target)
    if optimise(frozen, plain, bench).digest == optimise(frozen, plan, bench).digest:
        return True
    stock = compile_plan(frozen, plain, bench)
    return stock.digest == compile_plan(frozen, plan, bench).digest


def _tools(bench: Bench) -> list[str]:
    return [native_digest(PLUGIN), *RULES, bench.toolchain.fingerprint.llvm]
