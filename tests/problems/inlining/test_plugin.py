"""The plugin in clang's own pipeline: LLVM's decisions through it are clang's; others are followed, or refused."""

import re
from array import array
from collections.abc import Callable
from typing import Any

import pytest

from harness.apply import compile_plan
from harness.apply.compile import optimise
from harness.apply.decisions import Decisions
from harness.apply.plan import CompilePlan, clang_generate, clang_optimise
from harness.base.digest import digest_bytes, digest_file
from harness.base.errors import CellError
from harness.base.process import Limits, run
from harness.base.vocabulary import Level, Outcome, Target
from harness.freeze import FrozenModule
from harness.policy import problem_of
from harness.problems.inlining.ask import DEFAULT, ask
from harness.problems.inlining.decide import decided
from harness.problems.inlining.features import STATIC_FEATURES
from harness.problems.inlining.replay import GROWTH_CAP, replay_plan
from harness.problems.inlining.sites import Site, Who, body_of, counts, sites_of
from harness.problems.programs.asking import Asked
from harness.sandbox.bench import Bench
from harness.toolchain.native import llvm_plugin
from tests.problems.inlining.made import GROWING, LAYERS, Modules, alternating, always, computed, never

LEVELS = (Level.OZ, Level.O3)
BOTH = pytest.mark.parametrize("name", ["calls", "throws"])
ON_TARGETS = pytest.mark.parametrize("target", list(Target))
AT_LEVELS = pytest.mark.parametrize("level", LEVELS)


def decisions_of(policy: Asked, frozen: FrozenModule, bench: Bench) -> Decisions:
    """The policy's, after all checks."""
    return decided(lambda: ask(policy, frozen, bench), frozen, bench).decisions


def object_of(decisions: Decisions, frozen: FrozenModule, bench: Bench) -> str:
    """Digest of what they give."""
    plan = problem_of(decisions.problem).plan(decisions, frozen.target)
    return compile_plan(frozen, plan, bench).digest


def as_decisions(body: dict[str, Any], frozen: FrozenModule) -> Decisions:
    return Decisions("inlining", frozen.level, body)


def refused(body: dict[str, Any], frozen: FrozenModule, bench: Bench) -> str:
    """The message; the outcome is not-replayable, and nothing is compiled."""
    with pytest.raises(CellError) as raised:
        object_of(as_decisions(body, frozen), frozen, bench)
    assert raised.value.outcome is Outcome.NOT_REPLAYABLE and not raised.value.transient
    return raised.value.message


# -- as clang


@BOTH
@ON_TARGETS
@AT_LEVELS
def test_llvms_decisions_through_the_plugin_give_clangs_own_object(
    name: str, target: Target, level: Level, modules: Modules, bench: Bench
) -> None:
    frozen = modules.frozen(name, target, level)
    mine = decisions_of(DEFAULT, frozen, bench)
    assert len(mine.body["sites"]) > 25
    reference = Decisions("levels", level)
    assert object_of(mine, frozen, bench) == object_of(reference, frozen, bench)
    assert object_of(decisions_of(never(bench), frozen, bench), frozen, bench) != object_of(reference, frozen, bench)


def test_without_a_policy_the_plugin_does_nothing(modules: Modules, bench: Bench) -> None:
    frozen = modules.frozen()
    plain = clang_optimise(frozen.level, frozen.target)
    loaded = clang_optimise(frozen.level, frozen.target, "inline")
    assert "-fpass-plugin=./inline.so" in loaded.arguments
    generate = clang_generate(frozen.level, frozen.target)
    ours, theirs = (optimise(frozen, CompilePlan(step, generate), bench).bitcode for step in (plain, loaded))
    assert ours != theirs and digest_file(ours) == digest_file(theirs)


