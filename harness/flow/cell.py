"""One cell: decide → apply → verify → measure, for one policy on one program, target and seed."""

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from harness.apply import compile_decisions
from harness.bench import Bench
from harness.decide import Decisions
from harness.digest import digest_of
from harness.errors import CellError
from harness.freeze import FrozenModule, freeze
from harness.measure import Subject, choose_metrics
from harness.policy import Policy, kind_of
from harness.record import Row
from harness.suite.load import Program
from harness.suite.workloads import prepare, workloads_digest
from harness.verify import expected_results, verify
from harness.vocabulary import Isolation, Level, Outcome, PolicyKind, Target, Track

__all__ = ["Cell", "CellResult", "cached_result", "cell_key", "run_cell"]


@dataclass(frozen=True)
class Cell:
    """The unit of work: what is measured, not yet how it went."""

    program: Program
    target: Target
    track: Track
    policy: Policy
    seed: int

    @property
    def level(self) -> Level:
        """The level that its module is frozen at."""
        return kind_of(self.policy.manifest.kind).freeze_level(self.policy, self.track)

    @property
    def identity(self) -> tuple[str, str, str, str, int]:
        """What tells it from the other cells of a run."""
        return self.program.id, self.target.value, self.track.value, self.policy.name, self.seed

    @property
    def name(self) -> str:
        """For people."""
        return f"{self.program.id} {self.target.value} {self.policy.name}"


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
    transient: bool = False
    """It may be the machine's fault (a time-out): the next run tries again."""

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
            "level": cell.level,
            "isolation": isolation,
            "frozen_digest": self.frozen_digest,
            "decisions_digest": self.decisions_digest,
            "object_digest": self.object_digest,
            "outcome": self.outcome,
            "detail": self.detail,
        }
        if self.outcome is not Outcome.OK:
            return [Row(**common)]
        units = {metric.name: metric.unit for metric in choose_metrics(metrics)}
        return [Row(**common, metric=name, value=self.values[name], unit=unit) for name, unit in units.items()]


def cell_key(cell: Cell, frozen: FrozenModule | None, bench: Bench) -> str:
    """Digest of everything that the cell's result depends on. ``frozen`` is None when the policy
    does not support the target: nothing is compiled then."""
    ready = prepare(cell.program, bench.store) if frozen else ()
    return digest_of(
        {
            "cell": 1,
            "benchmark": cell.program.id,
            "target": cell.target.value,
            "track": cell.track.value,
            "frozen": frozen.digest if frozen else None,
            "policy": cell.policy.digest,
            "seed": cell.seed,
            "workloads": workloads_digest(ready),
            "llvm": bench.toolchain.fingerprint.llvm,
            "runtime": bench.toolchain.runtime_fingerprint(cell.target) if frozen else None,
            "compile_timeout": bench.compile_timeout,
        }
    )


def cached_result(key: str, metrics: list[str], bench: Bench) -> CellResult | None:
    """The result in the cache, if it has all of these metrics."""
    known = bench.store.get(bench.area("cells"), key)
    if known is None:
        return None
    result = CellResult(**{**known, "outcome": Outcome(known["outcome"])})
    if result.outcome is Outcome.OK and not set(metrics) <= set(result.values):
        return None
    return result


def run_cell(cell: Cell, metrics: list[str], bench: Bench) -> CellResult:
    """Compute the cell, or take it from the cache. Never raises CellError: that is an outcome."""
    if cell.target not in cell.policy.manifest.targets:
        supported = ", ".join(target.value for target in cell.policy.manifest.targets)
        detail = f"{cell.policy.name} supports {supported}"
        return CellResult(cell_key(cell, None, bench), Outcome.UNSUPPORTED, detail)
    frozen = freeze(cell.program, cell.target, cell.level, bench.toolchain, bench.store)
    key = cell_key(cell, frozen, bench)
    if known := cached_result(key, metrics, bench):
        return known
    result = _compute(cell, key, frozen, metrics, bench)
    if not result.transient:
        bench.store.put(bench.area("cells"), key, asdict(result))
    return result


def _compute(cell: Cell, key: str, frozen: FrozenModule, metrics: list[str], bench: Bench) -> CellResult:
    """The four steps in their order. What was reached before a failure stays in the result."""
    reached: dict[str, Any] = {"frozen_digest": frozen.digest}
    kind = kind_of(cell.policy.manifest.kind)
    try:
        decisions = kind.decide(cell.policy, frozen, cell.seed, bench)
        reached |= {"decisions": decisions.content.decode(), "decisions_digest": decisions.digest}
        plan = kind.plan(decisions, cell.target)
        compiled = compile_decisions(frozen, decisions, plan, bench)
        reached["object_digest"] = compiled.digest
        _verify(cell, compiled.object, compiled.digest, bench)
        subject = Subject(compiled.object, cell.target, compiled.ir_instructions, compiled.cpu)
        values = {metric.name: metric.measure(subject) for metric in choose_metrics(metrics)}
        return CellResult(key, Outcome.OK, values=values, **reached)
    except CellError as error:
        return CellResult(key, error.outcome, error.message, transient=error.transient, **reached)


def _verify(cell: Cell, linked_object: Path, digest: str, bench: Bench) -> None:
    ready = prepare(cell.program, bench.store)

    def build_reference() -> tuple[Path, str]:
        return reference_object(cell.program, Level.O0, Target.X86_64, bench)

    expected = expected_results(cell.program, ready, build_reference, bench)
    verify(cell.program, cell.target, linked_object, digest, ready, expected, bench)


def reference_object(program: Program, level: Level, target: Target, bench: Bench) -> tuple[Path, str]:
    """Object and digest of the program compiled by the reference plan of a level."""
    frozen = freeze(program, target, level, bench.toolchain, bench.store)
    decisions = Decisions(PolicyKind.LEVEL, level)
    plan = kind_of(PolicyKind.LEVEL).plan(decisions, target)
    compiled = compile_decisions(frozen, decisions, plan, bench)
    return compiled.object, compiled.digest
