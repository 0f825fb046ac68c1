"""The checks: equal results at every level on both targets, equal counts, covered, clean under the sanitizers,
right length, fit to be given other inputs.

Without them an honest policy would be called ``wrong-output`` for a fault of the program. Workloads
of the kind ``time`` are for native runs alone: they are not run on other targets.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from harness.apply.reference import reference_object
from harness.base.engine import Engine, stage
from harness.base.errors import CellError, UsageError
from harness.base.progress import Observer
from harness.base.vocabulary import Level, Outcome, Target
from harness.problems.programs.admission.counts import count_faults
from harness.problems.programs.admission.coverage import ProgramCoverage, coverage_findings, measure_coverage
from harness.problems.programs.admission.findings import Finding
from harness.problems.programs.admission.length import length_fault, native_seconds
from harness.problems.programs.admission.seeds import seed_faults, try_seeds
from harness.sandbox.bench import Bench
from harness.suite.load import Program
from harness.suite.workloads import ReadyWorkload, prepare
from harness.verify.sanitizers import sanitizer_findings
from harness.verify.verify import run_workloads

__all__ = ["Admission", "BuildResult", "check_suite", "findings_of"]

_NATIVE = Target.X86_64
_NUMBER = re.compile(r"\.\d+\Z")
"""What linking puts behind the name of a local function that another unit has too."""
_WORKLOAD = re.compile(r"workloads? ([\w.-]+)")
_FIRST = Level.OS
"""The level that programs are built at first: flags that their own builds leak show there, and at -O0 they do not."""
_OF_A_RUN = (Outcome.RUN_CRASH, Outcome.RUN_TIMEOUT, Outcome.WRONG_OUTPUT)
_OF_EVERY_INPUT = ("build", "equal outputs", "sanitizers")
"""Checks of whose faults other inputs would only say the same again."""


@dataclass(frozen=True)
class BuildResult:
    """A program built one way: its results by workload, or why there are none."""

    program: Program
    target: Target
    level: Level
    results: dict[str, str]
    error: str | None = None
    unstable: bool = False
    """Whether it is an error that two runs of it differ."""
    ran: bool = True
    """Whether it could be built: if not, there is no other way to try."""
    seconds: dict[str, float] = field(default_factory=dict)
    """CPU seconds of each workload, where they were measured: at -O2 on this machine."""

    @property
    def where(self) -> str:
        """For people."""
        return f"{self.target.value} -{self.level.value}"


@dataclass(frozen=True)
class Admission:
    """What a check of programs gave."""

    findings: list[Finding]
    agreed: dict[str, dict[str, str]]
    """The results that every build agrees on: benchmark → workload → digest."""
    coverage: list[ProgramCoverage]
    """Of the programs that run at -O0 for x86-64."""


def check_suite(programs: Sequence[Program], bench: Bench, engine: Engine, observer: Observer) -> Admission:
    """Every check of every program."""
    bench.sandbox.probe()
    built = {program.benchmark.name: list[BuildResult]() for program in programs}
    build = partial(_build, bench=bench)
    # What cannot be built one way can be built no way, as a rule: that is said before hours are spent on the others.
    first = [(program, _NATIVE, _FIRST) for program in programs]
    for (program, _, _), result in stage("first", build, first, engine, observer, _way_name, _weight):
        built[program.benchmark.name].append(result)
    others = [(target, level) for target in Target for level in Level if (target, level) != (_NATIVE, _FIRST)]
    buildable = [program for program in programs if built[program.benchmark.name][0].ran]
    ways = [(program, *way) for program in buildable for way in others]
    ways.sort(key=_weight, reverse=True)
    for (program, _, _), result in stage("builds", build, ways, engine, observer, _way_name, _weight):
        built[program.benchmark.name].append(result)
    findings: list[Finding] = []
    agreed: dict[str, dict[str, str]] = {}
    for program in programs:
        name = program.benchmark.name
        faults, agreed[name] = findings_of(program, built[name])
        findings += faults
    ways_to_count = [b for program in programs for b in built[program.benchmark.name] if _is_counted(b)]
    count = partial(_count, bench=bench)
    for one, messages in stage("counts", count, ways_to_count, engine, observer, _build_name):
        findings += [Finding(one.program.benchmark.name, "equal counts", message) for message in messages]
    running = [program for program in programs if _runs_unoptimised(built[program.benchmark.name])]
    covered = measure_coverage(running, bench, engine, observer)
    for program in running:
        findings += coverage_findings(program, covered[program.benchmark.name], bench)
        findings += _stale_noinline(program, covered[program.benchmark.name])
    sanitize = partial(_sanitize, bench=bench)
    for program, messages in stage("sanitize", sanitize, buildable, engine, observer, _name):
        findings += [_about(program, "sanitizers", message) for message in messages]
    faulty = {finding.benchmark for finding in findings if finding.check in _OF_EVERY_INPUT}
    sound = [program for program in programs if program.benchmark.name not in faulty]
    for _, tried in stage("seeds", partial(_try_seeds, bench=bench), sound, engine, observer, _name):
        findings += tried
    return Admission(findings, agreed, [found for found in covered.values() if not isinstance(found, str)])


def _name(program: Program) -> str:
    return program.benchmark.name


def _way_name(way: tuple[Program, Target, Level]) -> str:
    program, target, level = way
    return f"{program.benchmark.name} {target.value} {level.value}"


def _build_name(build: BuildResult) -> str:
    return f"{build.program.benchmark.name} {build.target.value}"


def _try_seeds(program: Program, bench: Bench) -> list[Finding]:
    faults = seed_faults(try_seeds(program, bench))
    messages = {name: f"workload {name}: {fault}" for name, fault in faults.items()}
    return [Finding(program.benchmark.name, "other seeds", message, name) for name, message in messages.items()]


def findings_of(program: Program, built: Sequence[BuildResult]) -> tuple[list[Finding], dict[str, str]]:
    """What is wrong with a program's builds, and the results that most of them agree on."""
    name = program.benchmark.name
    findings = [_about(program, "build", message) for message in _build_faults(built)]
    if any(b.unstable for b in built):
        return findings, {}  # that its results differ says the same again
    agreed: dict[str, str] = {}
    for workload in program.benchmark.workloads:
        by_result: Counter[str] = Counter(b.results[workload.name] for b in built if workload.name in b.results)
        if not by_result:
            continue
        right = by_result.most_common(1)[0][0]
        agreed[workload.name] = right
        odd = [b.where for b in built if b.results.get(workload.name, right) != right]
        if odd:
            message = f"workload {workload.name}: differs at {', '.join(odd)}"
            findings.append(Finding(name, "equal outputs", message, workload.name))
        pinned = program.expected.get(workload.name)
        if pinned is not None and pinned != right:
            message = f"workload {workload.name}: the result is not the pinned one; `--write` pins it anew"
            findings.append(Finding(name, "pinned result", message, workload.name))
        for b in built:
            seconds = b.seconds.get(workload.name)
            if seconds is not None and (fault := length_fault(workload.kind, seconds)):
                message = f"workload {workload.name}: {seconds:.3f} s of CPU time at {b.where} is {fault}"
                findings.append(Finding(name, "length", message, workload.name))
    return findings, agreed