@BOTH
@ON_TARGETS
@AT_LEVELS
def test_features_are_those_that_llvm_takes(
    name: str, target: Target, level: Level, modules: Modules, bench: Bench
) -> None:
    """LLVM's own code for them, asked at the same sites. It does not see those that are illegal or not reached."""
    frozen = modules.frozen(name, target, level)
    ours, theirs = (ask(policy, frozen, bench, features=True) for policy in (DEFAULT, Asked("upstream")))
    assert digest_bytes(ours.bitcode) == digest_bytes(theirs.bitcode)
    mine, llvms = table(ours.features), table(theirs.features)
    assert len(mine) == counts(ours.body)[Who.POLICY] > 20
    for row, llvm in zip(mine, llvms, strict=True):
        differing = {
            STATIC_FEATURES[at]: (row[at + 1], llvm[at + 1]) for at in range(38) if row[at + 1] != llvm[at + 1]
        }
        assert not differing, f"at call site {row[0]}"
        assert row[-2:] == llvm[-2:]
    varying = {STATIC_FEATURES[at] for at in range(38) if len({row[at + 1] for row in mine}) > 1}
    assert {"cost_estimate", "callee_users", "callee_basic_block_count", "callsite_height", "node_count"} <= varying


def table(content: bytes) -> list[list[int]]:
    """Rows of position, features, decision and LLVM's own."""
    numbers = array("q", content).tolist()
    width = len(STATIC_FEATURES) + 3
    return [numbers[at : at + width] for at in range(0, len(numbers), width)]


def test_the_table_of_features_is_of_the_sites_that_were_decided(modules: Modules, bench: Bench) -> None:
    frozen = modules.frozen()
    answer = ask(alternating(bench), frozen, bench, features=True)
    rows, sites = table(answer.features), sites_of(answer.body)
    assert [row[0] for row in rows] == [at for at, site in enumerate(sites) if site.who is Who.POLICY]
    assert [bool(row[-2]) for row in rows] == [site.inline for site in sites if site.who is Who.POLICY]
    assert {row[-1] for row in rows} == {0, 1}
    assert ask(alternating(bench), frozen, bench).features == b""


def test_a_library_gets_the_features_that_it_uses_by_their_places(modules: Modules, bench: Bench) -> None:
    """It decides by one of them, and the table shows the same; one that it does not mark is never given to it."""
    frozen = modules.frozen()
    for name in ("cost_estimate", "callee_users", "nr_ctant_params"):
        place = STATIC_FEATURES.index(name)
        answer = ask(computed(f"return feature[{place}] > 1;", bench, f"[{place}] = 1"), frozen, bench, features=True)
        rows = table(answer.features)
        assert [row[-2] for row in rows] == [row[place + 1] > 1 for row in rows]
        assert {row[-2] for row in rows} == {0, 1}
    unmarked = ask(computed(f"return feature[{place}] != 0;", bench), frozen, bench)
    assert not any(site.inline for site in sites_of(unmarked.body) if site.who is Who.POLICY)


@BOTH
@AT_LEVELS
def test_what_is_illegal_is_illegal_for_a_policy_that_never_asks_for_the_estimate(
    name: str, level: Level, modules: Modules, bench: Bench
) -> None:
    """The estimate's walk and that for the cost's parts end at the same calls; only one of them is done."""
    frozen = modules.frozen(name, level=level)
    estimate, part = STATIC_FEATURES.index("cost_estimate"), STATIC_FEATURES.index("unsimplified_common_instructions")
    either, both = (
        ask(computed(f"return feature[{part}] < 60;", bench, uses), frozen, bench).body
        for uses in (f"[{part}] = 1", f"[{part}] = 1, [{estimate}] = 1")
    )
    assert either == both
    assert name != "calls" or counts(either)[Who.ILLEGAL] > 0


# -- who decides


def find(body: dict[str, Any], caller: str, callee: str) -> list[tuple[bool, Who]]:
    """What became of the calls of one function in another."""
    return [(site.inline, site.who) for site in sites_of(body) if (site.caller, site.callee) == (caller, callee)]


@AT_LEVELS
@pytest.mark.parametrize("policy", [always, never])
def test_rules_are_not_the_policys(
    policy: Callable[[Bench], Asked], level: Level, modules: Modules, bench: Bench
) -> None:
    body = ask(policy(bench), modules.frozen(level=level), bench).body
    assert {*find(body, "fibonacci", "fibonacci")} == {(False, Who.MANDATORY)}, "it calls itself"
    assert {*find(body, "choose", "never")} == {(False, Who.MANDATORY)}, "noinline"
    assert {*find(body, "main", "sum")} == {(False, Who.ILLEGAL)}, "variable arguments"
    assert {*find(body, "is_even", "is_odd")} == {(policy is always, Who.POLICY)}, "they call each other"
    others = {site.inline for site in sites_of(body) if site.who is Who.POLICY}
    assert others == {policy is always}


