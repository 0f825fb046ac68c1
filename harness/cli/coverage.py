"""``harness suites coverage``: what the workloads of programs execute, for whoever writes workloads."""

import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from harness.base.errors import UsageError
from harness.checks.admission.coverage import ProgramCoverage, coverage_findings, measure_coverage, shortened
from harness.cli.output import Column, Format, emit, note, observer, say
from harness.problems.programs.stages import fetch_sources
from harness.run.engines import local_engine
from harness.sandbox.bench import open_bench
from harness.suite.load import choose, load_suite, suite_names
from harness.toolchain.names import as_written

__all__ = ["coverage", "show_coverage"]


def _share(value: float) -> str:
    return f"{int(value * 1000) / 10:.1f} %"


COVERAGE_COLUMNS = (
    Column("program", "benchmark"),
    Column("functions", "functions", "{:,}".format, right=True),
    Column("executed", "functions_executed", "{:,}".format, right=True),
    Column("blocks", "blocks", "{:,}".format, right=True),
    Column("executed", "blocks_executed", "{:,}".format, right=True),
    Column("share", "share", _share, right=True),
    Column("target", "target", _share, right=True),
    Column("landing pads", "landing_pads", "{:,}".format, right=True),
    Column("executed", "landing_pads_executed", "{:,}".format, right=True),
)
_SHOWN = 40
"""Functions that a table shows."""
_TITLE = "coverage by the count workloads, -O0, x86-64"
WORKLOAD_COLUMNS = (
    Column("workload", "workload"),
    Column("blocks", "blocks", "{:,}".format, right=True),
    Column("it alone", "alone", "{:,}".format, right=True),
    Column("throws", "throws", lambda throws: "yes" if throws else "no"),
)
FUNCTION_COLUMNS = (
    Column("never executed in", "function", shortened),
    Column("blocks", "blocks", "{:,}".format, right=True),
    Column("never executed", "missed", "{:,}".format, right=True),
)


def show_coverage(found: Sequence[ProgramCoverage]) -> None:
    """One line a program."""
    if found:
        emit([one.record() for one in found], COVERAGE_COLUMNS, Format.TABLE, title=_TITLE)


def coverage(names: list[str], jobs: int | None, trust: bool, format_: Format) -> int:
    """Of a suite, one line a program; of programs that are named, also what each workload and function has of it.

    Exit code 1 where a program misses its target or throws no exception, though it can.
    """
    if not names:
        raise UsageError("which suite?", hint=f"harness suites coverage NAME; there are: {', '.join(suite_names())}")
    suite = load_suite(names[0])
    programs = choose(suite, names[1:])
    bench, engine, progress = open_bench(trust=trust), local_engine(jobs or len(os.sched_getaffinity(0))), observer()
    try:
        fetch_sources(programs, bench, engine, progress)
        found = measure_coverage(programs, bench, engine, progress)
    finally:
        progress.close()
    faults = [
        fault for program in programs for fault in coverage_findings(program, found[program.benchmark.name], bench)
    ]
    known = [one for one in found.values() if not isinstance(one, str)]
    written = as_written({f.function for one in known for f in one.functions}, bench.toolchain)
    if format_ is Format.JSON:
        print(json.dumps([_whole(one, written) for one in known], indent=2))
    elif format_ is Format.CSV:
        emit([one.record() for one in known], COVERAGE_COLUMNS, format_)
    else:
        show_coverage(known)
        for one in known if names[1:] else ():
            say("")
            emit([asdict(w) for w in one.workloads], WORKLOAD_COLUMNS, format_, title=f"{suite.name}/{one.benchmark}")
            say("")
            functions = [f for f in _whole(one, written)["by_function"] if f["missed"]]
            emit(functions[:_SHOWN], FUNCTION_COLUMNS, format_)
            if len(functions) > _SHOWN:
                say(f"{len(functions) - _SHOWN} more functions: --json has all of them")
    for fault in faults:
        note(f"{fault.benchmark}: {fault.message}")
    return 1 if faults else 0


def _whole(found: ProgramCoverage, written: Any) -> dict[str, Any]:
    """Everything that is known of it; functions with the most blocks that nothing executes first."""
    functions = sorted(found.functions, key=lambda f: (-f.missed, -f.blocks, f.function))
    return found.record() | {
        "by_workload": [asdict(w) for w in found.workloads],
        "by_function": [
            {"function": written[f.function], "blocks": f.blocks, "executed": f.executed, "missed": f.missed}
            for f in functions
        ],
    }
