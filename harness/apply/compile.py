"""Running a compile plan: decisions and a frozen module to an object, in a folder of its own.

No submitted code is near: the plan comes from the decisions, its tools are stock LLVM's. A step that
a submission had a say in still runs in the sandbox: a pass can read and write files.
"""

import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from harness.apply.plan import FROZEN, OBJECT, OPTIMISED, CompilePlan, Step
from harness.bench import Bench
from harness.decide import Decisions
from harness.digest import digest_file, digest_of
from harness.errors import CellError
from harness.freeze import FrozenModule, facts_of
from harness.freeze.freeze import count_instructions
from harness.native import llvm_plugin
from harness.process import Limits, run
from harness.sandbox import GIB, SCRATCH, Job
from harness.sandbox import Limits as SandboxLimits
from harness.vocabulary import Outcome

__all__ = ["Compiled", "Optimised", "compile_decisions", "optimise", "run_plan", "run_step", "tool_job"]


_DIVERGED = re.compile(rb"not-replayable: ([^\n]*)")
"""What a plugin says when the decisions that it follows are not of the module."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """What the decisions gave."""

    object: Path
    digest: str
    ir_instructions: int
    """After the optimise step."""
    cpu: float
    """CPU seconds of both steps."""


@dataclass(frozen=True, slots=True)
class Optimised:
    """What the first step gave."""

    bitcode: Path
    ir_instructions: int
    cpu: float
    """CPU seconds of the step."""


def compile_decisions(frozen: FrozenModule, decisions: Decisions, plan: CompilePlan, bench: Bench) -> Compiled:
    """The object of these decisions, from the cache or compiled now.

    Raises CellError: ``compile-error`` or ``compile-timeout``, with the tool's message.
    """
    key = digest_of(["object", 2, frozen.digest, decisions.digest, plan.identity, bench.toolchain.fingerprint.llvm])

    def make(entry: Path) -> None:
        optimised = optimise(frozen, plan, bench)
        (entry / OPTIMISED).symlink_to(optimised.bitcode)
        cpu = run_step(plan.generate, entry, bench)
        (entry / OPTIMISED).unlink()
        facts = {
            "digest": digest_file(entry / OBJECT),
            "ir_instructions": optimised.ir_instructions,
            "cpu": optimised.cpu + cpu,
        }
        (entry / "facts.json").write_text(json.dumps(facts))

    entry = bench.store.folder(bench.area("objects"), key, make)
    facts = json.loads((entry / "facts.json").read_bytes())
    return Compiled(entry / OBJECT, facts["digest"], facts["ir_instructions"], facts["cpu"])


def optimise(frozen: FrozenModule, plan: CompilePlan, bench: Bench) -> Optimised:
    """The module that the plan's first step gives; plans that share the step share it.

    Raises CellError: ``compile-error`` or ``compile-timeout``, with the tool's message.
    """
    key = digest_of(["optimised", 1, frozen.digest, plan.optimise.identity, bench.toolchain.fingerprint.llvm])

    def make(entry: Path) -> None:
        (entry / FROZEN).symlink_to(frozen.bitcode)
        cpu = run_step(plan.optimise, entry, bench)
        (entry / FROZEN).unlink()
        facts = {"ir_instructions": count_instructions(entry / OPTIMISED, bench.toolchain), "cpu": cpu}
        (entry / "facts.json").write_text(json.dumps(facts))

    entry = bench.store.folder(bench.area("optimised"), key, make)
    facts = json.loads((entry / "facts.json").read_bytes())
    return Optimised(entry / OPTIMISED, facts["ir_instructions"], facts["cpu"])


def run_plan(plan: CompilePlan, folder: Path, bench: Bench) -> float:
    """Both steps in ``folder``, which holds the frozen module; their CPU seconds.

    Raises CellError: ``compile-error`` or ``compile-timeout``, with the tool's message.
    """
    return sum(run_step(step, folder, bench) for step in (plan.optimise, plan.generate))


def run_step(step: Step, folder: Path, bench: Bench) -> float:
    """One step in ``folder``, which holds what it reads; its CPU seconds. In the sandbox if a submission
    had a say in it.

    Raises CellError: ``compile-error`` or ``compile-timeout``, with the tool's message; ``policy-error`` where the
    module has what the step must not meet.
    """
    if step.unless:
        facts = facts_of(folder / step.reads, bench)
        if refused := next((why for fact, why in step.unless if fact in facts), None):
            raise CellError(Outcome.POLICY_ERROR, refused)
    return _foreign_step(step, folder, bench) if step.foreign else _own_step(step, folder, bench)


def _own_step(step: Step, folder: Path, bench: Bench) -> float:
    command = [bench.toolchain.tool(step.tool), *step.arguments]
    with _provided(step, folder, bench):
        done = run(command, cwd=folder, limits=Limits(wall=bench.compile_timeout))
    if done.ok:
        return done.cpu
    bench.store.require_space(done.stderr)
    if step.plugin is not None and (found := _DIVERGED.search(done.stderr)):
        raise CellError(Outcome.NOT_REPLAYABLE, found.group(1).decode(errors="replace"))
    outcome = Outcome.COMPILE_TIMEOUT if done.timed_out else Outcome.COMPILE_ERROR
    raise CellError(outcome, done.reason(), done.transient)


@contextmanager
def _provided(step: Step, folder: Path, bench: Bench) -> Iterator[None]:
    """What the step finds in its folder besides what it reads."""
    given = [folder / name for name, _ in step.files]
    for name, content in step.files:
        (folder / name).write_text(content)
    if step.plugin is not None:
        given.append(folder / f"{step.plugin}.so")
        given[-1].symlink_to(llvm_plugin(step.plugin, bench.toolchain, bench.store))
    try:
        yield
    finally:
        for path in given:
            path.unlink()


def _foreign_step(step: Step, folder: Path, bench: Bench) -> float:
    job = tool_job(
        step.tool, step.arguments, {step.reads: folder / step.reads}, (step.writes,), bench.compile_timeout, bench
    )
    done = bench.sandbox.run(job)
    if not done.ok:
        outcome = Outcome.COMPILE_TIMEOUT if done.out_of_time else Outcome.COMPILE_ERROR
        raise CellError(outcome, done.reason_line(), done.transient)
    if why := done.refused.get(step.writes):
        raise CellError(Outcome.COMPILE_ERROR, f"{step.tool}: its output {step.writes} is {why}")
    (folder / step.writes).write_bytes(done.results[step.writes])
    return done.cpu


def tool_job(
    tool: str,
    arguments: tuple[str, ...],
    files: Mapping[str, Path],
    results: tuple[str, ...],
    timeout: float,
    bench: Bench,
) -> Job:
    """One tool of the toolchain on files, which it finds by these names in the folder that it runs in."""
    program = os.path.realpath(bench.toolchain.tool(tool))
    limits = SandboxLimits(
        wall=timeout, memory=8 * GIB, address_space=8 * GIB, processes=16, files=10_000, scratch=GIB, file_size=GIB
    )
    return Job(
        program,
        arguments,
        files={f"{SCRATCH}/{name}": path for name, path in files.items()},
        system=True,
        folders=bench.toolchain.folders,
        environment={"PATH": "/usr/bin:/bin", "LC_ALL": "C"},
        results=results,
        limits=limits,
    )