def test_a_call_that_becomes_direct_obeys_always_inline(modules: Modules, bench: Bench) -> None:
    body = ask(always(bench), modules.frozen(), bench).body
    assert find(body, "main", "must") == [(True, Who.MANDATORY)]


def test_a_call_that_is_never_reached_is_nobodys(modules: Modules, bench: Bench) -> None:
    """Behind the end of the program, once that is inlined."""
    body = ask(always(bench), modules.frozen(), bench).body
    assert find(body, "main", "leave") == [(True, Who.POLICY)]
    assert find(body, "main", "larger")[0] == (False, Who.ILLEGAL)
    kept = ask(never(bench), modules.frozen(), bench).body
    assert find(kept, "main", "larger")[0] == (False, Who.POLICY)


def test_growth_ends_at_the_cap(modules: Modules, bench: Bench) -> None:
    """The same for all, whatever a policy wants; and it is in the decisions that are replayed."""
    frozen = modules.made("growing", GROWING)
    decisions = decisions_of(always(bench), frozen, bench)
    sites = sites_of(decisions.body)
    first = next(at for at, site in enumerate(sites) if site.who is Who.CAP)
    assert all((site.inline, site.who) == (True, Who.POLICY) for site in sites[:first])
    assert all((site.inline, site.who) == (False, Who.CAP) for site in sites[first:])
    assert len(sites) < 4 * 2 * LAYERS
    plan = replay_plan(decisions, frozen.target)
    grown = optimise(frozen, plan, bench).ir_instructions
    small = optimise(frozen, replay_plan(decisions_of(never(bench), frozen, bench), frozen.target), bench)
    assert small.ir_instructions < grown < 3 * GROWTH_CAP * frozen.instructions
    claimed = [*sites[:first], *(Site(s.caller, s.callee, s.ordinal, True, Who.POLICY) for s in sites[first:])]
    assert f"call site {first} of the module" in refused(body_of(claimed), frozen, bench)


# -- replay


@BOTH
@AT_LEVELS
@pytest.mark.parametrize("policy", [always, never, alternating])
def test_decisions_alone_give_the_same_module(
    policy: Callable[[Bench], Asked], name: str, level: Level, modules: Modules, bench: Bench
) -> None:
    frozen = modules.frozen(name, level=level)
    answer = ask(policy(bench), frozen, bench)
    plan = replay_plan(as_decisions(answer.body, frozen), frozen.target)
    replayed = optimise(frozen, plan, bench)
    assert replayed.bitcode.read_bytes() == answer.bitcode
    assert body_of(sites_of(answer.body)) == answer.body


def test_they_are_of_one_target_or_of_both(modules: Modules, bench: Bench) -> None:
    """Following them is what says so, not a name."""
    x86, arm = (modules.frozen(target=target) for target in (Target.X86_64, Target.AARCH64))
    body = ask(never(bench), x86, bench).body
    assert sites_of(body) == sites_of(ask(never(bench), arm, bench).body)
    object_of(as_decisions(body, arm), arm, bench)


Sites = list[Site]


def changed(sites: Sites, at: int, **fields: Any) -> Sites:
    """One of them otherwise."""
    old = sites[at]
    values = {name: fields.get(name, getattr(old, name)) for name in ("caller", "callee", "ordinal", "inline", "who")}
    return [*sites[:at], Site(**values), *sites[at + 1 :]]


def index_of(sites: Sites, who: Who, callee: str = "") -> int:
    """The first that they decided."""
    return next(at for at, site in enumerate(sites) if site.who is who and callee in site.callee)


def inlining_the_illegal(sites: Sites) -> Sites:
    return changed(sites, index_of(sites, Who.ILLEGAL, "sum"), inline=True, who=Who.POLICY)


def inlining_the_unreached(sites: Sites) -> Sites:
    return changed(sites, index_of(sites, Who.ILLEGAL, "larger"), who=Who.POLICY)


