"""``harness tune`` on track speed: constants of a priority function, by what programs execute."""

import json
import re
from pathlib import Path

import pytest

from harness.policy import load_policy
from tests.drive import Answer, Sketch, User, write_policy, write_suite
from tests.programs import write_files

RULE = """
// [hyperparam]: small_first, int, 0, 1, 0
double getPriority(const LiveInterval &, PriorityContext &Context) {
  const double size = Context.feature(RangeFeature::li_size);
  return small_first != 0 ? 4294967295.0 - size : Context.defaultPriority();
}
"""
"""As it is, it is Greedy's own."""
CROWDED = (Path(__file__).parent / "pressure.c").read_text()


@pytest.fixture(scope="module")
def tuned(tmp_path_factory: pytest.TempPathFactory) -> tuple[Answer, Path]:
    place = tmp_path_factory.mktemp("tune")
    noinline = 'noinline = ["mix", "crowded", "floating", "assembled", "nothing"]'
    suite = write_suite(place / "crowded", Sketch("pressure", CROWDED, more=noinline))
    folder = place / "ordered"
    words = {"problem": '"regalloc"', "form": '"cpp"', "track": '"speed"'}
    write_policy(folder, "", files='{ heuristic = "heuristic.cpp" }', **words)
    (folder / "passes.txt").unlink()
    write_files(folder, {"heuristic.cpp": RULE})
    asked = ("--suite", suite, "--trials", "4", "--patience", "0", "--metric", "accesses", "--jobs", "2", "--json")
    user = User.at(place / "user")
    return user.harness("tune", folder, *asked, "--output", place / "better", code=0, timeout=600), place / "better"


def test_it_finds_what_executes_less(tuned: tuple[Answer, Path]) -> None:
    answer, better = tuned
    found = re.search(r"accesses, greedy/policy, geometric mean on them: ([\d.]+) before, ([\d.]+) after", answer.err)
    assert found and float(found[1]) == 1 < float(found[2])
    assert [row["after"] for row in json.loads(answer.out)] == [1]
    written = load_policy(f"{better}/")
    assert written.manifest.values == {"small_first": 1} and written.manifest.track == "speed"
    assert f"--policy {better},greedy --track speed" in answer.err
