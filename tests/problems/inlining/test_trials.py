"""What trials find out is what compiling the program both ways finds out."""

import bisect
from dataclasses import replace
from pathlib import Path

import pytest

from harness.base.errors import CellError
from harness.base.vocabulary import Outcome, Target
from harness.freeze import FrozenModule
from harness.problems.inlining.ask import TRIED, Answer, ask
from harness.problems.inlining.decide import decided, generated
from harness.problems.inlining.features import FEATURES, TRIAL_FEATURES
from harness.problems.inlining.sites import Who, sites_of
from harness.problems.programs.asking import Asked
from harness.sandbox.bench import Bench
from harness.toolchain.elf import allocated_bytes, executable_bytes
from tests.drive import User
from tests.problems.inlining.made import Modules, always, asked_of, computed, inliner_policy, never

ALLOC, TEXT, CALLERS, INSTRUCTIONS = (FEATURES.index(name) for name in TRIAL_FEATURES)
LLVM, CALLS = FEATURES.index("llvm_inlines"), FEATURES.index("callee_calls")
APART = (*TRIED, "trial-whole=0")
"""Each caller in a module of its own, as in programs too large to be compiled for each of their functions."""

HELPER = """
#include <stdio.h>
volatile int sink;
static int helper(int x, int y) {{ {body} return sink; }}
int first(int n) {{ return helper(n, 1) + 3 * n; }}
int second(int n) {{ return helper(n, sink) - helper(2, 3); }}
int (*volatile called[])(int) = {{first, second}};
int main(int argc, char **argv) {{ printf("%d\\n", called[0](argc) + called[1](argc)); return 0; }}
"""
BODIES = {"small": "sink = x + y;", "large": " ".join(f"sink = x * {n} + y / (sink + {n});" for n in range(3, 12))}


def uses(*places: int) -> str:
    return ", ".join(f"[{place}] = 1" for place in places)


def at_least(place: int, least: int, bench: Bench, options: tuple[str, ...] = TRIED) -> Asked:
    """A policy that inlines what such a feature says at least so much of."""
    return replace(computed(f"return feature[{place}] >= {least};", bench, uses(place)), options=options)


def inlines(answer: Answer) -> set[bool]:
    return {site.inline for site in sites_of(answer.body) if site.callee == "helper" and site.who is Who.POLICY}


def made(size: str, modules: Modules) -> FrozenModule:
    """A program where one function may be inlined, in two others."""
    return modules.made(f"helped-{size}", HELPER.format(body=BODIES[size]))


def most_said(place: int, frozen: FrozenModule, bench: Bench, options: tuple[str, ...] = TRIED) -> int:
    """The value of such a feature, found by asking whether it is at least so much."""

    def is_less(least: int) -> bool:
        return inlines(ask(at_least(place, least + 1, bench, options), frozen, bench)) == {False}

    possible = range(-(1 << 12), 1 << 12)
    return possible[bisect.bisect_left(possible, True, key=is_less)]


@pytest.fixture(params=BODIES)
def helped(request: pytest.FixtureRequest, modules: Modules) -> FrozenModule:
    """One of them."""
    return made(request.param, modules)


@pytest.mark.parametrize("options", [TRIED, APART])
@pytest.mark.parametrize("metric", ["size.alloc", "size.text"])
def test_the_bytes_are_those_that_the_program_has_less(
    metric: str, options: tuple[str, ...], helped: FrozenModule, bench: Bench
) -> None:
    without, within = (generated(ask(one(bench), helped, bench), helped, bench) for one in (never, always))
    size, place = (allocated_bytes, ALLOC) if metric == "size.alloc" else (executable_bytes, TEXT)
    filling = 4 if metric == "size.alloc" else 0  # the unwind table is filled up to eight bytes
    saved = size(without) - size(within)
    said = most_said(place, helped, bench, options)
    assert saved - filling <= said <= saved + filling


NESTED = """
#include <stdio.h>
#include <stdlib.h>
volatile int sink;
static int helper(int x, int *y) { if (*y > 3) return x; sink = x; sink = *y; sink = x * *y; sink = x / *y; return 7; }
static int middle(int x, int *y) { return helper(x, y) + helper(x + sink, y); }
int main(int argc, char **argv) { int seven = 7; printf("%d\\n", middle(argc, &seven)); return 0; }
"""


