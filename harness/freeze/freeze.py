"""Sources to one internalised bitcode module, content-addressed in the cache."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.base.digest import digest_file, digest_of
from harness.base.errors import UsageError
from harness.base.vocabulary import Level, Target
from harness.freeze import commands
from harness.freeze.build import built_module
from harness.freeze.guards import check_module
from harness.freeze.units import compiled_units, freezing_seconds, run_steps
from harness.sandbox import GIB
from harness.sandbox.bench import Bench
from harness.sandbox.tools import run_tool, tool_job
from harness.suite.load import Program
from harness.suite.sources import source_tree, tree_digest
from harness.suite.tree import Entry, Kind, pack
from harness.toolchain import Toolchain

__all__ = ["FrozenModule", "freeze", "freeze_key", "program_digest"]

_SECONDS = 300.0
_SPACE = 4 * GIB


@dataclass(frozen=True, slots=True)
class FrozenModule:
    """A frozen program: what every policy starts from."""

    bitcode: Path
    digest: str
    instructions: int
    """IR instructions of the module as frozen."""
    target: Target
    level: Level
    program: Program | None = field(default=None, compare=False, repr=False)
    """Whose module it is; None where it is made of nothing that a suite defines."""


def program_digest(program: Program) -> str:
    """What the program is, whatever the target, level and toolchain: sources and how they are built."""
    build = program.benchmark.model_dump(
        mode="json", include={"language", "files", "include", "defines", "flags", "link", "noinline"}
    )
    if program.source.build is None or program.benchmark.program is None:
        return digest_of([tree_digest(program), build])
    return digest_of(
        [tree_digest(program), build, program.benchmark.program, program.source.build.model_dump(mode="json")]
    )


def freeze_key(program: Program, target: Target, level: Level, toolchain: Toolchain) -> str:
    """The cache's key of a frozen module. libc is in it because its headers are in the module."""
    tools = [toolchain.fingerprint.llvm, toolchain.runtime_fingerprint(target, program.benchmark.language)]
    return digest_of(["freeze", 2, program_digest(program), target.value, level.value, tools])


def freeze(program: Program, target: Target, level: Level, bench: Bench) -> FrozenModule:
    """The program's frozen module, made if it is not in the cache.

    Raises UsageError, naming program, file and compiler's message, when the sources do not compile
    or a guard refuses the module.
    """
    key = freeze_key(program, target, level, bench.toolchain)

    def make(entry: Path) -> dict[str, Any]:
        return _freeze_into(entry, program, target, level, bench)

    entry, facts = bench.store.folder_with_facts("frozen", key, make)
    return FrozenModule(entry / "frozen.bc", **facts, target=target, level=level, program=program)


def _freeze_into(entry: Path, program: Program, target: Target, level: Level, bench: Bench) -> dict[str, Any]:
    if program.benchmark.program is not None:
        units = [built_module(program, target, level, bench)]
    else:
        units = compiled_units(program, source_tree(program, bench), target, level, bench)
    where = f"{program.id} ({target.value}, -{level.value})"
    output = entry / "frozen.bc"
    module, text, counts = _linked(units, where, bench)
    output.write_bytes(module)
    if b"\ndefine " not in text:
        raise UsageError("the module is empty: it defines no main, and what nothing reaches is dropped", where=where)
    check_module(text, level, program.benchmark.noinline, where)
    return {"digest": digest_file(output), "instructions": _instructions(counts)}


def _linked(units: Sequence[Path], where: str, bench: Bench) -> tuple[bytes, bytes, bytes]:
    """The units as one internalised module, its text, and what the analysis says that counts its instructions."""
    with bench.store.scratch() as scratch:
        archive = scratch / "units.tar"
        names = [f"{number}.bc" for number in range(len(units))]
        contents = [Entry(Kind.FILE, content=unit, size=unit.stat().st_size) for unit in units]
        pack(dict(zip(names, contents, strict=True)), archive)
        steps = [
            ["tar", "--extract", "--file", archive.name],
            commands.link_units(names, "linked.bc"),
            commands.internalize("linked.bc", "frozen.bc", counting=True),
            ["llvm-dis", "frozen.bc", "-o", "frozen.ll"],
        ]
        files, results = {archive.name: archive}, ("frozen.bc", "frozen.ll")
        done = run_steps(steps, files, results, freezing_seconds(bench), _SPACE, where, bench)
    return done.results["frozen.bc"], done.results["frozen.ll"], done.stderr


def count_instructions(module: Path, bench: Bench) -> int:
    """IR instructions of a bitcode file, by LLVM's own ``func-properties`` analysis."""
    words = (f"-passes={commands.COUNT}", "-disable-output", module.name)
    done = run_tool(tool_job("opt", words, {module.name: module}, (), _SECONDS, bench), bench)
    if not done.ok:
        raise UsageError(f"cannot be read: {done.reason_line()}", where=str(module))
    return _instructions(done.stderr)


def _instructions(said: bytes) -> int:
    prefix = b"TotalInstructionCount: "
    return sum(int(line[len(prefix) :]) for line in said.splitlines() if line.startswith(prefix))
