"""Programs of the suites that are built from Debian source packages, for tests of what they compute."""

import subprocess
from pathlib import Path

import pytest

from harness.base.errors import PrerequisiteError
from harness.base.store import Store
from harness.sandbox.bench import Bench
from harness.suite.load import choose, load_suite
from harness.suite.sources import source_tree
from harness.toolchain import find_toolchain

__all__ = ["build_program", "check_output"]


def build_program(suite: str, name: str, store: Store, folder: Path) -> Path:
    """The program, compiled at -O1 from its fetched sources; the test is skipped where they cannot be had."""
    (program,) = choose(load_suite(suite), [name])
    try:
        tree = source_tree(program, Bench(find_toolchain(), store.root)).path
    except PrerequisiteError as error:
        pytest.skip(str(error))
    benchmark = program.benchmark
    executable = folder / name
    command = [
        find_toolchain().tool("clang++" if benchmark.language == "c++" else "clang"),
        *("-O1", "-w", "-ffp-contract=off"),
        *benchmark.flags,
        *(f"-D{define}" for define in benchmark.defines),
        *(f"-I{include}" for include in benchmark.include),
        *benchmark.files,
        *benchmark.link,
        *("-o", str(executable)),
    ]
    subprocess.run(command, cwd=tree, check=True, timeout=600)
    return executable


def check_output(program: Path, folder: Path, *arguments: str, stdin: bytes = b"", code: int = 0) -> str:
    """Standard output of one run in that folder, which has to end with ``code``.

    Standard input is a file, as it is in the harness.
    """
    (folder / "stdin").write_bytes(stdin)
    with (folder / "stdin").open("rb") as file:
        done = subprocess.run([program, *arguments], cwd=folder, stdin=file, capture_output=True, timeout=60)
    assert done.returncode == code, (done.returncode, done.stdout[-2000:], done.stderr[-2000:])
    return done.stdout.decode("latin-1")
