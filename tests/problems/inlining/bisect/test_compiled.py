"""Both verbs on a made program, with the real compiler: sums that add up, and the one decision that explains all."""

import csv
import io
import json
import re
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import pytest

from harness.apply import compile_plan
from harness.base.progress import SilentObserver
from harness.base.vocabulary import Target
from harness.measure import Subject, find_metric
from harness.measure.layout import layout_of
from harness.problems.inlining.bisect.run import Limits, bisect
from harness.problems.inlining.bisect.table import table_of
from harness.problems.inlining.explain.explain import Explanation, explain
from harness.problems.inlining.explain.graph import graph_figure, write_page
from harness.problems.inlining.explain.sides import LLVM, Side, side_of
from harness.problems.inlining.explain.sites import Identity, Met, Pair, identity, match
from harness.problems.inlining.guided import guided
from harness.problems.inlining.replay import replay_plan
from harness.problems.inlining.sites import Site, Who
from harness.problems.programs.sides import Setting, make_setting
from harness.run.engines import InProcess, LocalPool
from harness.sandbox.bench import Bench
from tests.drive import Command, Sketch, in_process, write_policy, write_suite

SOURCE = """
static unsigned state;
static unsigned big(unsigned n) {
  unsigned a = n, i;
  for (i = 0; i < 9; i++) { a ^= a << 13; a ^= a >> 17; a ^= a << 5; state += a % 7 + (a & 3 ? a / 11 : a * 13); }
  if (a & 1) { state ^= a / 3; a += state % 1000003; } else { state -= a * 77; a ^= state / 19 + (state << 9); }
  return a % 97 + state / 31 - (a << 7 | a >> 25) * 3;
}
static unsigned small(unsigned n) { state += n / 5 + n % 3; return state ^ (n << 4); }
static unsigned other(unsigned n) { state ^= n / 9; return state - (n * 21 >> 2) + big(n + 1); }
int main(int argc, char **argv) {
  unsigned n = (unsigned)argc;
  n = big(n) + small(n); n += small(n); n += other(n); n ^= small(n + 4);
  n += other(n + 1); n -= big(n); n += big(n ^ 5);
  return n == 12345;
}
"""
POLICY = "def decide(features):\n    return features['callee_basic_block_count'] > 3\n"
"""Inlines what is large, and nothing else."""
QUIET = SilentObserver()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("suite") / "mine"
    write_suite(folder, Sketch("prog", SOURCE))
    backwards = folder.parent / "backwards"
    words = {"problem": '"inlining"', "form": '"python"', "class": '"zero-shot"'}
    write_policy(backwards, "", **words, files='{ policy = "policy.py" }')
    (backwards / "policy.py").write_text(POLICY)
    return folder


