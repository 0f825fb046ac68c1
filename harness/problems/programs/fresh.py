"""Fresh verification: objects verified on one more workload per program, whose inputs nobody has seen.

An object that is right on the suite's inputs alone, by chance or by design, is found here. The rule is simple:
an object is verified so by the first run that meets it, unless the cache already has a verdict on it. Equal objects are
verified once; an ``ok`` and a failure both stay in the cache, the failure with the seed and the input that showed it.
Cell keys and cached cells do not depend on the seed.

Linking costs more than most runs: where a run's seed is known before an object is first linked, the cell runs the
program on the first attempt's input too, and what comes here is the comparison (``harness.verify.result_besides``).

An input may be unfit: the program's behaviour on it may be undefined. Objects are first compared with one
reference build. Only where an object differs is the input examined (``harness.verify.fitness``), and if it is unfit
*all* objects of the program are verified again on the next attempt's input: those that passed on an unfit one, too.
Which attempt counts therefore depends on the seed and on the set of objects, and not on any order.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from harness.apply import compile_plan
from harness.apply.reference import reference_object
from harness.base.digest import digest_of
from harness.base.engine import Engine, each
from harness.base.errors import CellError
from harness.base.progress import Observer
from harness.base.vocabulary import SIZE, Level, Outcome, Target
from harness.problems.programs.cell import Cell, frozen_of, keep_refuted
from harness.problems.programs.problems import plan_of
from harness.problems.programs.request import Request
from harness.problems.protocol import Session
from harness.record import Row
from harness.record.decisions import load_decisions
from harness.record.fresh import Fresh, FreshProgram, UnfitInput
from harness.record.journal import Journal, entry_name
from harness.sandbox.bench import Bench
from harness.suite.fresh import ATTEMPTS, fresh_workload, takes_fresh_inputs
from harness.suite.load import Program
from harness.suite.workloads import ReadyWorkload, prepare, remove_inputs, workloads_digest
from harness.verify import Trial, result_besides, verify
from harness.verify.verify import run_workloads

__all__ = ["verify_fresh"]

Task = TypeVar("Task")
Value = TypeVar("Value")
_AREA = "fresh"
_NOTE = "verified"
"""In the journal."""


@dataclass(frozen=True)
class _Subject:
    """A distinct object, and a cell that gives it."""

    cell: Cell
    digest: str
    decisions: str
    key: str
    """Of its verdict in the cache."""


@dataclass(frozen=True)
class _Verdict:
    """How an object did on a fresh input."""

    outcome: Outcome
    detail: str = ""
    inputs: str = ""
    """Digest of the workload with its input files."""
    transient: bool = False


@dataclass(frozen=True)
class _Round:
    """One attempt for one program."""

    program: Program
    attempt: int
    ready: ReadyWorkload
    inputs: str
    reference: str
    """Digest of the reference's object."""
    target: Target
    """That the reference was built for."""
    expected: str = ""
    """Digest of its result."""
    problem: str = ""
    """Why the reference has none."""


def verify_fresh(request: Request, seed: str, session: Session) -> tuple[Fresh, dict[str, Row]]:
    """Verify the objects of all ``ok`` cells recorded so far that have no verdict in the cache.

    Returns what the header says of it and, by the cell's name in the journal, the one row of each cell whose object
    fails: now, or when an earlier run verified it.
    """
    bench, recorder = session.bench, session.recorder
    good = {entry_name(row.cell, row.policy, row.copy_): row for row in recorder.rows if row.outcome is Outcome.OK}
    subjects = _subjects(request.cells, good, bench)
    verdicts: dict[str, _Verdict] = {}
    pending: dict[str, dict[str, _Subject]] = {}
    for subject in subjects.values():
        if known := bench.store.get(bench.area(_AREA), subject.key):
            verdicts[subject.key] = _Verdict(Outcome(known["outcome"]), known["detail"], known["inputs"])
        else:
            pending.setdefault(subject.cell.program.id, {})[subject.key] = subject
    without = {program.id for program in request.programs if program.id in pending and not takes_fresh_inputs(program)}
    pending = {name: subjects for name, subjects in pending.items() if name not in without}
    run = _Run(seed, tuple(request.targets), request.track, bench, session.engine, session.observer, recorder.results)
    programs = {program.id: program for program in request.programs}
    found = _Found(recorder.journal)
    try:
        for attempt in range(1, ATTEMPTS + 1):
            later = {name: subjects for name, subjects in pending.items() if found.is_unfit(name, attempt)}
            now = {name: subjects for name, subjects in pending.items() if name not in later}
            pending = later | (run.attempt(attempt, now, programs, found, verdicts, without) if now else {})
    finally:
        run.remove_inputs()
    failed = {
        name: _refuted(good[name], verdicts[subject.key], bench)
        for name, subject in subjects.items()
        if verdicts.get(subject.key, _PASSED).outcome is not Outcome.OK
    }
    facts = Fresh(
        seed=seed,
        programs={programs[name].benchmark.name: found.programs[name] for name in programs if name in found.programs},
        without=tuple(program.benchmark.name for name, program in programs.items() if name in without),
    )
    return facts, failed


