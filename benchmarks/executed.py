"""Instructions that a tool executes, counted as those of the programs are: by the emulator."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from harness.apply.plan import OBJECT, Step
from harness.base.digest import digest_file
from harness.base.process import Limits, run
from harness.base.progress import SilentObserver
from harness.base.vocabulary import Level, Target
from harness.basic_blocks.counts import Counts
from harness.freeze import FrozenModule, freeze
from harness.problems.programs.stages import fetch_sources, freeze_modules
from harness.run.engines import local_engine
from harness.sandbox.bench import Bench
from harness.suite.load import choose, load_suite
from harness.toolchain.native import native_plugin

__all__ = ["Counted", "count_ways", "frozen_of", "show"]

Counted = Mapping[str, tuple[int, str]]
"""Way → instructions, and the digest of the object."""


def frozen_of(name: str, level: Level, bench: Bench) -> FrozenModule:
    """A program of cbench, for x86-64."""
    (program,) = choose(load_suite("cbench"), [name])
    engine, watcher = local_engine(2), SilentObserver()
    fetch_sources([program], bench, engine, watcher)
    freeze_modules([(program, Target.X86_64, level)], bench, engine, watcher)
    return freeze(program, Target.X86_64, level, bench)


def count_ways(
    ways: Mapping[str, Sequence[Step]], files: Mapping[str, Path], place: Path, bench: Bench, *options: str
) -> Counted:
    """Each way in a folder of its own, which has the files. ``options``: of the emulator."""

    def count(way: str) -> tuple[int, str]:
        folder = place / way.replace(" ", "-")
        folder.mkdir()
        for file, path in files.items():
            (folder / file).symlink_to(path)
        spent = sum(_executed(step, folder, bench, options) for step in ways[way])
        return spent, digest_file(folder / OBJECT)

    with ThreadPoolExecutor(2) as pool:
        return dict(zip(ways, pool.map(count, ways), strict=True))


def _executed(step: Step, folder: Path, bench: Bench, options: Sequence[str]) -> int:
    """What the step's tool executes. Its result is in the folder then."""
    counter = native_plugin("count", bench.toolchain, bench.store)
    emulator = (bench.toolchain.counter(Target.X86_64), "-seed", "1", "-plugin", str(counter), *options)
    done = run([*emulator, bench.toolchain.tool(step.tool), *step.arguments], cwd=folder, limits=Limits(wall=1800))
    assert done.ok, done.reason()
    counts = Counts.parse((folder / ".counts").read_bytes())
    assert counts.incomplete is None
    (folder / ".counts").unlink()
    return counts.total["instructions"]


def show(name: str, frozen: FrozenModule, counted: Counted, benchmark: Any) -> None:
    """Print and keep what each way costs beyond the first."""
    plain, first = next(iter(counted.values()))
    print(f"\n{name}, {frozen.instructions:,} instructions of IR, {plain / 1e9:.2f} G executed")
    for way, (spent, digest) in counted.items():
        benchmark.extra_info[way] = round(spent / plain - 1, 4)
        same = "the same object" if digest == first else "another object"
        print(f"  {way:<24} {spent / plain - 1:+7.2%}  {same}")
