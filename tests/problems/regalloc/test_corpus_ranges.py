"""The corpus counts live ranges by a tool of its own: as many as the plugin sees."""

from pathlib import Path

from harness.base.vocabulary import Level, Target
from harness.freeze import FrozenModule
from harness.freeze.commands import freezing_flags
from harness.learn.corpus.suites import module_facts
from harness.problems.regalloc.features import FUNCTION_FEATURES
from harness.problems.regalloc.replay import everywhere
from harness.problems.regalloc.trajectories.collect import trajectory
from harness.sandbox.bench import Bench
from harness.sandbox.tools import run_tool, tool_job

SOURCE = """\
#include <map>
#include <string>
std::string joined(const std::map<std::string, double> &all, double least) {
  std::string text;
  for (const auto &one : all)
    if (one.second > least) text += one.first + "=" + std::to_string(one.second * 2.5);
  return text;
}
int weighed(const int *a, const float *w, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += w[i] * a[i];
  return sum;
}
"""


def compiled(level: Level, folder: Path, bench: Bench) -> Path:
    (folder / "all.cc").write_text(SOURCE)
    words = (*freezing_flags(Target.X86_64, level), "-emit-llvm", "-c", "all.cc", "-o", "all.bc")
    done = run_tool(tool_job("clang++", words, {"all.cc": folder / "all.cc"}, ("all.bc",), 60, bench), bench)
    assert done.ok, done.stderr
    (folder / f"{level}.bc").write_bytes(done.results["all.bc"])
    return folder / f"{level}.bc"


def test_live_ranges_are_those_that_the_allocator_is_asked_about(bench: Bench, tmp_path: Path) -> None:
    """Code with exceptions, whose lowering depends on much, and with vectors."""
    module = compiled(Level.O3, tmp_path, bench)
    frozen = FrozenModule(module, "0" * 64, 1, Target.X86_64, Level.O3)
    names = [tensor.name for tensor in FUNCTION_FEATURES]
    banks = [names.index("general_ranges"), names.index("vector_ranges")]
    asked = trajectory(everywhere("default", Level.O3), frozen, bench)
    ranges = {one.name: int(sum(one.features[place] for place in banks)) for one in asked}
    at_oz = module_facts(compiled(Level.OZ, tmp_path, bench), bench, ranges=True)
    found = {one.name: one.ranges for one in at_oz.functions if one.ranges is not None}
    assert found == ranges
    assert len(found) >= 3 and max(found.values()) > 50
