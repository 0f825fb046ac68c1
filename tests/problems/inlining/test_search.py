"""Searches of inlining decisions: what their session says is so, what they find counts, and whatever they do ends."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from harness.apply.decisions import Decided
from harness.base.errors import CellError, UsageError
from harness.base.vocabulary import Level, Outcome, Target
from harness.environments.benchmarks import modules_of
from harness.freeze import FrozenModule
from harness.policy import Policy, problem_of
from harness.problems.inlining.ask import TRIED, ask
from harness.problems.inlining.decide import generated
from harness.problems.inlining.guided import guided
from harness.problems.inlining.problem import _asked
from harness.problems.inlining.search.compiling import Compiled, Compiling
from harness.problems.inlining.sites import Site, Who, sites_of
from harness.problems.programs.session import relay, submission
from harness.problems.programs.session.worker import SessionLost
from harness.sandbox.bench import Bench
from harness.toolchain.elf import allocated_bytes, executable_bytes, symbols
from tests.problems.inlining.made import GROWING, LAYERS, Modules, heuristic_policy, policy_of

SEEDS = (0, 1, 2, 3, 4)


def search_policy(source: str, seconds: float = 60, **values: int) -> Policy:
    """A ``search.py``."""
    policy = policy_of("inlining", "search", "search", "search.py", source, **values)
    changes = {"budget": seconds, "deterministic": False, "seeds": SEEDS}
    return replace(policy, manifest=policy.manifest.model_copy(update=changes))


def found(source: str, frozen: FrozenModule, bench: Bench, seconds: float = 60, **values: int) -> Decided:
    """What it decides on the module."""
    policy = search_policy(source, seconds, **values)
    problem = problem_of("inlining")
    problem.check(policy, "submission.toml")
    return problem.decide(policy, frozen, 3, bench)


def chosen(decided: Decided) -> list[Site]:
    """What it decided by choice."""
    return [site for site in sites_of(decided.decisions.body) if site.chosen]


@pytest.fixture
def session(modules: Modules, bench: Bench) -> Iterator[Compiling]:
    """On the module of calls."""
    compiling = Compiling(modules.frozen(), bench)
    yield compiling
    compiling.close()


def said(sites: Sequence[Site]) -> list[tuple[str, str, int, bool, bool]]:
    """All but whether the policy decided, or LLVM in its place."""
    return [(one.caller, one.callee, one.ordinal, one.inline, one.chosen) for one in sites]


def is_as_clang_makes_it(done: Compiled, frozen: FrozenModule, bench: Bench) -> bool:
    """Whether clang's own object, under what the session says was decided, has what the session says of it."""
    made = guided(frozen, [site for site in done.sites if site.chosen], bench)
    functions = {one.name: one.size for one in symbols(made.object) if one.is_function}
    assert done.code.items() <= functions.items() and done.unwind.keys() == done.code.keys()
    sizes = allocated_bytes(made.object), executable_bytes(made.object)
    return sizes == (done.alloc, done.text) and said(sites_of(made.decisions.body)) == said(done.sites)


@pytest.mark.parametrize("target", list(Target))
@pytest.mark.parametrize("name", ["cbench/qsort", "mibench/basicmath"])
def test_a_session_compiles_as_clang_does(name: str, target: Target, bench: Bench) -> None:
    frozen = modules_of([name], target, Level.OZ, bench)[name]
    chance = Random(1)
    session = Compiling(frozen, bench)
    plain = session.under([])
    assert is_as_clang_makes_it(plain, frozen, bench)
    sizes = {plain.alloc}
    for share in (0.0, 0.5, 1.0):
        done = session.under([replace(one, inline=chance.random() < share) for one in plain.sites if one.chosen])
        assert is_as_clang_makes_it(done, frozen, bench)
        sizes.add(done.alloc)
    assert len(sizes) == 4
    session.close()


def test_a_module_grows_in_a_session_as_far_as_elsewhere(modules: Modules, bench: Bench) -> None:
    frozen = modules.made("growing", GROWING)
    session = Compiling(frozen, bench)
    done = session.under([])
    for _ in range(LAYERS):  # what is inlined brings calls that no table has had
        done = session.under([replace(site, inline=True) for site in done.sites if site.chosen])
    session.close()
    assert any(site.who is Who.CAP for site in done.sites)
    assert is_as_clang_makes_it(done, frozen, bench)


