"""Coverage: which functions and basic blocks of a program its ``count`` workloads execute, all of them together.

What no workload executes, no workload verifies: a policy may break it and still be called right. Blocks are those of
the program frozen and compiled at -O0 for x86-64, where they follow the source: nothing is inlined, duplicated or
removed, and functions that ``main`` cannot reach are gone since the freeze. The same counter that counts cells
(``native/count``) says which of them ran.

A block counts if it can be reached from its function's entry without an exception being thrown. What unwinding alone
reaches, cleanup for the most part, does not count: instead a program that has code for exceptions needs a workload
in which one is thrown and passes a landing pad.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from harness.apply import optimise, run_step
from harness.apply.plan import reference_plan
from harness.base.engine import Engine, stage
from harness.base.errors import CellError, UsageError
from harness.base.progress import Observer
from harness.base.vocabulary import Level, Target
from harness.basic_blocks import Counts
from harness.basic_blocks.address_map import EDGE_FLAGS, MappedBlock, read_address_map
from harness.basic_blocks.analyse import MAPPED, mapped_step
from harness.basic_blocks.profile import executions_at
from harness.freeze import freeze
from harness.problems.programs.admission.findings import Finding
from harness.sandbox.bench import Bench
from harness.sandbox.tools import run_tool, tool_job
from harness.suite.load import Program
from harness.suite.model import LEAST_COVERAGE
from harness.suite.workloads import prepare
from harness.verify.execute import observe
from harness.verify.link import link_program
from harness.verify.verify import counting_runner

__all__ = [
    "FunctionCoverage",
    "ProgramCoverage",
    "WorkloadCoverage",
    "coverage_findings",
    "measure_coverage",
    "shortened",
    "summarise",
    "target_of",
]

_TARGET, _LEVEL = Target.X86_64, Level.O0
_THROWS = frozenset({"__cxa_throw", "__cxa_rethrow"})
_NAMED = 5
"""Functions that a finding names."""
_LONGEST_NAME = 90


@dataclass(frozen=True, slots=True)
class FunctionCoverage:
    """One function."""

    function: str
    """Its symbol."""
    blocks: int
    """That can be reached without an exception."""
    executed: int
    """Of them."""

    @property
    def missed(self) -> int:
        """Blocks that no workload executes."""
        return self.blocks - self.executed


@dataclass(frozen=True, slots=True)
class WorkloadCoverage:
    """What one workload adds."""

    workload: str
    blocks: int
    """That it executes."""
    alone: int
    """That no other workload executes."""
    throws: bool
    """Whether an exception was thrown and passed a landing pad."""


@dataclass(frozen=True, slots=True)
class ProgramCoverage:
    """One program, all ``count`` workloads together."""

    benchmark: str
    target: float
    """The least share of blocks."""
    functions: tuple[FunctionCoverage, ...]
    """In the order of their addresses."""
    workloads: tuple[WorkloadCoverage, ...]
    landing_pads: int
    """Blocks that unwinding enters."""
    landed: int
    """Of them, those that a workload executed."""
    throws: bool
    """Whether the program itself has a ``throw``."""

    @property
    def blocks(self) -> int:
        """All that count."""
        return sum(f.blocks for f in self.functions)

    @property
    def executed(self) -> int:
        """Blocks that a workload executes."""
        return sum(f.executed for f in self.functions)

    @property
    def share(self) -> float:
        """Of the blocks; 1 for a program without any."""
        return self.executed / self.blocks if self.blocks else 1.0

    def record(self) -> dict[str, Any]:
        """As a flat dictionary."""
        return {
            "benchmark": self.benchmark,
            "functions": len(self.functions),
            "functions_executed": sum(f.executed > 0 for f in self.functions),
            "blocks": self.blocks,
            "blocks_executed": self.executed,
            "share": self.share,
            "target": self.target,
            "landing_pads": self.landing_pads,
            "landing_pads_executed": self.landed,
            "throws": self.throws,
        }


def target_of(program: Program) -> float:
    """The least share of blocks that the program's workloads must execute."""
    chosen = program.benchmark.coverage
    return chosen.blocks if chosen else LEAST_COVERAGE


def measure_coverage(
    programs: Sequence[Program], bench: Bench, engine: Engine, observer: Observer
) -> dict[str, ProgramCoverage | str]:
    """Benchmark → its coverage, or why there is none."""
    bench.sandbox.probe()
    measure = partial(_coverage_or_reason, bench=bench)
    found = stage("covered", measure, programs, engine, observer, lambda program: program.benchmark.name)
    by_name = {program.benchmark.name: coverage for program, coverage in found}
    return {program.benchmark.name: by_name[program.benchmark.name] for program in programs}


def coverage_findings(program: Program, found: ProgramCoverage | str, bench: Bench) -> list[Finding]:
    """What is wrong with it, against what the suite's definition says of the program."""
    from harness.toolchain.names import as_written

    name = program.benchmark.name
    if isinstance(found, str):
        return [Finding(name, "coverage", f"cannot be measured: {found}")]
    findings = []
    if found.share < found.target:
        gaps = sorted((f for f in found.functions if f.missed), key=lambda f: -f.missed)[:_NAMED]
        written = as_written([f.function for f in gaps], bench.toolchain)
        named = ", ".join(f"{shortened(written[f.function])} ({f.missed:,} of {f.blocks:,})" for f in gaps)
        message = (
            f"the count workloads execute {found.executed:,} of {found.blocks:,} basic blocks, "
            f"{_percent(found.share)}, and the target is {_percent(found.target)}; "
            f"most blocks are never executed in {named}"
        )
        findings.append(Finding(name, "coverage", message))
    if fault := _exception_fault(found, program.benchmark.unthrown):
        findings.append(Finding(name, "exceptions", fault))
    return findings


