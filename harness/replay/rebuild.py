"""``harness replay``: recompile from the recorded decisions and compare objects, byte for byte.

No policy is loaded and no object cache is asked: frozen module + decisions → object.
"""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from harness.apply.compile import run_plan
from harness.apply.plan import FROZEN, OBJECT
from harness.bench import Bench
from harness.digest import digest_file
from harness.engine import Engine
from harness.errors import CellError, UsageError
from harness.flow.progress import Observer
from harness.freeze import freeze, perturbed
from harness.policy import kind_of
from harness.record import Row, RunFile
from harness.record.decisions import load_decisions
from harness.replay.find import program_of
from harness.vocabulary import Outcome

__all__ = ["Rebuilt", "replay_run"]


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """One cell, replayed."""

    benchmark: str
    target: str
    policy: str
    outcome: str
    """``ok`` when the objects are equal, ``not-replayable`` when they are not, or why it was not built."""
    recorded: str
    rebuilt: str | None
    detail: str = ""


@dataclass(frozen=True)
class _Task:
    run: RunFile
    row: Row
    suite: str | None


def replay_run(
    run: RunFile, bench: Bench, engine: Engine, results: Path, observer: Observer,
    benchmarks: Sequence[str] = (), policies: Sequence[str] = (), suite: str | None = None,
) -> list[Rebuilt]:  # fmt: skip
    """Replay every cell of the run that has an object, or those of these benchmarks and policies.

    Raises UsageError when the toolchain or a program is not the one of the run, or nothing is left.
    """
    if run.header.llvm != bench.toolchain.fingerprint.llvm:
        raise UsageError(
            f"this run was made with another toolchain ({run.header.llvm_version}, {run.header.llvm[:12]}); "
            f"here is {bench.toolchain.version}, {bench.toolchain.fingerprint.llvm[:12]}",
            where=run.path.name,
            hint="objects are equal only for the same compiler: install that one, or run the suite anew",
        )
    cells = {(r.benchmark, r.target, r.policy, r.seed, r.copy_): r for r in run.rows if r.object_digest}
    chosen = [
        row
        for row in cells.values()
        if (not benchmarks or row.benchmark in benchmarks) and (not policies or row.policy in policies)
    ]
    if not chosen:
        raise UsageError(
            "no cell of this run fits", where=run.path.name, hint="see its benchmarks and policies with --json"
        )
    bench.sandbox.probe()
    observer.stage("replay", len(chosen))
    answers: list[Rebuilt] = []
    for done in engine.run(partial(_rebuild, bench=bench, results=results), [_Task(run, row, suite) for row in chosen]):
        if done.value is None:
            raise done.error or RuntimeError("a worker returned nothing")
        answers.append(done.value)
        observer.advance(1, f"{done.task.row.benchmark} {done.task.row.target.value} {done.task.row.policy}")
    return sorted(answers, key=lambda r: (r.benchmark, r.target, r.policy))


def _rebuild(task: _Task, bench: Bench, results: Path) -> Rebuilt:
    row = task.row
    assert row.object_digest and row.decisions_digest
    common = {
        "benchmark": row.benchmark,
        "target": row.target.value,
        "policy": row.policy,
        "recorded": row.object_digest,
    }
    decisions = load_decisions(results, row.decisions_digest)
    program = program_of(task.run, row.benchmark, task.suite)
    frozen = perturbed(freeze(program, row.target, row.module_level, bench), row.copy_, bench)
    if frozen.digest != row.frozen_digest:
        detail = "the frozen module differs: other C library headers than in the run"
        return Rebuilt(**common, outcome=Outcome.NOT_REPLAYABLE.value, rebuilt=None, detail=detail)
    with bench.store.scratch() as scratch:
        shutil.copyfile(frozen.bitcode, scratch / FROZEN)
        try:
            plan = kind_of(decisions.kind).plan(decisions, row.target)
            run_plan(plan, scratch, bench)
        except CellError as error:
            return Rebuilt(**common, outcome=error.outcome.value, rebuilt=None, detail=error.message)
        except UsageError as error:
            return Rebuilt(**common, outcome=Outcome.NOT_REPLAYABLE.value, rebuilt=None, detail=error.message)
        digest = digest_file(scratch / OBJECT)
    if digest != row.object_digest:
        detail = "the decisions give another object"
        return Rebuilt(**common, outcome=Outcome.NOT_REPLAYABLE.value, rebuilt=digest, detail=detail)
    return Rebuilt(**common, outcome=Outcome.OK.value, rebuilt=digest)
