"""The stages before the cells: sources fetched, inputs generated, modules frozen; all in the cache."""

import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from harness.bench import Bench
from harness.engine import Engine
from harness.flow.outlook import remember_rate
from harness.flow.progress import Observer
from harness.flow.request import Module
from harness.freeze import freeze, freeze_key
from harness.suite.load import Program
from harness.suite.sources import is_fetched, source_tree
from harness.suite.workloads import inputs_exist, prepare

__all__ = ["fetch_sources", "freeze_modules", "generate_inputs"]

Task = TypeVar("Task")
Value = TypeVar("Value")


def fetch_sources(
    programs: Sequence[Program], bench: Bench, engine: Engine, observer: Observer, offered: Path | None = None
) -> None:
    """Fetch and unpack every source tree that is not there; from the folder ``offered`` if one is given.

    Raises the first error: PrerequisiteError where a tarball cannot be had, UsageError where it is
    not the pinned one.
    """
    trees = {program.benchmark.source: program for program in programs}
    missing = [p for p in trees.values() if offered is not None or not is_fetched(p, bench.store)]
    fetch = partial(_fetch, bench=bench, offered=offered)
    _stage(engine, observer, "fetch", fetch, missing, _one, lambda program: program.benchmark.source)


def generate_inputs(
    programs: Sequence[Program], bench: Bench, engine: Engine, observer: Observer, kind: str = "count"
) -> None:
    """Generate the input files of every workload of a kind."""
    missing = [program for program in programs if not inputs_exist(program, bench.store, kind)]
    generate = partial(_generate, bench=bench, kind=kind)
    _stage(engine, observer, "inputs", generate, missing, _one, lambda p: p.benchmark.name)


def freeze_modules(modules: Sequence[Module], bench: Bench, engine: Engine, observer: Observer) -> None:
    """Freeze every module, the large ones first. Raises the first error."""
    missing = [m for m in modules if not bench.store.path("frozen", freeze_key(*m, bench.toolchain)).is_dir()]
    missing.sort(key=_files, reverse=True)
    started = time.monotonic()
    _stage(engine, observer, "freeze", partial(_freeze, bench=bench), missing, _files, _module_name)
    if missing:
        seconds = (time.monotonic() - started) * engine.workers
        remember_rate("freeze", seconds / sum(_files(module) for module in missing), bench)


def _fetch(program: Program, bench: Bench, offered: Path | None) -> None:
    source_tree(program, bench.store, offered)


def _generate(program: Program, bench: Bench, kind: str) -> None:
    prepare(program, bench.store, kind)


def _freeze(module: Module, bench: Bench) -> None:
    freeze(*module, bench.toolchain, bench.store)


def _one(_task: object) -> float:
    return 1.0


def _files(module: Module) -> float:
    return float(len(module[0].benchmark.files))


def _module_name(module: Module) -> str:
    program, target, level = module
    return f"{program.benchmark.name} {target.value} -{level.value}"


def _stage(
    engine: Engine,
    observer: Observer,
    name: str,
    function: Callable[[Task], Value],
    tasks: Sequence[Task],
    weight: Callable[[Task], float],
    label: Callable[[Task], str],
) -> None:
    """Run one stage's tasks; the first error ends the run."""
    if not tasks:
        return
    observer.stage(name, sum(weight(task) for task in tasks))
    for done in engine.run(function, tasks):
        if done.error is not None:
            raise done.error
        observer.advance(weight(done.task), label(done.task))
