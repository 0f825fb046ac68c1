"""One cell: decide → apply → verify → measure, for one policy on one program, target and seed."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from harness.apply import compile_plan, require_repeatable
from harness.apply.decisions import Decided, Decisions
from harness.base.digest import digest_of
from harness.base.errors import CellError
from harness.base.moment import Moment
from harness.base.vocabulary import Isolation, Level, Outcome, Target
from harness.freeze import FrozenModule, freeze, perturbed
from harness.measure import Need, all_metrics, current, find_metric, labelled
from harness.policy import Policy, form_of, is_asked_again
from harness.problems.programs.deciding import require_recordable, require_same
from harness.problems.programs.problems import program_problem
from harness.problems.programs.take import Functions, Made, take_metrics
from harness.record import Row
from harness.record.journal import entry_name
from harness.record.recorder import Recorded
from harness.sandbox.bench import Bench
from harness.suite.load import Program
from harness.suite.workloads import ReadyWorkload, prepare, workloads_digest
from harness.toolchain.native import native_digest

__all__ = [
    "Cell",
    "CellResult",
    "CellTask",
    "cell_key",
    "frozen_of",
    "functions_of",
    "joined",
    "keep_refuted",
    "replaced_of",
    "run_cell",
    "task_of",
]

_FINAL, _PROVISIONAL = "cells", "provisional"
"""Kinds of entries in the cache."""
_REPLACED = "replaced"
"""Another: key of a cell → how many answers of its policy could not be used, where any could not."""


@dataclass(frozen=True)
class Cell:
    """The unit of work: what is measured, not yet how it went."""

    program: Program
    target: Target
    track: str
    policy: Policy
    seed: int
    copy: int = 0
    """Number of the module's copy with other names and another order; 0: the module itself."""

    @property
    def level(self) -> Level:
        """The level that its module is frozen at."""
        return program_problem(self.policy.manifest.problem).freeze_level(self.policy, self.track)

    @property
    def identity(self) -> tuple[str, str, str, str, int, int]:
        """What tells it from the other cells of a run."""
        return self.program.id, self.target.value, self.track, self.policy.name, self.seed, self.copy

    @property
    def name(self) -> str:
        """For people."""
        copy = f" copy {self.copy}" if self.copy else ""
        return f"{self.program.id} {self.target.value} {self.policy.name}{copy}"


@dataclass(frozen=True)
class CellResult:
    """How a cell ended, and its numbers when it ended well."""

    key: str
    outcome: Outcome
    detail: str = ""
    frozen_digest: str | None = None
    decisions: str | None = None
    """The decisions file, as text."""
    decisions_digest: str | None = None
    object_digest: str | None = None
    values: dict[str, int | float] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    """Metrics that cannot be taken of this cell, each with the reason."""
    transient: bool = False
    """It may be the machine's fault (a time-out): the next run tries again."""
    fresh: str | None = None
    """Digest of the fresh input that the object fails on (``harness.problems.programs.fresh``)."""
    functions: Functions = field(default_factory=dict)
    """Metric → function → its share of the value, of what was computed now."""
    replaced: int = 0
    """Answers of its policy that could not be used, where it was asked now."""
    asked: Moment | None = None
    """When its policy had answered, where that must be asked again: until then the result is provisional."""

    def withdrawn(self, error: CellError) -> "CellResult":
        """The final result where the second asking failed: the decisions count no more, nor what came of them."""
        return CellResult(self.key, error.outcome, error.message, self.frozen_digest, transient=error.transient)

    def rows(self, cell: Cell, metrics: Sequence[str], isolation: Isolation) -> list[Row]:
        """The rows that a run file gets: one a metric, or one that says why there are none."""
        common: dict[str, Any] = {
            "cell": self.key,
            "benchmark": cell.program.benchmark.name,
            "target": cell.target,
            "track": cell.track,
            "problem": cell.policy.manifest.problem,
            "form": cell.policy.manifest.form,
            "policy_class": cell.policy.manifest.policy_class,
            "policy": cell.policy.name,
            "policy_digest": cell.policy.digest,
            "seed": cell.seed,
            "copy": cell.copy,
            "level": cell.level,
            "isolation": isolation,
            "frozen_digest": self.frozen_digest,
            "decisions_digest": self.decisions_digest,
            "object_digest": self.object_digest,
            "outcome": self.outcome,
            "detail": self.detail,
            "fresh": self.fresh,
        }
        if self.outcome is not Outcome.OK:
            return [Row(**common)]
        rows = []
        for name in metrics:
            metric = find_metric(name)
            facts = {"metric": name, "metric_version": metric.version, "unit": metric.unit_on(cell.target)}
            measured = {**common, **facts}
            if name in self.missing:
                measured["detail"] = self.missing[name]
            rows.append(Row(**measured, value=self.values.get(name)))
        return rows