_PASSED = _Verdict(Outcome.OK)


class _Found:
    """What the run has verified so far, interrupted or not: the cache has verdicts, and no word of whose."""

    def __init__(self, journal: Journal) -> None:
        kept = journal.notes.get(_NOTE, {"programs": {}, "failed": {}})
        self.programs = {name: FreshProgram.model_validate(facts) for name, facts in kept["programs"].items()}
        """By the program's id."""
        self._failed: dict[str, dict[str, bool]] = kept["failed"]
        """Of each program: key of a verdict → whether the object failed."""
        self._journal = journal

    def is_unfit(self, name: str, attempt: int) -> bool:
        """Whether the attempt's input is known to be unfit."""
        return name in self.programs and any(one.attempt == attempt for one in self.programs[name].unfit)

    def add_unfit(self, name: str, fault: UnfitInput) -> None:
        """An input of a program that no object may be judged by."""
        known = self.programs.get(name, FreshProgram())
        self.programs[name] = known.model_copy(update={"unfit": (*known.unfit, fault)})

    def add(self, name: str, round_: _Round, verdicts: Mapping[str, _Verdict]) -> None:
        """How objects of a program did on an input that counts, by the keys of their verdicts."""
        failed = self._failed.setdefault(name, {})
        failed |= {key: verdict.outcome is not Outcome.OK for key, verdict in verdicts.items()}
        self.programs[name] = FreshProgram(
            attempt=round_.attempt,
            workload=round_.ready.workload.name,
            inputs=round_.inputs,
            objects=len(failed),
            failed=sum(failed.values()),
            unfit=self.programs.get(name, FreshProgram()).unfit,
        )

    def note(self) -> None:
        """Keep it in the journal."""
        told = {name: facts.model_dump(mode="json") for name, facts in self.programs.items()}
        self._journal.note(_NOTE, {"programs": told, "failed": self._failed})


class _Run:
    """What all attempts share, and the inputs that they made."""

    def __init__(
        self,
        seed: str,
        targets: tuple[Target, ...],
        track: str,
        bench: Bench,
        engine: Engine,
        observer: Observer,
        results: Path,
    ) -> None:
        self.seed = seed
        self.targets = targets
        self.track = track
        self.bench = bench
        self.engine = engine
        self.observer = observer
        self.results = results
        self.made: list[ReadyWorkload] = []

    def attempt(
        self,
        number: int,
        pending: Mapping[str, dict[str, _Subject]],
        programs: Mapping[str, Program],
        found: _Found,
        verdicts: dict[str, _Verdict],
        without: set[str],
    ) -> dict[str, dict[str, _Subject]]:
        """Verify the pending objects on the attempt's inputs. Returns those of programs whose input is unfit.

        Adds to ``found``, to ``verdicts``, and to ``without`` the programs whose inputs no seed changes.
        """
        self.observer.stage("fresh", sum(1 + len(subjects) for subjects in pending.values()))
        level = Level.OZ if self.track == SIZE else Level.O3
        target = Target.X86_64 if Target.X86_64 in self.targets else self.targets[0]
        begin = partial(_begin, attempt=number, seed=self.seed, level=level, target=target, bench=self.bench)
        rounds: dict[str, _Round] = {}
        for program, round_ in self._each(begin, [programs[name] for name in pending]):
            if round_ is None:
                without.add(program.id)
            else:
                rounds[program.id] = round_
                self.made.append(round_.ready)
        trials = [
            (subject, rounds[name])
            for name, subjects in pending.items()
            if name in rounds and not rounds[name].problem
            for subject in subjects.values()
        ]
        now = {
            subject.key: verdict
            for (subject, _), verdict in self._each(partial(_try, bench=self.bench, results=self.results), trials)
        }
        contested = {
            name: round_
            for name, round_ in rounds.items()
            if round_.problem or any(now[key].outcome is not Outcome.OK for key in pending[name])
        }
        examine = partial(_examine, targets=self.targets, bench=self.bench)
        unfit = {round_.program.id: why for round_, why in self._each(examine, list(contested.values()), weight=0)}
        again: dict[str, dict[str, _Subject]] = {}
        judged: dict[str, _Round] = {}
        for name, round_ in rounds.items():
            if why := unfit.get(name):
                fault = UnfitInput(
                    attempt=number, workload=round_.ready.workload.name, inputs=round_.inputs, reason=why
                )
                found.add_unfit(name, fault)
                again[name] = dict(pending[name])
            else:
                found.add(name, round_, {key: now[key] for key in pending[name]})
                judged[name] = round_
        if rounds:
            found.note()  # before the cache has the verdicts: what it has is not verified again
        for name, round_ in judged.items():
            verdicts |= {key: self._kept(key, now[key], round_) for key in pending[name]}
        return again

    def remove_inputs(self) -> None:
        """The inputs have served their purpose: the seed makes them again."""
        for ready in self.made:
            remove_inputs(ready.workload, self.bench.store)

    def _kept(self, key: str, verdict: _Verdict, round_: _Round) -> _Verdict:
        """The verdict as people read it, kept in the cache unless it may be the machine's fault."""
        if verdict.outcome is not Outcome.OK:
            told = f"on a fresh input (seed {self.seed}, attempt {round_.attempt}, input {round_.inputs[:16]})"
            verdict = _Verdict(verdict.outcome, f"{told}: {verdict.detail}", round_.inputs, verdict.transient)
        if not verdict.transient:
            value = {"outcome": verdict.outcome.value, "detail": verdict.detail, "inputs": round_.inputs}
            self.bench.store.put(self.bench.area(_AREA), key, value)
        return verdict

    def _each(
        self, function: Callable[[Task], Value], tasks: Sequence[Task], weight: float = 1
    ) -> list[tuple[Task, Value]]:
        """Tasks with what the function gives. The first error ends the run."""
        found: list[tuple[Task, Value]] = []
        for task, value in each(self.engine, function, tasks):
            found.append((task, value))
            self.observer.advance(weight, "fresh inputs")
        return found


