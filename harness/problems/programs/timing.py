"""Run time of a run's cells: which objects are timed, what was timed before, and the rows that come of it."""

import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from harness.apply import compile_plan
from harness.apply.reference import reference_object
from harness.base.engine import Engine, stage
from harness.base.errors import CellError
from harness.base.machine import machine
from harness.base.progress import Observer
from harness.base.vocabulary import Level, Outcome, Target
from harness.freeze import freeze
from harness.measure import Took, all_metrics, find_metric
from harness.problems.programs.cell import Cell
from harness.problems.programs.floor import measure_floor
from harness.problems.programs.problems import plan_of
from harness.problems.programs.request import Request
from harness.problems.programs.tracks import REFERENCES
from harness.problems.protocol import Session
from harness.record import open_index
from harness.record.decisions import load_decisions
from harness.record.journal import Journal
from harness.record.rows import NOT_REACHED, Block, Campaign, Row
from harness.record.runfile import run_files
from harness.sandbox.bench import Bench
from harness.statistics.paired import MIN_PAIRS
from harness.suite.workloads import prepare
from harness.timing.campaign import Facts, Timed, run_campaign, summary
from harness.timing.contestants import NATIVE, TimedProgram, TrialRun, try_object
from harness.timing.schedule import Plan, passes_for, shortage
from harness.timing.twin import twin_of
from harness.verify import expected_results

if TYPE_CHECKING:
    from harness.suite.load import Program

__all__ = ["Timing", "time_cells"]

_MACHINE = "machine"
"""What the journal says of a campaign beside its facts: on which machine it began."""


@dataclass(frozen=True)
class Timing:
    """What the run's timing gave."""

    rows: list[Row] = field(default_factory=list)
    campaigns: list[Campaign] = field(default_factory=list)
    """Those of this run."""
    blocks: list[Block] = field(default_factory=list)
    reused: int = 0
    """Programs that a sound campaign of an earlier run has timed."""
    failed: int = 0
    """Objects that were right when they were verified, and failed when they were timed."""


@dataclass(frozen=True)
class _Known:
    """A sound campaign's answer for one program: medians over its blocks, by object."""

    campaign: str
    took: Mapping[str, Took]


@dataclass(frozen=True)
class _Entry:
    """A cell, and the first of the rows that it has."""

    cell: Cell
    row: Row


@dataclass(frozen=True)
class _Entrants:
    """What is to be timed, tried once each."""

    cells: Sequence[_Entry]
    programs: Mapping[str, TimedProgram]
    reasons: Mapping[str, str]
    """Program → why it cannot be timed."""
    twins: "Twins"
    trials: Mapping[tuple[str, str], TrialRun]

    @property
    def failed(self) -> set[tuple[str, Target]]:
        """Programs of which some object fails when it is timed."""
        return {(name, NATIVE) for name, _ in self.problems}

    @property
    def problems(self) -> dict[tuple[str, str], str]:
        """Benchmark and object → why it cannot be timed."""
        twinless = {key: twin for key, twin in self.twins.items() if isinstance(twin, str)}
        return twinless | {key: trial.problem for key, trial in self.trials.items() if trial.problem}


Twins = dict[tuple[str, str], Path | str]
"""Benchmark and object → its twin, or why there is none."""


def _entrants(request: Request, session: Session, besides: Sequence[Cell]) -> _Entrants:
    """Those of the request and ``besides``; and the track's floor where an object fails only now."""
    bench, recorder = session.bench, session.recorder
    found = _Entrants((), {}, {}, {}, {})
    while True:
        cells = _native_cells((*request.cells, *besides), recorder.rows)
        twins = _twins(cells, found.twins, session)
        programs, reasons = _programs(cells, twins, request, bench)
        trials = _try_all(programs.values(), found.trials, bench, session.engine, session.observer)
        found = _Entrants(cells, programs, reasons, twins, trials)
        more = measure_floor(request, session, found.failed, besides)
        if not more:
            return found
        besides = (*besides, *more)


def time_cells(request: Request, session: Session, besides: Sequence[Cell] = ()) -> Timing:
    """Time every object that the request's native cells gave, and ``besides``, and say of each cell what it took."""
    bench, observer, journal = session.bench, session.observer, session.recorder.journal
    wanted, results = request.timing, session.recorder.results
    entrants = _entrants(request, session, besides)
    programs, trials = entrants.programs, entrants.trials
    facts = _begun_here(journal)
    timed = Timed([block for block in journal.blocks if block.campaign in {one["campaign"] for one in facts}])
    timed.problems.update(entrants.problems)
    able = {name: program for name, program in programs.items() if _can_be_timed(program, timed)}
    known = {} if wanted.again else _timed_before(able.values(), timed, request.suite.name, results, bench)
    to_do = [program for name, program in able.items() if name not in known]
    if to_do:
        facts.append(_campaign(to_do, trials, wanted.plan(len(to_do)), bench, timed, observer, journal))
    reference = {name: program.reference for name, program in programs.items()}
    campaigns = [
        summary(one, timed.blocks, reference, datetime.now(UTC) if one is facts[-1] and to_do else None)
        for one in facts
        if any(block.campaign == one["campaign"] for block in timed.blocks)
    ]
    rows = [
        row
        for one in entrants.cells
        if one.row.outcome is Outcome.OK
        for row in _rows(one, request, programs, entrants.reasons, timed, known)
    ]
    return Timing(rows, campaigns, timed.blocks, len(known), len(timed.problems))


