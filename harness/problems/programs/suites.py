"""What ``harness suites`` and ``harness fetch`` say of suites of programs."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from harness.base.answers import Answer, Column, Table
from harness.base.errors import UsageError
from harness.base.vocabulary import Level, Target
from harness.problems.programs.admission import Finding, check_suite, definition_findings, placed, tree_findings
from harness.problems.programs.admission.coverage import ProgramCoverage, coverage_findings, measure_coverage, shortened
from harness.problems.programs.admission.describe import describe_program
from harness.problems.programs.admission.facts import hot_functions, suite_facts
from harness.problems.programs.admission.pin import pin_results
from harness.problems.programs.stages import fetch_sources
from harness.problems.protocol import SuiteAsked
from harness.sandbox.bench import Bench
from harness.suite.load import choose, load_suite
from harness.toolchain.names import as_written

__all__ = ["check", "coverage", "profile", "show", "table"]


def _share(value: float) -> str:
    return f"{int(value * 1000) / 10:.1f} %"


_COUNT = "{:,}".format
_PROGRAMS = (
    Column("program", "name"),
    Column("origin", "origin"),
    Column("source", "source"),
    Column("licence", "licence"),
    Column("split", "split"),
    Column("files", "files", right=True),
    Column("lines", "lines", _COUNT, right=True),
    Column("IR at O0", "ir_instructions", _COUNT, right=True),
    Column("workloads", "workloads", lambda names: ", ".join(names)),
)
_FINDINGS = (
    Column("where", "place"),
    Column("program", "benchmark"),
    Column("check", "check"),
    Column("finding", "message"),
)
_NOT_OF_RESULTS = ("pinned result", "coverage", "exceptions")
"""Checks that say nothing against pinning the results that all builds agree on."""
_HOT_SHOWN, _MISSED_SHOWN = 10, 40
"""Functions that a table shows."""
_HOT = (
    Column("function", "function"),
    Column("instructions", "instructions", _COUNT, right=True),
    Column("share", "share", "{:.1%}".format, right=True),
)
_FACTS = (
    Column("program", "benchmark"),
    Column("origin", "origin"),
    Column("source", "source"),
    Column("licence", "licence"),
    Column("language", "language"),
    Column("split", "split"),
    Column("lines", "lines", _COUNT, right=True),
    Column("IR at O0", "ir_instructions", _COUNT, right=True),
    Column("Oz x86-64", "size_x86_64", "{:,.0f}".format, right=True),
    Column("Oz aarch64", "size_aarch64", "{:,.0f}".format, right=True),
    Column("executed", "instructions", "{:,.0f}".format, right=True),
    Column("time, s", "seconds", "{:.2f}".format, right=True),
)
_COVERAGE = (
    Column("program", "benchmark"),
    Column("functions", "functions", _COUNT, right=True),
    Column("executed", "functions_executed", _COUNT, right=True),
    Column("blocks", "blocks", _COUNT, right=True),
    Column("executed", "blocks_executed", _COUNT, right=True),
    Column("share", "share", _share, right=True),
    Column("target", "target", _share, right=True),
    Column("landing pads", "landing_pads", _COUNT, right=True),
    Column("executed", "landing_pads_executed", _COUNT, right=True),
)
_COVERED_BY = "coverage by the count workloads, -O0, x86-64"
_WORKLOADS = (
    Column("workload", "workload"),
    Column("blocks", "blocks", _COUNT, right=True),
    Column("it alone", "alone", _COUNT, right=True),
    Column("throws", "throws", lambda throws: "yes" if throws else "no"),
)
_MISSED = (
    Column("never executed in", "function", shortened),
    Column("blocks", "blocks", _COUNT, right=True),
    Column("never executed", "missed", _COUNT, right=True),
)


def show(name: str, bench: Bench | None) -> Answer:
    """The suite's programs; sizes only of those whose sources are here."""
    suite = load_suite(name)
    records = [describe_program(program, bench) for program in suite.programs]
    definition = suite.definition
    fields = {"name": suite.name, "version": definition.version, "description": definition.description}
    below: list[str] = []
    if any(record["lines"] is None for record in records):
        below.append(f"\n– not known before the sources are here: harness fetch {suite.name}")
    below += [f"absent: {program}: {reason}" for program, reason in definition.absent.items()]
    document = fields | {"absent": definition.absent, "benchmarks": records}
    return Answer((Table(records, _PROGRAMS, remarks=tuple(below)),), document=document)


def table(asked: SuiteAsked) -> Answer:
    """What the programs of a suite are, in figures."""
    programs = choose(load_suite(asked.suite), asked.benchmarks)
    fetch_sources(programs, asked.bench, asked.engine, asked.observer)
    records = [one.record() for one in suite_facts(programs, asked.bench, asked.engine, asked.observer)]
    if asked.options.get("markdown"):
        return Answer(text=_markdown(records))
    return Answer((Table(records, _FACTS),))


def _markdown(records: Sequence[dict[str, Any]]) -> str:
    rule = "|".join("---:" if column.right else "---" for column in _FACTS)
    rows = [
        " | ".join("–" if (value := record[c.field]) is None else c.show(value) for c in _FACTS) for record in records
    ]
    heading = " | ".join(column.heading for column in _FACTS)
    return "\n".join([f"| {heading} |", f"|{rule}|", *(f"| {row} |" for row in rows)])


