"""``harness suites`` and ``harness fetch`` of sharding instances."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from harness.base.errors import HarnessError, PrerequisiteError, UsageError
from harness.cli.output import Column, Format, emit, note, observer
from harness.problems.sharding.describe import Fault, describe_problem, instance_faults
from harness.problems.sharding.files import instance_content, keep_file, load_instance
from harness.problems.sharding.suite import load_sharding_suite
from harness.sandbox.bench import open_bench

__all__ = ["check_instances", "fetch_instances", "show_instances", "write_instance"]

_NUMBER = "{:,}".format
COLUMNS = (
    Column("instance", "name"),
    Column("origin", "origin"),
    Column("split", "split"),
    Column("limit, s", "seconds", "{:g}".format, right=True),
    Column("nodes", "nodes", _NUMBER, right=True),
    Column("edges", "edges", _NUMBER, right=True),
    Column("strategies", "strategies", _NUMBER, right=True),
    Column("memory limit", "usage_limit", _NUMBER, right=True),
    Column("best known", "best", _NUMBER, right=True),
    Column("lower bound", "bound", _NUMBER, right=True),
    Column("", "remark"),
)
FAULTS = (Column("instance", "instance"), Column("check", "check"), Column("finding", "message"))


def show_instances(name: str, format_: Format) -> int:
    """One suite's instances. Those that are new are parsed."""
    suite, store, progress = load_sharding_suite(name), open_bench().store, observer()
    records: list[dict[str, Any]] = []
    try:
        progress.stage("load", len(suite.problems))
        for problem in suite.problems:
            records.append(describe_problem(problem, store))
            progress.advance(1, problem.id)
    finally:
        progress.close()
    definition = suite.definition
    if format_ is Format.JSON:
        fields = {"name": suite.name, "version": definition.version, "description": definition.description}
        print(json.dumps(fields | {"absent": definition.absent, "instances": records}, indent=2))
        return 0
    emit([record | {"remark": _remark(record)} for record in records], COLUMNS, format_)
    if format_ is Format.TABLE:
        for record in records:
            if record["missing"]:
                note(f"missing: {record['name']}: {record['missing']}")
        for name, reason in definition.absent.items():
            note(f"absent: {name}: {reason}")
    return 0


def _remark(record: dict[str, Any]) -> str:
    return "missing" if record["missing"] else "optimal" if record["optimal"] else ""


def check_instances(names: list[str], format_: Format) -> int:
    """Whether instances are what the suite says. Exit code 1 when there are findings."""
    suite = load_sharding_suite(names[0])
    problems = suite.choose(names[1:])
    faults: list[Fault] = []
    store, progress = open_bench().store, observer()
    try:
        progress.stage("check", len(problems))
        for fault in instance_faults(suite, problems, store):
            if fault is None:
                progress.advance(1, suite.name)
            else:
                faults.append(fault)
    finally:
        progress.close()
    if faults or format_ is not Format.TABLE:
        emit([asdict(fault) for fault in faults], FAULTS, format_)
    sound = len(problems) - len({fault.instance for fault in faults})
    note(f"{sound} of {len(problems)} instances of {suite.name} are sound")
    return 1 if faults else 0


def fetch_instances(name: str, folder: Path | None) -> int:
    """Get every instance's file, or those in ``folder``, and parse it. Exit code 1 when one is not to be had."""
    suite, store, progress = load_sharding_suite(name), open_bench().store, observer()
    missing: list[HarnessError] = []
    try:
        progress.stage("fetch", len(suite.problems))
        for problem in suite.problems:
            try:
                if folder is not None:
                    keep_file(problem, folder, store)
                load_instance(problem, store)
            except PrerequisiteError as error:
                missing.append(error)
            progress.advance(1, problem.id)
    finally:
        progress.close()
    for why in missing:
        note(f"missing: {why}")
    note(f"{name}: {len(suite.problems) - len(missing)} of {len(suite.problems)} instances are here and verified")
    return 1 if missing else 0


def write_instance(names: list[str], output: Path | None) -> int:
    """Write an instance's file as solvers of one's own read it: gzipped where it was published so."""
    if len(names) != 2:
        raise UsageError("which instance?", hint="harness suites write NAME INSTANCE [--output FILE]")
    suite = load_sharding_suite(names[0])
    (problem,) = suite.choose(names[1:])
    content = instance_content(problem, open_bench().store)
    path = output or Path(Path(problem.entry.file or f"{problem.entry.name}.json").name)
    try:
        path.write_bytes(content)
    except OSError as error:
        raise UsageError(f"cannot be written: {error.strerror or error}", where=str(path)) from None
    note(f"{problem.id} in {path}")
    return 0
