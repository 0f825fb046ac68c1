"""What the plugin of register allocation costs: instructions of clang's code generation with it, against plain clang.

They are counted by the emulator, as in ``test_inlining.py``. Greedy's own decisions are repeated, so that all generate
the same code: by the plugin's own functions, and by C++ in the compiler's process. What a policy in a process of its
own takes comes on top. ``make bench`` runs it.
"""

from pathlib import Path
from typing import Any

import pytest

from benchmarks.executed import count_ways, frozen_of, show
from harness.apply.compile import optimise
from harness.apply.plan import OPTIMISED, Step, clang_generate, reference_plan
from harness.base.process import Limits, run
from harness.base.vocabulary import Level, Target
from harness.policy.forms.cpp.build import build_heuristic
from harness.problems.regalloc.problem import QUESTIONS
from harness.problems.regalloc.replay import BY_FUNCTION, PLUGIN, PREFIX
from harness.sandbox.bench import Bench, open_bench
from harness.toolchain.native import llvm_plugin

PROGRAMS = ("bzip2", "lame", "jpeg-c")
"""Of cbench, above 20,000 instructions."""
MOST = 0.05
"""Of what plain clang executes."""

CPP = {
    "priority": """
double getPriority(const LiveInterval &, PriorityContext &Context) { return Context.defaultPriority(); }
""",
    "eviction": """
unsigned getEviction(const LiveInterval &, EvictionContext &Context) { return Context.defaultSlot(); }
""",
    "function": """
Allocation getAllocation(const MachineFunction &, FunctionContext &Context) {
  return Context.feature(FunctionFeature::general_excess) < 0 ? Allocation::Basic : Allocation::Greedy;
}
""",
}
"""Question → Greedy's own answer."""
UNFILTERED = 'extern "C" int prctl(int, ...) { return 0; }\n'
"""The emulator filters no system calls, which the plugin insists on."""


def _step(source: str, *options: str) -> Step:
    words = (*BY_FUNCTION, f"-{PREFIX}={source}", *(f"-{PREFIX}-{option}" for option in options))
    return clang_generate(Level.O3, Target.X86_64, words, PLUGIN)


WAYS: dict[str, Step] = {
    "plain": clang_generate(Level.O3, Target.X86_64),
    "priority, by name": _step("known", "function=default"),
    "priority, replay": _step("replay", "file=nothing.txt"),
    "eviction, by name": _step("known", "question=eviction", "function=default"),
    **{f"{one}, C++": _step("heuristic", f"question={one}", f"file=./{one}.so", "log=log.txt") for one in CPP},
}
BOUNDED = ("priority, by name", "priority, replay", "priority, C++")


def _unfiltered(folder: Path, bench: Bench) -> Path:
    library = folder / "unfiltered.so"
    (folder / "unfiltered.cpp").write_text(UNFILTERED)
    words = ["-O2", "-shared", "-fPIC", "unfiltered.cpp", "-o", library.name]
    done = run([bench.toolchain.tool("clang++"), *words], cwd=folder, limits=Limits(wall=120))
    assert done.ok, done.reason()
    return library


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_repeats_greedys_decisions(benchmark: Any, tmp_path: Path, name: str) -> None:
    """The plan's second step, each way in a folder of its own."""
    bench = open_bench()
    frozen = frozen_of(name, Level.O3, bench)
    files = {
        OPTIMISED: optimise(frozen, reference_plan(Level.O3, Target.X86_64), bench).bitcode,
        f"{PLUGIN}.so": llvm_plugin(PLUGIN, bench.toolchain, bench.store),
    }
    for question, text in CPP.items():
        native = QUESTIONS[question].native
        assert native is not None
        files[f"{question}.so"] = build_heuristic(text.encode(), (), native, "heuristic.cpp", bench)
    files["nothing.txt"] = tmp_path / "nothing.txt"
    files["nothing.txt"].write_text("end 0\n")
    unfiltered = _unfiltered(tmp_path, bench)
    ways = {way: (step,) for way, step in WAYS.items()}
    options = ("-E", f"LD_PRELOAD={unfiltered}")
    counted = benchmark.pedantic(count_ways, args=(ways, files, tmp_path, bench, *options), rounds=1)
    show(name, frozen, counted, benchmark)
    assert len({digest for _, digest in counted.values()}) == 1, "another object"
    assert max(benchmark.extra_info[way] for way in BOUNDED) <= MOST
