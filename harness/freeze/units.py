"""Translation units to bitcode, in the sandbox: a source can name any file for the compiler to read.

The compiler sees the source tree and the system's headers. All units of a program that are not in the cache are
compiled in one sandbox, which unpacks the tree once.
"""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from harness.base.digest import digest_of
from harness.base.errors import UsageError
from harness.base.process import last_words
from harness.base.vocabulary import Level, Target
from harness.freeze import commands
from harness.sandbox import GIB, Finished
from harness.sandbox.bench import Bench
from harness.sandbox.tools import script_job
from harness.suite.load import Program
from harness.suite.sources import SourceTree, packed_tree

__all__ = ["compiled_in_tree", "compiled_units", "freezing_seconds", "run_steps"]

_SECONDS = 300.0
"""CPU seconds for one program's units, and as many for every hundred more, where each compile step has a minute."""
_STEPS = 5
"""A program's units may take as much time as so many steps of a plan, where ``--compile-timeout`` gives these more."""
_MORE = (
    f"--compile-timeout: a program's units may take {_STEPS} times as much CPU time, and ten times that of wall time"
)
_ARCHIVE, _TREE = "tree.tar", "tree"


def compiled_units(program: Program, tree: SourceTree, target: Target, level: Level, bench: Bench) -> list[Path]:
    """Each translation unit's bitcode, in the suite's order; programs of one tree built alike share it.

    Raises UsageError, naming program, file and the compiler's message, for what cannot be compiled.
    """
    names = program.benchmark.files
    lines = {name: commands.compile_unit(program.benchmark, target, level, name, "unit.bc") for name in names}
    runtime = bench.toolchain.runtime_fingerprint(target, program.benchmark.language)
    llvm = bench.toolchain.fingerprint.llvm
    keys = {name: digest_of(["unit", 2, tree.digest, line, llvm, runtime]) for name, line in lines.items()}
    missing = [name for name, key in keys.items() if not bench.store.has("units", key)]
    made = _compile(program, {name: lines[name] for name in missing}, tree, (target, level), bench) if missing else {}

    def unit(name: str, key: str) -> Path:
        return bench.store.folder("units", key, lambda entry: _keep(entry, made[name])) / "unit.bc"

    return [unit(name, key) for name, key in keys.items()]


def _keep(entry: Path, content: bytes) -> None:
    (entry / "unit.bc").write_bytes(content)


def _compile(
    program: Program, lines: Mapping[str, list[str]], tree: SourceTree, way: tuple[Target, Level], bench: Bench
) -> dict[str, bytes]:
    results = {name: f"{number}.bc" for number, name in enumerate(lines)}
    steps = [[*line[:-1], f"../{results[name]}"] for name, line in lines.items()]
    where = f"{program.id}: {{}} ({way[0].value}, -{way[1].value})"
    done = _run_in_tree(steps, tuple(results.values()), tree, where, tuple(lines), bench)
    return {name: done.results[result] for name, result in results.items()}


def compiled_in_tree(command: Sequence[str], tree: SourceTree, result: str, where: str, bench: Bench) -> bytes:
    """The file ``result``, which the command leaves in the folder above the tree that it runs in. Raises UsageError."""
    return _run_in_tree([command], (result,), tree, where, (), bench).results[result]


def _run_in_tree(
    steps: Sequence[Sequence[str]],
    results: tuple[str, ...],
    tree: SourceTree,
    where: str,
    names: tuple[str, ...],
    bench: Bench,
) -> Finished:
    archive = packed_tree(tree, bench.store)
    before = [["mkdir", _TREE], ["tar", "--extract", "--file", _ARCHIVE, "--directory", _TREE], ["cd", _TREE]]
    seconds = freezing_seconds(bench) * (1 + len(steps) // 100)
    space = 2 * archive.stat().st_size + 2 * GIB
    labels = (*(_ARCHIVE for _ in before), *names) if names else ()
    return run_steps([*before, *steps], {_ARCHIVE: archive}, results, seconds, space, where, bench, labels)


def freezing_seconds(bench: Bench) -> float:
    """CPU seconds that a step of freezing may take."""
    return max(_SECONDS, _STEPS * bench.compile_timeout)


def run_steps(
    steps: Sequence[Sequence[str]],
    files: Mapping[str, Path],
    results: tuple[str, ...],
    seconds: float,
    space: int,
    where: str,
    bench: Bench,
    names: Sequence[str] = (),
) -> Finished:
    """Run tools one after the other in one sandbox; all results are there afterwards. ``seconds``: of CPU time.

    Raises UsageError for the first step that fails; ``names`` has what each step works on, for ``{}`` in ``where``.
    """
    tools = [shlex.join([_tool(step[0], bench), *step[1:]]) for step in steps]
    script = "".join(f"echo {number}\n{line}\n" for number, line in enumerate(tools))
    done = bench.sandbox.run(script_job(script, files, results, seconds, bench, space))
    if done.ok and not done.refused:
        return done
    bench.store.require_space(done.stderr)
    said = done.stdout.split()
    at = int(said[-1]) if said and said[-1].isdigit() else 0
    at = min(at, len(steps) - 1)
    place = where.replace("{}", names[at]) if names else where
    if done.ok:
        name, why = next(iter(done.refused.items()))
        raise UsageError(f"cannot be frozen: {Path(steps[at][0]).name}: its output {name} is {why}", where=place)
    hint = _MORE if done.out_of_time else None
    message = f"cannot be frozen: {steps[at][0]}: {done.ending}{last_words(done.stderr)}"
    raise UsageError(message, where=place, hint=hint)


def _tool(name: str, bench: Bench) -> str:
    return name if name in ("cd", "mkdir", "tar") else bench.toolchain.tool(name)