def _begun_here(journal: Journal) -> list[Facts]:
    """The campaigns that an interrupted run began on this machine: its disk may have come to another since."""
    here = machine().identity
    begun = [dict(facts) for facts in journal.opened.values()]
    return [facts for facts in begun if facts.pop(_MACHINE, None) == here]


def _native_cells(cells: Iterable[Cell], rows: Iterable[Row]) -> list[_Entry]:
    """Those that run natively, but for copies, in their order."""
    first: dict[tuple[str, str, int], Row] = {}
    for row in rows:
        if row.target is NATIVE and not row.copy_:
            first.setdefault((row.benchmark, row.policy, row.seed), row)
    return [
        _Entry(cell, first[cell.program.benchmark.name, cell.policy.name, cell.seed])
        for cell in cells
        if cell.target is NATIVE and not cell.copy
    ]


def _twins(cells: Sequence[_Entry], known: Twins, session: Session) -> Twins:
    """What is known, and the twin of every other object that is ok."""
    first: dict[tuple[str, str], _Entry] = {}
    for one in cells:
        key = one.row.benchmark, str(one.row.object_digest)
        if one.row.outcome is Outcome.OK and key not in known:
            first.setdefault(key, one)
    make = partial(_twin, bench=session.bench, results=session.recorder.results)
    made = stage("twins", make, list(first.values()), session.engine, session.observer, lambda one: one.cell.name)
    return known | {(one.row.benchmark, str(one.row.object_digest)): twin for one, twin in made}


def _twin(one: _Entry, bench: Bench, results: Path) -> Path | str:
    """Of the cell's object, made from its decisions; or why it has none."""
    frozen = freeze(one.cell.program, one.cell.target, one.cell.level, bench)
    plan = plan_of(load_decisions(results, str(one.row.decisions_digest)), one.cell.target)
    try:
        return twin_of(compile_plan(frozen, plan, bench).object, frozen, plan, bench)
    except CellError as error:
        return f"{error.outcome.value}: {error.message}"


def _programs(
    cells: Sequence[_Entry], twins: Twins, request: Request, bench: Bench
) -> tuple[dict[str, TimedProgram], dict[str, str]]:
    """The programs that can be timed, and why the others cannot."""
    by_program: dict[str, list[_Entry]] = defaultdict(list)
    for one in cells:
        by_program[one.cell.program.benchmark.name].append(one)
    programs: dict[str, TimedProgram] = {}
    reasons: dict[str, str] = {}
    for name, mine in by_program.items():
        good = [one for one in mine if one.row.outcome is Outcome.OK]
        program = mine[0].cell.program
        ready = prepare(program, bench.store, "time")
        reference = _reference(good, request)
        if not ready:
            reasons[name] = "the program has no workload of the kind 'time'"
        elif reference is None:
            reasons[name] = "no reference of the track can be timed beside it"
        elif isinstance(without := twins[name, reference], str):
            reasons[name] = f"the reference cannot be timed: {without}"
        else:
            found = {
                digest: twins[name, digest] for digest in dict.fromkeys(str(one.row.object_digest) for one in good)
            }
            objects = {digest: twin for digest, twin in found.items() if isinstance(twin, Path)}
            try:
                expected = expected_results(program, ready, partial(_unoptimised, program, bench), bench)
            except CellError as error:
                reasons[name] = f"its build at -O0, which says what is right, fails: {error.message}"
                continue
            benchmark = program.benchmark
            runtime = bench.toolchain.runtime_fingerprint(NATIVE, benchmark.language, benchmark.link)
            programs[name] = TimedProgram(program, reference, objects, ready, expected, runtime)
    return programs, reasons


def _reference(good: Iterable[_Entry], request: Request) -> str | None:
    digests = {one.row.policy: one.row.object_digest for one in good}
    return next((digests[name] for name in REFERENCES[request.track] if digests.get(name)), None)


def _unoptimised(program: "Program", bench: Bench) -> tuple[Path, str]:
    return reference_object(program, Level.O0, NATIVE, bench)


def _try_all(
    programs: Iterable[TimedProgram],
    known: Mapping[tuple[str, str], TrialRun],
    bench: Bench,
    engine: Engine,
    observer: Observer,
) -> dict[tuple[str, str], TrialRun]:
    """What is known, and a trial of every other object."""
    every = ((program, digest) for program in programs for digest in program.objects)
    tasks = [(program, digest) for program, digest in every if (program.name, digest) not in known]
    tried = stage("trials", partial(_try, bench=bench), tasks, engine, observer, lambda task: task[0].name)
    return {**known, **{(program.name, digest): trial for (program, digest), trial in tried}}


