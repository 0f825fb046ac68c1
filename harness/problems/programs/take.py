"""From an object to its numbers: verified, counted where a metric wants counts, measured. Cells and replays alike."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from harness.apply import Compiled, CompilePlan, optimise
from harness.apply.reference import reference_object
from harness.base.errors import CellError
from harness.base.vocabulary import Level, Outcome, Target
from harness.basic_blocks import Code, Profile, analyse
from harness.freeze import FrozenModule
from harness.measure import Breakdown, Compilation, Evidence, Metric, Need, NotMeasurableError, Subject, find_metric
from harness.sandbox.bench import Bench
from harness.suite.load import Program
from harness.suite.workloads import ReadyWorkload, prepare
from harness.verify import CountedRun, Trial, expected_results, link_program, verify, verify_counted

__all__ = ["Functions", "Made", "Taken", "costs_of_functions", "profile_of", "require_right", "take_metrics"]

Functions = dict[str, dict[str, int | float]]
"""Metric → function → value."""


@dataclass(frozen=True, slots=True)
class Made:
    """An object, and what it was made of."""

    program: Program
    target: Target
    frozen: FrozenModule
    plan: CompilePlan
    compiled: Compiled
    decide_cpu: float = 0.0
    decide_wall: float = 0.0
    """Seconds that the policy took to decide."""
    decide_trials: int = 0
    decide_steps: int = 0


@dataclass(frozen=True, slots=True)
class Taken:
    """The numbers of one object."""

    values: dict[str, int | float]
    missing: dict[str, str]
    """Metrics that cannot be taken of it, each with the reason."""
    functions: Functions


def take_metrics(
    made: Made,
    metrics: Sequence[str],
    bench: Bench,
    inputs: Bench | None = None,
    besides: ReadyWorkload | None = None,
) -> Taken:
    """Verify the object, and take these metrics of it.

    ``inputs``: the workbench whose cache has sources and inputs; None: this one. ``besides``: a workload that the
    program is also run on while it is linked (``harness.verify.result_besides``). Raises CellError for an object that
    is not right.
    """
    chosen = [find_metric(name) for name in metrics]
    needs = frozenset[Need]().union(*(metric.needs for metric in chosen))
    runs = _verify(made, Need.RUNS in needs, bench, inputs or bench, besides)
    code = _code(made, bench) if Need.CODE in needs else ""
    compiled = made.compiled
    again = Need.COMPILING_AGAIN in needs
    evidence = Evidence(runs, code, Compilation(made.frozen, made.plan, bench) if again else None)
    subject = Subject(
        compiled.object,
        made.target,
        compiled.ir_instructions,
        compiled.cpu,
        made.decide_cpu,
        made.decide_wall,
        made.decide_trials,
        made.decide_steps,
        evidence,
        bench,
    )
    return _measure(chosen, subject)


def costs_of_functions(made: Made, metrics: Sequence[str], bench: Bench) -> Functions:
    """What each function has of metrics that need no run, NaN where that of it alone cannot be told. The object is not
    verified.

    Raises CellError where one cannot be taken of it.
    """
    chosen = [find_metric(name) for name in metrics]
    code = _code(made, bench) if any(Need.CODE in metric.needs for metric in chosen) else ""
    compiled = made.compiled
    subject = Subject(compiled.object, made.target, compiled.ir_instructions, evidence=Evidence((), code), bench=bench)
    return {metric.name: _of_functions(metric, subject) for metric in chosen}


def _of_functions(metric: Metric, subject: Subject) -> dict[str, int | float]:
    why = "functions have no part of it"
    try:
        found = metric.measure(replace(subject, model=metric.model(subject.target)))
    except NotMeasurableError as reason:
        if reason.functions is not None:
            return dict(reason.functions)
        why = str(reason)
    else:
        if isinstance(found, Breakdown):
            return dict(found.functions)
    raise CellError(Outcome.POLICY_ERROR, f"{metric.name}: {why}")


def profile_of(made: Made, bench: Bench) -> tuple[Code, Profile]:
    """The object's blocks, and how often each was executed in the runs that verify it.

    Raises CellError for an object that is not right; NotMeasurableError where its blocks cannot be told.
    """
    evidence = Evidence(_verify(made, True, bench, bench, None), _code(made, bench))
    return evidence.blocks, evidence.profile


def require_right(made: Made, bench: Bench) -> None:
    """Verify the object on the workloads that everybody may see. Raises CellError where an output is not right."""
    verify(_trial(made, prepare(made.program, bench.store), bench, bench), bench)


def _measure(metrics: Sequence[Metric], subject: Subject) -> Taken:
    values: dict[str, int | float] = {}
    missing: dict[str, str] = {}
    functions: Functions = {}
    for metric in metrics:
        try:
            found = metric.measure(replace(subject, model=metric.model(subject.target)))
        except NotMeasurableError as reason:
            missing[metric.name] = str(reason)
            continue
        if isinstance(found, Breakdown):
            values[metric.name] = found.value
            functions[metric.name] = dict(found.functions)
        else:
            values[metric.name] = found
    return Taken(values, missing, functions)


def _verify(
    made: Made, counted: bool, bench: Bench, inputs: Bench, besides: ReadyWorkload | None
) -> tuple[CountedRun, ...]:
    """Verify the object; ``counted``: in runs that are counted, which are returned."""
    trial = _trial(made, prepare(made.program, inputs.store), bench, inputs, besides)
    runs: tuple[CountedRun, ...] = ()
    if counted:
        runs = verify_counted(trial, bench)
    else:
        verify(trial, bench)
    if hidden := prepare(made.program, inputs.store, "hidden"):
        verify(_trial(made, hidden, bench, inputs), bench)
    return runs


def _trial(
    made: Made, ready: tuple[ReadyWorkload, ...], bench: Bench, inputs: Bench, besides: ReadyWorkload | None = None
) -> Trial:
    def build_reference() -> tuple[Path, str]:
        return reference_object(made.program, Level.O0, Target.X86_64, inputs)

    expected = expected_results(made.program, ready, build_reference, bench)
    return Trial(made.program, made.target, made.compiled.object, made.compiled.digest, ready, expected, besides)


def _code(made: Made, bench: Bench) -> Code | str:
    benchmark, target = made.program.benchmark, made.target

    def link(linked_object: Path, program: Path) -> None:
        link_program(benchmark, target, linked_object, program, bench)

    runtime = bench.toolchain.runtime_fingerprint(target, benchmark.language, benchmark.link)
    linked_as = [benchmark.link, benchmark.language, runtime]
    return analyse(
        made.compiled, made.plan, lambda: optimise(made.frozen, made.plan, bench).bitcode, link, linked_as, bench
    )