def profile(asked: SuiteAsked) -> Answer:
    """Where programs spend their instructions: the functions that execute most."""
    if not asked.benchmarks:
        raise UsageError("which program?", hint="harness suites profile NAME BENCHMARK…")
    programs = choose(load_suite(asked.suite), asked.benchmarks)
    fetch_sources(programs, asked.bench, asked.engine, asked.observer)
    asked.bench.sandbox.probe()
    tables = []
    for program in programs:
        hot = hot_functions(program, Level.O2, Target.X86_64, asked.bench)
        records = [{"program": program.benchmark.name, **asdict(one)} for one in hot]
        first, rest = records[:_HOT_SHOWN], records[_HOT_SHOWN:]
        written = as_written([str(record["function"]) for record in first], asked.bench.toolchain)
        shown = [{**record, "function": written[str(record["function"])]} for record in first]
        below = (f"{len(rest)} more functions: {sum(one.share for one in hot[_HOT_SHOWN:]):.1%}",) if rest else ()
        title = f"{program.id}: count workloads, -O2, x86-64"
        tables.append(Table(records, _HOT, title, shown=shown, below=below))
    return Answer(tuple(tables))


def check(asked: SuiteAsked) -> Answer:
    """Admission of a suite or of some of its programs."""
    if faults := definition_findings(asked.suite):
        words = f"{len(faults)} fault{'s' if len(faults) > 1 else ''} in the definition: nothing was compiled"
        return _checked(faults, [], [words])
    suite = load_suite(asked.suite)
    programs = choose(suite, asked.benchmarks)
    fetch_sources(programs, asked.bench, asked.engine, asked.observer)
    lacking = tree_findings(suite, programs, asked.bench.store)
    complete = [program for program in programs if program.benchmark.name not in {one.benchmark for one in lacking}]
    result = check_suite(complete, asked.bench, asked.engine, asked.observer)
    findings = [*lacking, *result.findings]
    faulty = {finding.benchmark for finding in findings if finding.check not in _NOT_OF_RESULTS}
    admitted = len(programs) - len({finding.benchmark for finding in findings})
    notes = [f"{admitted} of {len(programs)} programs of {suite.name} are admitted"]
    if lacking:
        left = sorted({one.benchmark for one in lacking})
        notes.append(f"not compiled, since files are missing: {', '.join(left)}")
    if asked.options.get("write"):
        agreed = {name: results for name, results in result.agreed.items() if name not in faulty}
        notes.append(f"pinned the results of {len(agreed)} programs in {pin_results(suite, agreed)}")
    return _checked([*lacking, *(placed(finding, suite) for finding in result.findings)], result.coverage, notes)


def _checked(findings: Sequence[Finding], coverage: Sequence[ProgramCoverage], notes: Sequence[str]) -> Answer:
    """Findings, and what the workloads cover. CSV holds one table: that of the findings."""
    records = [asdict(finding) for finding in findings]
    covered = [one.record() for one in coverage]
    tables = (Table(records, _FINDINGS), Table(covered, _COVERAGE, _COVERED_BY, for_people=True))
    document = {"findings": records, "coverage": covered}
    return Answer(tables, tuple(notes), document, failed=bool(findings))


def coverage(asked: SuiteAsked) -> Answer:
    """Of a suite, one line a program; of programs that are named, also what each workload and function has of it.

    Failed where a program misses its target or throws no exception, though it can.
    """
    suite = load_suite(asked.suite)
    programs = choose(suite, asked.benchmarks)
    fetch_sources(programs, asked.bench, asked.engine, asked.observer)
    found = measure_coverage(programs, asked.bench, asked.engine, asked.observer)
    faults = [
        fault
        for program in programs
        for fault in coverage_findings(program, found[program.benchmark.name], asked.bench)
    ]
    known = [one for one in found.values() if not isinstance(one, str)]
    written = as_written({f.function for one in known for f in one.functions}, asked.bench.toolchain)
    whole = [_whole(one, written) for one in known]
    tables = [Table([one.record() for one in known], _COVERAGE, _COVERED_BY)]
    for one in whole if asked.benchmarks else ():
        missed = [function for function in one["by_function"] if function["missed"]]
        more = len(missed) - _MISSED_SHOWN
        below = (f"{more} more functions: --json has all of them",) if more > 0 else ()
        title = f"{suite.name}/{one['benchmark']}"
        tables.append(Table(one["by_workload"], _WORKLOADS, title, for_people=True))
        tables.append(Table(missed[:_MISSED_SHOWN], _MISSED, below=below, for_people=True))
    notes = tuple(f"{fault.benchmark}: {fault.message}" for fault in faults)
    return Answer(tuple(tables), notes, whole, failed=bool(faults))


def _whole(found: ProgramCoverage, written: Any) -> dict[str, Any]:
    """Everything that is known of it; functions with the most blocks that nothing executes first."""
    functions = sorted(found.functions, key=lambda f: (-f.missed, -f.blocks, f.function))
    return found.record() | {
        "by_workload": [asdict(workload) for workload in found.workloads],
        "by_function": [
            {"function": written[f.function], "blocks": f.blocks, "executed": f.executed, "missed": f.missed}
            for f in functions
        ],
    }