def _about(program: Program, check: str, message: str) -> Finding:
    """A finding of the workload that the message names."""
    names = {workload.name for workload in program.benchmark.workloads}
    named = (match[1] for match in _WORKLOAD.finditer(message) if match[1] in names)
    return Finding(program.benchmark.name, check, message, next(named, ""))


def _stale_noinline(program: Program, found: ProgramCoverage | str) -> list[Finding]:
    """Names in ``noinline`` that are no function of the program, at -O0 for x86-64."""
    if isinstance(found, str):
        return []
    there = {_NUMBER.sub("", one.function) for one in found.functions} | {one.function for one in found.functions}
    stale = [name for name in program.benchmark.noinline if name not in there]
    message = f"noinline names no function of the program: {', '.join(stale)}"
    return [Finding(program.benchmark.name, "definition", message)] if stale else []


def _build_faults(built: Sequence[BuildResult]) -> list[str]:
    """One message for all builds that fail alike: ``aarch64 at every level: main.c: …``."""
    ways: dict[str, list[BuildResult]] = defaultdict(list)
    for b in built:
        if b.error:
            ways[b.error.replace(f" ({b.target.value}, -{b.level.value})", "")].append(b)
    return [f"{_ways(failed)}: {error}" for error, failed in ways.items()]


def _ways(built: Sequence[BuildResult]) -> str:
    targets: dict[Target, list[Level]] = defaultdict(list)
    for b in built:
        targets[b.target].append(b.level)
    return ", ".join(
        f"{target.value} at every level"
        if len(levels) == len(Level)
        else ", ".join(f"{target.value} -{level.value}" for level in sorted(levels))
        for target, levels in targets.items()
    )


def _weight(way: tuple[Program, Target, Level]) -> float:
    """Roughly what a build costs: a ``time`` workload takes as long as compiling a few files."""
    program, target, _ = way
    timed = sum(workload.kind == "time" for workload in program.benchmark.workloads)
    return program.benchmark.weight + (5.0 * timed if target is _NATIVE else 0.0)


def _ready(program: Program, target: Target, bench: Bench) -> tuple[ReadyWorkload, ...]:
    """What runs on the target: ``time`` workloads on the native one alone."""
    count = prepare(program, bench.store)
    return (*count, *prepare(program, bench.store, "time")) if target is _NATIVE else count


def _build(way: tuple[Program, Target, Level], bench: Bench) -> BuildResult:
    program, target, level = way
    seconds: dict[str, float] = {}
    try:
        ready = _ready(program, target, bench)
        built, _ = reference_object(program, level, target, bench)
        first = run_workloads(program, target, built, ready, bench)
        second = run_workloads(program, target, built, ready, bench) if level is Level.O2 else first
        if target is _NATIVE and level is Level.O2:
            seconds = native_seconds(program, built, ready, bench)
    except (CellError, UsageError) as error:
        ran = isinstance(error, CellError) and error.outcome in _OF_A_RUN
        message = "; ".join(map(str.strip, str(error).splitlines()))
        return BuildResult(program, target, level, {}, message, ran=ran)
    unstable = [name for name in first if first[name] != second[name]]
    if unstable:
        error_text = f"nondeterministic: two runs of workload {unstable[0]} differ"
        return BuildResult(program, target, level, {}, error_text, unstable=True)
    return BuildResult(program, target, level, first, seconds=seconds)


def _is_counted(built: BuildResult) -> bool:
    """One build a target, and only what runs without the counter: the others' faults are found already."""
    return built.level is Level.O2 and built.error is None


def _runs_unoptimised(built: Sequence[BuildResult]) -> bool:
    """Whether it runs in the way that coverage is measured: what else is wrong is found already."""
    return any(b.target is _NATIVE and b.level is Level.O0 and b.error is None for b in built)


def _count(built: BuildResult, bench: Bench) -> list[str]:
    program, target = built.program, built.target
    compiled, _ = reference_object(program, built.level, target, bench)
    return count_faults(program, target, compiled, prepare(program, bench.store), built.results, bench)


def _sanitize(program: Program, bench: Bench) -> list[str]:
    try:
        ready = _ready(program, _NATIVE, bench)
    except UsageError:
        return []  # the builds have said so
    return sanitizer_findings(program, ready, bench)
