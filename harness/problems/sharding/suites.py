"""What ``harness suites`` and ``harness fetch`` say of suites of sharding instances."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from harness.base.answers import Answer, Column, Table
from harness.base.errors import HarnessError, PrerequisiteError, UsageError
from harness.base.paths import cache_root
from harness.base.progress import Observer
from harness.base.store import Store
from harness.problems.protocol import SuiteAsked
from harness.problems.sharding.describe import Fault, describe_problem, instance_faults
from harness.problems.sharding.files import instance_content, keep_file, load_instance
from harness.problems.sharding.suite import load_sharding_suite
from harness.sandbox.bench import Bench

__all__ = ["check", "fetch", "show", "write"]

_NUMBER = "{:,}".format
_INSTANCES = (
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
_FAULTS = (Column("instance", "instance"), Column("check", "check"), Column("finding", "message"))


def show(name: str, bench: Bench | None, observer: Observer) -> Answer:
    """One suite's instances. Those that are new are parsed."""
    suite = load_sharding_suite(name)
    store = bench.store if bench else Store(cache_root())
    records: list[dict[str, Any]] = []
    observer.stage("load", len(suite.problems))
    for problem in suite.problems:
        records.append(describe_problem(problem, store))
        observer.advance(1, problem.id)
    definition = suite.definition
    fields = {"name": suite.name, "version": definition.version, "description": definition.description}
    remarks = [f"missing: {record['name']}: {record['missing']}" for record in records if record["missing"]]
    remarks += [f"absent: {instance}: {reason}" for instance, reason in definition.absent.items()]
    told = [record | {"remark": _remark(record)} for record in records]
    document = fields | {"absent": definition.absent, "instances": records}
    return Answer((Table(told, _INSTANCES, remarks=tuple(remarks)),), document=document)


def _remark(record: dict[str, Any]) -> str:
    return "missing" if record["missing"] else "optimal" if record["optimal"] else ""


def check(asked: SuiteAsked) -> Answer:
    """Whether instances are what the suite says."""
    suite = load_sharding_suite(asked.suite)
    problems = suite.choose(asked.benchmarks)
    faults: list[Fault] = []
    asked.observer.stage("check", len(problems))
    for fault in instance_faults(suite, problems, asked.bench.store):
        if fault is None:
            asked.observer.advance(1, suite.name)
        else:
            faults.append(fault)
    sound = len(problems) - len({fault.instance for fault in faults})
    note = f"{sound} of {len(problems)} instances of {suite.name} are sound"
    return Answer((Table([asdict(fault) for fault in faults], _FAULTS),), (note,), failed=bool(faults))


def fetch(asked: SuiteAsked, folder: Path | None) -> Answer:
    """Get every instance's file, or those in ``folder``, and parse it. Failed when one is not to be had."""
    suite, store = load_sharding_suite(asked.suite), asked.bench.store
    missing: list[HarnessError] = []
    asked.observer.stage("fetch", len(suite.problems))
    for problem in suite.problems:
        try:
            if folder is not None:
                keep_file(problem, folder, store)
            load_instance(problem, store)
        except PrerequisiteError as error:
            missing.append(error)
        asked.observer.advance(1, problem.id)
    there = f"{len(suite.problems) - len(missing)} of {len(suite.problems)} instances are here and verified"
    notes = (*(f"missing: {why}" for why in missing), f"{asked.suite}: {there}")
    return Answer(notes=notes, failed=bool(missing))


def write(asked: SuiteAsked) -> Answer:
    """Write an instance's file as solvers of one's own read it: gzipped where it was published so."""
    if len(asked.benchmarks) != 1:
        raise UsageError("which instance?", hint="harness suites write NAME INSTANCE [--output FILE]")
    suite = load_sharding_suite(asked.suite)
    (problem,) = suite.choose(asked.benchmarks)
    content = instance_content(problem, asked.bench.store)
    path = asked.options.get("output") or Path(Path(problem.entry.file or f"{problem.entry.name}.json").name)
    try:
        path.write_bytes(content)
    except OSError as error:
        raise UsageError(f"cannot be written: {error.strerror or error}", where=str(path)) from None
    return Answer(notes=(f"{problem.id} in {path}",))
