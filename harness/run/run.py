"""A run: what its cells need, every cell, each recorded as it ends; then the run file."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from harness.base.digest import digest_of
from harness.base.engine import Engine, each
from harness.base.errors import UnsoundError
from harness.base.progress import Observer, PatientObserver
from harness.measure import find_metric
from harness.problems.protocol import Request, Session, Task
from harness.record.index import require_sound
from harness.record.journal import Journal
from harness.record.recorder import Recorder, remove_leftovers
from harness.record.rows import Row, failed_rows
from harness.record.runfile import header_with, write_run
from harness.run.engines import LocalPool
from harness.run.provenance import machine_fields
from harness.run.report import RunReport, compare_with_recorded
from harness.run.ticker import Ticker
from harness.sandbox.bench import Bench
from harness.timing.lock import alone

__all__ = ["Preliminary", "execute_run"]


@dataclass(frozen=True)
class Preliminary:
    """What a run found of its beginning, before the rest is computed."""

    request: Request[Any]
    """The part that is done."""
    header: dict[str, Any]
    rows: list[Row]
    """Of policies that are to be asked again too, as far as they have answered."""


def execute_run(
    request: Request[Any],
    bench: Bench,
    engine: Engine,
    results: Path,
    observer: Observer,
    command: Sequence[str],
    early: Callable[[Preliminary], None] | None = None,
) -> RunReport:
    """Do the run. An interrupted one, asked for again, does what is left.

    ``early``: told of a small part of a run that begins from nothing, as soon as that is computed.

    Raises HarnessError when nothing sound could come of it: sources that cannot be had, a full disk, a broken
    reference, no sandbox on this machine, an evaluator that contradicts a proof.
    """
    bench.store.check_anew()
    bench.sandbox.probe()
    started = datetime.now(UTC)
    require_sound(results, PatientObserver(lambda: observer))  # a torn run file is reported now, not when all is done
    remove_leftovers(results)
    with ExitStack() as cleanup:
        journal = Journal(results, _plan(request, bench))
        cleanup.callback(journal.close, remove=False)
        session = Session(bench, engine, observer, Recorder(journal, results))
        try:
            begun = _begun(request, session, early, command, started) if early else []
            tasks = request.tasks(session)
            done = _merged(begun, _compute(request, tasks, session))
            conclusion = request.conclude(done, session)
        except UnsoundError:
            cleanup.pop_all()
            journal.close(remove=True)  # nothing of it counts
            raise
        recorder, file = session.recorder, None
        header = _header(request, session, command, started) | dict(conclusion.header)
        said = header_with(header, results)
        earlier = compare_with_recorded(results, recorder.rows, said, observer, fresh=conclusion.verified)
        if not earlier.recorded:
            file = write_run(
                results, header, recorder.rows, conclusion.campaigns, conclusion.blocks, histories=recorder.histories
            )
        beside = request.filed(file, session)
        cleanup.pop_all()
        journal.close(remove=True)
    return RunReport(
        rows=tuple(recorder.rows),
        cells=len(tasks),
        computed=len(done),
        failed=failed_rows(recorder.rows),
        file=file,
        earlier=earlier,
        notes=(*conclusion.notes, *beside),
        incomplete=conclusion.failed,
        left_out=tuple(conclusion.left_out),
    )


def _header(request: Request[Any], session: Session, command: Sequence[str], started: datetime) -> dict[str, Any]:
    definition = request.suite.definition
    return machine_fields(session.bench, session.engine.workers, command, started, request.targets) | {
        "suite": request.suite.name,
        "suite_version": definition.version,
        "track": request.track,
        "min_coverage": definition.min_coverage,
    }


def _begun(
    request: Request[Any],
    session: Session,
    early: Callable[[Preliminary], None],
    command: Sequence[str],
    started: datetime,
) -> list[tuple[Task[Any], Any]]:
    """The beginning, where there is one that is worth it: computed, and told of. Returns its tasks and results."""
    part = request.beginning(session.bench)
    if part is None or session.recorder.rows:
        return []
    done = _compute(part, part.tasks(session), session)
    rows = session.recorder.rows + [row for task, result in done for row in task.shown(result, session.bench)]
    header = _header(part, session, command, started) | dict(part.header(session.bench))
    early(Preliminary(part, header, rows))
    return done


def _merged(
    begun: Sequence[tuple[Task[Any], Any]], rest: Sequence[tuple[Task[Any], Any]]
) -> list[tuple[Task[Any], Any]]:
    """Each task once: what was not final at first was asked for again."""
    return list({task.entry: (task, result) for task, result in (*begun, *rest)}.values())


def _plan(request: Request[Any], bench: Bench) -> str:
    fingerprint = bench.toolchain.fingerprint
    tools = [fingerprint.llvm, fingerprint.runtime, bench.compile_timeout, bench.isolation.value]
    versions = [find_metric(name).version for name in request.measured]
    return digest_of([request.suite.name, request.identity, tools, versions])


def _compute(request: Request[Any], tasks: Sequence[Task[Any]], session: Session) -> list[tuple[Task[Any], Any]]:
    """Every task: from the journal, the cache, or computed now; each recorded as it ends. Returns those of now."""
    bench, recorder = session.bench, session.recorder
    pending: list[Task[Any]] = []
    for task in tasks:
        if recorder.recall(task.entry):
            continue
        known = task.known(bench)
        recorded = None if known is None else task.recorded(known, bench.isolation)
        if recorded is None:
            pending.append(task)
        else:
            recorder.add(task.entry, recorded, sync=False)
    if not request.alone:
        pending.sort(key=lambda task: -task.weight)  # the long ones first, so that none is left over at the end
    pending = list(request.ready(pending, session))
    if not pending:
        return []
    done: list[tuple[Task[Any], Any]] = []
    session.observer.stage("cells", sum(task.weight for task in pending))
    started = time.monotonic()
    with _turns(request, pending, session) as (engine, ended):
        for task, result in each(engine, partial(_computed, bench=bench), pending):
            task.keep(result, bench)
            if (recorded := task.recorded(result, bench.isolation)) is not None:
                recorder.add(task.entry, recorded)
            done.append((task, result))
            ended(task)
        request.took(len(done), (time.monotonic() - started) * engine.workers, bench)
    return done


def _computed(task: Task[Any], bench: Bench) -> Any:
    return task.compute(bench)


@contextmanager
def _turns(
    request: Request[Any], pending: Sequence[Task[Any]], session: Session
) -> Iterator[tuple[Engine, Callable[[Task[Any]], None]]]:
    """The engine for the tasks, and what to call when one has ended."""
    observer = session.observer
    if not request.alone:
        yield session.engine, lambda task: observer.advance(task.weight, task.name)
        return
    with alone(lambda: observer.advance(0, "waiting: another harness is measuring on this machine")):
        ticker = Ticker(observer, pending)
        with ticker.running():
            yield LocalPool(1), ticker.finished
