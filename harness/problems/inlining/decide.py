"""From a policy to decisions that can be replayed without it, or to the outcome that says why not."""

from collections.abc import Callable
from pathlib import Path

from harness.apply.compile import compile_plan, optimise, run_step
from harness.apply.decisions import Decided, Decisions
from harness.apply.plan import OBJECT, OPTIMISED, clang_generate
from harness.base.digest import digest_bytes, digest_file, digest_of
from harness.base.errors import CellError
from harness.base.vocabulary import Outcome
from harness.freeze import FrozenModule
from harness.problems.inlining import INLINING
from harness.problems.inlining.ask import Answer
from harness.problems.inlining.price import plain_cpu
from harness.problems.inlining.replay import replay_plan
from harness.problems.inlining.sites import Who, counts
from harness.sandbox.bench import Bench

__all__ = ["decided", "generated"]


def decided(ask: Callable[[], Answer], frozen: FrozenModule, bench: Bench) -> Decided:
    """The decisions that a policy takes, asked by ``ask``, once (``harness.problems.programs.deciding`` asks again).

    Raises CellError: what ``ask`` raises, and ``not-replayable`` for a policy that did more to the module than decide.
    """
    answer = ask()
    decisions = Decisions(INLINING, frozen.level, answer.body)
    _require_replay(answer, decisions, frozen, bench)
    plain = plain_cpu(frozen, bench)  # one thread: on a machine with nothing else to do, also its wall time
    cpu, wall = max(0.0, answer.cpu - plain), max(0.0, answer.wall - plain)
    return Decided(decisions, cpu, wall, replaced=counts(answer.body)[Who.REPLACED])


def generated(answer: Answer, frozen: FrozenModule, bench: Bench) -> Path:
    """The object of the module that the policy's own process optimised. Many policies decide alike: it is kept."""
    level, target = frozen.level, frozen.target
    key = digest_of(["generated", digest_bytes(answer.bitcode), level, target, bench.toolchain.fingerprint.llvm])

    def make(entry: Path) -> None:
        with bench.store.scratch() as folder:
            (folder / OPTIMISED).write_bytes(answer.bitcode)
            run_step(clang_generate(level, target), folder / OPTIMISED, entry, bench)

    return bench.store.folder(bench.area("attempts"), key, make) / OBJECT


def _require_replay(answer: Answer, decisions: Decisions, frozen: FrozenModule, bench: Bench) -> None:
    """The decisions alone must give what the policy's own compilation gave."""
    plan = replay_plan(decisions, frozen.target)
    replayed = optimise(frozen, plan, bench)
    if replayed.digest == digest_bytes(answer.bitcode):
        return
    with bench.store.scratch() as folder:  # other bitcode may still be the same code: objects decide
        (folder / OPTIMISED).write_bytes(answer.bitcode)
        try:
            run_step(plan.generate, folder / OPTIMISED, folder, bench)
        except CellError as error:
            raise CellError(
                Outcome.NOT_REPLAYABLE,
                f"the policy did more to the module than decide: what it left cannot be compiled ({error.message})",
                error.transient,
            ) from None
        theirs = digest_file(folder / OBJECT)
    if compile_plan(frozen, plan, bench).digest != theirs:
        raise CellError(
            Outcome.NOT_REPLAYABLE,
            "the policy did more to the module than decide: its decisions alone give another object",
        )
