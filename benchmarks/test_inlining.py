"""What the inlining plugin costs: instructions of clang with it, against plain clang's.

Instructions and not seconds: on a machine that others share, CPU time of identical commands varies by more than what is
to be seen. They are counted as those of the programs are, by the emulator.

LLVM's own heuristic decides, so that all compile the same code; with all features computed, the compiler does what it
does for a model, whose own process comes on top. ``make bench`` runs it.
"""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from benchmarks.executed import executed
from harness.apply.plan import FROZEN, OBJECT, OPTIMISED, Step, clang_generate, clang_optimise
from harness.base.digest import digest_file
from harness.base.progress import SilentObserver
from harness.base.vocabulary import Level, Target
from harness.freeze import freeze
from harness.problems.inlining.check import default_decisions
from harness.problems.inlining.replay import RULES, replay_plan
from harness.problems.programs.stages import fetch_sources, freeze_modules
from harness.run.engines import local_engine
from harness.sandbox.bench import open_bench
from harness.suite.load import choose, load_suite
from harness.toolchain.native import llvm_plugin

PROGRAMS = ("bzip2", "lame", "jpeg-c")
"""Of cbench, above 20,000 instructions."""
MOST = 0.04
_WRITTEN = "all features, written"


def _step(source: str, *options: str) -> Step:
    words = (f"-inline-policy={source}", *options, *RULES)
    step = clang_optimise(Level.OZ, Target.X86_64, None, words)
    return Step(step.tool, ("-fpass-plugin=./inline.so", *step.arguments), FROZEN, OPTIMISED)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_plugin_with_all_features(benchmark: Any, tmp_path: Path, name: str) -> None:
    """Both steps of the plan, each way in a folder of its own."""
    bench = open_bench()
    (program,) = choose(load_suite("cbench"), [name])
    engine, watcher = local_engine(2), SilentObserver()
    fetch_sources([program], bench, engine, watcher)
    freeze_modules([(program, Target.X86_64, Level.OZ)], bench, engine, watcher)
    frozen = freeze(program, Target.X86_64, Level.OZ, bench)
    replay = replay_plan(default_decisions(frozen, bench), Target.X86_64).optimise
    files = {
        FROZEN: frozen.bitcode,
        "inline.so": llvm_plugin("inline", bench.toolchain, bench.store),
    }
    generate = clang_generate(Level.OZ, Target.X86_64)
    ways = {
        "plain": clang_optimise(Level.OZ, Target.X86_64),
        "LLVM's heuristic": _step("default"),
        _WRITTEN: _step("default", "-inline-policy-features=features.bin"),
        "replay": _step("replay", "-inline-policy-file=decisions.txt"),
    }

    def count(way: str) -> tuple[int, str]:
        folder = tmp_path / way.replace(" ", "-")
        folder.mkdir()
        for file, path in files.items():
            (folder / file).symlink_to(path)
        (folder / "decisions.txt").write_text(dict(replay.files)["decisions.txt"])
        spent = sum(executed(step, folder, bench) for step in (ways[way], generate))
        return spent, digest_file(folder / OBJECT)

    def count_all() -> dict[str, tuple[int, str]]:
        with ThreadPoolExecutor(2) as pool:
            return dict(zip(ways, pool.map(count, ways), strict=True))

    counted = benchmark.pedantic(count_all, rounds=1)
    plain, object_ = counted["plain"]
    print(f"\n{name}, {frozen.instructions:,} instructions of IR, {plain / 1e9:.2f} G executed")
    for way, (spent, digest) in counted.items():
        benchmark.extra_info[way] = round(spent / plain - 1, 4)
        same = "the same object" if digest == object_ else "another object"
        print(f"  {way:<24} {spent / plain - 1:+7.2%}  {same}")
    assert benchmark.extra_info[_WRITTEN] <= MOST
