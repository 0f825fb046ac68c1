"""``harness suites`` and ``harness suites check``."""

import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from harness.base.errors import HarnessError, UsageError
from harness.base.vocabulary import Level, Target
from harness.checks.admission import Finding, check_suite, definition_findings, placed
from harness.checks.admission.coverage import ProgramCoverage
from harness.checks.admission.describe import describe_program
from harness.checks.admission.facts import hot_functions, suite_facts
from harness.cli.coverage import show_coverage
from harness.cli.output import Column, Format, emit, note, observer, say
from harness.problems.programs.stages import fetch_sources
from harness.problems.sharding.suite import LoadedSharding, load_sharding_suite, sharding_file, sharding_names
from harness.run.engines import local_engine
from harness.sandbox.bench import Bench, open_bench
from harness.suite.load import EXPECTED, LoadedSuite, choose, load_suite, read_expected, suite_names
from harness.toolchain.names import as_written

__all__ = ["check", "profile", "show", "table"]

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
FINDING_COLUMNS = (
    Column("where", "place"),
    Column("program", "benchmark"),
    Column("check", "check"),
    Column("finding", "message"),
)


_NOT_OF_RESULTS = ("pinned result", "coverage", "exceptions")
"""Checks that say nothing against pinning the results that all builds agree on."""
_SHOWN = 10
"""Functions of a profile that a table shows."""
HOT_COLUMNS = (
    Column("function", "function"),
    Column("instructions", "instructions", "{:,}".format, right=True),
    Column("share", "share", "{:.1%}".format, right=True),
)
FACT_COLUMNS = (
    Column("program", "benchmark"),
    Column("origin", "origin"),
    Column("source", "source"),
    Column("licence", "licence"),
    Column("language", "language"),
    Column("split", "split"),
    Column("lines", "lines", "{:,}".format, right=True),
    Column("IR at O0", "ir_instructions", "{:,}".format, right=True),
    Column("Oz x86-64", "size_x86_64", "{:,.0f}".format, right=True),
    Column("Oz aarch64", "size_aarch64", "{:,.0f}".format, right=True),
    Column("executed", "instructions", "{:,.0f}".format, right=True),
    Column("time, s", "seconds", "{:.2f}".format, right=True),
)


def show(names: list[str], format_: Format) -> int:
    """All suites in a line each, or one suite's programs."""
    if len(names) > 1:
        raise UsageError(
            f"one suite at a time, not {' '.join(names)!r}", hint="to check one: harness suites check NAME"
        )
    if not names:
        columns = (
            Column("suite", "name"),
            Column("version", "version"),
            Column("benchmarks", "programs", right=True),
            Column("description", "description"),
        )
        records = [_suite_record(load_suite(name)) for name in suite_names()]
        records += [_sharding_record(load_sharding_suite(name)) for name in sharding_names()]
        emit(sorted(records, key=lambda record: str(record["name"])), columns, format_)
        return 0
    if sharding_file(names[0]):
        from harness.cli.instances import show_instances

        return show_instances(names[0], format_)
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


def table(names: list[str], markdown: bool, jobs: int | None, format_: Format) -> int:
    """What the programs of a suite are, in figures."""
    if not names:
        raise UsageError("which suite?", hint=f"harness suites table NAME; there are: {', '.join(suite_names())}")
    suite = load_suite(names[0])
    programs = choose(suite, names[1:])
    bench, engine, progress = open_bench(), local_engine(jobs or len(os.sched_getaffinity(0))), observer()
    try:
        fetch_sources(programs, bench, engine, progress)
        facts = suite_facts(programs, bench, engine, progress)
    finally:
        progress.close()
    records = [one.record() for one in facts]
    if markdown:
        say(_markdown(records))
    else:
        emit(records, FACT_COLUMNS, format_)
    return 0