BY_TRIAL = """
// [hyperparam]: least, int, -1000, 1000, 1
// [hyperparam]: only_calls, int, 0, 1, 1
// [hyperparam]: of_text, int, 0, 1, 0
bool getEvolvableAdvice(CallBase &CB, PolicyContext &Context) {
  using namespace harness;
  if (!only_calls && Context.feature(CalleeFeature::callee_is_last_call))
    return Context.defaultDecision();
  if (Context.feature(TrialFeature::trial_callers) == 0)
    return Context.defaultDecision();
  return Context.feature(of_text ? TrialFeature::trial_saves_text : TrialFeature::trial_saves_alloc) >= least;
}
"""


@pytest.mark.parametrize(
    "how", [{}, {"least": 40}, {"by_text": True}, {"only_calls": False}], ids=["plain", "least", "text", "not-only"]
)
def test_trials_are_those_that_a_heuristic_sees_of_callers_apart(how: dict[str, Any], bench: Bench) -> None:
    frozen = modules_of(["cbench/qsort"], Target.X86_64, Level.OZ, bench)["cbench/qsort"]
    words = {"least": 1, "by_text": False, "only_calls": True} | how
    session = Compiling(frozen, bench)
    done = session.by_trial(**words)
    session.close()
    heuristic = heuristic_policy(
        BY_TRIAL, least=words["least"], only_calls=int(words["only_calls"]), of_text=int(words["by_text"])
    )
    apart = replace(_asked(heuristic, 0, bench), options=(*TRIED, "trial-whole=0"))  # as a session tries
    answer = ask(apart, frozen, bench)
    assert said(done.sites) == said(sites_of(answer.body))
    assert done.alloc == allocated_bytes(generated(answer, frozen, bench))
    assert is_as_clang_makes_it(done, frozen, bench)


@pytest.mark.parametrize(
    "other", [{"least": 500}, {"by_text": True}, {"only_calls": False}], ids=lambda way: next(iter(way))
)
def test_what_is_asked_of_trials_matters(other: dict[str, Any], bench: Bench) -> None:
    frozen = modules_of(["mibench/basicmath"], Target.X86_64, Level.OZ, bench)["mibench/basicmath"]
    usual = {"by_text": False, "least": 1, "only_calls": True}
    session = Compiling(frozen, bench)
    assert said(session.by_trial(**usual).sites) != said(session.by_trial(**(usual | other)).sites)
    session.close()


def test_a_search_finds_what_it_looks_for(modules: Modules, bench: Bench) -> None:
    """It may look at everything that a session says."""
    source = """
def search(session, seed, seconds):
    assert (seed, seconds) == (3, 60)
    best = session.compile()
    tried = session.by_trial("size.text", least=-5, only_calls=False)
    assert tried.sites and tried.bytes["size.text"] > 0
    for callee in sorted({site.callee for site in best.sites}):
        for inline in (True, False):
            sites = [s._replace(inline=inline) if s.callee == callee else s for s in best.sites]
            done = session.compile(sites)
            assert done.code.keys() == done.unwind.keys() and sum(done.code.values()) <= done.bytes["size.text"]
            best = min(best, done, key=lambda one: one.bytes["size.alloc"])
    assert session.has_time() and 0 < session.cpu < seconds
    return best.sites
"""
    frozen = modules.frozen()
    decided = found(source, frozen, bench)
    session = Compiling(frozen, bench)
    plain, best = session.under([]), session.under(chosen(decided))
    session.close()
    assert best.alloc < plain.alloc
    assert decided.trials == 2 + 2 * len({site.callee for site in plain.sites if site.chosen})
    assert decided.steps == 0 and decided.cpu > 0


def test_what_a_search_does_not_say_llvm_decides(modules: Modules, bench: Bench, session: Compiling) -> None:
    assert chosen(found("def search(s, seed, t): return []", modules.frozen(), bench)) == [
        site for site in session.under([]).sites if site.chosen
    ]


FLIPS = "sites = [one._replace(inline=not one.inline) for one in s.compile().sites]"


def test_what_a_search_proposed_counts_when_its_budget_is_spent(
    modules: Modules, bench: Bench, session: Compiling
) -> None:
    source = f"""
def search(s, seed, t):
    {FLIPS}
    s.propose(sites)
    while True:
        s.compile()
"""
    plain = [site for site in session.under([]).sites if site.chosen]
    decided = found(source, modules.frozen(), bench, seconds=0.3)
    flipped = session.under([replace(site, inline=not site.inline) for site in plain])
    assert said(sites_of(decided.decisions.body)) == said(flipped.sites)
    assert decided.cpu < 30


