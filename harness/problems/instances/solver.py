"""A submitted solver made ready to run: C++ is compiled in the sandbox and kept, Python runs on the harness's own."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.base.digest import digest_bytes, digest_of
from harness.policy.forms.compiled import compile_foreign, compiled
from harness.problems.instances.policies import SOLVER_CPP, SOLVER_PY
from harness.sandbox import GIB, SCRATCH, Job, Limits
from harness.sandbox.bench import Bench
from harness.sandbox.shown import python_folders

__all__ = ["FLAGS", "Solver", "prepare_solver", "solver_job"]

FLAGS = ("-std=c++20", "-O2", "-pthread")

_PROGRAM = "solver"
_INSTANCE = "/instance.json"
_COMPILE_SECONDS = 120.0
_MEMORY = 12 * GIB
_PROCESSES = 64


@dataclass(frozen=True, slots=True)
class Solver:
    """What runs."""

    program: Path
    """A compiled ``solver.cpp``, or the ``solver.py``."""
    is_python: bool


def prepare_solver(content: bytes, name: str, bench: Bench) -> Solver:
    """The solver of a file that is called ``solver.cpp`` or ``solver.py``.

    Raises CellError: ``policy-error`` with the compiler's first messages, which name the file's lines;
    ``policy-timeout`` when it does not compile in time.
    """
    is_python = name == SOLVER_PY
    key = digest_of(
        ["solver", name, digest_bytes(content), [] if is_python else [FLAGS, bench.toolchain.fingerprint.llvm]]
    )

    def make(entry: Path) -> None:
        program = entry / (SOLVER_PY if is_python else _PROGRAM)
        program.write_bytes(content if is_python else _compiled(content, bench))
        program.chmod(0o755)

    entry = bench.store.folder(bench.area("policies"), key, make)
    return Solver(entry / (SOLVER_PY if is_python else _PROGRAM), is_python)


def solver_job(solver: Solver, instance: Path, seconds: float, cores: Sequence[int], bench: Bench) -> Job:
    """The contest's command line on a file of JSON, stopped after ``seconds``.

    ``cores``: those that it runs on, and cannot leave; libraries are told to use as many threads.
    """
    arguments: tuple[str, ...] = (_INSTANCE, f"{seconds:g}")
    files = {_INSTANCE: instance}
    threads = {name: str(len(cores)) for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
    program, folders = f"/{_PROGRAM}", bench.toolchain.folders
    if solver.is_python:
        inside = f"{SCRATCH}/{SOLVER_PY}"
        program, folders = sys.executable, python_folders()
        arguments = ("-I", "-B", inside, *arguments)
        files[inside] = solver.program
    else:
        files[program] = solver.program
    return Job(
        program,
        arguments,
        files=files,
        system=True,
        folders=folders,
        environment={"PATH": "/usr/bin:/bin", "LC_ALL": "C", **threads},
        limits=Limits(wall=seconds, memory=_MEMORY, processes=_PROCESSES),
        cores=tuple(cores),
    )


def _compiled(content: bytes, bench: Bench) -> bytes:
    with bench.store.scratch() as folder:
        source = folder / SOLVER_CPP
        source.write_bytes(content)
        words = ("--driver-mode=g++", *FLAGS, SOLVER_CPP, "-o", _PROGRAM)
        done = compile_foreign("clang", words, {SOLVER_CPP: source}, _PROGRAM, bench, _COMPILE_SECONDS)
    return compiled(done, _PROGRAM, SOLVER_CPP)
