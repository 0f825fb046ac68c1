"""``harness replay``: recompile from the recorded decisions, compare objects byte for byte, and measure again.

No policy is loaded and nothing of the cache but sources, inputs and frozen modules is used: frozen module + decisions →
object → verification and every deterministic value, in an empty cache of its own.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from harness.apply import compile_plan
from harness.base.engine import Engine, stage
from harness.base.errors import CellError, UsageError
from harness.base.progress import Observer
from harness.base.vocabulary import Outcome, Target
from harness.freeze import freeze, perturbed
from harness.measure import Need, find_metric
from harness.measure.compiling import HOST
from harness.problems.programs.problems import plan_of
from harness.problems.programs.recorded import program_of
from harness.problems.programs.take import Made, take_metrics
from harness.record import Row, RunFile
from harness.record.decisions import load_decisions
from harness.sandbox.bench import Bench
from harness.suite.workloads import counted_on

__all__ = ["Rebuilt", "replay_run"]


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """One cell, replayed."""

    benchmark: str
    target: str
    policy: str
    seed: int
    copy: int
    outcome: str
    """``ok`` when object and values are equal, ``not-replayable`` when they are not, or why it was not built."""
    recorded: str
    """Digest of the object."""
    rebuilt: str | None
    values: int = 0
    """Recorded values that were measured again."""
    differing: Mapping[str, tuple[float | None, float | None]] = field(default_factory=dict)
    """Metric → recorded and measured value, where these differ."""
    skipped: tuple[str, ...] = ()
    """Metrics that were recorded and cannot be compared on this machine."""
    detail: str = ""


@dataclass(frozen=True)
class _Task:
    run: RunFile
    rows: tuple[Row, ...]
    """Of one cell."""
    suite: str | None

    @property
    def row(self) -> Row:
        """What all of them say of the cell."""
        return self.rows[0]


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
    tasks = [
        _Task(run, rows, suite)
        for rows in _cells(run.rows)
        if (not benchmarks or rows[0].benchmark in benchmarks) and (not policies or rows[0].policy in policies)
    ]
    if not tasks:
        there = {"benchmarks": {row.benchmark for row in run.rows}, "policies": {row.policy for row in run.rows}}
        said = "; ".join(f"{what}: {', '.join(sorted(names))}" for what, names in there.items())
        raise UsageError("no cell of this run fits", where=run.path.name, hint=f"there are {said}")
    bench.sandbox.probe()
    with bench.store.scratch() as folder:
        anew = replace(bench, cache=folder / "cache")
        rebuild = partial(_rebuild, bench=bench, anew=anew, results=results)
        answers = [answer for _, answer in stage("replay", rebuild, tasks, engine, observer, _name)]
    return sorted(answers, key=lambda r: (r.benchmark, r.target, r.policy, r.seed, r.copy))


def _name(task: _Task) -> str:
    return f"{task.row.benchmark} {task.row.target.value} {task.row.policy}"


def _cells(rows: Iterable[Row]) -> list[tuple[Row, ...]]:
    """The rows of each cell that has an object. Rows of one cell that name different objects are different cells."""
    found: dict[tuple[object, ...], list[Row]] = {}
    for row in rows:
        if row.object_digest and row.decisions_digest:
            identity = (row.benchmark, row.target, row.policy, row.seed, row.copy_, row.outcome)
            found.setdefault((*identity, row.object_digest, row.decisions_digest, row.frozen_digest), []).append(row)
    return [tuple(mine) for mine in found.values()]


def _rebuild(task: _Task, bench: Bench, anew: Bench, results: Path) -> Rebuilt:
    row = task.row
    assert row.object_digest and row.decisions_digest
    answer = Rebuilt(
        row.benchmark, row.target.value, row.policy, row.seed, row.copy_, Outcome.OK.value, row.object_digest, None
    )
    decisions = load_decisions(results, row.decisions_digest)
    program = program_of(task.run, row.benchmark, task.suite)
    frozen = perturbed(freeze(program, row.target, row.module_level, bench), row.copy_, bench)
    if frozen.digest != row.frozen_digest:
        return _failed(answer, "the frozen module differs: other C library headers than in the run")
    try:
        plan = plan_of(decisions, row.target)
        compiled = compile_plan(frozen, plan, anew)
    except CellError as error:
        return replace(answer, outcome=error.outcome.value, detail=error.message)
    except UsageError as error:
        return _failed(answer, error.message)
    answer = replace(answer, rebuilt=compiled.digest)
    if compiled.digest != row.object_digest:
        return _failed(answer, "the decisions give another object")
    return _measured(answer, task, Made(program, row.target, frozen, plan, compiled), bench, anew)


def _measured(answer: Rebuilt, task: _Task, made: Made, bench: Bench, anew: Bench) -> Rebuilt:
    """The answer with what the object's values are now."""
    recorded = {row.metric: row.value for row in task.rows if row.metric and _is_comparable(row)}
    unlike = set[Need]()
    if not _same_runs(task, made, bench):  # counts are sums over workloads, and contain the C library
        unlike |= {Need.RUNS, Need.CODE}
    if not _same_runtime(task, HOST, bench):
        unlike.add(Need.COMPILING_AGAIN)
    skipped = sorted(name for name in recorded if find_metric(name).needs & unlike)
    recorded = {name: value for name, value in recorded.items() if name not in skipped}
    try:
        taken = take_metrics(made, list(recorded), anew, inputs=bench)
        outcome, detail = Outcome.OK, ""
    except CellError as error:
        taken, outcome, detail = None, error.outcome, error.message
    if outcome is not task.row.outcome:
        return _another_outcome(answer, task, outcome, detail)
    found = {name: taken.values.get(name) for name in recorded} if taken is not None else {}
    differing = {name: (value, found[name]) for name, value in recorded.items() if taken and found[name] != value}
    answer = replace(answer, values=len(found), differing=differing, skipped=tuple(skipped))
    if not differing:
        return answer
    said = "; ".join(f"{name} is {_number(now)}, not {_number(then)}" for name, (then, now) in differing.items())
    return _failed(answer, said)


