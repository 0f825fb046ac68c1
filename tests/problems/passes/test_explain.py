"""``harness explain`` of a pass list: a table that adds up to the object, and a shorter list that gives the same."""

import json
from pathlib import Path

import pytest

from harness.base.progress import SilentObserver
from harness.base.vocabulary import Level, Target
from harness.freeze import FrozenModule, freeze
from harness.problems.passes import effects
from harness.problems.passes.effects import Pruned, pruned
from harness.problems.passes.session import Line
from harness.sandbox.bench import Bench
from harness.suite.load import load_suite
from tests.drive import Command, in_process, write_policy

LIST = "default<Oz>\nloop-simplify\ninstnamer\nloop-rotate\nstrip-dead-prototypes\n"
PROGRAM = "polybench/nussinov"


@pytest.fixture
def harness(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    return in_process(tmp_path_factory.getbasetemp() / "explained", monkeypatch, capsys)


def test_effects_add_up_and_the_shorter_list_is_the_same(harness: Command, tmp_path: Path) -> None:
    policy = write_policy(tmp_path / "listed", LIST)
    done = harness("explain", policy, PROGRAM, "--prune", "--json")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    rows = found["passes"]
    assert [row["position"] for row in rows] == [0, 1, 2, 3, 4, 5]
    assert rows[0]["alloc"] + sum(row["alloc_delta"] for row in rows) == rows[-1]["alloc"] == found["size.alloc"][1]
    assert rows[0]["instructions"] + sum(row["instructions_delta"] for row in rows) == rows[-1]["instructions"]
    assert rows[1]["changed"]
    assert rows[1]["alloc_delta"] < 0
    kept = found["pruned"]["passes"]
    assert found["pruned"]["complete"]
    assert 0 < len(kept) < len(rows) - 1
    shorter = write_policy(tmp_path / "shorter", "\n".join(kept) + "\n")
    again = json.loads(harness("explain", shorter, PROGRAM, "--json").out)
    assert again["size.alloc"] == found["size.alloc"]
    assert again["functions"] == found["functions"]


@pytest.fixture(scope="module")
def nussinov(bench: Bench) -> FrozenModule:
    (program,) = (one for one in load_suite("polybench").programs if one.id.endswith("/nussinov"))
    return freeze(program, Target.X86_64, Level.OZ, bench)


PASSES = ("function(sroa)", "function(dse)", "function(simplifycfg)", "globaldce", "globaldce")


def test_a_part_that_ends_the_session_is_not_the_same_and_the_search_goes_on(
    nussinov: FrozenModule, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pass may crash on what another one would have taken away."""
    wanted = pruned(PASSES, nussinov, bench, SilentObserver())
    really, lost = Line.apply, []

    def apply(line: Line, *actions: int) -> int:
        if len(actions) == 3 and not lost:
            lost.append(actions)
            line._session.close()
        return really(line, *actions)

    monkeypatch.setattr(Line, "apply", apply)
    found = pruned(PASSES, nussinov, bench, SilentObserver())
    assert lost
    assert found.complete
    assert 0 < len(found.passes) < len(PASSES)
    assert len(wanted.passes) <= len(found.passes)


def test_pruning_ends_in_time_and_says_so(
    nussinov: FrozenModule, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(effects, "MOST_SECONDS", 0.0)
    found = pruned(PASSES, nussinov, bench, SilentObserver())
    assert found == Pruned(PASSES, False, 0)


def test_an_action_with_a_name_is_shown_by_it(harness: Command, tmp_path: Path) -> None:
    form = {"form": '"search"', "class": '"search"', "budget": "10", "deterministic": "true"}
    chosen = {"files": '{ search = "search.py" }', "values": '{ actions = "llvm22" }'}
    policy = write_policy(tmp_path / "named", "", **form, **chosen)
    names = '("clang-Oz", "mergefunc")'
    source = f"def search(session, seed, seconds): return [session.actions.index(name) for name in {names}]\n"
    (policy / "search.py").write_text(source)
    done = harness("explain", policy, PROGRAM)
    assert done.code == 0, done.err
    (row,) = (line for line in done.out.splitlines() if "clang-Oz" in line)
    assert row.split()[:2] == ["1", "clang-Oz"]
    assert "called-value-propagation" not in done.out


def test_options_of_other_problems_are_refused(harness: Command, tmp_path: Path) -> None:
    harness("explain", write_policy(tmp_path / "listed", LIST), PROGRAM, "--plot", tmp_path / "x.html").refused(
        2, "--plot"
    )
    harness("explain", "size-rules", PROGRAM, "--prune").refused(2, "--prune")
