"""The stages before the cells: sources fetched, inputs generated, modules frozen; all in the cache."""

import time
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path

from harness.apply.reference import reference_object
from harness.base.engine import Engine, stage
from harness.base.errors import CellError, UsageError
from harness.base.progress import Observer
from harness.base.vocabulary import Level, Target
from harness.freeze import freeze, freeze_key
from harness.policy import Policy
from harness.problems.programs.cell import Cell, frozen_of
from harness.problems.programs.problems import PartlyPureProblem, ProgramProblem, PureProblem, program_problem
from harness.problems.programs.rates import remember_rate
from harness.problems.programs.request import Module
from harness.sandbox.bench import Bench
from harness.suite.fresh import fresh_workload, takes_fresh_inputs
from harness.suite.load import Program
from harness.suite.sources import is_unpacked, source_tree, tree_digest
from harness.suite.workloads import ReadyWorkload, inputs_exist, prepare
from harness.verify import expected_results

__all__ = [
    "check_ready",
    "copy_modules",
    "fetch_sources",
    "freeze_modules",
    "fresh_inputs",
    "generate_inputs",
    "is_frozen",
    "try_hidden",
]


def fetch_sources(
    programs: Sequence[Program], bench: Bench, engine: Engine, observer: Observer, offered: Path | None = None
) -> None:
    """Fetch and unpack every source tree that is not there; from the folder ``offered`` if one is given.

    Raises the first error: PrerequisiteError where a tarball cannot be had, UsageError where it is
    not the pinned one.
    """
    trees = {tree_digest(program): program for program in programs}
    missing = [p for p in trees.values() if offered is not None or not is_unpacked(p, bench.store)]
    fetch = partial(_fetch, bench=bench, offered=offered)
    stage("fetch", fetch, missing, engine, observer, lambda program: program.benchmark.source)


def generate_inputs(
    programs: Sequence[Program], bench: Bench, engine: Engine, observer: Observer, kind: str = "count"
) -> None:
    """Generate the input files of every workload of a kind."""
    missing = [program for program in programs if not inputs_exist(program, bench.store, kind)]
    generate = partial(_generate, bench=bench, kind=kind)
    stage("inputs", generate, missing, engine, observer, _program_name)


def fresh_inputs(
    programs: Iterable[Program], seed: str, bench: Bench, engine: Engine, observer: Observer
) -> dict[str, ReadyWorkload]:
    """The inputs that objects are verified on first, made from the run's seed; by the program's id."""
    wanted = list({program.id: program for program in programs if takes_fresh_inputs(program)}.values())
    make = partial(_fresh, seed=seed, bench=bench)
    made = stage("inputs", make, wanted, engine, observer, _program_name)
    return {program.id: ready for program, ready in made if ready is not None}


def freeze_modules(modules: Sequence[Module], bench: Bench, engine: Engine, observer: Observer) -> None:
    """Freeze every module, the large ones first. Raises the first error."""
    missing = [module for module in modules if not is_frozen(module, bench)]
    missing.sort(key=_weight, reverse=True)
    started = time.monotonic()
    stage("freeze", partial(_freeze, bench=bench), missing, engine, observer, _module_name, _weight)
    if missing:
        seconds = (time.monotonic() - started) * engine.workers
        remember_rate("freeze", seconds / sum(map(_weight, missing)), bench)


def is_frozen(module: Module, bench: Bench) -> bool:
    """Whether it is in the cache already."""
    program, target, level = module
    return bench.store.has("frozen", freeze_key(program, target, level, bench.toolchain))


def copy_modules(cells: Iterable[Cell], bench: Bench, engine: Engine, observer: Observer) -> None:
    """Make the copies of modules that the cells need. Raises the first error."""
    needed = {
        (cell.program.id, cell.target, cell.level, cell.copy): cell
        for cell in cells
        if cell.copy and cell.target in cell.policy.manifest.targets
    }
    stage("copies", partial(_copy, bench=bench), list(needed.values()), engine, observer, lambda cell: cell.name)


def check_ready(cells: Iterable[Cell], bench: Bench, engine: Engine, observer: Observer) -> None:
    """Check what decisions are taken with on every module, once for each problem. Raises PrerequisiteError."""
    needed = {
        (cell.program.id, cell.target, cell.level, cell.copy, type(problem).require_ready): cell
        for cell in cells
        if cell.target in cell.policy.manifest.targets
        if not _needs_nothing(problem := program_problem(cell.policy.manifest.problem), cell.policy)
    }
    stage("plugin", partial(_check, bench=bench), list(needed.values()), engine, observer, lambda cell: cell.name)


def _needs_nothing(problem: ProgramProblem, policy: Policy) -> bool:
    return isinstance(problem, PureProblem) or (isinstance(problem, PartlyPureProblem) and problem.is_pure(policy))


def try_hidden(programs: Sequence[Program], bench: Bench, engine: Engine, observer: Observer) -> None:
    """Run the reference builds on the hidden workloads. Raises UsageError for a program that does not stand one."""
    wanted = [program for program in programs if program.hidden]
    stage("hidden", partial(_try_hidden, bench=bench), wanted, engine, observer, _program_name)


def _check(cell: Cell, bench: Bench) -> None:
    where = f"{cell.program.id} ({cell.target.value}, -{cell.level.value})"
    program_problem(cell.policy.manifest.problem).require_ready(frozen_of(cell, bench), bench, where)


def _copy(cell: Cell, bench: Bench) -> None:
    frozen_of(cell, bench)


def _try_hidden(program: Program, bench: Bench) -> None:
    ready = prepare(program, bench.store, "hidden")
    try:
        expected_results(program, ready, lambda: reference_object(program, Level.O0, Target.X86_64, bench), bench)
    except CellError as error:
        raise UsageError(
            f"the reference build fails on a hidden workload: {error.message}",
            where=program.id,
            hint="its inputs cannot be made from every seed: mend the program or its generator, or take another seed",
        ) from None


def _fetch(program: Program, bench: Bench, offered: Path | None) -> None:
    source_tree(program, bench, offered)


def _generate(program: Program, bench: Bench, kind: str) -> None:
    prepare(program, bench.store, kind)


def _fresh(program: Program, seed: str, bench: Bench) -> ReadyWorkload | None:
    return fresh_workload(program, seed, 1, bench.store)


def _freeze(module: Module, bench: Bench) -> None:
    freeze(*module, bench)


def _program_name(program: Program) -> str:
    return program.benchmark.name


def _weight(module: Module) -> float:
    return module[0].benchmark.weight


def _module_name(module: Module) -> str:
    program, target, level = module
    return f"{program.benchmark.name} {target.value} -{level.value}"
