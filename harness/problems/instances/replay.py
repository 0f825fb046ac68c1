"""``harness replay`` and ``harness repro`` of solvers' rows: the recorded assignment, judged again.

No solver is loaded: instance + decisions → cost.
"""

import hashlib
import shlex
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from harness.base.errors import UsageError
from harness.base.progress import Observer
from harness.base.text import comment
from harness.base.vocabulary import Outcome
from harness.measure import find_metric
from harness.problems.instances.cell import assignment_of
from harness.problems.instances.domain import Domain, Solution
from harness.problems.instances.files import instance_content, load_instance
from harness.problems.instances.metrics import COST, SECONDS
from harness.problems.instances.suite import SuiteInstance, load_instances
from harness.record import Row, RunFile
from harness.record.decisions import load_decisions
from harness.sandbox.bench import Bench

__all__ = ["Judged", "instance_of", "judge_again", "judging_script"]


@dataclass(frozen=True, slots=True)
class Judged:
    """One cell, judged again."""

    benchmark: str
    policy: str
    outcome: str
    """``ok`` where all that it is worth is as recorded, else ``not-replayable``."""
    recorded: int
    """Cost."""
    judged: int | None
    detail: str = ""


def judge_again(
    domain: Domain[Any], run: RunFile, bench: Bench, observer: Observer,
    benchmarks: Sequence[str] = (), policies: Sequence[str] = (), suite: str | None = None,
) -> list[Judged]:  # fmt: skip
    """Judge every cell of the run that has an assignment, or those of these instances and solvers.

    Raises UsageError when an instance is not the one of the run, or nothing is left.
    """
    cells: dict[tuple[str, str, int, int], dict[str, Row]] = defaultdict(dict)
    for row in run.rows:
        if row.metric is not None and row.metric != SECONDS:
            cells[row.benchmark, row.policy, row.seed, row.copy_][row.metric] = row
    chosen = [
        rows
        for (benchmark, policy, _, _), rows in sorted(cells.items())
        if COST in rows and (not benchmarks or benchmark in benchmarks) and (not policies or policy in policies)
    ]
    if not chosen:
        raise UsageError("no cell of this run fits", where=run.path.name)
    observer.stage("replay", len(chosen))
    answers = []
    for rows in chosen:
        answers.append(_judged(domain, run, rows[COST], rows.values(), bench, suite))
        observer.advance(1, f"{rows[COST].benchmark} {rows[COST].policy}")
    return answers


def _judged(
    domain: Domain[Any], run: RunFile, row: Row, recorded: Iterable[Row], bench: Bench, suite: str | None
) -> Judged:
    assert row.decisions_digest is not None and isinstance(row.value, int)
    assignment = np.array(assignment_of(domain, load_decisions(run.path.parent, row.decisions_digest)), np.int64)
    instance = load_instance(instance_of(domain, run, row.benchmark, suite), bench.store)
    if why := domain.verify(instance, assignment):
        return Judged(row.benchmark, row.policy, Outcome.NOT_REPLAYABLE.value, row.value, None, why)
    solution = Solution(instance, assignment, domain.cost(instance, assignment), 0.0)
    found = {str(one.metric): (one.value, find_metric(str(one.metric)).measure(solution)) for one in recorded}
    differing = [f"{name} is {now}, not {then}" for name, (then, now) in found.items() if then != now]
    outcome = Outcome.NOT_REPLAYABLE if differing else Outcome.OK
    return Judged(row.benchmark, row.policy, outcome.value, row.value, solution.cost, "; ".join(differing))


def instance_of(domain: Domain[Any], run: RunFile, name: str, suite: str | None = None) -> SuiteInstance:
    """The instance as it is now. Raises UsageError when it is not to be found, or not what the run solved."""
    loaded = load_instances(domain, suite or run.header.suite)
    if loaded.name != run.header.suite:
        raise UsageError(f"this is suite {loaded.name!r}; the run is of {run.header.suite!r}", where=str(loaded.file))
    (instance,) = loaded.choose([name])
    if instance.digest != run.header.benchmarks[name].program_digest:
        raise UsageError(
            f"{instance.id} has changed since this run",
            where=run.path.name,
            hint=f"check out the commit of the run: {run.header.commit or 'not recorded'}",
        )
    return instance


def judging_script(domain: Domain[Any], run: RunFile, row: Row, bench: Bench, suite: str | None = None) -> str:
    """A shell script that judges the row's assignment with nothing but Python: an evaluator to be read in a minute.

    Raises UsageError for a row without an assignment.
    """
    if row.decisions_digest is None:
        raise UsageError(f"this row has no assignment: {row.outcome.value}, {row.detail}", where=run.path.name)
    instance = instance_of(domain, run, row.benchmark, suite)
    content = instance_content(instance, bench.store)
    costs = [r.value for r in run.rows if (r.cell, r.policy, r.metric) == (row.cell, row.policy, COST)]
    if not costs or not isinstance(costs[0], int):
        raise UsageError(f"this row's assignment has no cost: {row.outcome.value}, {row.detail}", where=run.path.name)
    assignment = assignment_of(domain, load_decisions(run.path.parent, row.decisions_digest))
    file = instance.entry.file or f"{instance.entry.name}.json"
    return _SCRIPT.format(
        heading=comment(f"{instance.id}, solved by {row.policy}, as recorded in"),
        source=comment(f"{run.header.run}: cost {costs[0]}."),
        usage=comment(f"usage: sh SCRIPT [FILE]   FILE: the instance, {file} (default: in the current folder)"),
        writer=comment(f"`harness suites write {instance.suite} {instance.entry.name}` writes that file."),
        file=shlex.quote(file),
        digest=hashlib.sha256(content).hexdigest(),
        cost=costs[0],
        assignment=assignment,
        judging=domain.script.strip(),
    )


_SCRIPT = """\
#!/bin/sh
{heading}
{source}
{usage}
{writer}
file={file}
exec python3 - "${{1:-$file}}" <<'END_OF_PROGRAM'
import gzip, hashlib, sys

assignment = {assignment}

with open(sys.argv[1], "rb") as file:
    content = file.read()
if hashlib.sha256(content).hexdigest() != "{digest}":
    sys.exit("this is another instance")
if content.startswith(bytes([0x1F, 0x8B])):
    content = gzip.decompress(content)
{judging}
if cost != {cost}:
    sys.exit("the cost differs")
print("equal")
END_OF_PROGRAM
"""
