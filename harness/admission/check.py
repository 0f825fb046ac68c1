"""The checks: equal results at every level on both targets, clean under the sanitizers, right length.

Without them an honest policy would be called ``wrong-output`` for a fault of the program.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from harness.admission.sanitizers import sanitizer_findings
from harness.bench import Bench
from harness.engine import Engine
from harness.errors import CellError, UsageError
from harness.flow.cell import reference_object
from harness.flow.progress import Observer
from harness.suite.load import Program
from harness.suite.workloads import ReadyWorkload, prepare
from harness.verify.verify import run_workloads
from harness.vocabulary import Level, Target

__all__ = ["BuildResult", "Finding", "check_suite", "findings_of"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault of one program."""

    benchmark: str
    check: str
    message: str


@dataclass(frozen=True)
class BuildResult:
    """A program built one way: its results by workload, or why there are none."""

    program: Program
    target: Target
    level: Level
    results: dict[str, str]
    error: str | None = None

    @property
    def where(self) -> str:
        """For people."""
        return f"{self.target.value} -{self.level.value}"


def check_suite(
    programs: Sequence[Program], bench: Bench, engine: Engine, observer: Observer
) -> tuple[list[Finding], dict[str, dict[str, str]]]:
    """All findings, and the results that every build agrees on: benchmark → workload → digest."""
    bench.sandbox.probe()
    ways = [(program, target, level) for program in programs for target in Target for level in Level]
    ways.sort(key=lambda way: -len(way[0].benchmark.files))
    built: dict[str, list[BuildResult]] = {}
    observer.stage("builds", sum(len(program.benchmark.files) for program, _, _ in ways))
    for done in engine.run(partial(_build, bench=bench), ways):
        if done.value is None:
            raise done.error or RuntimeError("a worker returned nothing")
        built.setdefault(done.value.program.benchmark.name, []).append(done.value)
        observer.advance(len(done.task[0].benchmark.files), f"{done.task[0].benchmark.name} {done.value.where}")
    findings: list[Finding] = []
    agreed: dict[str, dict[str, str]] = {}
    for program in programs:
        name = program.benchmark.name
        faults, agreed[name] = findings_of(program, built[name])
        findings += faults
    observer.stage("sanitize", len(programs))
    for checked in engine.run(partial(_sanitize, bench=bench), list(programs)):
        if checked.value is None:
            raise checked.error or RuntimeError("a worker returned nothing")
        findings += [Finding(checked.task.benchmark.name, "sanitizers", message) for message in checked.value]
        observer.advance(1, checked.task.benchmark.name)
    return findings, agreed


def findings_of(program: Program, built: Sequence[BuildResult]) -> tuple[list[Finding], dict[str, str]]:
    """What is wrong with a program's builds, and the results that most of them agree on."""
    name = program.benchmark.name
    findings = [Finding(name, "build", f"{b.where}: {b.error}") for b in built if b.error]
    agreed: dict[str, str] = {}
    for workload in program.benchmark.workloads:
        by_result: Counter[str] = Counter(b.results[workload.name] for b in built if workload.name in b.results)
        if not by_result:
            continue
        right = by_result.most_common(1)[0][0]
        agreed[workload.name] = right
        odd = [b.where for b in built if b.results.get(workload.name, right) != right]
        if odd:
            findings.append(Finding(name, "equal outputs", f"workload {workload.name}: differs at {', '.join(odd)}"))
        pinned = program.expected.get(workload.name)
        if pinned is not None and pinned != right:
            message = f"workload {workload.name}: the result is not the pinned one; `--write` pins it anew"
            findings.append(Finding(name, "pinned result", message))
    return findings, agreed


def _build(way: tuple[Program, Target, Level], bench: Bench) -> BuildResult:
    program, target, level = way
    ready = prepare(program, bench.store)
    try:
        built, _ = reference_object(program, level, target, bench)
        first = run_workloads(program, target, built, ready, bench)
        second = run_workloads(program, target, built, ready, bench) if level is Level.O2 else first
    except (CellError, UsageError) as error:
        return BuildResult(program, target, level, {}, "; ".join(map(str.strip, str(error).splitlines())))
    unstable = [name for name in first if first[name] != second[name]]
    if unstable:
        error_text = f"nondeterministic: two runs of workload {unstable[0]} differ"
        return BuildResult(program, target, level, {}, error_text)
    return BuildResult(program, target, level, first)


def _sanitize(program: Program, bench: Bench) -> list[str]:
    ready: tuple[ReadyWorkload, ...] = prepare(program, bench.store)
    return sanitizer_findings(program, ready, bench)
