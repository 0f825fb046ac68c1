"""The check of the plugin before each run: LLVM's own heuristic through it must give plain clang's object.

The plugin is made unfaithful by another growth cap, under which it inlines next to nothing.
"""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from harness.apply.compile import optimise
from harness.apply.plan import CompilePlan, reference_plan
from harness.base.digest import digest_file
from harness.base.errors import CellError, PrerequisiteError
from harness.base.vocabulary import Level, Target
from harness.problems.inlining import ask as ask_module
from harness.problems.inlining import check, replay
from harness.problems.inlining.check import default_decisions, is_faithful, require_faithful
from harness.problems.inlining.sites import Who, counts
from harness.sandbox.bench import Bench
from tests.drive import TINY, Answer, Command, in_process, write_policy
from tests.problems.inlining.made import CHEAP_TREE, Modules
from tests.programs import write_files

MODULES = [(benchmark, target, level) for benchmark in ("tally", "glob", "calc")
           for target in ("x86-64", "aarch64") for level in ("Oz", "O3")]  # fmt: skip


@pytest.fixture
def harness(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    """The command, in this process."""
    monkeypatch.setenv("HARNESS_RESULTS", str(tmp_path / "results"))
    return in_process(bench.cache, monkeypatch, capsys)


@pytest.fixture
def unfaithful(monkeypatch: pytest.MonkeyPatch) -> None:
    """The plugin stops LLVM's heuristic after the first call that it inlines."""
    rules = ("-ml-advisor-size-increase-threshold=0.01",)
    for module in (ask_module, replay, check):
        monkeypatch.setattr(module, "RULES", rules)


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    """A submission that decides what to inline."""
    folder = write_policy(tmp_path / "mine", "", problem='"inlining"', form='"tree"', files='{ tree = "tree.json" }')
    (folder / "passes.txt").unlink()
    return write_files(folder, {"tree.json": CHEAP_TREE})


# -- one module


@pytest.mark.parametrize("program", ["calls", "throws"])
@pytest.mark.parametrize("target", Target)
@pytest.mark.parametrize("level", [Level.OZ, Level.O3])
def test_it_is_faithful(program: str, target: Target, level: Level, modules: Modules, bench: Bench) -> None:
    frozen = modules.frozen(program, target, level)
    assert is_faithful(frozen, bench)
    require_faithful(frozen, bench, "here")
    found = counts(default_decisions(frozen, bench).body)
    assert found[Who.POLICY] and not found[Who.CAP] and not found[Who.REPLACED]


def test_where_it_is_not(modules: Modules, bench: Bench, unfaithful: None) -> None:
    frozen = modules.frozen()
    assert counts(default_decisions(frozen, bench).body)[Who.CAP]
    assert not is_faithful(frozen, bench)
    with pytest.raises(PrerequisiteError, match="another object through the inlining plugin") as raised:
        require_faithful(frozen, bench, "made/calls (x86-64, -Oz)")
    assert raised.value.where == "made/calls (x86-64, -Oz)" and "selftest inline" in (raised.value.hint or "")


@pytest.mark.parametrize("level", [Level.OZ, Level.O3])
def test_other_bitcode_may_be_the_same_object(
    level: Level, modules: Modules, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Objects decide where bitcode differs: here it has an index of its metadata, which no pass looks at."""
    frozen = modules.frozen(level=level)

    def other(level: Level, target: Target) -> CompilePlan:
        plan = reference_plan(level, target)
        arguments = (*plan.optimise.arguments, "-mllvm", "-bitcode-mdindex-threshold=0")
        return replace(plan, optimise=replace(plan.optimise, arguments=arguments))

    plans = reference_plan(level, frozen.target), other(level, frozen.target)
    assert len({digest_file(optimise(frozen, plan, bench).bitcode) for plan in plans}) == 2
    monkeypatch.setattr(check, "reference_plan", other)
    monkeypatch.setattr(check, "RULES", (*check.RULES, "another key"))
    assert is_faithful(frozen, bench)


def test_the_answer_is_kept(modules: Modules, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    frozen = modules.made(
        "kept", "static int one(int x) { return x + 1; } int main(int c, char **v) { return one(c); }"
    )
    hurried = replace(bench, compile_timeout=0.001)
    with pytest.raises(CellError, match="limit"):
        default_decisions(frozen, hurried)
    decisions = default_decisions(frozen, bench)
    assert is_faithful(frozen, bench)
    assert default_decisions(frozen, hurried) == decisions and is_faithful(frozen, hurried)
    monkeypatch.setattr(check, "native_digest", lambda name: f"another {name}")
    with pytest.raises(CellError, match="limit"):
        default_decisions(frozen, hurried)


def test_a_module_that_clang_cannot_compile(modules: Modules, bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "broken.bc").write_bytes(b"BC\xc0\xde and nothing that follows")
    broken = replace(modules.frozen(), bitcode=tmp_path / "broken.bc", digest="0" * 64)
    with pytest.raises(PrerequisiteError, match="the inlining plugin cannot be checked: ") as raised:
        require_faithful(broken, bench, "made/calls")
    assert raised.value.where == "made/calls"


# -- runs


def test_a_run_is_refused_and_the_module_named(
    harness: Command, policy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("run", "--suite", TINY, "--benchmark", "calc", "--target", "x86-64", "--policy", f"{policy},Oz")
    with monkeypatch.context() as patch:
        rules = ("-ml-advisor-size-increase-threshold=0.01",)
        for module in (ask_module, replay, check):
            patch.setattr(module, "RULES", rules)
        refused = harness(*words, "--jobs", "1")
        progress = [line for line in refused.err.splitlines() if not line.startswith(("error:", "  "))]
        assert not [line for line in progress if line.startswith("cells")], "nothing was computed"
        plain = Answer(refused.code, refused.out, refused.err)
        plain.refused(3, "tiny/calc (x86-64, -Oz): LLVM's own heuristic gives another object", "selftest inline")
        others = harness("run", "--suite", TINY, "--benchmark", "calc", "--target", "x86-64", "--policy", "Oz,Os")
        assert others.code == 0 and "2 cells" in others.err
    assert harness(*words).code == 0


# -- the self-test


def test_selftest(harness: Command) -> None:
    answer = harness("selftest", "inline", "--suite", TINY, "--json")
    assert answer.code == 0, answer.err
    rows = json.loads(answer.out)
    assert [(row["benchmark"], row["target"], row["level"]) for row in rows] == [
        (f"tiny/{benchmark}", target, level) for benchmark, target, level in MODULES
    ]
    for row in rows:
        assert row["verdict"] == "equal" and row["equal"] is True
        assert row["instructions"] > 0 and row["capped"] == 0
        assert row["decisions"] > 0 or row["benchmark"] != "tiny/calc"
    assert "12 of 12 objects are plain clang's" in answer.err
    table = harness("selftest", "inline", "--suite", TINY)
    assert table.code == 0 and len(re.findall(r"^tiny/\w+ .* equal *$", table.out, re.MULTILINE)) == 12


def test_selftest_where_it_differs(harness: Command, unfaithful: None) -> None:
    answer = harness("selftest", "inline", "--suite", f"{TINY}/calc")
    assert answer.code == 1
    assert re.findall(r"^tiny/calc .* DIFFERS *$", answer.out, re.MULTILINE)
    assert re.search(r"^\d of 4 objects are plain clang's$", answer.err, re.MULTILINE)


def test_selftest_of_what_is_not_there(harness: Command) -> None:
    harness("selftest", "inline", "--suite", "nowhere").refused(2, "unknown suite 'nowhere'")
    harness("selftest", "inline", "--suite", f"{TINY}/nothing").refused(2, "nothing")
