"""What ``harness suites`` and ``harness fetch`` say of suites of instances."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from harness.base.answers import Answer, Column, Table
from harness.base.errors import HarnessError, PrerequisiteError, UsageError
from harness.base.paths import cache_root
from harness.base.progress import Observer
from harness.base.store import Store
from harness.problems.instances.describe import Fault, describe_instance, instance_faults
from harness.problems.instances.domain import Domain
from harness.problems.instances.files import instance_content, keep_file, load_instance
from harness.problems.instances.suite import load_instances
from harness.problems.protocol import SuiteAsked
from harness.sandbox.bench import Bench

__all__ = ["check", "fetch", "show", "write"]

_NUMBER = "{:,}".format
_FIRST = (
    Column("instance", "name"),
    Column("origin", "origin"),
    Column("split", "split"),
    Column("limit, s", "seconds", "{:g}".format, right=True),
)
_LAST = (
    Column("best known", "best", _NUMBER, right=True),
    Column("lower bound", "bound", _NUMBER, right=True),
    Column("", "remark"),
)
_FAULTS = (Column("instance", "instance"), Column("check", "check"), Column("finding", "message"))


def show(domain: Domain[Any], name: str, bench: Bench | None, observer: Observer) -> Answer:
    """One suite's instances. Those that are new are parsed."""
    suite = load_instances(domain, name)
    store = bench.store if bench else Store(cache_root())
    records: list[dict[str, Any]] = []
    observer.stage("load", len(suite.instances))
    for instance in suite.instances:
        records.append(describe_instance(instance, store))
        observer.advance(1, instance.id)
    definition = suite.definition
    fields = {"name": suite.name, "version": definition.version, "description": definition.description}
    remarks = [f"missing: {record['name']}: {record['missing']}" for record in records if record["missing"]]
    remarks += [f"absent: {absent}: {reason}" for absent, reason in definition.absent.items()]
    sizes = [Column(heading, field, _NUMBER, right=True) for field, heading in domain.measures.items()]
    columns = (*_FIRST, *sizes, *_LAST)
    told = [record | {"remark": _remark(record)} for record in records]
    document = fields | {"absent": definition.absent, "instances": records}
    return Answer((Table(told, columns, remarks=tuple(remarks)),), document=document)


def _remark(record: dict[str, Any]) -> str:
    return "missing" if record["missing"] else "optimal" if record["optimal"] else ""


def check(domain: Domain[Any], asked: SuiteAsked) -> Answer:
    """Whether instances are what the suite says."""
    suite = load_instances(domain, asked.suite)
    instances = suite.choose(asked.benchmarks)
    faults: list[Fault] = []
    asked.observer.stage("check", len(instances))
    for fault in instance_faults(suite, instances, asked.bench.store):
        if fault is None:
            asked.observer.advance(1, suite.name)
        else:
            faults.append(fault)
    sound = len(instances) - len({fault.instance for fault in faults})
    note = f"{sound} of {len(instances)} instances of {suite.name} are sound"
    return Answer((Table([asdict(fault) for fault in faults], _FAULTS),), (note,), failed=bool(faults))


def fetch(domain: Domain[Any], asked: SuiteAsked, folder: Path | None) -> Answer:
    """Get every instance's file, or those in ``folder``, and parse it. Failed when one is not to be had."""
    suite, store = load_instances(domain, asked.suite), asked.bench.store
    missing: list[HarnessError] = []
    asked.observer.stage("fetch", len(suite.instances))
    for instance in suite.instances:
        try:
            if folder is not None:
                keep_file(instance, folder, store)
            load_instance(instance, store)
        except PrerequisiteError as error:
            missing.append(error)
        asked.observer.advance(1, instance.id)
    there = f"{len(suite.instances) - len(missing)} of {len(suite.instances)} instances are here and verified"
    notes = (*(f"missing: {why}" for why in missing), f"{asked.suite}: {there}")
    return Answer(notes=notes, failed=bool(missing))


def write(domain: Domain[Any], asked: SuiteAsked) -> Answer:
    """Write an instance's file as solvers of one's own read it: gzipped where it was published so."""
    if len(asked.benchmarks) != 1:
        raise UsageError("which instance?", hint="harness suites write NAME INSTANCE [--output FILE]")
    suite = load_instances(domain, asked.suite)
    (instance,) = suite.choose(asked.benchmarks)
    content = instance_content(instance, asked.bench.store)
    path = asked.options.get("output") or Path(Path(instance.entry.file or f"{instance.entry.name}.json").name)
    try:
        path.write_bytes(content)
    except OSError as error:
        raise UsageError(f"cannot be written: {error.strerror or error}", where=str(path)) from None
    return Answer(notes=(f"{instance.id} in {path}",))
