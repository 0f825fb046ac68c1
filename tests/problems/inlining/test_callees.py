"""What becomes of a callee, as policies see it: a program of which every number can be told by reading it."""

from array import array
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from harness.problems.inlining.ask import about, ask
from harness.problems.inlining.features import CALLEE_FEATURES, STATIC_FEATURES
from harness.problems.inlining.sites import Who, sites_of
from harness.problems.programs.asking import Asked
from harness.sandbox.bench import Bench
from tests.problems.inlining.made import Modules, always, computed, never

SOURCE = """
#include <stdio.h>
volatile int sink;
static int local(int x, int y) { sink = x; sink = y; sink = x * y; sink = x + y; sink = x - y; return sink; }
int visible(int x) { sink = x; sink = x + 1; sink = x + 2; sink = x + 3; sink = x + 4; return sink; }
static int taken(int x) { sink = x; sink = x + 5; sink = x + 6; sink = x + 7; return sink; }
int (*volatile pointer)(int) = taken;
static int once(int x) {
  for (int i = 0; i < x; ++i) { sink = i * x; sink = i + x; sink = i - x; sink = i % (x + 1); sink = i / (x + 3); }
  return sink;
}
int first(int n) { return local(n, 1) + visible(n) + taken(n); }
int second(int n) { return local(n, sink) + local(2, 3); }
int main(int argc, char **argv) {
  printf("%d\\n", first(argc) + second(argc) + once(argc) + pointer(argc));
  return 0;
}
"""


def rows_of(content: bytes) -> list[list[int]]:
    """Rows of position, features, decision and LLVM's own."""
    numbers, width = array("q", content).tolist(), len(STATIC_FEATURES) + 3
    return [numbers[at : at + width] for at in range(0, len(numbers), width)]


def seen(policy: Asked, modules: Modules, bench: Bench) -> list[tuple[str, str, dict[str, int]]]:
    """Caller, callee and features of each question."""
    answer = ask(policy, modules.made("callees", SOURCE), bench, features=True)
    rows = rows_of(answer.features)
    sites = [site for site in sites_of(answer.body) if site.who is Who.POLICY]
    return [
        (site.caller, site.callee, dict(zip(STATIC_FEATURES, row[1:-2], strict=True)))
        for site, row in zip(sites, rows, strict=True)
    ]


def calls_of(name: str, questions: list[tuple[str, str, dict[str, int]]], *columns: str) -> list[tuple[int, ...]]:
    return [tuple(features[one] for one in columns) for _, callee, features in questions if callee == name]


def test_a_function_goes_with_the_last_of_its_calls(modules: Modules, bench: Bench) -> None:
    columns = ("callee_calls", "callee_calls_decided", "callee_calls_inlined", "callee_is_last_call")
    inlined = calls_of("local", seen(always(bench), modules, bench), *columns)
    assert inlined == [(3, 0, 0, 0), (2, 1, 1, 0), (1, 2, 2, 1)]
    left = calls_of("local", seen(never(bench), modules, bench), *columns)
    assert left == [(3, 0, 0, 0), (3, 1, 0, 0), (3, 2, 0, 0)]


def test_constant_arguments_are_of_all_calls(modules: Modules, bench: Bench) -> None:
    questions = seen(never(bench), modules, bench)
    assert calls_of("local", questions, "callee_constant_args", "callee_calls_legal") == [(3, 3)] * 3


def test_what_can_go_is_local_and_used_by_calls_alone(modules: Modules, bench: Bench) -> None:
    questions = seen(never(bench), modules, bench)
    for name, goes in [("local", 1), ("taken", 0), ("once", 1)]:
        ((can, gone, own), *_) = calls_of(name, questions, "callee_can_go", "callee_bytes_if_gone", "callee_bytes")
        assert can == goes
        assert gone > own if goes else gone == 0


def test_the_bonus_of_the_last_call_is_what_inlines_a_large_function(modules: Modules, bench: Bench) -> None:
    questions = seen(never(bench), modules, bench)
    assert calls_of("once", questions, "llvm_inlines", "llvm_inlines_without_bonus") == [(1, 0)]
    assert all(features["llvm_inlines"] >= features["llvm_inlines_without_bonus"] for _, _, features in questions)


def test_sizes_add_up(modules: Modules, bench: Bench) -> None:
    for _, _, one in seen(always(bench), modules, bench):
        assert one["callee_instructions"] > 1 and one["caller_instructions"] > 1
        together = one["caller_bytes"] + one["callee_bytes"]
        assert together - 40 < one["caller_bytes_with_callee"] < together


def test_each_of_them_can_be_asked_for_alone(modules: Modules, bench: Bench) -> None:
    """A program in C gets it by its place."""
    for name in CALLEE_FEATURES:
        place = STATIC_FEATURES.index(name)
        policy = computed(f"return feature[{place}] & 1;", bench, f"[{place}] = 1")
        rows = rows_of(ask(policy, modules.made("callees", SOURCE), bench, features=True).features)
        assert rows and [row[-2] for row in rows] == [row[place + 1] & 1 for row in rows]


def test_a_policy_may_be_asked_once_for_all_calls_of_a_function(modules: Modules, bench: Bench) -> None:
    frozen = modules.made("callees", SOURCE)
    alternating = computed("static int asked; return asked++ & 1;", bench)
    each, once = (ask(replace(alternating, options=about(one)), frozen, bench) for one in ("call", "callee"))

    def mixed(answer_body: Mapping[str, Any]) -> set[str]:
        decided: dict[str, set[bool]] = {}
        for site in sites_of(answer_body):
            if site.who is Who.POLICY:
                decided.setdefault(site.callee, set()).add(site.inline)
        return {callee for callee, how in decided.items() if len(how) > 1}

    assert "local" in mixed(each.body)
    assert not mixed(once.body)
    assert {site.inline for site in sites_of(once.body) if site.who is Who.POLICY} == {True, False}
