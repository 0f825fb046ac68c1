"""One cell: a solver on an instance, under a stated limit of time and on stated cores."""

import gzip
import sys
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from harness.apply.decisions import Decisions
from harness.base.digest import digest_of
from harness.base.errors import CellError, UsageError
from harness.base.machine import cpu_model
from harness.base.vocabulary import Isolation, Outcome, Target, Track
from harness.measure import Breakdown, find_metric
from harness.policy import Policy
from harness.problems.sharding.files import instance_content, load_instance
from harness.problems.sharding.instance import Instance
from harness.problems.sharding.judge import Solution, history, judge
from harness.problems.sharding.names import SHARDING, SOLVER
from harness.problems.sharding.solve import run_solver
from harness.problems.sharding.solver import prepare_solver, solver_job
from harness.problems.sharding.suite import Problem
from harness.record import Row
from harness.record.journal import entry_name
from harness.record.recorder import Recorded
from harness.record.rows import History
from harness.sandbox.bench import Bench

__all__ = ["SolverCell", "SolverResult", "assignment_of", "with_key"]

_JUDGING = 1
"""To be raised with every change of what an assignment costs or which one counts: no cell keeps an old value then."""
_AREA = "solved"
_GZIP = b"\x1f\x8b"
_MOST_STRATEGIES = 1 << 31


@dataclass(frozen=True)
class SolverCell:
    """What is solved, by whom, how: ``harness.problems.protocol.Task``."""

    problem: Problem
    policy: Policy
    time_scale: float
    """Of the instance's limit."""
    cores: tuple[int, ...]
    """That the solver runs on."""
    metrics: tuple[str, ...] = ()
    key: str = ""
    """Digest of everything that the result depends on, once that is known."""

    @property
    def seconds(self) -> float:
        """Its limit of wall time."""
        return self.problem.entry.seconds * self.time_scale

    @property
    def weight(self) -> float:
        """The same."""
        return self.seconds

    @property
    def name(self) -> str:
        """For people."""
        return f"{self.problem.id} {self.policy.name}"

    @property
    def entry(self) -> str:
        """Its name in the journal."""
        return entry_name(self.key, self.policy.name)

    def known(self, bench: Bench) -> "SolverResult | None":
        """The result in the cache, if it has all of the metrics."""
        known = bench.store.get(bench.area(_AREA), self.key)
        if known is None:
            return None
        lists = {"seconds": tuple(known["seconds"]), "costs": tuple(known["costs"])}
        result = SolverResult(**{**known, **lists, "outcome": Outcome(known["outcome"])})
        return result if result.outcome is not Outcome.OK or set(self.metrics) <= set(result.values) else None

    def compute(self, bench: Bench) -> "SolverResult":
        """Run the solver. Raises UnsoundError where the assignment costs less than the proven lower bound."""
        return _solve(self, bench)

    def keep(self, result: "SolverResult", bench: Bench) -> None:
        """Put the result into the cache, unless it may be the machine's fault."""
        if not result.transient:
            bench.store.put(bench.area(_AREA), self.key, asdict(result))

    def recorded(self, result: "SolverResult", isolation: Isolation) -> Recorded:
        """Its rows, the assignment, and cost over time."""
        return Recorded(result.rows(self, isolation), result.decisions, result.history(self))