def cell_key(cell: Cell, frozen: FrozenModule | None, bench: Bench) -> str:
    """Digest of everything that the cell's result depends on. ``frozen`` is None when the policy
    does not support the target: nothing is compiled then."""
    ready = prepare(cell.program, bench.store) if frozen else ()
    hidden = prepare(cell.program, bench.store, "hidden") if frozen else ()
    benchmark = cell.program.benchmark
    parts = program_problem(cell.policy.manifest.problem).parts(cell.policy)
    runtime = bench.toolchain.runtime_fingerprint(cell.target, benchmark.language, benchmark.link) if frozen else None
    return digest_of(
        {
            **({"parts": parts} if parts else {}),
            **({"hidden": workloads_digest(hidden)} if hidden else {}),
            "cell": 3,
            "benchmark": cell.program.home_id,
            "target": cell.target.value,
            "track": cell.track,
            "frozen": frozen.digest if frozen else None,
            "policy": cell.policy.digest,
            "seed": cell.seed,
            "workloads": workloads_digest(ready),
            "seconds": [item.workload.timeout for item in (*ready, *hidden)],
            "linked": [benchmark.link, benchmark.language],
            "llvm": bench.toolchain.fingerprint.llvm,
            "runtime": runtime,
            "counter": native_digest("count"),
            "compile_timeout": bench.compile_timeout,
            **({"asked again after": bench.asked_again_after} if is_asked_again(cell.policy) else {}),
        }
    )


def _final(key: str, bench: Bench) -> CellResult | None:
    """The final result in the cache; one that a fresh input refuted since is a failure."""
    result = _known(_FINAL, key, bench)
    if result and result.outcome is Outcome.OK and (refuted := bench.store.get(bench.area("refuted"), key)):
        failure = {"outcome": Outcome(refuted["outcome"]), "detail": refuted["detail"], "fresh": refuted["inputs"]}
        return replace(result, **failure, values={}, missing={})
    return result


def _known(area: str, key: str, bench: Bench) -> CellResult | None:
    known = bench.store.get(bench.area(area), key)
    if known is None:
        return None
    facts = {"outcome": Outcome(known["outcome"]), "asked": Moment.from_fields(known.get("asked"))}
    numbers = {name: current(known[name]) for name in ("values", "missing")}
    return CellResult(**{**known, **facts, **numbers})


def _with_all(metrics: Sequence[str], result: CellResult | None) -> CellResult | None:
    return None if result and _lacking(metrics, result) else result


def _lacking(metrics: Sequence[str], result: CellResult) -> list[str]:
    """Those of the metrics that an ``ok`` result says nothing of."""
    known = {*result.values, *result.missing}
    return [name for name in metrics if name not in known] if result.outcome is Outcome.OK else []


def keep_refuted(key: str, outcome: Outcome, detail: str, inputs: str, bench: Bench) -> None:
    """Keep that the object of the cell with this key failed on a fresh input, of which ``inputs`` is the digest.

    The cell's own entry stays as it is: it does not depend on the seed that a run drew.
    """
    bench.store.put(bench.area("refuted"), key, {"outcome": outcome.value, "detail": detail, "inputs": inputs})


