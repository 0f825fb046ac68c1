"""Run files of solvers with invented costs and assignments: tests of tables need no solver."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb

from harness.apply.decisions import Decisions
from harness.policy.tracks import facts_of
from harness.problems.instances.standings import COST, SolverTable, solver_standings
from harness.problems.instances.track import BEST_KNOWN
from harness.problems.sharding.domain import Sharding
from harness.rank.question import Question
from harness.record import Row
from harness.record.decisions import store_decisions
from harness.record.rows import BenchmarkFacts, InstanceFacts, Solving
from harness.record.runfile import write_run
from tests.browser.recorded import LLVM, header

__all__ = ["BEST", "BOUND", "NAMES", "PLAIN", "Got", "question", "table", "write_solvers"]

NAMES = tuple(f"i{number}" for number in range(8))
BEST, BOUND, PLAIN = 1000, 900, 5000
FLOOR = facts_of("sharding").floor


@dataclass(frozen=True)
class Got:
    """What a solver gave on an instance; without a cost, it failed."""

    cost: int | None
    assignment: Sequence[int] = ()
    seed: int = 0
    copy: int = 0


def write_solvers(
    folder: Path,
    day: int,
    found: Mapping[str, Mapping[str, Sequence[Got]]],
    *,
    cpu: str = "Invented CPU",
    model: str = "1",
    time_scale: float = 1.0,
    bound: int | None = BOUND,
) -> None:
    """One run, of this day, on a machine of its own model: solver → instance → what it gave."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for policy, instances in found.items():
        for name, every in instances.items():
            for got in every:
                kept = list(got.assignment or (day, got.seed, got.copy))
                decisions = Decisions("sharding", None, {"assignment": kept, "nodes": len(kept)})
                cell = {
                    "cell": _digest(policy, name, got.seed, got.copy, model, day),
                    "benchmark": name,
                    "target": "x86-64",
                    "track": "sharding",
                    "problem": "sharding",
                    "class": "zero-shot",
                    "policy": policy,
                    "policy_digest": _digest(policy),
                    "seed": got.seed,
                    "copy": got.copy,
                    "isolation": "sandbox",
                    "frozen_digest": None,
                    "decisions_digest": None if got.cost is None else store_decisions(folder, decisions.content),
                    "object_digest": None,
                    "outcome": "infeasible" if got.cost is None else "ok",
                }
                measured = {"cost": (got.cost, "units"), "cost.seconds": (5.5, "s")} if got.cost is not None else {}
                rows += [Row(**cell, metric=m, value=value, unit=unit) for m, (value, unit) in measured.items()]
                rows += [] if measured else [Row(**cell, detail="too much")]
    facts = {name: InstanceFacts(seconds=10.0, best=BEST, bound=bound, plain=PLAIN) for name in NAMES}
    about = header(LLVM, "22.1.8", f"2026-03-{day:02}") | {
        "suite": "made",
        "track": "sharding",
        "benchmarks": {
            name: BenchmarkFacts(split="test", origin="local", program_digest=_digest(name)).model_dump()
            for name in NAMES
        },
        "solving": Solving(time_scale=time_scale, cores=2, instances=facts),
    }
    host = {"cpu": cpu, "vendor": "Inventor", "family": "1", "model": model, "stepping": "0"}
    write_run(folder, about | {"host": about["host"] | host}, rows)


def question(time_scale: float = 1.0) -> Question:
    """About these runs."""
    how = (("time_scale", time_scale), ("cores", 2))
    return Question("made", "x86-64", "sharding", COST, BEST_KNOWN, LLVM, conditions=how, split=None)


def table(index: duckdb.DuckDBPyConnection, time_scale: float = 1.0) -> SolverTable:
    """Their standings."""
    return solver_standings(Sharding(), index, question(time_scale))


def _digest(*parts: object) -> str:
    return hashlib.sha256("\0".join(map(str, parts)).encode()).hexdigest()
