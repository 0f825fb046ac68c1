"""Lists whose passes remove what the program means, through all of ``harness run``: small objects that are wrong."""

import pytest

from harness.record import Row
from tests.drive import Sketch, User, write_policy, write_suite

ERRORS = """
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
static int number(const char *text) {
  char *end;
  long value = std::strtol(text, &end, 10);
  if (*end)
    throw std::invalid_argument(std::string("no number: ") + text);
  if (value > 1000)
    throw std::out_of_range(text);
  return static_cast<int>(value);
}
int main(int argc, char **argv) {
  int sum = 0;
  try {
    for (int i = 1; i < argc; i++)
      sum += number(argv[i]);
  } catch (const std::invalid_argument &error) {
    std::printf("usage: sum NUMBER ... (%s)\\n", error.what());
    return 2;
  } catch (const std::exception &error) {
    std::printf("error\\n");
    return 1;
  }
  std::printf("%d\\n", sum);
  return 0;
}
"""
"""Throws only on bad input, which its workload is not: no output of the workload tells that nothing is caught."""

HASH = """
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv) {
  unsigned hash = 2166136261u;
  for (int i = 1; i < argc; i++)
    for (const char *at = argv[i]; *at; at++)
      hash = (hash ^ (unsigned char)*at) * 16777619u;
  printf("%08x\\n", hash);
  return 0;
}
"""

LISTS = {
    "uncaught": (
        "lowerinvoke, function(simplifycfg), default<Oz>",
        "'lower-invoke' is refused on a module with invokes",
    ),
    "nested": ("function(sroa,lower-invoke,simplifycfg) default<Oz>", "'lower-invoke' is refused on a module with"),
    "setjmp": ("function(sjlj-eh-prepare),default<Oz>", "'sjlj-eh-prepare' is refused: "),
    "windows": ("-win-eh-prepare -dce default<Oz>", "'win-eh-prepare' is refused: "),
    "deduces": (
        "default<Oz>\nattributor-cgscc\nfunction(early-cse<memssa>) globaldce",
        "'attributor-cgscc' is refused: ",
    ),
    "hides": (
        "internalize<preserve-gv=_start>, globaldce, default<Oz>",
        "'internalize<preserve-gv=_start>' is refused: ",
    ),
    "extracts": ("loop-extract\nextract-blocks\nglobaldce", "'loop-extract' is refused: "),
    "structures": ("function(structurizecfg,simplifycfg,adce),globaldce", "'structurizecfg' is refused: "),
}


@pytest.fixture(scope="module")
def rows(tiny: User, tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Row]:
    """Benchmark and policy → the cell's first row."""
    folder = tmp_path_factory.mktemp("passes")
    suite = write_suite(
        folder / "quiet",
        Sketch("errors", ERRORS, args=("1", "20", "300"), language="c++", expected="321\n"),
        Sketch("hash", HASH, args=("a", "search"), expected="cf67cab0\n"),
    )
    policies = [write_policy(folder / name, text) for name, (text, _) in LISTS.items()]
    user = User(tiny.cache, folder / "results")
    words = ("run", "--suite", suite, "--policy", ",".join(["Oz", *map(str, policies)]))
    user.harness(*words, "--target", "x86-64", "--metric", "size.alloc", "--jobs", "2", code=1)
    return {(row.benchmark, row.policy): row for row in user.rows()}


@pytest.mark.parametrize("policy", LISTS)
def test_a_list_that_removes_what_no_workload_reaches(policy: str, rows: dict[tuple[str, str], Row]) -> None:
    row = rows["errors", policy]
    assert (row.outcome.value, row.value) == ("policy-error", None)
    assert row.detail.startswith("passes.txt line ") and LISTS[policy][1] in row.detail


def test_what_harms_no_module_is_measured(rows: dict[tuple[str, str], Row]) -> None:
    """Lowering invokes is allowed where there are none, and gains nothing there."""
    for name in ("uncaught", "nested"):
        assert rows["hash", name].outcome.value == "ok"
    assert rows["errors", "Oz"].outcome.value == "ok"
    for name in set(LISTS) - {"uncaught", "nested"}:
        assert rows["hash", name].outcome.value == "policy-error"
