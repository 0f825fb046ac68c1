"""From a policy to decisions that can be replayed without it, or to the outcome that says why not."""

from harness.apply.compile import compile_plan, optimise
from harness.apply.decisions import Decided, Decisions
from harness.apply.plan import reference_plan
from harness.base.digest import digest_bytes
from harness.base.errors import CellError
from harness.base.vocabulary import Outcome, PolicyClass
from harness.freeze import FrozenModule
from harness.problems.programs.allowance import allowance
from harness.problems.programs.asking import Asked
from harness.problems.regalloc.ask import ask
from harness.problems.regalloc.replay import REGALLOC, replay_plan
from harness.sandbox.bench import Bench

__all__ = ["decided", "plain_cpu"]


def decided(policy: Asked, policy_class: PolicyClass, frozen: FrozenModule, bench: Bench) -> Decided:
    """The decisions that a policy takes, asked once (``harness.problems.programs.deciding`` asks again).

    Raises CellError: what ``ask`` raises, and ``not-replayable`` for a policy that did more to the code than decide.
    """
    plain = plain_cpu(frozen, bench)
    answer = ask(policy, frozen, bench, allowance=allowance(policy_class, plain))
    decisions = Decisions(REGALLOC, frozen.level, answer.body)
    if compile_plan(frozen, replay_plan(decisions, frozen.target), bench).digest != digest_bytes(answer.object):
        raise CellError(
            Outcome.NOT_REPLAYABLE,
            "the policy did more to the code than decide: its decisions alone give another object",
        )
    cpu, wall = max(0.0, answer.cpu - plain), max(0.0, answer.wall - plain)
    return Decided(decisions, cpu, wall, replaced=answer.replaced)


def plain_cpu(frozen: FrozenModule, bench: Bench) -> float:
    """CPU seconds of the generate step that no policy has a part in, as they were when it was first run here.

    Raises CellError where clang cannot compile the module.
    """
    plan = reference_plan(frozen.level, frozen.target)
    return compile_plan(frozen, plan, bench).cpu - optimise(frozen, plan, bench).cpu