def _another_outcome(answer: Rebuilt, task: _Task, outcome: Outcome, detail: str) -> Rebuilt:
    """The answer for a cell that ends otherwise now than was recorded."""
    then, header = task.row, task.run.header
    if then.outcome is Outcome.OK:
        return replace(answer, outcome=outcome.value, detail=detail)
    if outcome is Outcome.OK and (header.fresh is not None or header.hidden is not None):
        return replace(answer, detail=f"its failure was seen on inputs that are not the suite's: {then.detail}")
    now = f"{outcome.value}: {detail}" if detail else outcome.value
    return _failed(answer, f"recorded as {then.outcome.value}, and now it is {now}")


def _is_comparable(row: Row) -> bool:
    """Whether the row's value must be the same whenever it is measured."""
    if row.value is None or row.campaign is not None:
        return False
    metric = find_metric(str(row.metric))
    return metric.deterministic and metric.version == row.metric_version


def _same_runs(task: _Task, made: Made, bench: Bench) -> bool:
    """Whether the suite's workloads, C library, linker, emulator and other libraries are those of the run."""
    header, target, benchmark = task.run.header, made.target, made.program.benchmark
    facts = header.benchmarks[benchmark.name]
    recorded = facts.workloads
    if recorded is None and header.suite_version != made.program.suite_version:
        return False
    if recorded not in (None, counted_on(made.program, bench.store)):
        return False
    linked = facts.runtime.get(target)
    if linked not in (None, bench.toolchain.runtime_fingerprint(target, benchmark.language, benchmark.link)):
        return False
    return _same_runtime(task, target, bench)


def _same_runtime(task: _Task, target: Target, bench: Bench) -> bool:
    """Whether the target's C library, linker and emulator are those of the run."""
    return task.run.header.runtime.get(target) == bench.toolchain.runtime_fingerprint(target)


def _failed(answer: Rebuilt, detail: str) -> Rebuilt:
    return replace(answer, outcome=Outcome.NOT_REPLAYABLE.value, detail=detail)


def _number(value: float | None) -> str:
    return "none" if value is None else f"{value:,}"