def _subjects(cells: Iterable[Cell], rows: Mapping[str, Row], bench: Bench) -> dict[str, _Subject]:
    """Of each name of a cell, its object."""
    by_identity = {
        (cell.program.benchmark.name, cell.target, cell.policy.name, cell.seed, cell.copy): cell for cell in cells
    }
    programs = {cell.program.id: cell.program for cell in by_identity.values()}
    workloads = {name: workloads_digest(prepare(program, bench.store)) for name, program in programs.items()}
    found: dict[str, _Subject] = {}
    for name, row in rows.items():
        cell = by_identity[row.benchmark, row.target, row.policy, row.seed, row.copy_]
        benchmark = cell.program.benchmark
        runtime = bench.toolchain.runtime_fingerprint(cell.target, benchmark.language, benchmark.link)
        key = digest_of(
            [
                ["fresh", 1, row.object_digest, cell.target.value, benchmark.link, benchmark.language],
                [workloads[cell.program.id], bench.toolchain.fingerprint.llvm, runtime],
            ]
        )
        found[name] = _Subject(cell, str(row.object_digest), str(row.decisions_digest), key)
    return found


def _begin(program: Program, attempt: int, seed: str, level: Level, target: Target, bench: Bench) -> _Round | None:
    """Make the attempt's input and run the reference on it; None where the program has none that a seed changes."""
    ready = fresh_workload(program, seed, attempt, bench.store)
    if ready is None:
        return None
    inputs = workloads_digest((ready,))
    try:
        reference, digest = reference_object(program, level, target, bench)
        expected = result_besides(program, target, digest, ready, bench)
        if expected is None:
            expected = run_workloads(program, target, reference, (ready,), bench)[ready.workload.name]
    except CellError as error:
        return _Round(program, attempt, ready, inputs, "", target, problem=f"the reference fails: {error.message}")
    return _Round(program, attempt, ready, inputs, digest, target, expected)


def _try(task: tuple[_Subject, _Round], bench: Bench, results: Path) -> _Verdict:
    subject, round_ = task
    cell = subject.cell
    if (subject.digest, cell.target) == (round_.reference, round_.target):
        return _PASSED
    if result_besides(cell.program, cell.target, subject.digest, round_.ready, bench) == round_.expected:
        return _PASSED
    decisions = load_decisions(results, subject.decisions)
    plan = plan_of(decisions, cell.target)
    name = round_.ready.workload.name
    try:
        compiled = compile_plan(frozen_of(cell, bench), plan, bench)
        trial = Trial(
            cell.program, cell.target, compiled.object, compiled.digest, (round_.ready,), {name: round_.expected}
        )
        verify(trial, bench)
    except CellError as error:
        return _Verdict(error.outcome, error.message, transient=error.transient)
    return _PASSED


def _examine(round_: _Round, targets: tuple[Target, ...], bench: Bench) -> str | None:
    """Why the input is unfit; None where it may judge."""
    from harness.verify.fitness import why_unfit  # hardly ever needed, and much to import

    return round_.problem or why_unfit(round_.program, round_.ready, targets, round_.expected, bench)


def _refuted(row: Row, verdict: _Verdict, bench: Bench) -> Row:
    """The one row of a cell whose object fails; the cache keeps what is certain."""
    if not verdict.transient:
        keep_refuted(row.cell, verdict.outcome, verdict.detail, verdict.inputs, bench)
    return row.model_copy(
        update={
            "outcome": verdict.outcome,
            "detail": verdict.detail,
            "fresh": verdict.inputs,
            **dict.fromkeys(("metric", "workload", "function", "value", "unit")),
        }
    )
