"""Sources to one internalised bitcode module, content-addressed in the cache."""

import json
from dataclasses import dataclass
from pathlib import Path

from harness.bench import Bench
from harness.digest import digest_file, digest_of
from harness.errors import UsageError
from harness.freeze import commands
from harness.freeze.build import built_module
from harness.freeze.guards import check_module
from harness.process import Ended, Limits, run
from harness.store import Store
from harness.suite.load import Program
from harness.suite.sources import SourceTree, source_tree, tree_digest
from harness.toolchain import Toolchain
from harness.vocabulary import Level, Target

__all__ = ["FrozenModule", "freeze", "freeze_key", "program_digest"]

_LIMITS = Limits(wall=300)


@dataclass(frozen=True, slots=True)
class FrozenModule:
    """A frozen program: what every policy starts from."""

    bitcode: Path
    digest: str
    instructions: int
    """IR instructions of the module as frozen."""
    target: Target
    level: Level


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
    return digest_of(["freeze", 1, program_digest(program), target.value, level.value, tools])


def freeze(program: Program, target: Target, level: Level, bench: Bench) -> FrozenModule:
    """The program's frozen module, made if it is not in the cache.

    Raises UsageError, naming program, file and compiler's message, when the sources do not compile
    or a guard refuses the module.
    """
    key = freeze_key(program, target, level, bench.toolchain)

    def make(entry: Path) -> None:
        _freeze_into(entry, program, target, level, bench)

    entry = bench.store.folder("frozen", key, make)
    facts = json.loads((entry / "facts.json").read_bytes())
    return FrozenModule(entry / "frozen.bc", facts["digest"], facts["instructions"], target, level)


def _freeze_into(entry: Path, program: Program, target: Target, level: Level, bench: Bench) -> None:
    toolchain, store = bench.toolchain, bench.store
    if program.benchmark.program is not None:
        units = [built_module(program, target, level, bench)]
    else:
        tree = source_tree(program, store)
        units = [_unit(program, tree, target, level, name, toolchain, store) for name in program.benchmark.files]
    where = f"{program.id} ({target.value}, -{level.value})"
    module, output = entry / "linked.bc", entry / "frozen.bc"
    for command in (
        commands.link_units([str(unit) for unit in units], str(module)),
        commands.internalize(str(module), str(output)),
    ):
        _checked(run([toolchain.tool(command[0]), *command[1:]], cwd=entry, limits=_LIMITS), where, store)
    module.unlink()
    text = _checked(
        run([toolchain.tool("llvm-dis"), output.name, "-o", "-"], cwd=entry, limits=_LIMITS), where, store
    ).stdout
    if b"\ndefine " not in text:
        raise UsageError("the module is empty: it defines no main, and what nothing reaches is dropped", where=where)
    check_module(text, level, program.benchmark.noinline, where)
    facts = {"digest": digest_file(output), "instructions": count_instructions(output, toolchain)}
    (entry / "facts.json").write_text(json.dumps(facts))


def _unit(
    program: Program, tree: SourceTree, target: Target, level: Level, name: str, toolchain: Toolchain, store: Store
) -> Path:
    """One translation unit's bitcode; programs of one tree built alike share it."""
    command = commands.compile_unit(program.benchmark, target, level, name, "unit.bc")
    runtime = toolchain.runtime_fingerprint(target, program.benchmark.language)
    key = digest_of(["unit", tree.digest, command, toolchain.fingerprint.llvm, runtime])

    def make(entry: Path) -> None:
        here = [*command[:-1], str(entry / "unit.bc")]
        done = run([toolchain.tool(here[0]), *here[1:]], cwd=tree.path, limits=_LIMITS)
        _checked(done, f"{program.id}: {name} ({target.value}, -{level.value})", store)

    return store.folder("units", key, make) / "unit.bc"


def _checked(done: Ended, where: str, store: Store) -> Ended:
    if done.ok:
        return done
    store.require_space(done.stderr)
    raise UsageError(f"cannot be frozen: {done.reason()}", where=where)


def count_instructions(module: Path, toolchain: Toolchain) -> int:
    """IR instructions of a bitcode file, by LLVM's own ``func-properties`` analysis."""
    command = [toolchain.tool("opt"), "-passes=print<func-properties>", "-disable-output", str(module)]
    done = run(command, cwd=module.parent, limits=_LIMITS)
    if not done.ok:
        raise UsageError(f"cannot be read: {done.reason()}", where=str(module))
    prefix = b"TotalInstructionCount: "
    return sum(int(line[len(prefix) :]) for line in done.stderr.splitlines() if line.startswith(prefix))
