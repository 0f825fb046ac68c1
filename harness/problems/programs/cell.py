"""One cell: decide → apply → verify → measure, for one policy on one program, target and seed."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from types import MappingProxyType
from typing import Any

from harness.apply import compile_decisions
from harness.apply.decisions import Decisions
from harness.base.digest import digest_of
from harness.base.errors import CellError
from harness.base.moment import Moment
from harness.base.vocabulary import Isolation, Level, Outcome, Target, Track
from harness.freeze import FrozenModule, freeze, perturbed
from harness.measure import find_metric
from harness.policy import Policy, kind_of
from harness.policy.again import require_same
from harness.problems.programs.take import Functions, Made, take_metrics
from harness.record import Row
from harness.sandbox.bench import Bench
from harness.suite.load import Program
from harness.suite.workloads import ReadyWorkload, prepare, workloads_digest
from harness.toolchain.native import native_digest

__all__ = [
    "Cell",
    "CellResult",
    "cached_result",
    "cell_key",
    "entry_name",
    "frozen_of",
    "functions_of",
    "joined",
    "keep_refuted",
    "keep_result",
    "run_cell",
]

_FINAL, _PROVISIONAL = "cells", "provisional"
"""Kinds of entries in the cache."""
PRICES = ("decide.cpu", "decide.wall")
"""Metrics that are kept of every cell that is computed: they cannot be had later without deciding again."""


@dataclass(frozen=True)
class Cell:
    """The unit of work: what is measured, not yet how it went."""

    program: Program
    target: Target
    track: Track
    policy: Policy
    seed: int
    copy: int = 0
    """Number of the module's copy with other names and another order; 0: the module itself."""

    @property
    def level(self) -> Level:
        """The level that its module is frozen at."""
        return kind_of(self.policy.manifest.kind).freeze_level(self.policy, self.track)

    @property
    def identity(self) -> tuple[str, str, str, str, int, int]:
        """What tells it from the other cells of a run."""
        return self.program.id, self.target.value, self.track.value, self.policy.name, self.seed, self.copy

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
    asked: Moment | None = None
    """When its policy had answered, where that must be asked again: until then the result is provisional."""

    def withdrawn(self, error: CellError) -> "CellResult":
        """The final result where the second asking failed: the decisions count no more, nor what came of them."""
        return CellResult(self.key, error.outcome, error.message, self.frozen_digest, transient=error.transient)

    def rows(self, cell: Cell, metrics: list[str], isolation: Isolation) -> list[Row]:
        """The rows that a run file gets: one a metric, or one that says why there are none."""
        common: dict[str, Any] = {
            "cell": self.key,
            "benchmark": cell.program.benchmark.name,
            "target": cell.target,
            "track": cell.track,
            "kind": cell.policy.manifest.kind,
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
            measured = {**common, "metric": name, "unit": find_metric(name).unit_on(cell.target)}
            if name in self.missing:
                measured["detail"] = self.missing[name]
            rows.append(Row(**measured, value=self.values.get(name)))
        return rows


def cell_key(cell: Cell, frozen: FrozenModule | None, bench: Bench) -> str:
    """Digest of everything that the cell's result depends on. ``frozen`` is None when the policy
    does not support the target: nothing is compiled then."""
    ready = prepare(cell.program, bench.store) if frozen else ()
    hidden = prepare(cell.program, bench.store, "hidden") if frozen else ()
    language = cell.program.benchmark.language
    kind = kind_of(cell.policy.manifest.kind)
    parts, is_pure = kind.parts(), kind.is_pure(cell.policy)
    return digest_of(
        {
            **({"parts": parts} if parts else {}),
            **({"hidden": workloads_digest(hidden)} if hidden else {}),
            "cell": 2,
            "benchmark": cell.program.id,
            "target": cell.target.value,
            "track": cell.track.value,
            "frozen": frozen.digest if frozen else None,
            "policy": cell.policy.digest,
            "seed": cell.seed,
            "workloads": workloads_digest(ready),
            "llvm": bench.toolchain.fingerprint.llvm,
            "runtime": bench.toolchain.runtime_fingerprint(cell.target, language) if frozen else None,
            "counter": native_digest("count"),
            "compile_timeout": bench.compile_timeout,
            **({} if is_pure else {"asked again after": bench.asked_again_after}),
        }
    )


def entry_name(key: str, policy: str, copy: int = 0) -> str:
    """Name of a cell in a run's journal: two policies that decide alike share a key, not their rows."""
    return f"{key}:{policy}:{copy}" if copy else f"{key}:{policy}"


def cached_result(key: str, metrics: list[str], bench: Bench) -> CellResult | None:
    """The final result in the cache, if it has all of these metrics."""
    return _with_all(metrics, _final(key, bench))


def keep_result(result: CellResult, bench: Bench) -> None:
    """Put a result into the cache, final and provisional ones apart; nothing that may be the machine's fault."""
    if not result.transient:
        bench.store.put(bench.area(_PROVISIONAL if result.asked else _FINAL), result.key, asdict(result))


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
    asked = Moment.from_fields(known.get("asked"))
    return CellResult(**{**known, "outcome": Outcome(known["outcome"]), "asked": asked})


def _with_all(metrics: list[str], result: CellResult | None) -> CellResult | None:
    if result and result.outcome is Outcome.OK and not set(metrics) <= {*result.values, *result.missing}:
        return None
    return result


def keep_refuted(key: str, outcome: Outcome, detail: str, inputs: str, bench: Bench) -> None:
    """Keep that the object of the cell with this key failed on a fresh input, of which ``inputs`` is the digest.

    The cell's own entry stays as it is: it does not depend on the seed that a run drew.
    """
    bench.store.put(bench.area("refuted"), key, {"outcome": outcome.value, "detail": detail, "inputs": inputs})


def functions_of(key: str, bench: Bench) -> dict[str, dict[str, int | float]]:
    """What each function has of the cell's metrics: metric → function → value."""
    known: dict[str, dict[str, int | float]] = bench.store.get(bench.area("functions"), key) or {}
    return known


def frozen_of(cell: Cell, bench: Bench) -> FrozenModule:
    """The module that the cell's policy is given."""
    return perturbed(freeze(cell.program, cell.target, cell.level, bench), cell.copy, bench)


def run_cell(
    cell: Cell, metrics: list[str], bench: Bench, besides: Mapping[str, ReadyWorkload] = MappingProxyType({})
) -> CellResult:
    """Compute the cell, or take it from the cache. Never raises CellError: that is an outcome.

    ``besides``: of each program, by its id, a workload that its verified objects are also run on, for later.
    """
    if cell.target not in cell.policy.manifest.targets:
        supported = ", ".join(target.value for target in cell.policy.manifest.targets)
        detail = f"{cell.policy.name} supports {supported}"
        return CellResult(cell_key(cell, None, bench), Outcome.UNSUPPORTED, detail)
    frozen = frozen_of(cell, bench)
    key = cell_key(cell, frozen, bench)
    earlier = _final(key, bench) or _known(_PROVISIONAL, key, bench)
    if known := _with_all(metrics, earlier):
        return known
    result, functions = _compute(cell, key, frozen, metrics, bench, besides.get(cell.program.id))
    if earlier and result.outcome is Outcome.OK:
        result = joined(earlier, result, cell.name)
    if functions and not result.transient:
        bench.store.put(bench.area("functions"), key, {**functions_of(key, bench), **functions})
    keep_result(result, bench)
    return result


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


def _compute(
    cell: Cell, key: str, frozen: FrozenModule, metrics: list[str], bench: Bench, besides: ReadyWorkload | None
) -> tuple[CellResult, Functions]:
    """The four steps in their order. What was reached before a failure stays in the result."""
    reached: dict[str, Any] = {"frozen_digest": frozen.digest}
    kind = kind_of(cell.policy.manifest.kind)
    try:
        decided = kind.decide(cell.policy, frozen, cell.seed, bench)
        decisions = decided.decisions
        reached |= {"decisions": decisions.content.decode(), "decisions_digest": decisions.digest}
        asked = None if kind.is_pure(cell.policy) else Moment.now()
        plan = kind.plan(decisions, cell.target)
        compiled = compile_decisions(frozen, decisions, plan, bench)
        reached["object_digest"] = compiled.digest
        made = Made(cell.program, cell.target, frozen, plan, compiled, decided.cpu, decided.wall)
        taken = take_metrics(made, list(dict.fromkeys((*metrics, *PRICES))), bench, besides=besides)
        found = CellResult(key, Outcome.OK, values=taken.values, missing=taken.missing, asked=asked, **reached)
        return found, taken.functions
    except CellError as error:
        return CellResult(key, error.outcome, error.message, transient=error.transient, **reached), {}