@pytest.mark.parametrize("options", [TRIED, APART])
def test_in_the_whole_module_it_is_found_what_becomes_of_callers(
    options: tuple[str, ...], modules: Modules, bench: Bench
) -> None:
    """What is called with a constant two calls away goes but for a line. Nobody knows that who tries callers apart."""
    frozen = modules.made("nested", NESTED)
    helper = f"feature[{CALLS}] == 2"
    forced = [
        computed(f"return {helper} ? {int(inline)} : feature[{LLVM}];", bench, uses(CALLS, LLVM))
        for inline in (False, True)
    ]
    without, within = (executable_bytes(generated(ask(one, frozen, bench), frozen, bench)) for one in forced)
    tries = computed(
        f"return {helper} ? feature[{TEXT}] == {without - within} : feature[{LLVM}];", bench, uses(CALLS, LLVM, TEXT)
    )
    assert without > within
    assert inlines(ask(replace(tries, options=options), frozen, bench)) == {options == TRIED}


def test_it_is_tried_in_all_that_call_it(helped: FrozenModule, bench: Bench) -> None:
    assert inlines(ask(at_least(CALLERS, 2, bench), helped, bench)) == {True}
    assert inlines(ask(at_least(CALLERS, 3, bench), helped, bench)) == {False}


@pytest.mark.parametrize("callers", [4, 12])
def test_it_is_tried_in_all_of_many_callers(callers: int, modules: Modules, bench: Bench) -> None:
    names = [f"caller{place}" for place in range(callers)]
    written = "".join(
        f"int {name}(int n) {{ return helper(n, sink) + {n + 10} * n; }}\n" for n, name in enumerate(names)
    )
    body = "sink = x * 3 + y / (sink + 3); sink = y - x;"  # small enough for twelve copies
    head, tail = HELPER.format(body=body).split("int first", 1)
    pointers = "int (*volatile called[])(int) = {" + ", ".join(names) + "};\n"
    source = head + written + pointers + tail[tail.index("int main") :]
    frozen = modules.made(f"many-{callers}", source)
    assert most_said(CALLERS, frozen, bench, APART) == callers
    without, within = (generated(ask(one(bench), frozen, bench), frozen, bench) for one in (never, always))
    assert most_said(TEXT, frozen, bench, APART) == executable_bytes(without) - executable_bytes(within)


def test_what_trying_takes_is_known_before(modules: Modules, bench: Bench) -> None:
    """Two callers both ways and the function itself are five compilations, each with its share; the module is one."""
    apart = {size: most_said(INSTRUCTIONS, made(size, modules), bench, APART) for size in BODIES}
    assert 5 * 60 < apart["small"] < apart["large"] < 1000
    whole = {size: most_said(INSTRUCTIONS, made(size, modules), bench) for size in BODIES}
    assert 60 < whole["small"] < whole["large"] < 200


@pytest.mark.parametrize("target", list(Target))
@pytest.mark.parametrize("program", ["calls", "throws"])
def test_trying_changes_nothing_else(program: str, target: Target, modules: Modules, bench: Bench) -> None:
    """LLVM's decisions, taken after trials, give the program that they give without."""
    frozen = modules.frozen(program, target)
    tries = computed(f"return feature[{LLVM}] + 0 * feature[{ALLOC}];", bench, uses(LLVM, ALLOC))
    plain = computed(f"return feature[{LLVM}];", bench, uses(LLVM))
    assert ask(replace(tries, options=TRIED), frozen, bench).bitcode == ask(plain, frozen, bench).bitcode


def test_decisions_by_trial_are_replayed(modules: Modules, bench: Bench) -> None:
    frozen = modules.frozen()
    found = decided(lambda: ask(at_least(ALLOC, 1, bench), frozen, bench), frozen, bench)
    assert {True, False} <= {site.inline for site in sites_of(found.decisions.body) if site.who is Who.POLICY}