CHANGES: dict[str, tuple[Callable[[Sites], Sites], str]] = {
    "the last removed": (
        lambda s: s[:-1],
        r"call site \d+ of the module is a call of .* in main .* no more decisions",
    ),
    "the first removed": (
        lambda s: s[1:],
        r"call site 0 of the module is a call of .* \(the 1\. question",
    ),
    "one removed": (
        lambda s: s[:9] + s[10:],
        "call site 9 of the module is a call of .*, and the decision is on a",
    ),
    "none left": (lambda s: s[:0], "call site 0 of the module is .*, and there are no more decisions"),
    "one added": (
        lambda s: [*s, Site("main", "twice", 99, False, Who.POLICY)],
        r"the module has \d+ call sites, the",
    ),
    "one twice": (lambda s: [*s[:5], *s[4:]], "call site 5 of the module is"),
    "two swapped": (lambda s: [*s[:4], s[5], s[4], *s[6:]], "call site 4 of the module is"),
    "another caller": (lambda s: changed(s, 4, caller="elsewhere"), "and the decision is on a call of .* in elsewhere"),
    "another callee": (lambda s: changed(s, 4, callee="other"), "and the decision is on a call of other in "),
    "another ordinal": (lambda s: changed(s, 4, ordinal=7), r"and the decision is on a call of .* \(the 8\.\)"),
    "the illegal inlined": (inlining_the_illegal, "a call of sum in choose, is not decided as it was"),
    "the illegal inlined, as it says": (
        lambda s: changed(s, index_of(s, Who.ILLEGAL, "sum"), inline=True),
        "a call of sum in choose, is not decided as it was",
    ),
    "the unreached decided": (inlining_the_unreached, "a call of larger in main, is not decided as it was"),
    "a rule decided": (
        lambda s: changed(s, index_of(s, Who.MANDATORY), who=Who.POLICY),
        "a call of fibonacci in fibonacci, is not decided as it was",
    ),
    "a rule broken": (
        lambda s: changed(s, index_of(s, Who.MANDATORY), inline=True),
        "a call of fibonacci in fibonacci, is not decided as it was",
    ),
    "a rule claimed": (
        lambda s: changed(s, index_of(s, Who.POLICY), who=Who.MANDATORY),
        "a call of is_odd in is_even, is not decided as it was",
    ),
    "the cap claimed": (
        lambda s: changed(s, index_of(s, Who.POLICY), who=Who.CAP),
        "a call of is_odd in is_even, is not decided as it was",
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_other_decisions_are_not_replayed(change: str, modules: Modules, bench: Bench) -> None:
    frozen = modules.frozen()
    sites = sites_of(ask(always(bench), frozen, bench).body)
    assert {Who.POLICY, Who.MANDATORY, Who.ILLEGAL} == {site.who for site in sites}
    alter, said = CHANGES[change]
    assert re.search(said, refused(body_of(alter(sites)), frozen, bench))


def test_another_programs_decisions_are_not_replayed(modules: Modules, bench: Bench) -> None:
    calls, throws = modules.frozen("calls"), modules.frozen("throws")
    body = ask(DEFAULT, throws, bench).body
    assert refused(body, calls, bench).startswith(
        "call site 0 of the module is a call of fibonacci in fibonacci (the 1. question about one), and the decision is"
    )
    assert "and there are no more decisions" in refused({"functions": [], "sites": []}, throws, bench)


def test_a_decision_turned_round_is_another_policys(modules: Modules, bench: Bench) -> None:
    """The last one, so that what follows is the same: it is followed, and gives another object."""
    frozen = modules.frozen()
    sites = sites_of(ask(never(bench), frozen, bench).body)
    last = max(at for at, site in enumerate(sites) if site.who is Who.POLICY and site.callee == "mixed")
    turned = as_decisions(body_of(changed(sites, last, inline=True)[: last + 1]), frozen)
    before = as_decisions(body_of(sites), frozen)
    try:
        other = object_of(turned, frozen, bench)
    except CellError as error:
        assert error.outcome is Outcome.NOT_REPLAYABLE
    else:
        assert other != object_of(before, frozen, bench)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ([0, 0, 0, 1], "not a decision: [0, 0, 0, 1]"),
        ([0, 0, 0, 1, "policy"], "not a decision"),
        ([0, 9, 0, 1, "p"], "not a decision"),
        ([-1, 0, 0, 1, "p"], "not a decision"),
        ([0, 0, 1 << 40, 1, "p"], "not a decision"),
        ([0, 0, 0, 1, "z"], "not a decision"),
    ],
)
def test_what_is_no_decision(row: list[Any], said: str, modules: Modules, bench: Bench) -> None:
    frozen = modules.frozen()
    assert said in refused({"functions": ["fibonacci"], "sites": [row]}, frozen, bench)


