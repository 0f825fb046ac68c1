"""What a policy in the compiler's own process costs: CPU time of clang with it, against plain clang's.

The model is ``submissions/clone``: 38 features, two layers of 64, and on these programs it decides as LLVM's own
heuristic does, so that both compile the same code. ``make bench`` runs it.
"""

import statistics
from pathlib import Path
from typing import Any

import pytest

from harness.apply.compile import run_step
from harness.apply.plan import FROZEN, OPTIMISED, Step, clang_generate, clang_optimise
from harness.bench import open_bench
from harness.digest import digest_file
from harness.engine import local_engine
from harness.flow.progress import SilentObserver
from harness.flow.stages import fetch_sources, freeze_modules
from harness.freeze import freeze
from harness.native import llvm_plugin
from harness.policy import load_policy
from harness.policy.inliner.library import build_library
from harness.policy.inliner.model.source import model_source
from harness.policy.inlining.check import default_decisions
from harness.policy.inlining.features import FEATURES
from harness.policy.inlining.replay import RULES, replay_plan
from harness.suite.load import choose, load_suite
from harness.vocabulary import Level, Target

PROGRAMS = ("bzip2", "lame", "jpeg-c")
"""Of cbench, above 20,000 instructions."""
ROUNDS = 12
MOST = 0.03

_UNTHINKING = f"""\
#include <stdint.h>
const unsigned char policy_uses[{len(FEATURES)}] = {{{", ".join("1" for _ in FEATURES)}}};
int64_t policy_decide(const int64_t *features) {{
  return features[{FEATURES.index("cost_estimate")}] <= 0;
}}
"""
"""Takes all features, and decides as LLVM's own heuristic almost always does: what is left is the features' share."""


def _step(source: str, *options: str) -> Step:
    words = (f"-inline-policy={source}", *options, *RULES)
    step = clang_optimise(Level.OZ, Target.X86_64, None, words)
    return Step(step.tool, ("-fpass-plugin=./inline.so", *step.arguments), FROZEN, OPTIMISED)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_model_in_process(benchmark: Any, tmp_path: Path, name: str) -> None:
    """Both steps of the plan, the ways in turns. Of each way the least disturbed turn counts: whatever else the machine
    does only adds to the CPU time of a compilation, which itself is the same every time."""
    bench = open_bench()
    (program,) = choose(load_suite("cbench"), [name])
    engine, watcher = local_engine(2), SilentObserver()
    fetch_sources([program], bench, engine, watcher)
    freeze_modules([(program, Target.X86_64, Level.OZ)], bench, engine, watcher)
    frozen = freeze(program, Target.X86_64, Level.OZ, bench)
    policy = load_policy("clone")
    library = build_library(model_source(policy.contents["model"], "model.onnx", bench), "model.onnx", bench)
    (tmp_path / FROZEN).symlink_to(frozen.bitcode)
    (tmp_path / "inline.so").symlink_to(llvm_plugin("inline", bench.toolchain, bench.store))
    (tmp_path / "policy.so").symlink_to(library)
    (tmp_path / "features.so").symlink_to(build_library(_UNTHINKING, "features", bench))
    replay = replay_plan(default_decisions(frozen, bench), Target.X86_64).optimise
    (tmp_path / "decisions.txt").write_text(dict(replay.files)["decisions.txt"])
    generate = clang_generate(Level.OZ, Target.X86_64)
    ways = {
        "plain": clang_optimise(Level.OZ, Target.X86_64),
        "LLVM's heuristic": _step("default"),
        "model": _step("model", "-inline-policy-file=./policy.so"),
        "features, no network": _step("model", "-inline-policy-file=./features.so"),
        "model, features written": _step(
            "model", "-inline-policy-file=./policy.so", "-inline-policy-features=features.bin"
        ),
        "replay": _step("replay", "-inline-policy-file=decisions.txt"),
    }
    seconds: dict[str, list[float]] = {way: [] for way in ways}
    digests: dict[str, str] = {}

    def turn() -> None:
        for way, step in ways.items():
            spent = run_step(step, tmp_path, bench)
            spent += run_step(generate, tmp_path, bench)
            digests[way] = digest_file(tmp_path / "program.o")
            seconds[way].append(spent)

    benchmark.pedantic(turn, rounds=ROUNDS, warmup_rounds=1)
    plain = min(seconds["plain"])
    print(f"\n{name}, {frozen.instructions:,} instructions, {plain:.2f} s of CPU")
    for way, spent in seconds.items():
        share = min(spent) / plain - 1
        typical = statistics.median(one / other for one, other in zip(spent, seconds["plain"], strict=True)) - 1
        same = "the same object" if digests[way] == digests["plain"] else "another object"
        benchmark.extra_info[way] = round(share, 4)
        print(f"  {way:<24} {share:+7.2%}  (median of pairs {typical:+.2%})  {same}")
    assert benchmark.extra_info["model"] <= MOST