def functions_of(key: str, bench: Bench) -> Functions:
    """What each function has of the cell's metrics: metric → function → value."""
    known: Functions = bench.store.get(bench.area("functions"), key) or {}
    return current(known)


def replaced_of(key: str, bench: Bench) -> int:
    """How many answers of the cell's policy could not be used, as far as the cache knows."""
    known: int = bench.store.get(bench.area(_REPLACED), key) or 0
    return known


def frozen_of(cell: Cell, bench: Bench) -> FrozenModule:
    """The module that the cell's policy is given."""
    return perturbed(freeze(cell.program, cell.target, cell.level, bench), cell.copy, bench)


@dataclass(frozen=True)
class CellTask:
    """A cell with all that it takes to compute it: ``harness.problems.protocol.Task``."""

    cell: Cell
    metrics: tuple[str, ...]
    key: str
    frozen: FrozenModule | None
    """None where the policy does not support the target."""
    weight: float = 1.0
    besides: ReadyWorkload | None = None
    """A workload that its verified object is also run on, for later."""

    @property
    def entry(self) -> str:
        """Its name in the journal."""
        return entry_name(self.key, self.cell.policy.name, self.cell.copy)

    @property
    def name(self) -> str:
        """For people."""
        return self.cell.name

    def known(self, bench: Bench) -> CellResult | None:
        """The final result in the cache, if it has all of the metrics."""
        if self.frozen is None:
            supported = ", ".join(target.value for target in self.cell.policy.manifest.targets)
            return CellResult(self.key, Outcome.UNSUPPORTED, f"{self.cell.policy.name} supports {supported}")
        return _with_all(self.metrics, _final(self.key, bench))

    def compute(self, bench: Bench) -> CellResult:
        """The result, with what is known of the cell already."""
        if (known := self.known(bench)) is not None:
            return known
        assert self.frozen is not None
        earlier = _final(self.key, bench) or _known(_PROVISIONAL, self.key, bench)
        if (answered := _with_all(self.metrics, earlier)) is not None:
            return answered
        result = _compute(self, self.frozen, earlier, bench)
        if earlier and result.outcome is Outcome.OK:
            return joined(earlier, result, self.name)
        return result

    def keep(self, result: CellResult, bench: Bench) -> None:
        """Final and provisional results apart; what functions have beside them, since it is seldom asked for."""
        if result.transient:
            return
        if result.functions:
            functions = {**functions_of(self.key, bench), **result.functions}
            bench.store.put(bench.area("functions"), self.key, labelled(functions))
        if result.replaced:
            bench.store.put(bench.area(_REPLACED), self.key, result.replaced)
        area = bench.area(_PROVISIONAL if result.asked else _FINAL)
        values, missing = labelled(result.values), labelled(result.missing)
        fields = asdict(replace(result, functions={}, values=values, missing=missing))
        del fields["replaced"]
        bench.store.put(area, self.key, fields)

    def shown(self, result: CellResult, bench: Bench) -> Sequence[Row]:
        """What its policy, which is to be asked again, has given so far."""
        return result.rows(self.cell, self.metrics, bench.isolation) if result.asked else ()

    def recorded(self, result: CellResult, isolation: Isolation) -> Recorded | None:
        """Its rows, unless its policy is to be asked again."""
        return None if result.asked else Recorded(result.rows(self.cell, self.metrics, isolation), result.decisions)


def task_of(cell: Cell, metrics: Sequence[str], bench: Bench, *, counted: bool = False) -> CellTask:
    """The task of a cell, whose module is frozen now if it is not yet. ``counted``: its runs are."""
    supported = cell.target in cell.policy.manifest.targets
    frozen = frozen_of(cell, bench) if supported else None
    taken = _meant(metrics, cell.policy) or metrics
    return CellTask(cell, tuple(taken), cell_key(cell, frozen, bench), frozen, _weight(cell, frozen, counted))


def run_cell(cell: Cell, metrics: Sequence[str], bench: Bench) -> CellResult:
    """Compute one cell, or take it from the cache. Never raises CellError: that is an outcome."""
    task = task_of(cell, metrics, bench)
    result = task.compute(bench)
    task.keep(result, bench)
    return result