def _try(task: tuple[TimedProgram, str], bench: Bench) -> TrialRun:
    return try_object(*task, bench)


def _can_be_timed(program: TimedProgram, timed: Timed) -> bool:
    return (program.name, program.reference) not in timed.problems


def _campaign(
    programs: Sequence[TimedProgram],
    trials: Mapping[tuple[str, str], TrialRun],
    plan: Plan,
    bench: Bench,
    timed: Timed,
    observer: Observer,
    journal: Journal,
) -> Facts:
    typical: dict[str, float] = {}
    each: dict[str, float] = {}
    for program in programs:
        able = [d for d in program.contestants if (program.name, d) not in timed.problems]
        cpu = [trials[(program.name, d if d in program.objects else program.reference)].cpu for d in able]
        typical[program.name] = min(cpu)
        each[program.name] = sum(cpu) * passes_for(min(cpu))
    most = {name: plan.most * seconds for name, seconds in each.items()}
    scale = min(1.0, plan.budget / max(sum(most.values()), 1e-9))
    left = {name: seconds * scale for name, seconds in most.items()}
    observer.stage("timing", sum(left.values()))
    if short := shortage(each, plan):
        observer.advance(0.0, short)

    def recorded(block: Block, name: str) -> None:
        journal.add_block(block)
        step = min(left[name], each[name])
        left[name] -= step
        observer.advance(step, f"{name}, pair {block.number + 1}")

    def opened(facts: Facts) -> None:
        journal.open_campaign(str(facts["campaign"]), {**facts, _MACHINE: machine().identity})

    def wait() -> None:
        observer.advance(0.0, "waiting: another harness is timing on this machine")

    facts = run_campaign(programs, typical, plan, bench, timed, opened, recorded, wait)
    observer.advance(sum(left.values()), "done")
    return facts


_OTHERWISE = "SELECT DISTINCT run FROM rows WHERE metric = ? AND metric_version <> ?"
"""Runs that timed by another version of the metric."""


def _timed_before(
    programs: Iterable[TimedProgram], timed: Timed, suite: str, results: Path, bench: Bench
) -> dict[str, _Known]:
    """The programs of which a sound campaign on this machine, as isolated, has timed all objects together."""
    if not run_files(results)[0]:
        return {}
    query = """
        SELECT campaign, object, median(timings.cpu), median(timings.wall), count(*)
        FROM timings JOIN campaigns USING (run, campaign) JOIN runs r USING (run)
        WHERE timings.suite = ? AND benchmark = ? AND inputs = ? AND len(marks) = 0 AND r.machine = ?
          AND campaigns.isolation = ? AND NOT list_contains(?, run)
        GROUP BY campaign, object, campaigns.started ORDER BY campaigns.started DESC
    """
    known: dict[str, _Known] = {}
    with open_index(results, warn=False) as index:
        others = [str(run) for name, metric in all_metrics().items() if metric.timed
                  for (run,) in index.execute(_OTHERWISE, [name, metric.version]).fetchall()]  # fmt: skip
        for program in programs:
            found: dict[str, dict[str, Took]] = defaultdict(dict)
            asked = [suite, program.name, program.inputs, machine().identity, bench.isolation, others]
            for campaign, digest, cpu, wall, count in index.execute(query, asked).fetchall():
                if count >= MIN_PAIRS:
                    found[campaign][digest] = Took(cpu, wall)
            needed = {d for d in program.objects if (program.name, d) not in timed.problems}
            for campaign, objects in found.items():
                if needed <= set(objects):
                    known[program.name] = _Known(campaign, objects)
                    break
    return known


def _rows(
    one: _Entry,
    request: Request,
    programs: Mapping[str, TimedProgram],
    reasons: Mapping[str, str],
    timed: Timed,
    known: Mapping[str, _Known],
) -> list[Row]:
    """What a cell's runs took: a row for each timed metric asked for, with the reason where there is no value."""
    name, digest = one.row.benchmark, str(one.row.object_digest)
    took: Took | None = None
    campaign, why = None, reasons.get(name, "")
    program = programs.get(name)
    if program is not None:
        why = timed.problems.get((name, digest), "")
        if not why and not _can_be_timed(program, timed):
            why = f"the reference cannot be timed: {timed.problems[(name, program.reference)]}"
        samples = [(b.campaign, s) for b in timed.of(program) for s in b.samples if s.object == digest]
        if why:
            pass
        elif name in known:
            campaign = known[name].campaign
            took = known[name].took[digest]
        elif samples:
            campaign = samples[-1][0]
            took = Took(statistics.median(s.cpu for _, s in samples), statistics.median(s.wall for _, s in samples))
        else:
            why = NOT_REACHED
    common = {"campaign": campaign, "workload": program.workload if program else None, "function": None}
    return [
        one.row.model_copy(
            update={
                **common,
                "metric": metric,
                "metric_version": find_metric(metric).version,
                "unit": find_metric(metric).unit_on(one.cell.target),
                "value": find_metric(metric).measure(took) if took else None,
                "detail": "" if took else why,
            }
        )
        for metric in request.timed_metrics
    ]