@dataclass(frozen=True)
class SolverResult:
    """How it ended."""

    key: str
    outcome: Outcome
    detail: str = ""
    decisions: str | None = None
    """The decisions file, as text."""
    decisions_digest: str | None = None
    values: dict[str, int | float] = field(default_factory=dict)
    seconds: tuple[float, ...] = ()
    """When each answer that was better than those before was printed."""
    costs: tuple[int, ...] = ()
    """Of these answers."""
    transient: bool = False
    """It may be the machine's fault: the next run tries again."""

    def rows(self, cell: SolverCell, isolation: Isolation) -> list[Row]:
        """The rows that a run file gets: one a metric, or one that says why there are none."""
        manifest = cell.policy.manifest
        common: dict[str, Any] = {
            "cell": self.key,
            "benchmark": cell.problem.entry.name,
            "target": Target.X86_64,
            "track": Track.SHARDING,
            "problem": manifest.problem,
            "form": manifest.form,
            "policy_class": manifest.policy_class,
            "policy": cell.policy.name,
            "policy_digest": cell.policy.digest,
            "seed": manifest.seeds[0],
            "isolation": isolation,
            "frozen_digest": None,
            "decisions_digest": self.decisions_digest,
            "object_digest": None,
            "outcome": self.outcome,
            "detail": self.detail,
        }
        if self.outcome is not Outcome.OK:
            return [Row(**common)]
        return [
            Row(**common, metric=name, unit=find_metric(name).unit_on(Target.X86_64), value=self.values[name])
            for name in cell.metrics
        ]

    def history(self, cell: SolverCell) -> History | None:
        """Cost over time; None without a feasible answer."""
        if not self.costs:
            return None
        names = {"cell": self.key, "benchmark": cell.problem.entry.name, "policy": cell.policy.name}
        return History(**names, seconds=self.seconds, costs=self.costs)


def with_key(cell: SolverCell, bench: Bench) -> SolverCell:
    """The cell with its key: of all that the result depends on, as far as it can be said, since a clock ends it."""
    is_python = cell.policy.manifest.form == "python"
    key = digest_of(
        {
            "solver cell": _JUDGING,
            "instance": cell.problem.digest,
            "policy": cell.policy.digest,
            "seconds": cell.seconds,
            "cores": len(cell.cores),
            "cpu": cpu_model(),
            "language": [sys.version, *_libraries()] if is_python else bench.toolchain.fingerprint.llvm,
            "runtime": bench.toolchain.runtime_fingerprint(Target.X86_64),
        }
    )
    return replace(cell, key=key)


def assignment_of(decisions: Decisions) -> list[int]:
    """What ``SolverResult.decisions`` holds. Raises UsageError for decisions that are not an assignment."""
    found = decisions.body.get("assignment")
    if decisions.problem != SHARDING or not isinstance(found, list):
        raise UsageError("these decisions are not an assignment of a sharding instance")
    if any(type(strategy) is not int or not 0 <= strategy < _MOST_STRATEGIES for strategy in found):
        raise UsageError("an assignment is a list of the nodes' strategies, whole numbers from 0 on")
    return found


def _solve(cell: SolverCell, bench: Bench) -> SolverResult:
    entry, policy = cell.problem.entry, cell.policy
    found: dict[str, Any] = {}
    try:
        solver = prepare_solver(policy.contents[SOLVER], policy.manifest.files[SOLVER], bench)
        instance = load_instance(cell.problem, bench.store)
        with bench.store.scratch() as folder:
            file = folder / "instance.json"
            _write_json(cell.problem, file, bench)
            attempt = run_solver(
                solver_job(solver, file, cell.seconds, cell.cores, bench), instance.nodes, bench.sandbox
            )
        improvements = history(attempt, instance, entry.bound, cell.problem.id)
        found["seconds"] = tuple(round(one.seconds, 3) for one in improvements)
        found["costs"] = tuple(one.cost for one in improvements)
        solution = judge(attempt, instance, entry.bound, cell.problem.id)
        decisions = _decisions(solution, instance)
        found |= {"decisions": decisions.content.decode(), "decisions_digest": decisions.digest}
        measured = {name: find_metric(name).measure(solution) for name in cell.metrics}
        values = {name: one.value if isinstance(one, Breakdown) else one for name, one in measured.items()}
        return SolverResult(cell.key, Outcome.OK, values=values, **found)
    except CellError as error:
        return SolverResult(cell.key, error.outcome, error.message, transient=error.transient, **found)


def _decisions(solution: Solution, instance: Instance) -> Decisions:
    return Decisions(SHARDING, None, {"assignment": solution.assignment.tolist(), "nodes": instance.nodes})


def _write_json(problem: Problem, file: Path, bench: Bench) -> None:
    content = instance_content(problem, bench.store)
    file.write_bytes(gzip.decompress(content) if content.startswith(_GZIP) else content)


def _libraries() -> list[str]:
    """What a ``solver.py`` may import."""
    from importlib.metadata import version

    return [version("numpy"), version("highspy")]