def _meant(metrics: Iterable[str], policy: Policy) -> list[str]:
    """Those that mean something for this policy."""
    in_steps = form_of(policy).in_steps
    return [name for name in metrics if in_steps or Need.STEPS not in find_metric(name).needs]


def _weight(cell: Cell, frozen: FrozenModule | None, counted: bool) -> float:
    """Relative cost: compilation grows with the module, and starting tools and running the program cost the rest."""
    if frozen is None:
        return 0.0
    if counted:
        return 40_000.0 + 3 * frozen.instructions
    emulated = 8_000.0 if cell.target is not Target.X86_64 else 0.0
    return 6_000.0 + emulated + frozen.instructions


def joined(earlier: CellResult, result: CellResult, where: str) -> CellResult:
    """``ok`` results of one cell, with other metrics each, as one. The first asking stays the first, and final final.

    A policy that decided otherwise this time ends as ``not-replayable``.
    """
    if earlier.decisions_digest != result.decisions_digest:
        try:
            require_same(*(Decisions.parse((one.decisions or "").encode(), where) for one in (earlier, result)))
        except CellError as error:
            return result.withdrawn(error)
    values, missing = {**earlier.values, **result.values}, {**earlier.missing, **result.missing}
    return replace(result, values=values, missing=missing, asked=earlier.asked)


def _to_take(metrics: Sequence[str], earlier: CellResult) -> list[str]:
    """What the earlier result lacks; and what repeats exactly and needs counted runs that are made for that anyway: the
    further evidence may tell what functions have of it."""
    lacking = _lacking(metrics, earlier)
    needs = frozenset[Need]().union(*(find_metric(name).needs for name in lacking))
    counted = [one for one in map(find_metric, metrics) if one.deterministic and Need.RUNS in one.needs <= needs]
    return [name for name in metrics if name in lacking or name in {one.name for one in counted}]


def _compute(task: CellTask, frozen: FrozenModule, earlier: CellResult | None, bench: Bench) -> CellResult:
    """The four steps in their order. What was reached before a failure stays in the result.

    Of a cell that is known already only what it lacks is taken: its policy is not asked again for what its decisions
    tell.
    """
    cell, key = task.cell, task.key
    prices = [name for name, metric in all_metrics().items() if Need.DECIDING in metric.needs]
    prices = _meant(prices, cell.policy)  # of every cell: they cannot be had later without deciding again
    metrics = _to_take(task.metrics, earlier) if earlier else list(dict.fromkeys((*task.metrics, *prices)))
    reached: dict[str, Any] = {"frozen_digest": frozen.digest}
    problem = program_problem(cell.policy.manifest.problem)
    try:
        if earlier is None or {*metrics} & {*prices}:
            decided = problem.decide(cell.policy, frozen, cell.seed, bench)
        else:
            decided = Decided(Decisions.parse((earlier.decisions or "").encode(), cell.name))
        decisions = decided.decisions
        require_recordable(len(decisions.content))
        reached |= {"decisions": decisions.content.decode(), "decisions_digest": decisions.digest}
        asked = Moment.now() if is_asked_again(cell.policy) else None
        reached["replaced"] = decided.replaced
        plan = problem.plan(decisions, cell.target)
        compiled = compile_plan(frozen, plan, bench)
        require_repeatable(frozen, plan, bench)  # before the object counts: nobody could rebuild another one
        reached["object_digest"] = compiled.digest
        price = (decided.cpu, decided.wall, decided.trials, decided.steps)
        made = Made(cell.program, cell.target, frozen, plan, compiled, *price)
        taken = take_metrics(made, metrics, bench, besides=task.besides)
        reached |= {"values": taken.values, "missing": taken.missing, "functions": taken.functions}
        return CellResult(key, Outcome.OK, asked=asked, **reached)
    except CellError as error:
        return CellResult(key, error.outcome, error.message, transient=error.transient, **reached)