def test_a_search_has_the_trials_that_it_has_at_least(modules: Modules, bench: Bench) -> None:
    source = """
def search(s, seed, t):
    while s.has_time():
        s.compile()
    s.propose([])
    s.compile()
"""
    assert found(source, modules.frozen(), bench, seconds=0.01, trials=12).trials == 12


IS_LOST = """
from harness.problems.inlining.search.client import SessionLost
def search(s, seed, t):
    lost = 0
    for _ in range(3):
        try:
            s.compile()
        except SessionLost as why:
            assert "no answer within" in str(why)
            lost += 1
    assert lost == 3
    return []
"""


def test_a_session_that_is_lost_is_told_and_the_search_goes_on(
    modules: Modules, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("harness.problems.inlining.search.relay.SECONDS", 1e-6)
    assert found(IS_LOST, modules.frozen(), bench).trials == 3


def test_one_that_loses_them_all_is_at_fault(modules: Modules, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.problems.inlining.search.relay.SECONDS", 1e-6)
    monkeypatch.setattr("harness.problems.programs.session.relay._MOST_LOST", 3)
    source = "def search(s, seed, t):\n while True:\n  try: s.compile()\n  except Exception: pass"
    with pytest.raises(CellError, match=r"search\.py: it has lost 4 sessions, the last one compiling the program"):
        found(source, modules.frozen(), bench)


def test_no_module_is_no_session(modules: Modules, bench: Bench, tmp_path: Any) -> None:
    broken = tmp_path / "broken.bc"
    broken.write_bytes(b"BC\xc0\xdenothing")
    with pytest.raises(SessionLost):
        Compiling(replace(modules.frozen(), bitcode=broken), bench)
    with pytest.raises(CellError) as error:
        found("def search(s, seed, t): return s.compile().sites", replace(modules.frozen(), bitcode=broken), bench)
    assert error.value.outcome is Outcome.COMPILE_ERROR


@pytest.mark.parametrize(
    ("source", "outcome", "words"),
    [
        ("def search(s, seed, t): raise ValueError('no idea')", Outcome.POLICY_ERROR, "line 1: ValueError: no idea"),
        ("def search(s, seed, t): return [42]", Outcome.POLICY_ERROR, "must be call sites"),
        ("def search(s, seed, t): return None", Outcome.POLICY_ERROR, "must be call sites"),
        ("def search(s, seed, t): return [('a', 'b', 0, True)] * 2", Outcome.POLICY_ERROR, "none of them twice"),
        ("def search(s, seed, t): return [('a b', 'c', 0, True)]", Outcome.POLICY_ERROR, "decisions are"),
        ("def search(s, seed, t): return [('a\\nf c', 'c', 0, True)]", Outcome.POLICY_ERROR, "decisions are"),
        ("def search(s, seed, t): return [('a', 'b', -1, True)]", Outcome.POLICY_ERROR, "decisions are"),
        ("import os\ndef search(s, seed, t): os._exit(0)", Outcome.POLICY_ERROR, "ended without a decision"),
        ("def search(s, seed, t): s.by_trial('size.bss')", Outcome.POLICY_ERROR, "metric must be size.alloc or"),
        ("def search(s, seed, t): s.by_trial(least=1e9)", Outcome.POLICY_ERROR, "least must be a whole number"),
        ("def search(s, seed, t): s.say(7, {})", Outcome.POLICY_ERROR, "7 is not a valid Kind"),
        ("def search(s, seed, t): s.say(0, {})", Outcome.POLICY_ERROR, "decisions are"),
        ("def search(s, seed, t): s.say(0, [[]])", Outcome.POLICY_ERROR, "decisions are"),
        ("def search(s, seed, t): s.say(1, [])", Outcome.POLICY_ERROR, "trials are of a metric"),
        ("def search(s, seed, t): s.ask(b'\\x06\\0\\0\\0\\0\\0\\0\\0\\0{')", Outcome.POLICY_ERROR, "not JSON"),
        ("def search(s, seed, t): s.ask(b'\\x01\\0\\0\\0\\0')", Outcome.POLICY_ERROR, "it sends what is no request"),
        ("def search(s, seed, t): s.ask(b'\\xff' * 64)", Outcome.POLICY_ERROR, "it sends what is no request"),
        ("def search(s, seed, t):\n while True: s.compile()", Outcome.POLICY_ERROR, "ended without a decision"),
    ],
)
def test_a_search_without_decisions(source: str, outcome: Outcome, words: str, modules: Modules, bench: Bench) -> None:
    with pytest.raises(CellError) as error:
        found(source, modules.frozen(), bench, seconds=0.5)
    assert error.value.outcome is outcome and words in error.value.message


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("import time\ndef search(s, seed, t): time.sleep(1000)", "nothing was heard of it for 2 s"),
        (
            "def search(s, seed, t):\n while True:\n  try: s.compile()\n  except Exception: pass",
            "it did not end within 1 s after its budget was spent",
        ),
    ],
)
def test_a_search_that_does_not_end_is_ended(
    source: str, said: str, modules: Modules, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(submission, "_PATIENCE", 2.0)
    monkeypatch.setattr(relay, "_GRACE", 1.0)
    with pytest.raises(CellError) as error:
        found(source, modules.frozen(), bench, seconds=0.2)
    assert error.value.outcome is Outcome.POLICY_TIMEOUT and error.value.transient
    assert error.value.message.startswith(f"search.py: {said}, and no decision")


@pytest.mark.parametrize("trials", [0, 5])
def test_what_is_read_of_a_search_is_a_part_of_its_budget(
    trials: int, modules: Modules, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else it would have the harness read proposals for as long as it likes, the more so while it has trials left."""
    monkeypatch.setattr(relay, "_GRACE", 1.0)
    monkeypatch.setattr(submission, "_PATIENCE", 10.0)
    source = """
def search(s, seed, t):
    sites = [(f"f{n}", "g", 0, True) for n in range(50_000)]
    while True:
        s.propose(sites)
"""
    decided = found(source, modules.frozen(), bench, seconds=0.2, trials=trials)
    assert decided.trials == 0 and decided.cpu > 0.2
    assert decided.wall < 40, "it has ten seconds for each trial otherwise, and a minute"


def test_what_comes_byte_by_byte_after_the_budget_has_no_more_time(
    modules: Modules, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relay, "_GRACE", 1.0)
    source = """
import os, time
def search(s, seed, t):
    s.propose([])
    try:
        while True:
            s.compile()
    except Exception:
        os.write(s._write, bytes([99, 0, 0, 0]))
        while True:
            time.sleep(0.2)
            os.write(s._write, bytes(1))
"""
    decided = found(source, modules.frozen(), bench, seconds=0.2)
    assert decided.wall < 15, "it has a minute otherwise"


def test_a_function_has_one_spelling(modules: Modules, bench: Bench) -> None:
    """Else a site could be there twice, and people would read the other."""
    sites = '[("main", "cheap", 0, True), ("%6dain", "cheap", 0, False)]'
    with pytest.raises(CellError, match="decisions are") as error:
        found(f"def search(s, seed, t): return {sites}", modules.frozen(), bench)
    assert error.value.outcome is Outcome.POLICY_ERROR


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"budget": None}, "budget: a search has so many CPU seconds"),
        ({"track": "speed"}, "track: a search compiles as -Oz does"),
        ({"values": {"trials": 1001}}, "values.trials: must be a whole number up to 1000"),
        ({"values": {"tables": 1}}, "values.tables: a search has trials"),
        ({"files": {"search": "search.py", "more": "more.py"}}, "files: a policy of form 'search' has one file"),
    ],
)
def test_a_manifest_that_means_nothing_is_refused(changes: dict[str, Any], words: str) -> None:
    policy = search_policy("def search(session, seed, seconds): return []")
    policy = replace(policy, manifest=policy.manifest.model_copy(update=changes))
    with pytest.raises(UsageError) as error:
        problem_of("inlining").check(policy, "submission.toml")
    assert words in str(error.value)


def test_a_file_without_a_search_is_refused() -> None:
    with pytest.raises(UsageError, match="search"):
        problem_of("inlining").check(search_policy("def find(session): return []"), "submission.toml")


def test_the_searches_that_come_with_it_are_one_but_for_the_metric(bench: Bench) -> None:
    """And find something on a small program, the same again."""
    from harness.policy.load import load_policy

    one, other = (load_policy(name) for name in ("inline-search", "inline-search-text"))
    assert one.contents["search"].replace(b'"size.alloc"', b'"size.text"', 1) == other.contents["search"]
    frozen = modules_of(["cbench/crc32"], Target.X86_64, Level.OZ, bench)["cbench/crc32"]
    session = Compiling(frozen, bench)
    plain = session.under([])
    sizes = []
    for policy in (one, one, other):
        decided = problem_of("inlining").decide(policy, frozen, 0, bench)
        done = session.under(chosen(decided))
        sizes.append((done.alloc, done.text, decided.decisions.digest))
    session.close()
    assert sizes[0] == sizes[1]
    assert sizes[0][0] < plain.alloc and sizes[2][1] <= plain.text
    assert {Who.POLICY, Who.REPLACED} >= {site.who for site in chosen(decided)}
