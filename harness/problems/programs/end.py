"""What a run on programs does when its cells are computed: the second asking, fresh verification, run time."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from harness.base.discovery import PROBLEMS, in_every_folder
from harness.base.text import duration
from harness.base.vocabulary import Outcome, Target
from harness.freeze.freeze import program_digest
from harness.policy import problem_of
from harness.policy.policy import Policy
from harness.problems.programs.again import asked_again, asks_again
from harness.problems.programs.cell import CellResult, CellTask, functions_of, replaced_of
from harness.problems.programs.floor import failures, measure_floor, reference_failures
from harness.problems.programs.fresh import verify_fresh
from harness.problems.programs.problems import StepwiseProblem, program_problem
from harness.problems.programs.request import Request
from harness.problems.programs.timing import Timing, time_cells
from harness.problems.protocol import Conclusion, Session
from harness.record.fresh import Fresh, fresh_words
from harness.record.functions import write_functions
from harness.record.rows import BenchmarkFacts, Row
from harness.record.seed import seed_of
from harness.sandbox.bench import Bench
from harness.statistics.paired import MIN_PAIRS
from harness.suite.load import Program
from harness.suite.workloads import counted_on, remove_inputs

__all__ = ["conclude", "filed", "header_of"]


def conclude(request: Request, done: Sequence[tuple[CellTask, CellResult]], session: Session) -> Conclusion:
    """The rows that are still to come, and what the header says."""
    bench, recorder = session.bench, session.recorder
    provisional = [(task, result) for task, result in done if result.asked]
    for task, result in asked_again(provisional, bench, session.engine, session.observer):
        recorded = task.recorded(result, bench.isolation)
        assert recorded is not None
        recorder.add(task.entry, recorded)
    verified = Fresh(seed=None)
    refuted: dict[str, Row] = {}
    if request.fresh:
        verified, refuted = verify_fresh(request, seed_of(recorder.journal), session)
        recorder.replace(refuted)
        for ready in {task.cell.program.id: task.besides for task, _ in done if task.besides}.values():
            remove_inputs(ready.workload, bench.store)
    left_out = reference_failures(recorder.rows, request.track)
    besides = measure_floor(request, session, failures(recorder.rows) - failures(left_out))
    timing = Timing()
    if request.timed_metrics:
        timing = time_cells(request, session, besides)
        recorder.rows += timing.rows
    header = {**header_of(request, bench), "fresh": verified}
    said = (*_remarks(request), *_replaced_lines(recorder.rows, bench))
    notes = (*_timing_lines(timing), *said, f"fresh verification: {fresh_words(verified)}")
    return Conclusion(
        header, timing.campaigns, timing.blocks, verified.objects > 0, notes, bool(timing.failed), left_out
    )


def filed(request: Request, file: Path | None, session: Session) -> list[str]:
    """What functions have of the metrics, and what the folders write whose options were given."""
    if file is not None:
        modules = [row for row in session.recorder.rows if not row.copy_]  # functions of copies have made-up names
        write_functions(file, modules, partial(functions_of, bench=session.bench))
    remarks: list[str] = []
    for module in in_every_folder(PROBLEMS, "after_run"):
        remarks += module.after_run(request, session)
    return remarks


def header_of(request: Request, bench: Bench) -> dict[str, Any]:
    """What a run file's header says of the programs and policies."""
    return {
        "benchmarks": {program.benchmark.name: _facts(program, request.targets, bench) for program in request.programs},
        "trained_on": _trained_on(request),
        "deterministic": tuple(policy.name for policy in request.policies if policy.manifest.deterministic),
        "ceilings": tuple(policy.name for policy in request.policies if policy.manifest.ceiling),
        "spaces": {policy.name: spaces for policy in request.policies if (spaces := _spaces(policy))},
        "hidden": request.hidden,
        "asked_again_after": bench.asked_again_after if asks_again(request.cells) else None,
    }


def _spaces(policy: Policy) -> Mapping[str, str]:
    problem = program_problem(policy.manifest.problem)
    return problem.spaces(policy) if isinstance(problem, StepwiseProblem) else {}


def _facts(program: Program, targets: Sequence[Target], bench: Bench) -> BenchmarkFacts:
    language, link = program.benchmark.language, program.benchmark.link
    return BenchmarkFacts(
        split=program.benchmark.split,
        origin=program.source.origin.value,
        program_digest=program_digest(program),
        workloads=counted_on(program, bench.store),
        runtime={target: bench.toolchain.runtime_fingerprint(target, language, link) for target in targets},
        cluster=program.benchmark.cluster,
    )


def _trained_on(request: Request) -> Mapping[str, tuple[str, ...]]:
    """Of each policy, the request's programs that it was trained on: under whichever suite's name it saw them."""
    found = {
        policy.name: tuple(
            program.benchmark.name
            for program in request.programs
            if _names_of(program) & set(policy.manifest.trained_on)
        )
        for policy in request.policies
    }
    return {name: programs for name, programs in found.items() if programs}


def _names_of(program: Program) -> set[str]:
    """What a manifest may call it: ``cbench/bzip2``, or with its split ``cbench:train``."""
    split = program.benchmark.split.value
    return {program.id, program.home_id, f"{program.suite}:{split}", f"{program.home or program.suite}:{split}"}


def _remarks(request: Request) -> list[str]:
    return [
        f"  {policy.name}: {remark}"
        for policy in request.policies
        for remark in problem_of(policy.manifest.problem).notes(policy)
    ]


def _replaced_lines(rows: Sequence[Row], bench: Bench) -> list[str]:
    """Of each policy whose answers could not be used everywhere, how many were replaced, and where."""
    cells = {row.cell: row for row in rows if row.outcome is Outcome.OK}
    found: dict[str, Counter[str]] = {}
    for key, row in cells.items():
        if count := replaced_of(key, bench):
            found.setdefault(row.policy, Counter())[f"{row.benchmark} ({row.target.value})"] += count
    return [
        f"  {policy}: LLVM's own decisions stand for answers that could not be used: "
        + ", ".join(f"{count} on {where}" for where, count in counts.items())
        for policy, counts in found.items()
    ]


def _timing_lines(timing: Timing) -> list[str]:
    lines: list[str] = []
    if timing.reused:
        lines.append(f"run time of {timing.reused} programs is of earlier campaigns (--time-again takes it anew)")
    for campaign in timing.campaigns:
        control = campaign.control
        interval = "no interval" if control.low is None else f"99 % interval {control.low:.4f} – {control.high:.4f}"
        lines.append(
            f"campaign {campaign.campaign}: {campaign.blocks} blocks in {duration(campaign.seconds)} on core "
            f"{campaign.core}; control {control.ratio:.4f}, {interval}"
        )
        lines += [f"  NOT USABLE: {mark}" for mark in campaign.marks]
    pairs = Counter(block.benchmark for block in timing.blocks)
    if few := [name for name, count in pairs.items() if count < MIN_PAIRS]:
        where = f"{len(few)} of {len(pairs)} programs"
        lines += [f"  fewer than {MIN_PAIRS} pairs on {where}: they count as not measured", "  raise --budget"]
    return lines