def profile(names: list[str], jobs: int | None, format_: Format) -> int:
    """Where programs spend their instructions: the functions that execute most."""
    if len(names) < 2:
        raise UsageError("which program?", hint="harness suites profile NAME BENCHMARK…")
    programs = choose(load_suite(names[0]), names[1:])
    bench, engine, progress = open_bench(), local_engine(jobs or len(os.sched_getaffinity(0))), observer()
    records: list[dict[str, Any]] = []
    try:
        fetch_sources(programs, bench, engine, progress)
        bench.sandbox.probe()
        for program in programs:
            hot = hot_functions(program, Level.O2, Target.X86_64, bench)
            records += [{"program": program.benchmark.name, **asdict(one)} for one in hot]
    finally:
        progress.close()
    if format_ is not Format.TABLE:
        emit(records, HOT_COLUMNS, format_)
        return 0
    for program in programs:
        mine = [record for record in records if record["program"] == program.benchmark.name]
        rest = sum(record["share"] for record in mine[_SHOWN:])
        written = as_written([record["function"] for record in mine[:_SHOWN]], bench.toolchain)
        shown = [{**record, "function": written[record["function"]]} for record in mine[:_SHOWN]]
        emit(shown, HOT_COLUMNS, format_, title=f"{program.id}: count workloads, -O2, x86-64")
        say(f"{len(mine) - _SHOWN} more functions: {rest:.1%}\n" if len(mine) > _SHOWN else "")
    return 0


def _markdown(records: list[dict[str, Any]]) -> str:
    rule = "|".join("---:" if column.right else "---" for column in FACT_COLUMNS)
    rows = [
        " | ".join("–" if (value := record[c.field]) is None else c.show(value) for c in FACT_COLUMNS)
        for record in records
    ]
    heading = " | ".join(column.heading for column in FACT_COLUMNS)
    return "\n".join([f"| {heading} |", f"|{rule}|", *(f"| {row} |" for row in rows)])


def check(names: list[str], write: bool, jobs: int | None, trust: bool, format_: Format) -> int:
    """Admission of a suite or of some of its programs. Exit code 1 when there are findings."""
    if not names:
        raise UsageError("which suite?", hint=f"harness suites check NAME; there are: {', '.join(suite_names())}")
    if sharding_file(names[0]):
        from harness.cli.instances import check_instances

        return check_instances(names, format_)
    if faults := definition_findings(names[0]):
        _emit_check(faults, [], format_)
        note(f"{len(faults)} fault{'s' if len(faults) > 1 else ''} in the definition: nothing was compiled")
        return 1
    suite = load_suite(names[0])
    programs = choose(suite, names[1:])
    bench, engine, progress = open_bench(trust=trust), local_engine(jobs or len(os.sched_getaffinity(0))), observer()
    try:
        fetch_sources(programs, bench, engine, progress)
        result = check_suite(programs, bench, engine, progress)
    finally:
        progress.close()
    findings = result.findings
    _emit_check([placed(finding, suite) for finding in findings], result.coverage, format_)
    faulty = {finding.benchmark for finding in findings if finding.check not in _NOT_OF_RESULTS}
    admitted = len(programs) - len({finding.benchmark for finding in findings})
    note(f"{admitted} of {len(programs)} programs of {suite.name} are admitted")
    if write:
        _pin(suite, {name: results for name, results in result.agreed.items() if name not in faulty})
    return 1 if findings else 0


def _emit_check(findings: Sequence[Finding], coverage: Sequence[ProgramCoverage], format_: Format) -> None:
    """Findings, and what the workloads cover. CSV holds one table: that of the findings."""
    records = [asdict(finding) for finding in findings]
    if format_ is Format.JSON:
        print(json.dumps({"findings": records, "coverage": [one.record() for one in coverage]}, indent=2))
    elif findings or format_ is Format.CSV:
        emit(records, FINDING_COLUMNS, format_)
    if format_ is Format.TABLE:
        show_coverage(coverage)


def _pin(suite: LoadedSuite, agreed: dict[str, dict[str, str]]) -> None:
    merged = read_expected(suite.folder) | agreed
    names = [program.benchmark.name for program in suite.own_programs]
    kept = {name: merged[name] for name in names if name in merged}
    file = suite.folder / EXPECTED
    file.write_text(json.dumps(kept, indent=2) + "\n")
    note(f"pinned the results of {len(agreed)} programs in {file}")


def _suite_record(suite: LoadedSuite) -> dict[str, Any]:
    definition = suite.definition
    fields = {"name": suite.name, "version": definition.version, "programs": len(suite.programs)}
    return fields | {"description": definition.description}


def _sharding_record(suite: LoadedSharding) -> dict[str, Any]:
    definition = suite.definition
    fields = {"name": suite.name, "version": definition.version, "programs": len(suite.problems)}
    return fields | {"description": definition.description}


def _programs(suite: LoadedSuite) -> list[dict[str, Any]]:
    bench: Bench | None
    try:
        bench = open_bench()
    except HarnessError as error:
        note(f"warning: sizes cannot be shown: {error}")
        bench = None
    return [describe_program(program, bench) for program in suite.programs]