def shortened(name: str) -> str:
    """A function's name for a line of text: templates have names of thousands of characters."""
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"


def _exception_fault(found: ProgramCoverage, unthrown: str | None) -> str | None:
    stale = "the field unthrown is there, and {}: remove the field"
    if found.landed:
        thrower = next(w.workload for w in found.workloads if w.throws)
        return stale.format(f"workload {thrower} throws an exception") if unthrown else None
    if not (found.landing_pads or found.throws):
        return stale.format("the program has no code for exceptions") if unthrown else None
    if unthrown:
        return None
    what = "throws exceptions" if found.throws else f"has code for exceptions ({found.landing_pads:,} landing pads)"
    return (
        f"the program {what}, and no count workload throws one: write a workload that does, "
        "or say in the field unthrown why there can be none"
    )


def _percent(share: float) -> str:
    """Rounded down, so that a figure that misses its target does not look as if it met it."""
    return f"{int(share * 1000) / 10:.1f} %"


def _coverage_or_reason(program: Program, bench: Bench) -> ProgramCoverage | str:
    try:
        return _coverage(program, bench)
    except (CellError, UsageError) as error:
        return error.message
    except ValueError as error:
        return str(error)


def _coverage(program: Program, bench: Bench) -> ProgramCoverage:
    """Raises CellError, UsageError or ValueError where it cannot be had."""
    benchmark = program.benchmark
    frozen = freeze(program, _TARGET, _LEVEL, bench)
    plan = reference_plan(_LEVEL, _TARGET)
    runs: dict[str, Counts] = {}
    with bench.store.scratch() as folder:
        run_step(mapped_step(plan.generate, EDGE_FLAGS), optimise(frozen, plan, bench).bitcode, folder, bench)
        throws = bool(_THROWS & set(_undefined(folder / MAPPED, bench)))
        executable = folder / "program"
        link_program(benchmark, _TARGET, folder / MAPPED, executable, bench)
        blocks = read_address_map(executable, bench)
        runner = counting_runner(_TARGET, bench)
        for item in prepare(program, bench.store):
            counts = observe(executable, item, runner, bench.sandbox).counts
            if counts is None:
                raise ValueError(f"workload {item.workload.name} ends in a way that leaves no counts")
            runs[item.workload.name] = Counts.parse(counts)
    return summarise(benchmark.name, target_of(program), blocks, runs, throws)


def summarise(
    benchmark: str, target: float, blocks: Sequence[MappedBlock], runs: dict[str, Counts], throws: bool
) -> ProgramCoverage:
    """What each workload's run executed of the blocks. Those without an instruction do not count."""
    import numpy

    addresses = numpy.array([block.address for block in blocks], numpy.int64)
    executed = numpy.array([executions_at(counts, addresses) > 0 for counts in runs.values()], bool)
    executed = executed.reshape(len(runs), len(blocks))
    holds_code = numpy.array([block.size > 0 for block in blocks], bool)
    ordinary = numpy.array(list(_ordinary(blocks)), bool) & holds_code
    pads = numpy.array([block.landing_pad for block in blocks], bool) & holds_code
    by_any = executed.any(axis=0)
    functions: dict[str, list[int]] = {}
    ran = ordinary & by_any
    for at, block in enumerate(blocks):
        sums = functions.setdefault(block.function, [0, 0])
        sums[0] += int(ordinary[at])
        sums[1] += int(ran[at])
    alone = executed & (executed.sum(axis=0) == 1) & ordinary
    return ProgramCoverage(
        benchmark,
        target,
        tuple(FunctionCoverage(name, total, done) for name, (total, done) in functions.items()),
        tuple(
            WorkloadCoverage(
                name, int((executed[at] & ordinary).sum()), int(alone[at].sum()), bool((executed[at] & pads).any())
            )
            for at, name in enumerate(runs)
        ),
        int(pads.sum()),
        int((pads & by_any).sum()),
        throws,
    )


def _ordinary(blocks: Sequence[MappedBlock]) -> Iterable[bool]:
    """Of each block: whether its function's entry reaches it without passing a landing pad."""
    by_function: dict[str, dict[int, MappedBlock]] = {}
    for block in blocks:
        by_function.setdefault(block.function, {})[block.id] = block
    reached: set[tuple[str, int]] = set()
    for name, own in by_function.items():
        pending = [next(iter(own))]
        while pending:
            at = pending.pop()
            if (name, at) in reached or at not in own or own[at].landing_pad:
                continue
            reached.add((name, at))
            pending += own[at].successors
    return ((block.function, block.id) in reached for block in blocks)


def _undefined(linked_object: Path, bench: Bench) -> list[str]:
    """Symbols that the object wants from libraries. Raises ValueError."""
    done = run_tool(
        tool_job("llvm-nm", ("-u", "-j", linked_object.name), {linked_object.name: linked_object}, (), 60, bench), bench
    )
    if not done.ok:
        raise ValueError(f"its symbols cannot be listed: {done.reason_line()}")
    return done.stdout.decode("utf-8", "replace").split()
