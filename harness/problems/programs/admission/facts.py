"""What the programs of a suite are, in figures that are all taken here: for its page in the documentation."""

import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from harness.apply.reference import reference_object
from harness.base.engine import Engine, stage
from harness.base.errors import CellError
from harness.base.progress import Observer
from harness.base.vocabulary import SIZE, Level, Outcome, Target
from harness.policy.load import load_policy
from harness.problems.programs.admission.describe import describe_program
from harness.problems.programs.admission.length import native_seconds
from harness.problems.programs.cell import Cell, functions_of, run_cell
from harness.sandbox.bench import Bench
from harness.suite.load import Program
from harness.suite.workloads import prepare

__all__ = ["Hot", "ProgramFacts", "hot_functions", "suite_facts"]

_NATIVE = Target.X86_64
_RUNS = 3
_EXECUTED = "instructions"
_WITH_CODE = "instructions.libc"
"""A metric that needs the code laid under the counts: with it, counts are known by function."""


@dataclass(frozen=True, slots=True)
class ProgramFacts:
    """One program. What a failing cell does not give is None."""

    benchmark: str
    origin: str
    source: str
    licence: str
    split: str
    language: str
    lines: int | None
    """Of its translation units, without blank ones."""
    ir_instructions: int | None
    """Of the module frozen at -O0 for x86-64."""
    size_x86_64: float | None
    """``size.alloc`` at -Oz, bytes."""
    size_aarch64: float | None
    instructions: float | None
    """Executed by the ``count`` workloads together, built at -O2 for x86-64."""
    seconds: float | None
    """CPU time of the ``time`` workload, built at -O2: the median of three runs."""

    def record(self) -> dict[str, Any]:
        """As a flat dictionary."""
        return asdict(self)


def suite_facts(programs: Sequence[Program], bench: Bench, engine: Engine, observer: Observer) -> list[ProgramFacts]:
    """Every program's facts, in the suite's order."""
    bench.sandbox.probe()
    take = partial(_facts, bench=bench)
    found = stage("programs", take, programs, engine, observer, lambda program: program.benchmark.name)
    by_name = {program.benchmark.name: facts for program, facts in found}
    return [by_name[program.benchmark.name] for program in programs]


@dataclass(frozen=True, slots=True)
class Hot:
    """A function's share of what a program executes."""

    function: str
    instructions: int
    share: float
    """Of all instructions, libc's and start-up's included."""


def hot_functions(program: Program, level: Level, target: Target, bench: Bench) -> list[Hot]:
    """Where the ``count`` workloads spend their instructions, the hottest first, built at the level.

    Raises CellError when the program fails there.
    """
    cell = Cell(program, target, SIZE, load_policy(level.value), 0)
    result = run_cell(cell, [_EXECUTED, _WITH_CODE], bench)
    if result.outcome is not Outcome.OK:
        raise CellError(result.outcome, result.detail)
    counts = functions_of(result.key, bench).get(_EXECUTED, {})
    total = sum(counts.values())
    found = [Hot(name, int(count), count / total) for name, count in counts.items() if count]
    return sorted(found, key=lambda hot: (-hot.instructions, hot.function))


def _facts(program: Program, bench: Bench) -> ProgramFacts:
    described = describe_program(program, bench)
    return ProgramFacts(
        benchmark=program.benchmark.name,
        **{name: described[name] for name in ("origin", "source", "licence", "split", "language", "lines")},
        ir_instructions=described["ir_instructions"],
        size_x86_64=_value(program, Target.X86_64, "Oz", "size.alloc", bench),
        size_aarch64=_value(program, Target.AARCH64, "Oz", "size.alloc", bench),
        instructions=_value(program, _NATIVE, "O2", _EXECUTED, bench),
        seconds=_seconds(program, bench),
    )


def _value(program: Program, target: Target, policy: str, metric: str, bench: Bench) -> float | None:
    cell = Cell(program, target, SIZE, load_policy(policy), 0)
    return run_cell(cell, [metric], bench).values.get(metric)


def _seconds(program: Program, bench: Bench) -> float | None:
    ready = prepare(program, bench.store, "time")
    if not ready:
        return None
    built, _ = reference_object(program, Level.O2, _NATIVE, bench)
    return statistics.median(sum(native_seconds(program, built, ready, bench).values()) for _ in range(_RUNS))
