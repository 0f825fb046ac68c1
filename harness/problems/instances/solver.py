"""A submitted solver made ready to run: C++ is compiled in the sandbox and kept, Python runs on the harness's own.

Of the harness's packages Python sees numpy and highspy alone, so that what a cell's key says of it is all there is.
"""

import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from harness.base.digest import digest_bytes, digest_file, digest_of
from harness.base.vocabulary import Target
from harness.policy.forms.compiled import compile_foreign, compiled
from harness.problems.instances.policies import SOLVER_CPP, SOLVER_PY
from harness.sandbox import GIB, SCRATCH, Job, Limits
from harness.sandbox.bench import Bench
from harness.sandbox.shown import python_alone

__all__ = ["FLAGS", "PACKAGES", "Solver", "prepare_solver", "solver_inputs", "solver_job"]

FLAGS = ("-std=c++20", "-O2", "-pthread")
PACKAGES = ("numpy", "highspy")
"""What a ``solver.py`` can import besides the standard library."""

_PROGRAM = "solver"
_INSTANCE = "/instance.json"
_COMPILE_SECONDS = 120.0
_MEMORY = 12 * GIB
_PROCESSES = 64
_START = "import runpy, sys; places, *sys.argv = sys.argv[1:]; sys.path += places.split('\\n'); " + (
    "runpy.run_path(sys.argv[0], run_name='__main__')"
)
"""What starts a ``solver.py``, given where packages lie, its path and its arguments."""


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
    key = digest_of(["solver", name, digest_bytes(content), [] if is_python else _compiler(bench)])

    def make(entry: Path) -> None:
        program = entry / (SOLVER_PY if is_python else _PROGRAM)
        program.write_bytes(content if is_python else _compiled(content, bench))
        program.chmod(0o755)

    entry = bench.store.folder(bench.area("policies"), key, make)
    return Solver(entry / (SOLVER_PY if is_python else _PROGRAM), is_python)


def solver_inputs(name: str, cores: int, bench: Bench) -> dict[str, Any]:
    """What a solver of this file name depends on besides its file and the instance: for its cell's key."""
    given = {"limits": asdict(_limits(0.0)), "environment": _environment(cores)}
    if name == SOLVER_PY:
        versions = {package: version(package) for package in PACKAGES}
        return given | {"python": [sys.version, _START, versions, _python_files()]}
    return given | {"compiler": _compiler(bench)}


@cache
def _python_files() -> dict[str, str]:
    """Digests of the interpreter and of the system's libraries that it and the packages ask for."""
    return {str(path): digest_file(path) for path in python_alone(PACKAGES).shown if path.is_file()}


def _compiler(bench: Bench) -> list[Any]:
    """What makes a program of a ``solver.cpp``, and the libraries that it is linked with."""
    return [FLAGS, bench.toolchain.fingerprint.llvm, bench.toolchain.runtime_fingerprint(Target.X86_64, "c++")]


def solver_job(solver: Solver, instance: Path, seconds: float, cores: Sequence[int], bench: Bench) -> Job:
    """The contest's command line on a file of JSON, stopped after ``seconds``.

    ``cores``: those that it runs on, and cannot leave.
    """
    arguments: tuple[str, ...] = (_INSTANCE, f"{seconds:g}")
    given: dict[str, Any] = {
        "environment": _environment(len(cores)),
        "limits": _limits(seconds),
        "cores": tuple(cores),
    }
    if not solver.is_python:
        program = f"/{_PROGRAM}"
        files = {program: solver.program, _INSTANCE: instance}
        return Job(program, arguments, files=files, system=True, folders=bench.toolchain.folders, **given)
    python, inside = python_alone(PACKAGES), f"{SCRATCH}/{SOLVER_PY}"
    places = "\n".join(map(str, python.packages))
    return Job(
        str(python.program),
        ("-I", "-S", "-B", "-c", _START, places, inside, *arguments),
        files={inside: solver.program, _INSTANCE: instance},
        folders=python.shown,
        hidden=python.hidden,
        **given,
    )


def _limits(seconds: float) -> Limits:
    return Limits(wall=seconds, memory=_MEMORY, processes=_PROCESSES)


def _environment(cores: int) -> dict[str, str]:
    """Libraries are told to use as many threads as there are cores."""
    threads = {name: str(cores) for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
    return {"PATH": "/usr/bin:/bin", "LC_ALL": "C", **threads}


def _compiled(content: bytes, bench: Bench) -> bytes:
    with bench.store.scratch() as folder:
        source = folder / SOLVER_CPP
        source.write_bytes(content)
        words = ("--driver-mode=g++", *FLAGS, SOLVER_CPP, "-o", _PROGRAM)
        done = compile_foreign("clang", words, {SOLVER_CPP: source}, _PROGRAM, bench, _COMPILE_SECONDS)
    return compiled(done, _PROGRAM, SOLVER_CPP)
