"""``harness suites`` and ``harness suites check``."""

import json
import os
from dataclasses import asdict
from typing import Any

from harness.admission import check_suite
from harness.bench import Bench, open_bench
from harness.cli.output import Column, Format, emit, note, observer
from harness.engine import local_engine
from harness.errors import HarnessError, UsageError
from harness.flow.stages import fetch_sources
from harness.suite.describe import describe_program
from harness.suite.load import EXPECTED, LoadedSuite, choose, load_suite, read_expected, suite_names

__all__ = ["check", "show"]

PROGRAM_COLUMNS = (
    Column("program", "name"),
    Column("origin", "origin"),
    Column("source", "source"),
    Column("licence", "licence"),
    Column("split", "split"),
    Column("files", "files", right=True),
    Column("lines", "lines", "{:,}".format, right=True),
    Column("IR at O0", "ir_instructions", "{:,}".format, right=True),
    Column("workloads", "workloads", lambda names: ", ".join(names)),
)
FINDING_COLUMNS = (Column("program", "benchmark"), Column("check", "check"), Column("finding", "message"))


def show(names: list[str], format_: Format) -> int:
    """All suites in a line each, or one suite's programs."""
    if len(names) > 1:
        raise UsageError(
            f"one suite at a time, not {' '.join(names)!r}", hint="to check one: harness suites check NAME"
        )
    if not names:
        suites = [load_suite(name) for name in suite_names()]
        columns = (
            Column("suite", "name"),
            Column("version", "version"),
            Column("programs", "programs", right=True),
            Column("description", "description"),
        )
        emit([_suite_record(suite) for suite in suites], columns, format_)
        return 0
    suite = load_suite(names[0])
    records = _programs(suite)
    if format_ is Format.JSON:
        definition = suite.definition
        fields = {"name": suite.name, "version": definition.version, "description": definition.description}
        print(json.dumps(fields | {"absent": definition.absent, "benchmarks": records}, indent=2))
        return 0
    emit(records, PROGRAM_COLUMNS, format_)
    if format_ is Format.TABLE:
        if any(record["lines"] is None for record in records):
            note(f"\n– not known before the sources are here: harness fetch {suite.name}")
        for name, reason in suite.definition.absent.items():
            note(f"absent: {name}: {reason}")
    return 0


def check(names: list[str], write: bool, jobs: int | None, trust: bool, format_: Format) -> int:
    """Admission of a suite or of some of its programs. Exit code 1 when there are findings."""
    if not names:
        raise UsageError("which suite?", hint=f"harness suites check NAME; there are: {', '.join(suite_names())}")
    suite = load_suite(names[0])
    programs = choose(suite, names[1:])
    bench, engine, progress = open_bench(trust=trust), local_engine(jobs or len(os.sched_getaffinity(0))), observer()
    try:
        fetch_sources(programs, bench, engine, progress)
        findings, agreed = check_suite(programs, bench, engine, progress)
    finally:
        progress.close()
    emit(
        [asdict(finding) for finding in findings], FINDING_COLUMNS, format_
    ) if findings or format_ is not Format.TABLE else None
    faulty = {finding.benchmark for finding in findings if finding.check != "pinned result"}
    admitted = len(programs) - len({finding.benchmark for finding in findings})
    note(f"{admitted} of {len(programs)} programs of {suite.name} are admitted")
    if write:
        _pin(suite, {name: results for name, results in agreed.items() if name not in faulty})
    return 1 if findings else 0


def _pin(suite: LoadedSuite, agreed: dict[str, dict[str, str]]) -> None:
    merged = read_expected(suite.folder) | agreed
    names = [program.benchmark.name for program in suite.programs]
    kept = {name: merged[name] for name in names if name in merged}
    file = suite.folder / EXPECTED
    file.write_text(json.dumps(kept, indent=2) + "\n")
    note(f"pinned the results of {len(agreed)} programs in {file}")


def _suite_record(suite: LoadedSuite) -> dict[str, Any]:
    definition = suite.definition
    fields = {"name": suite.name, "version": definition.version, "programs": len(suite.programs)}
    return fields | {"description": definition.description}


def _programs(suite: LoadedSuite) -> list[dict[str, Any]]:
    bench: Bench | None
    try:
        bench = open_bench()
    except HarnessError as error:
        note(f"warning: sizes cannot be shown: {error}")
        bench = None
    return [
        describe_program(program, bench.toolchain if bench else None, bench.store if bench else None)
        for program in suite.programs
    ]
