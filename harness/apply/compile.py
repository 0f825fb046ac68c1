"""Running a compile plan: decisions and a frozen module to an object, in a folder of its own.

No submitted code is near: the plan comes from the decisions, its tools are stock LLVM's. They still run in the
sandbox: a pass can read and write files, and so can a module's inline assembly.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from harness.apply.plan import OBJECT, OPTIMISED, CompilePlan, Step
from harness.base.digest import digest_file, digest_of
from harness.base.errors import CellError
from harness.base.vocabulary import Outcome
from harness.freeze import FrozenModule, facts_of
from harness.freeze.freeze import count_instructions
from harness.sandbox import Job
from harness.sandbox.bench import Bench
from harness.sandbox.tools import run_tool, tool_job
from harness.toolchain.native import llvm_plugin

__all__ = ["Compiled", "Optimised", "compile_plan", "optimise", "run_step", "step_job"]


_DIVERGED = re.compile(rb"not-replayable: ([^\n]*)")
"""What a plugin says when the decisions that it follows are not of the module."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """What a plan gave."""

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
    digest: str
    ir_instructions: int
    cpu: float
    """CPU seconds of the step."""


def compile_plan(frozen: FrozenModule, plan: CompilePlan, bench: Bench) -> Compiled:
    """The object of a plan, which was made from decisions alone; from the cache or compiled now.

    Plans whose first steps give the same module, byte for byte, share what the second makes of it. Raises CellError:
    ``compile-error`` or ``compile-timeout``, with the tool's message.
    """
    optimised = optimise(frozen, plan, bench)
    key = digest_of(["object", 4, optimised.digest, plan.generate.identity, bench.toolchain.fingerprint.llvm])

    def make(entry: Path) -> dict[str, Any]:
        cpu = run_step(plan.generate, optimised.bitcode, entry, bench)
        return {"digest": digest_file(entry / OBJECT), "cpu": cpu}

    entry, facts = bench.store.folder_with_facts(bench.area("objects"), key, make)
    return Compiled(entry / OBJECT, facts["digest"], optimised.ir_instructions, optimised.cpu + facts["cpu"])


def optimise(frozen: FrozenModule, plan: CompilePlan, bench: Bench) -> Optimised:
    """The module that the plan's first step gives; plans that share the step share it.

    Raises CellError: ``compile-error`` or ``compile-timeout``, with the tool's message.
    """
    key = digest_of(["optimised", 2, frozen.digest, plan.optimise.identity, bench.toolchain.fingerprint.llvm])

    def make(entry: Path) -> dict[str, Any]:
        cpu = run_step(plan.optimise, frozen.bitcode, entry, bench)
        digest = digest_file(entry / OPTIMISED)
        return {"digest": digest, "ir_instructions": _counted(entry / OPTIMISED, digest, bench), "cpu": cpu}

    entry, facts = bench.store.folder_with_facts(bench.area("optimised"), key, make)
    return Optimised(entry / OPTIMISED, **facts)


def _counted(bitcode: Path, digest: str, bench: Bench) -> int:
    """IR instructions of a module, counted once."""
    key = digest_of(["instructions", 1, digest, bench.toolchain.fingerprint.llvm])
    area = bench.area("instructions")
    known: int | None = bench.store.get(area, key)
    if known is None:
        known = count_instructions(bitcode, bench)
        bench.store.put(area, key, known)
    return known


def run_step(
    step: Step, source: Path, folder: Path, bench: Bench, environment: Mapping[str, str] = MappingProxyType({})
) -> float:
    """One step in the sandbox, which reads ``source``; its results go to ``folder``. Its CPU seconds. ``environment``:
    variables beside those that every tool has.

    Raises CellError: ``compile-error`` or ``compile-timeout``, with the tool's message; ``policy-error`` where the
    module has what the step must not meet.
    """
    if step.unless:
        facts = facts_of(source, bench)
        if refused := next((why for fact, why in step.unless if fact in facts), None):
            raise CellError(Outcome.POLICY_ERROR, refused)
    with step_job(step, source, bench) as job:
        done = run_tool(replace(job, environment={**job.environment, **environment}), bench)
    if not done.ok:
        if step.plugin is not None and (found := _DIVERGED.search(done.stderr)):
            raise CellError(Outcome.NOT_REPLAYABLE, found.group(1).decode(errors="replace"))
        if done.out_of_time:
            detail = f"{done.reason_line()} (--compile-timeout is {bench.compile_timeout:g})"
            raise CellError(Outcome.COMPILE_TIMEOUT, detail, done.transient)
        raise CellError(Outcome.COMPILE_ERROR, done.reason_line(), done.transient)
    for name in job.results:
        if name not in done.results:
            raise CellError(Outcome.COMPILE_ERROR, f"{step.tool}: its output {name} is {done.refused[name]}")
        (folder / name).write_bytes(done.results[name])
    return done.cpu


@contextmanager
def step_job(step: Step, source: Path, bench: Bench) -> Iterator[Job]:
    """What the sandbox has to run for a step that reads ``source``, for as long as its files are there."""
    files = {step.reads: source}
    with bench.store.scratch() as scratch:
        for name, content in step.files:
            files[name] = scratch / name
            files[name].write_text(content)
        if step.plugin is not None:
            files[f"{step.plugin}.so"] = llvm_plugin(step.plugin, bench.toolchain, bench.store)
        wanted = (step.writes, *step.leaves)
        yield tool_job(step.tool, step.arguments, files, wanted, bench.compile_timeout, bench)
