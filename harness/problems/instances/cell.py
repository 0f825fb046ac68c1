"""One cell: a solver on an instance, under a stated limit of time and on stated cores."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from harness.apply.decisions import Decisions
from harness.base.digest import digest_of
from harness.base.errors import CellError, UsageError
from harness.base.machine import machine
from harness.base.vocabulary import Isolation, Outcome, Target
from harness.measure import Breakdown, current, find_metric, labelled
from harness.policy import Policy
from harness.problems.instances.answers import Answers
from harness.problems.instances.documents import unpacked
from harness.problems.instances.domain import Domain, Integers, Solution
from harness.problems.instances.files import instance_content, load_instance
from harness.problems.instances.judge import Improvement, counted, history, judge
from harness.problems.instances.policies import SOLVER
from harness.problems.instances.solve import run_solver
from harness.problems.instances.solver import prepare_solver, solver_inputs, solver_job
from harness.problems.instances.suite import SuiteInstance
from harness.record import Row
from harness.record.journal import entry_name
from harness.record.recorder import Recorded
from harness.record.rows import History
from harness.sandbox.bench import Bench

__all__ = ["SolverCell", "SolverResult", "assignment_of", "with_key"]

_AREA = "solved"
_READING = 2
"""Version of how answers are read and timed."""
_MOST_CHOICES = 1 << 31


@dataclass(frozen=True)
class SolverCell:
    """What is solved, by whom, how: ``harness.problems.protocol.Task``."""

    instance: SuiteInstance
    policy: Policy
    time_scale: float
    """Of the instance's limit."""
    cores: tuple[int, ...]
    """That the solver runs on."""
    number: int = 0
    """Of several runs with all else equal: only the clock, and chance, tell them apart."""
    copy: int = 0
    """Number of the instance's copy with other numbers that it is solved as; 0: as it is."""
    seed: str = ""
    """Of that copy, in hexadecimal."""
    metrics: tuple[str, ...] = ()
    key: str = ""
    """Digest of everything that the result depends on, once that is known."""

    @property
    def seconds(self) -> float:
        """Its limit of wall time."""
        return self.instance.entry.seconds * self.time_scale

    @property
    def weight(self) -> float:
        """The same."""
        return self.seconds

    @property
    def name(self) -> str:
        """For people."""
        which = f" run {self.number + 1}" if self.number else " renumbered" if self.copy else ""
        return f"{self.instance.id} {self.policy.name}{which}"

    @property
    def entry(self) -> str:
        """Its name in the journal."""
        return entry_name(self.key, self.policy.name, self.copy)

    def known(self, bench: Bench) -> "SolverResult | None":
        """The result in the cache, if it has all of the metrics."""
        result = self._kept(bench)
        return None if result and self._lacking(result) else result

    def _kept(self, bench: Bench) -> "SolverResult | None":
        known = bench.store.get(bench.area(_AREA), self.key)
        if known is None:
            return None
        lists = {"seconds": tuple(known["seconds"]), "costs": tuple(known["costs"])}
        facts = {"outcome": Outcome(known["outcome"]), "values": current(known["values"])}
        return SolverResult(**{**known, **lists, **facts})

    def _lacking(self, result: "SolverResult") -> list[str]:
        return [name for name in self.metrics if name not in result.values] if result.outcome is Outcome.OK else []

    def compute(self, bench: Bench) -> "SolverResult":
        """Run the solver, or judge what it answered where that is known and only a metric is lacking.

        Raises UnsoundError where the assignment costs less than the proven lower bound.
        """
        kept = self._kept(bench)
        if kept is None or kept.answered is None:
            return _solve(self, bench)
        domain = self.instance.domain
        assignment = assignment_of(domain, Decisions.parse((kept.decisions or "").encode(), self.name))
        instance, answer = load_instance(self.instance, bench.store), np.array(assignment, np.int64)
        solution = Solution(instance, answer, domain.cost(instance, answer), kept.answered)
        return replace(kept, values=kept.values | _values(self._lacking(kept), solution))

    def keep(self, result: "SolverResult", bench: Bench) -> None:
        """Put the result into the cache, unless it may be the machine's fault."""
        if not result.transient:
            bench.store.put(bench.area(_AREA), self.key, asdict(replace(result, values=labelled(result.values))))

    def shown(self, _result: "SolverResult", _bench: Bench) -> tuple[Row, ...]:
        """Every result is final."""
        return ()

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
    answered: float | None = None
    """When the one was printed that counts; None of results that are older than this, and without one."""
    transient: bool = False
    """It may be the machine's fault: the next run tries again."""

    def rows(self, cell: SolverCell, isolation: Isolation) -> list[Row]:
        """The rows that a run file gets: one a metric, or one that says why there are none."""
        manifest = cell.policy.manifest
        common: dict[str, Any] = {
            "cell": self.key,
            "benchmark": cell.instance.entry.name,
            "target": Target.X86_64,
            "track": cell.instance.domain.name,
            "problem": manifest.problem,
            "form": manifest.form,
            "policy_class": manifest.policy_class,
            "policy": cell.policy.name,
            "policy_digest": cell.policy.digest,
            "seed": cell.number,
            "copy": cell.copy,
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
            Row(
                **common,
                metric=metric.name,
                metric_version=metric.version,
                unit=metric.unit_on(Target.X86_64),
                value=self.values[metric.name],
            )
            for metric in map(find_metric, cell.metrics)
        ]

    def history(self, cell: SolverCell) -> History | None:
        """Cost over time; None without a feasible answer."""
        if not self.costs:
            return None
        names = {"cell": self.key, "benchmark": cell.instance.entry.name, "policy": cell.policy.name}
        return History(**names, seconds=self.seconds, costs=self.costs)