def test_no_function_may_use_up_what_many_could_be_tried_with(modules: Modules, bench: Bench) -> None:
    """One in a large caller is not tried where a fourth of what may be compiled is too little for it."""
    large = " ".join(f"sink = n * {n} + sink / (n + {n});" for n in range(3, 500))
    third = f"3 * n; }} int third(int n) {{ {large} return helper(n, n);"
    source = HELPER.format(body=BODIES["small"]).replace("3 * n;", third).replace(", second}", ", second, third}")
    frozen = modules.made("large", source)
    for times, is_tried in ((4, False), (60, True)):
        tried = at_least(CALLERS, 3, bench, (f"trials={times}", "trial-whole=0"))
        assert inlines(ask(tried, frozen, bench)) == {is_tried}


@pytest.mark.parametrize("feature", TRIAL_FEATURES)
def test_what_trials_find_is_refused_where_they_are_not_allowed(
    feature: str, helped: FrozenModule, bench: Bench
) -> None:
    python = asked_of(inliner_policy("policy", f"def decide(features): return features['{feature}'] > 0\n"), bench)
    for one in (at_least(FEATURES.index(feature), 1, bench, ()), python):
        with pytest.raises(CellError, match="class search") as refused:
            ask(one, helped, bench)
        assert refused.value.outcome is Outcome.POLICY_ERROR


TRIES = """
bool getEvolvableAdvice(CallBase &CB, PolicyContext &Context) {
  return Context.feature(harness::TrialFeature::trial_saves_text) > 0;
}
"""


def test_only_a_policy_of_class_search_may_try(bench: Bench, tmp_path: Path) -> None:
    """Whoever compiles several candidates, and keeps what costs least, is a search."""
    user = User(bench.cache, tmp_path / "results")
    user.harness("new", "mine", "--problem", "inlining", "--form", "cpp", cwd=tmp_path, code=0)
    (tmp_path / "mine" / "heuristic.cpp").write_text(TRIES)
    manifest = tmp_path / "mine" / "submission.toml"
    words = ("run", "--suite", "cbench", "--benchmark", "qsort", "--target", "x86-64", "--policy", tmp_path / "mine")
    ended = user.harness(*words, "--no-fresh", "--metric", "size.text", code=1)
    assert "policy-error" in ended.err and "class search" in ended.err
    said = manifest.read_text().replace('class = "zero-shot"', 'class = "search"\nbudget = 60\ndeterministic = true')
    manifest.write_text(said)
    user.harness(*words, "--no-fresh", "--metric", "size.text", code=0)


def test_a_python_policy_gets_them_if_it_names_them(helped: FrozenModule, bench: Bench) -> None:
    code = "def decide(features): return features['trial_' + '{}'] == 2\n"
    unnamed = inliner_policy("policy", code.format("callers"))
    named = inliner_policy("policy", "# trial_callers\n" + code.format("callers"))
    for policy, gets in ((unnamed, False), (named, True)):
        assert inlines(ask(replace(asked_of(policy, bench), options=TRIED), helped, bench)) == {gets}


FORCED = """
#include <stdio.h>
volatile int sink;
__attribute__((always_inline)) static inline int always(int x) { sink = x; return sink + 1; }
static int either(int x) { sink = x * 3; return sink / 5; }
static int twice(int x) { [[clang::always_inline]] return either(x) + always(x); }
static int odd(int n);
static int even(int n) { return n == 0 ? 1 : odd(n - 1); }
static int odd(int n) { return n == 0 ? 0 : even(n - 1); }
int main(int argc, char **argv) {
  int sum = twice(argc) + even(argc);
  [[clang::noinline]] sum += either(argc) + twice(sum);
  printf("%d\\n", sum);
  return 0;
}
"""


@pytest.mark.parametrize("options", [TRIED, APART])
def test_what_the_source_says_of_calls_holds_while_functions_are_tried(
    options: tuple[str, ...], modules: Modules, bench: Bench
) -> None:
    frozen = modules.made("forced", FORCED)
    tries = computed(f"return feature[{LLVM}] + 0 * feature[{ALLOC}];", bench, uses(LLVM, ALLOC))
    plain = computed(f"return feature[{LLVM}];", bench, uses(LLVM))
    assert ask(replace(tries, options=options), frozen, bench).bitcode == ask(plain, frozen, bench).bitcode
    decided(lambda: ask(replace(at_least(ALLOC, 1, bench), options=options), frozen, bench), frozen, bench)