# -- names

NAMES = {
    "blank": "a b",
    "escape": "%41%",
    "percent": "%",
    "unicode": "größe→",
    "line": "line\\nbreak",
    "forged": "x\\n0 0 0 1 p",
    "function": "f main",
    "quoted": '\\"quoted\\"',
    "backslash": "back\\\\slash",
    "control": "\\001\\177",
}
ODD = "\n".join(
    [
        "#include <stdio.h>",
        "typedef unsigned long Word;",
        *(
            f'static Word {name}(Word x) __asm__("{label}");\n'
            f'static Word {name}(Word x) {{ printf("{name} %lu\\n", x); return x * {at} + x / 3; }}'
            for at, (name, label) in enumerate(NAMES.items(), start=3)
        ),
        "int main(int argc, char **argv) {",
        "  Word x = (Word)argc; (void)argv;",
        *(f"  x += {name}(x) + {name}(x + 1);" for name in NAMES),
        "  return (int)(x & 1);",
        "}",
    ]
)


def test_functions_of_any_name(modules: Modules, bench: Bench) -> None:
    """What an assembler takes for a name: blanks, signs, line ends, letters of any alphabet."""
    frozen = modules.made("odd", ODD)
    for policy in (always, alternating):
        decisions = decisions_of(policy(bench), frozen, bench)
        callees = {site.callee for site in sites_of(decisions.body)}
        expected = {escaped(label.encode().decode("unicode_escape").encode("latin-1")) for label in NAMES.values()}
        assert callees == expected
        assert len(decisions.body["sites"]) == 2 * len(NAMES)
        object_of(decisions, frozen, bench)
    sites = sites_of(ask(never(bench), frozen, bench).body)
    for at in range(0, len(sites), 2):
        renamed = body_of(changed(sites, at, callee=sites[at].callee + "%20"))
        assert f"call site {at} of the module" in refused(renamed, frozen, bench)


def escaped(name: bytes) -> str:
    """As the log has it."""
    return "".join(chr(c) if 0x21 <= c <= 0x7E and c != 0x25 else f"%{c:02x}" for c in name)


def test_a_name_that_is_not_there_is_shown_as_it_is(modules: Modules, bench: Bench) -> None:
    frozen = modules.made("odd", ODD)
    body = ask(never(bench), frozen, bench).body
    message = refused({**body, "sites": body["sites"][1:]}, frozen, bench)
    assert message.startswith("call site 0 of the module is a call of a b in main (the 1. question about one), and")


# -- the plugin's own options


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("-inline-policy=replay", "-inline-policy-file=missing"), "inline plugin: cannot read missing"),
        (("-inline-policy=heuristic", "-inline-policy-file=./no.so"), "./no.so: cannot open shared object file"),
        (("-inline-policy=heuristic", "-inline-policy-file=./inline.so"), "undefined symbol: harness_heuristic"),
        (("-inline-policy=default", "-inline-policy-log=none/log"), "inline plugin: cannot write none/log"),
        (("-inline-policy=default", "-inline-policy-log=/dev/full"), "the log of decisions could not be written"),
        (("-inline-policy=default", "-inline-policy-features=/dev/full"), "the features could not be written"),
        (("-inline-policy=best",), "for the --inline-policy option: Cannot find option named 'best'!"),
    ],
)
def test_what_the_plugin_cannot_use_ends_the_compiler(
    options: tuple[str, ...], said: str, modules: Modules, bench: Bench
) -> None:
    frozen = modules.frozen()
    with bench.store.scratch() as folder:
        (folder / "frozen.bc").symlink_to(frozen.bitcode)
        (folder / "inline.so").symlink_to(llvm_plugin("inline", bench.toolchain, bench.store))
        step = clang_optimise(frozen.level, frozen.target, "inline", options)
        done = run([bench.toolchain.tool("clang"), *step.arguments], cwd=folder, limits=Limits(wall=20))
    assert not done.ok
    assert said in done.stderr.decode()