def with_key(cell: SolverCell, bench: Bench) -> SolverCell:
    """The cell with its key: of all that the result depends on, as far as it can be said, since a clock ends it."""
    key = digest_of(
        {
            "solver cell": [_READING, cell.instance.domain.judging],
            "run": cell.number,
            "renumbered by": cell.seed or None,
            "instance": cell.instance.digest,
            "policy": cell.policy.digest,
            "seconds": cell.seconds,
            "cores": len(cell.cores),
            "machine": machine().identity,
            "solver": solver_inputs(cell.policy.manifest.files[SOLVER], len(cell.cores), bench),
        }
    )
    return replace(cell, key=key)


def assignment_of(domain: Domain[Any], decisions: Decisions) -> list[int]:
    """What ``SolverResult.decisions`` holds. Raises UsageError for decisions that are not an assignment."""
    found = decisions.body.get("assignment")
    if decisions.problem != domain.name or not isinstance(found, list):
        raise UsageError(f"these decisions are not an assignment of {domain.called}")
    if any(type(choice) is not int or not 0 <= choice < _MOST_CHOICES for choice in found):
        raise UsageError(
            f"an assignment is a list of {domain.choices}, one for each of the {domain.places}: whole numbers from 0 on"
        )
    return found


def _solve(cell: SolverCell, bench: Bench) -> SolverResult:
    domain, bound, policy = cell.instance.domain, cell.instance.entry.bound, cell.policy
    found: dict[str, Any] = {}
    try:
        solver = prepare_solver(policy.contents[SOLVER], policy.manifest.files[SOLVER], bench)
        instance = load_instance(cell.instance, bench.store)
        with bench.store.scratch() as folder:
            file = folder / "instance.json"
            content, back = _unpacked(cell, instance, bench)
            file.write_bytes(content)
            answers = Answers(domain.size(instance), domain.places, domain.choices, back)
            attempt = run_solver(solver_job(solver, file, cell.seconds, cell.cores, bench), answers, bench.sandbox)
        improvements = history(domain, attempt, instance, bound, cell.instance.id)
        found |= _over_time(improvements)
        solution = judge(domain, attempt, instance, bound, cell.instance.id)
        solution, improvements = counted(solution, improvements)
        found |= _over_time(improvements)
        decisions = _decisions(domain, solution)
        found |= {"decisions": decisions.content.decode(), "decisions_digest": decisions.digest}
        values = _values(cell.metrics, solution)
        return SolverResult(cell.key, Outcome.OK, values=values, answered=solution.seconds, **found)
    except CellError as error:
        return SolverResult(cell.key, error.outcome, error.message, transient=error.transient, **found)


def _over_time(improvements: Sequence[Improvement]) -> dict[str, Any]:
    return {
        "seconds": tuple(round(one.seconds, 3) for one in improvements),
        "costs": tuple(one.cost for one in improvements),
    }


def _values(metrics: Iterable[str], solution: Solution) -> dict[str, int | float]:
    measured = {name: find_metric(name).measure(solution) for name in metrics}
    return {name: one.value if isinstance(one, Breakdown) else one for name, one in measured.items()}


def _decisions(domain: Domain[Any], solution: Solution) -> Decisions:
    size = domain.size(solution.instance)
    return Decisions(domain.name, None, {"assignment": solution.assignment.tolist(), domain.places: size})


def _unpacked(cell: SolverCell, instance: Any, bench: Bench) -> tuple[bytes, Callable[[Integers], Integers] | None]:
    """What the solver is given, and what turns its answers into ones to the instance, where they are not."""
    if cell.copy:
        return cell.instance.domain.renumbered(instance, bytes.fromhex(cell.seed))
    return unpacked(instance_content(cell.instance, bench.store), cell.instance.id), None
