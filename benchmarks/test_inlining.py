"""What the inlining plugin costs: instructions of clang with it, against plain clang's.

Instructions and not seconds: on a machine that others share, CPU time of identical commands varies by more than what is
to be seen. They are counted as those of the programs are, by the emulator.

LLVM's own heuristic decides, so that all compile the same code; with all features computed, the compiler does what it
does for a model, whose own process comes on top. ``make bench`` runs it.
"""

from pathlib import Path
from typing import Any

import pytest

from benchmarks.executed import count_ways, frozen_of, show
from harness.apply.plan import FROZEN, OPTIMISED, Step, clang_generate, clang_optimise
from harness.base.process import Limits, run
from harness.base.vocabulary import Level, Target
from harness.problems.inlining.check import default_decisions
from harness.problems.inlining.replay import RULES, replay_plan
from harness.sandbox.bench import open_bench
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
    frozen = frozen_of(name, Level.OZ, bench)
    replay = replay_plan(default_decisions(frozen, bench), Target.X86_64).optimise
    files = {
        FROZEN: frozen.bitcode,
        "inline.so": llvm_plugin("inline", bench.toolchain, bench.store),
    }
    files["decisions.txt"] = tmp_path / "decisions.txt"
    files["decisions.txt"].write_text(dict(replay.files)["decisions.txt"])
    generate = clang_generate(Level.OZ, Target.X86_64)
    ways = {
        "plain": (clang_optimise(Level.OZ, Target.X86_64), generate),
        "LLVM's heuristic": (_step("default"), generate),
        _WRITTEN: (_step("default", "-inline-policy-features=features.bin"), generate),
        "replay": (_step("replay", "-inline-policy-file=decisions.txt"), generate),
    }
    counted = benchmark.pedantic(count_ways, args=(ways, files, tmp_path, bench), rounds=1)
    show(name, frozen, counted, benchmark)
    assert benchmark.extra_info[_WRITTEN] <= MOST


CALLS = 1000
"""Of one function, each in another."""
MOST_OF_MANY = 0.3


def test_a_function_that_is_called_from_everywhere(benchmark: Any, tmp_path: Path) -> None:
    """What is known of a function is not found out anew for each of its calls, from all of its calls."""
    bench = open_bench()
    source, bitcode = tmp_path / "many.c", tmp_path / FROZEN
    report = 'static void report(int n) { if (n) { sink = n; printf("at %d\\n", n); sink = -n; puts("again"); } }'
    calls = (f"int check{n}(int x) {{ if (x < {n}) report({n}); return x * {n}; }}" for n in range(CALLS))
    source.write_text("\n".join(["#include <stdio.h>", "volatile int sink;", report, *calls]))
    words = ("-Oz", "-Xclang", "-disable-llvm-passes", "-emit-llvm", "-c", str(source), "-o", str(bitcode))
    done = run([bench.toolchain.tool("clang"), *words], cwd=tmp_path, limits=Limits(wall=60))
    assert done.ok, done.reason()
    files = {FROZEN: bitcode, "inline.so": llvm_plugin("inline", bench.toolchain, bench.store)}
    generate = clang_generate(Level.OZ, Target.X86_64)
    ways = {
        "plain": (clang_optimise(Level.OZ, Target.X86_64), generate),
        _WRITTEN: (_step("default", "-inline-policy-features=features.bin"), generate),
    }
    counted = benchmark.pedantic(count_ways, args=(ways, files, tmp_path, bench), rounds=1)
    (plain, first), (written, second) = counted.values()
    assert first == second
    benchmark.extra_info[_WRITTEN] = round(written / plain - 1, 4)
    print(f"\n{CALLS:,} calls of one function: all features, written: {written / plain - 1:+.1%}")
    assert written / plain - 1 <= MOST_OF_MANY
