"""Running a compile plan: decisions and a frozen module to an object, in a folder of its own.

No submitted code is near: the plan comes from the decisions, its tools are stock LLVM's.
"""

import json
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path

from harness.apply.plan import FROZEN, OBJECT, OPTIMISED, CompilePlan, Step
from harness.decide import Decisions
from harness.digest import digest_file, digest_of
from harness.errors import CellError
from harness.freeze import FrozenModule
from harness.freeze.freeze import count_instructions
from harness.process import Ended, Limits, run
from harness.store import Store
from harness.toolchain import Toolchain
from harness.vocabulary import Outcome

__all__ = ["Compiled", "compile_decisions", "run_plan"]


@dataclass(frozen=True, slots=True)
class Compiled:
    """What the decisions gave."""

    object: Path
    digest: str
    ir_instructions: int
    """After the optimise step."""
    cpu: float
    """CPU seconds of both steps."""


def compile_decisions(
    frozen: FrozenModule, decisions: Decisions, plan: CompilePlan, toolchain: Toolchain, store: Store, timeout: float
) -> Compiled:
    """The object of these decisions, from the cache or compiled now.

    Raises CellError: ``compile-error`` or ``compile-timeout``, with the tool's message.
    """
    key = digest_of(["object", 1, frozen.digest, decisions.digest, asdict(plan), toolchain.fingerprint.llvm])

    def make(entry: Path) -> None:
        shutil.copyfile(frozen.bitcode, entry / FROZEN)
        cpu = run_plan(plan, entry, toolchain, store, timeout)
        facts = {
            "digest": digest_file(entry / OBJECT),
            "ir_instructions": count_instructions(entry / OPTIMISED, toolchain),
            "cpu": cpu,
        }
        for name in (FROZEN, OPTIMISED):
            (entry / name).unlink()
        (entry / "facts.json").write_text(json.dumps(facts))

    entry = store.folder("objects", key, make)
    facts = json.loads((entry / "facts.json").read_bytes())
    return Compiled(entry / OBJECT, facts["digest"], facts["ir_instructions"], facts["cpu"])


def run_plan(plan: CompilePlan, folder: Path, toolchain: Toolchain, store: Store, timeout: float) -> float:
    """Both steps in ``folder``, which holds the frozen module; their CPU seconds."""
    limits = Limits(wall=timeout)
    return sum(_step(step, folder, toolchain, store, limits).cpu for step in (plan.optimise, plan.generate))


def _step(step: Step, folder: Path, toolchain: Toolchain, store: Store, limits: Limits) -> Ended:
    done = run([toolchain.tool(step.tool), *step.arguments], cwd=folder, limits=limits)
    if done.ok:
        return done
    store.require_space(done.stderr)
    outcome = Outcome.COMPILE_TIMEOUT if done.timed_out else Outcome.COMPILE_ERROR
    raise CellError(outcome, done.reason(), done.transient)
