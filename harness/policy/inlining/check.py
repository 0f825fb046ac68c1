"""Whether the plugin can be trusted: LLVM's own heuristic through it must give plain clang's object."""

from harness.apply.compile import compile_decisions, optimise
from harness.apply.plan import CompilePlan, clang_generate, clang_optimise
from harness.bench import Bench
from harness.decide import Decisions
from harness.digest import digest_file, digest_of
from harness.errors import CellError, PrerequisiteError
from harness.freeze import FrozenModule
from harness.native import native_digest
from harness.policy.inlining.ask import DEFAULT, ask
from harness.policy.inlining.decide import decided
from harness.policy.inlining.replay import PLUGIN, RULES, replay_plan
from harness.vocabulary import PolicyKind

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
    plain = CompilePlan(clang_optimise(level, target), clang_generate(level, target))
    decisions = default_decisions(frozen, bench)
    plan = replay_plan(decisions, target)
    bitcode = [digest_file(optimise(frozen, one, bench).bitcode) for one in (plain, plan)]
    if bitcode[0] == bitcode[1]:
        return True
    stock = compile_decisions(frozen, Decisions(PolicyKind.LEVEL, level), plain, bench)
    return stock.digest == compile_decisions(frozen, decisions, plan, bench).digest


def _tools(bench: Bench) -> list[str]:
    return [native_digest(PLUGIN), *RULES, bench.toolchain.fingerprint.llvm]
