"""A program of known work: for trying what timing can tell, and whether the machine is still as fast as it was."""

import hashlib
from dataclasses import replace
from pathlib import Path

from harness.base.errors import PrerequisiteError
from harness.base.paths import NATIVE_SOURCES
from harness.base.process import Limits, run
from harness.base.vocabulary import Origin, Split
from harness.sandbox.bench import Bench
from harness.suite.load import Program
from harness.suite.model import Benchmark, Source, Workload
from harness.suite.workloads import ReadyWorkload
from harness.timing.contestants import NATIVE
from harness.verify.execute import observe
from harness.verify.link import linked
from harness.verify.verify import runner_for

__all__ = ["READY", "RIGHT", "calibration", "spin", "spin_object"]

_SOURCE = NATIVE_SOURCES / "spin" / "spin.c"
_ROUNDS = 300
"""Of the calibration: a tenth of a second, about."""
_REPEATS = 5

_WORKLOAD = Workload(name="spin", kind="time", timeout=120)
RIGHT = hashlib.sha256(b"done\n").hexdigest()
"""Digest of what it prints, however much it works."""
READY = ReadyWorkload(_WORKLOAD, {}, RIGHT)


def spin() -> Program:
    """The program as one of a suite."""
    return Program(
        suite="selftest",
        suite_version="1",
        folder=_SOURCE.parent,
        benchmark=Benchmark(
            name="spin",
            source="spin",
            description="A program of known work.",
            files=(_SOURCE.name,),
            split=Split.TEST,
            workloads=(_WORKLOAD.model_copy(update={"name": "count", "kind": "count"}), _WORKLOAD),
        ),
        source=Source(origin=Origin.OWN, licence="Apache-2.0", path="."),
        expected={},
    )


def spin_object(made: Path, rounds: int, bench: Bench) -> Path:
    """The program's object with so many rounds of its loop. Raises PrerequisiteError where it cannot be built."""
    command = [bench.toolchain.tool("clang"), "-O2", "-c", f"-DWORK={rounds}", str(_SOURCE), "-o", str(made)]
    done = run(command, cwd=made.parent, limits=Limits(wall=60))
    if not done.ok:
        bench.store.require_space(done.stderr)
        raise PrerequisiteError(f"cannot be built: {done.reason()}", where=str(_SOURCE))
    return made


def calibration(core: int, bench: Bench) -> float:
    """CPU seconds of a fixed number of rounds on this core: the least of five.

    Raises CellError where the program does not run, PrerequisiteError where it cannot be built.
    """
    with bench.store.scratch() as folder:
        made = spin_object(folder / "spin.o", _ROUNDS, bench)
        with linked(spin().benchmark, NATIVE, made, bench) as executable:
            runner = replace(runner_for(NATIVE, bench.toolchain), core=core)
            return min(observe(executable, READY, runner, bench.sandbox).cpu for _ in range(_REPEATS))