@pytest.fixture
def harness(bench: Bench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """The command, in this process and with the plugin of the other tests in its cache."""
    return in_process(bench.cache, monkeypatch, capsys)


@pytest.fixture(scope="module")
def program(folder: Path) -> str:
    return f"{folder}/suite.toml/prog"


def setting(program: str, target: Target = Target.X86_64) -> Setting:
    return make_setting(program, target.value, "size")


@pytest.fixture(scope="module")
def default(program: str, bench: Bench) -> Side:
    return side_of(None, setting(program), bench)


def flipped(side: Side, wanted: Sequence[Identity], bench: Bench) -> Side:
    """A policy that decides as ``side``, but otherwise at some call sites."""
    table = [
        type(site)(*identity(site), site.inline != (identity(site) in wanted), site.who)
        for site in side.sites
        if site.who is Who.POLICY
    ]
    return guided_side(side, table, bench)


def guided_side(side: Side, table: Sequence[Site], bench: Bench) -> Side:
    decisions = guided(side.frozen, table, bench).decisions
    compiled = compile_plan(side.frozen, replay_plan(decisions, side.frozen.target), bench)
    return Side("flipped", side.frozen, decisions, compiled)


def size(side: Side) -> int:
    return layout_of(side.compiled.object).alloc


SMALL = [("main", "small", ordinal) for ordinal in range(3)]
BIG = ("main", "big", 0)


def test_one_wrong_decision_explains_everything(default: Side, bench: Bench) -> None:
    assert {identity(site) for site in default.sites if not site.inline} >= {BIG, *SMALL[:2]}
    both = flipped(default, [BIG, *SMALL[:2]], bench)
    alone = size(flipped(default, [BIG], bench)) - size(default)
    assert alone > 0.7 * (size(both) - size(default)) > 50, "the program is made for that"
    answer = bisect(default, both, Limits(share=0.7), bench, LocalPool(2), QUIET)
    (culprit,) = answer.culprits
    assert identity(culprit.pair.site) == BIG
    assert (culprit.alone, culprit.within) == (alone, alone)
    assert (answer.minimal, answer.candidates, answer.failed) == (True, 3, 0)
    assert (answer.a, answer.b, answer.value) == (size(default), size(both), size(default) + alone)
    # All the way: every site that was flipped is needed.
    whole = bisect(default, both, Limits(share=1), bench, InProcess(), QUIET)
    assert {identity(one.pair.site) for one in whole.culprits} == {BIG, *SMALL[:2]}
    assert whole.explained == 1 and whole.object_digest == both.compiled.digest
    # The other way round it is the same decision, with the opposite effect.
    back = bisect(both, default, Limits(share=0.7), bench, InProcess(), QUIET)
    assert [identity(one.pair.site) for one in back.culprits] == [BIG]
    assert back.value < back.a


@pytest.mark.slow
def test_answers_are_minimal_by_brute_force(default: Side, bench: Bench) -> None:
    """Every subset is compiled: the answer's size is right, it brings the share, and no site of it can be left out."""
    sites = [identity(site) for site in default.sites if site.who is Who.POLICY and site.caller == "main"][:4]
    other = flipped(default, sites, bench)
    pairs = match(default.sites, other.sites)
    candidates = [identity(pair.site) for pair in pairs if pair.chosen]
    assert 2 <= len(candidates) <= 4
    sizes = {
        frozenset(subset): layout_of(guided(default.frozen, table_of(pairs, subset), bench).object).alloc
        for count in range(len(candidates) + 1)
        for subset in combinations(candidates, count)
    }
    difference = size(default) - size(other)
    assert sizes[frozenset()] == size(default) and sizes[frozenset(candidates)] == size(other)
    for share in (0.3, 0.9, 1.0):
        answer = bisect(default, other, Limits(share=share), bench, LocalPool(2), QUIET)
        found = frozenset(identity(one.pair.site) for one in answer.culprits)

        def passes(one: frozenset[Identity], share: float = share) -> bool:
            return (size(default) - sizes[one]) / difference >= share

        assert answer.value == sizes[found] and answer.minimal
        assert passes(found) and not any(passes(found - {one}) for one in found)
        for one in answer.culprits:
            own = frozenset([identity(one.pair.site)])
            assert one.alone == sizes[own] - sizes[frozenset()]
            assert one.within == sizes[found] - sizes[found - own]


def test_too_few_compilations_say_so(default: Side, bench: Bench) -> None:
    both = flipped(default, [BIG, *SMALL], bench)
    answer = bisect(default, both, Limits(share=0.5, most=1), bench, LocalPool(2), QUIET)
    assert (answer.minimal, answer.compilations) == (False, 1)
    assert answer.explained is not None and answer.explained >= 0.5, "it still explains the share"
    same = bisect(default, default, Limits(), bench, InProcess(), QUIET)
    assert (same.culprits, same.explained, same.compilations) == ((), None, 0)


def test_a_table_guides(default: Side, bench: Bench) -> None:
    """An empty one is LLVM's own heuristic; one of other functions too; the log is an ordinary decisions file."""
    nothing = guided(default.frozen, [], bench)
    assert nothing.digest == default.compiled.digest
    assert {site[4] for site in nothing.decisions.body["sites"]} <= {"r", "i", "m"}, "it says who decided"
    strange = [type(site)("no one", site.callee, 0, True, Who.POLICY) for site in default.sites[:1]]
    assert guided(default.frozen, strange, bench).digest == default.compiled.digest
    far = [type(site)(*identity(site)[:2], 999, not site.inline, Who.POLICY) for site in default.sites]
    assert guided(default.frozen, far, bench).digest == default.compiled.digest
    every = flipped(default, [identity(site) for site in default.sites], bench)
    assert every.compiled.digest != default.compiled.digest
    # Backwards through a shuffled table: the order of its lines is of no account.
    shuffled = guided(every.frozen, [s for s in reversed(every.sites) if s.who is not Who.ILLEGAL], bench)
    assert shuffled.digest == every.compiled.digest


@pytest.mark.parametrize("target", list(Target))
def test_explained_bytes_add_up(target: Target, program: str, bench: Bench, tmp_path: Path) -> None:
    before = side_of(None, setting(program, target), bench)
    names = ("main", "big", "small", "other")
    every = [Site(caller, callee, n, True, Who.POLICY) for caller in names for callee in names for n in range(20)]
    whole = guided_side(before, every, bench)
    found = _adding_up(before, whole, target)
    gone = {row.name for row in found.bytes.functions if row.after is None}
    assert gone == {"big", "small", "other"} & {*found.bytes.moved}
    assert "big" in found.bytes.moved, "a function that is inlined everywhere is gone"
    back = _adding_up(whole, before, target)
    assert back.bytes.moved == {name: -delta for name, delta in found.bytes.moved.items()}
    mixed = _adding_up(before, flipped(before, [identity(site) for site in before.sites], bench), target)
    for one in (found, back, mixed):
        _drawn(one, tmp_path)


def _adding_up(before: Side, after: Side, target: Target) -> Explanation:
    found = explain(after, before)
    alloc, text = (
        find_metric(name).measure(Subject(after.compiled.object, target, 0, 0.0))
        - find_metric(name).measure(Subject(before.compiled.object, target, 0, 0.0))
        for name in ("size.alloc", "size.text")
    )
    assert alloc != 0
    assert sum(row.delta for row in found.bytes.sections) == alloc
    assert sum(row.delta for row in found.bytes.functions) + found.bytes.between.delta == text
    differing = [pair for pair in found.sites if pair.met is Met.DIFFERS]
    assert differing and all(pair.a and pair.b and pair.a.inline != pair.b.inline for pair in differing)
    return found


def _drawn(found: Explanation, folder: Path) -> None:
    figure = graph_figure(found, "<program>", {})
    write_page(figure, folder / "a.html")
    write_page(graph_figure(found, "<program>", {}), folder / "b.html")
    page = (folder / "a.html").read_text()
    assert page == (folder / "b.html").read_text(), "the same picture every time"
    assert not re.search(r"<(script|link|img)[^>]+(src|href)=", page), "it needs nothing from elsewhere"
    names = {note.text for note in figure.layout.annotations}
    assert names == {row.name for row in found.bytes.functions} | {name for p in _inlined(found) for name in p}
    written = graph_figure(found, "<program>", {name: f"V<{name}>" for name in names})
    assert {note.text for note in written.layout.annotations} == {f"V&lt;{name}&gt;" for name in names}
    keys = {trace.name for trace in figure.data if trace.name}
    expected = {f"inlined only by {side}" for side in _sides(found)}
    assert expected <= keys and "function" in keys


def _inlined(found: Explanation) -> list[tuple[str, str]]:
    return [(pair.site.caller, pair.site.callee) for pair in found.sites if pair.met is Met.DIFFERS]


def _sides(found: Explanation) -> set[str]:
    def winner(pair: Pair) -> str:
        assert pair.b is not None
        return found.policy.name if pair.b.inline else found.against.name

    return {winner(pair) for pair in found.sites if pair.met is Met.DIFFERS}


def test_explain_at_the_command_line(harness: Command, program: str, folder: Path, tmp_path: Path) -> None:
    policy, plot = folder.parent / "backwards", tmp_path / "graph.html"
    whole = json.loads(harness("explain", policy, program, "--plot", plot, "--json").out)
    before, after = whole["size.alloc"]
    assert sum(row["delta"] for row in whole["sections"]) == after - before != 0
    between = whole["between_functions"][1] - whole["between_functions"][0]
    text = whole["size.text"][1] - whole["size.text"][0]
    assert sum(row["delta"] for row in whole["functions"]) + between == text
    assert plot.stat().st_size > 1_000_000
    assert {row["met"] for row in whole["sites"]} <= {"differs", "only_a", "only_b"}
    lines = list(csv.DictReader(io.StringIO(harness("explain", policy, program, "--csv").out)))
    assert [line["table"] for line in lines] == [
        table for table in ("sites", "functions", "sections") for _ in whole[table]
    ]
    table = harness("explain", policy, program).out
    assert "call sites, the most telling first" in table and "\nsize.alloc " in table
    assert max(map(len, table.splitlines())) <= 110
    levels = harness("explain", "O2", program)
    assert levels.code == 0 and "a policy that decides no call sites is among the two" in levels.out
    assert "modules frozen at O2 and Oz" in levels.out and "bytes of functions that changed" in levels.out
    assert json.loads(harness("explain", "O2", program, "--json").out)["sites_apply"] is False


def test_bisect_at_the_command_line(harness: Command, program: str, folder: Path) -> None:
    words = ("bisect", LLVM, folder.parent / "backwards", program, "--share", "1")
    answer = harness(*words, "--json")
    found = json.loads(answer.out)
    assert answer.code == 0 and "compilation 1, at most 200" in answer.err
    before, after = found["value_a"], found["value_b"]
    assert found["value"] <= after if after < before else found["value"] >= after
    assert found["minimal"] and 0 < len(found["sites"]) <= found["candidates"]
    shown = harness(*words).out
    assert "call sites decided otherwise bring" in shown and "none of them can be left out" in shown
    few = harness(*words, "--most", "1")
    assert few.code == 1 and "NOT COMPLETE: stopped after 1 compilations" in few.out
    equal = harness("bisect", LLVM, LLVM, program)
    assert (equal.code, equal.out) == (
        0, "default and default take the same decisions here: there is nothing to explain\n"
    )  # fmt: skip


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("explain", "Ozz", "cbench/bzip2"), ["unknown policy 'Ozz'", "did you mean 'Oz'?"]),
        (("explain", "Oz", "bzip2"), ["'bzip2' names no benchmark", "did you mean cbench/bzip2?"]),
        (("explain", "Oz", "cbench/bzip3"), ["no benchmark 'bzip3'", "did you mean 'bzip2'?"]),
        (("explain", "Oz", "cbnech/bzip2"), ["unknown suite 'cbnech'"]),
        (("explain", "Oz", "cbench/bzip2", "--target", "x86-64,aarch64"), ["one target at a time"]),
        (("explain", "Oz", "cbench/bzip2", "--against", "nobody"), ["unknown policy 'nobody'"]),
        (("explain", "Oz", "prog3"), ["'prog3' names no benchmark", "SUITE/BENCHMARK"]),
        (("explain", "Oz", "cbench/bzip2"), ["'Oz' is compared with itself", "--against"]),
        (("explain", "Os", "cbench/bzip2", "--plot", "x.html"), ["--plot", "decide none"]),
        (("bisect", "default", "nobody", "cbench/bzip2"), ["unknown policy 'nobody'"]),
        (
            ("bisect", "default", "Os", "cbench/bzip2"),
            ["problem 'levels': it decides no call sites", "inlining"],
        ),
        (("bisect", "default", "default", "cbench/bzip2", "--metric", "instructions"), ["instructions", "size.text"]),
        (("bisect", "default", "default", "cbench/bzip2", "--track", "sped"), ["unknown track 'sped'"]),
    ],
)
def test_refused(words: tuple[str, ...], said: list[str], harness: Command) -> None:
    harness(*words).refused(2, *said)
