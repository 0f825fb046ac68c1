"""``harness replay`` and ``harness repro`` of solvers' rows: the recorded assignment, judged again.

No solver is loaded: instance + decisions → cost.
"""

import hashlib
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from harness.base.errors import UsageError
from harness.base.progress import Observer
from harness.base.text import comment
from harness.base.vocabulary import Outcome
from harness.problems.sharding.cell import assignment_of
from harness.problems.sharding.evaluate import evaluate, memory_profile, verify
from harness.problems.sharding.files import instance_content, load_instance
from harness.problems.sharding.suite import Problem, load_sharding_suite
from harness.record import Row, RunFile
from harness.record.decisions import load_decisions
from harness.sandbox.bench import Bench

__all__ = ["Judged", "judge_again", "judging_script", "problem_of"]


@dataclass(frozen=True, slots=True)
class Judged:
    """One cell, judged again."""

    benchmark: str
    policy: str
    outcome: str
    """``ok`` where cost and peak are those recorded, else ``not-replayable``."""
    recorded: int
    """Cost."""
    judged: int | None
    detail: str = ""


def judge_again(
    run: RunFile, bench: Bench, observer: Observer,
    benchmarks: Sequence[str] = (), policies: Sequence[str] = (), suite: str | None = None,
) -> list[Judged]:  # fmt: skip
    """Judge every cell of the run that has an assignment, or those of these instances and solvers.

    Raises UsageError when an instance is not the one of the run, or nothing is left.
    """
    costs = {(row.benchmark, row.policy): row for row in run.rows if row.metric == "cost"}
    peaks = {(row.benchmark, row.policy): row.value for row in run.rows if row.metric == "usage.peak"}
    chosen = [
        (row, peaks.get(names))
        for names, row in sorted(costs.items())
        if (not benchmarks or row.benchmark in benchmarks) and (not policies or row.policy in policies)
    ]
    if not chosen:
        raise UsageError("no cell of this run fits", where=run.path.name)
    observer.stage("replay", len(chosen))
    answers = []
    for row, peak in chosen:
        answers.append(_judged(run, row, peak, bench, suite))
        observer.advance(1, f"{row.benchmark} {row.policy}")
    return answers


def _judged(run: RunFile, row: Row, peak: float | None, bench: Bench, suite: str | None) -> Judged:
    assert row.decisions_digest is not None and isinstance(row.value, int)
    assignment = assignment_of(load_decisions(run.path.parent, row.decisions_digest))
    instance = load_instance(problem_of(run, row.benchmark, suite), bench.store)
    if why := verify(instance, assignment):
        return Judged(row.benchmark, row.policy, Outcome.NOT_REPLAYABLE.value, row.value, None, why)
    cost, usage = evaluate(instance, assignment), memory_profile(instance, assignment).peak
    if (cost, usage) != (row.value, peak):
        detail = "the assignment has another cost" if cost != row.value else f"it uses {usage:,} bytes, not {peak:,}"
        return Judged(row.benchmark, row.policy, Outcome.NOT_REPLAYABLE.value, row.value, cost, detail)
    return Judged(row.benchmark, row.policy, Outcome.OK.value, row.value, cost)


def problem_of(run: RunFile, instance: str, suite: str | None = None) -> Problem:
    """The instance as it is now. Raises UsageError when it is not to be found, or not what the run solved."""
    loaded = load_sharding_suite(suite or run.header.suite)
    if loaded.name != run.header.suite:
        raise UsageError(f"this is suite {loaded.name!r}; the run is of {run.header.suite!r}", where=str(loaded.file))
    (problem,) = loaded.choose([instance])
    if problem.digest != run.header.benchmarks[instance].program_digest:
        raise UsageError(
            f"{problem.id} has changed since this run",
            where=run.path.name,
            hint=f"check out the commit of the run: {run.header.commit or 'not recorded'}",
        )
    return problem


def judging_script(run: RunFile, row: Row, bench: Bench, suite: str | None = None) -> str:
    """A shell script that judges the row's assignment with nothing but Python: an evaluator to be read in a minute.

    Raises UsageError for a row without an assignment.
    """
    if row.decisions_digest is None:
        raise UsageError(f"this row has no assignment: {row.outcome.value}, {row.detail}", where=run.path.name)
    problem = problem_of(run, row.benchmark, suite)
    content = instance_content(problem, bench.store)
    costs = [r.value for r in run.rows if (r.cell, r.policy, r.metric) == (row.cell, row.policy, "cost")]
    if not costs or not isinstance(costs[0], int):
        raise UsageError(f"this row's assignment has no cost: {row.outcome.value}, {row.detail}", where=run.path.name)
    assignment = assignment_of(load_decisions(run.path.parent, row.decisions_digest))
    file = problem.entry.file or f"{problem.entry.name}.json"
    return _SCRIPT.format(
        heading=comment(f"{problem.id}, solved by {row.policy}, as recorded in"),
        source=comment(f"{run.header.run}: cost {costs[0]}."),
        usage=comment(f"usage: sh SCRIPT [FILE]   FILE: the instance, {file} (default: in the current folder)"),
        writer=comment(f"It is published; `harness suites write {problem.suite} {problem.entry.name}` writes it too."),
        file=shlex.quote(file),
        digest=hashlib.sha256(content).hexdigest(),
        cost=costs[0],
        assignment=assignment,
    )


_SCRIPT = """\
#!/bin/sh
{heading}
{source}
{usage}
{writer}
file={file}
exec python3 - "${{1:-$file}}" <<'END_OF_PROGRAM'
import gzip, hashlib, json, sys

assignment = {assignment}

with open(sys.argv[1], "rb") as file:
    content = file.read()
if hashlib.sha256(content).hexdigest() != "{digest}":
    sys.exit("this is another instance")
if content.startswith(bytes([0x1F, 0x8B])):
    content = gzip.decompress(content)
problem = json.loads(content)["problem"]
nodes, edges = problem["nodes"], problem["edges"]

assert len(assignment) == len(nodes["costs"])
assert all(0 <= x < len(costs) for x, costs in zip(assignment, nodes["costs"]))
cost = sum(costs[x] for x, costs in zip(assignment, nodes["costs"]))
for (a, b), costs in zip(edges["nodes"], edges["costs"]):
    cost += costs[assignment[a] * len(nodes["costs"][b]) + assignment[b]]

changes = {{}}
for (begin, end), usages, x in zip(nodes["intervals"], nodes["usages"], assignment):
    changes[begin] = changes.get(begin, 0) + usages[x]
    changes[end] = changes.get(end, 0) - usages[x]
usage = peak = 0
for moment in sorted(changes):
    usage += changes[moment]
    peak = max(peak, usage)

limit = problem.get("usage_limit")
print("cost", cost, "peak", peak, "limit", limit)
if limit is not None and peak > limit:
    sys.exit("not feasible")
if cost != {cost}:
    sys.exit("the cost differs")
print("equal")
END_OF_PROGRAM
"""
