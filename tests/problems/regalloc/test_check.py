"""Whether the plugin can be trusted: Greedy's own decisions give plain clang's object by name, asked, and followed."""

from dataclasses import replace
from pathlib import Path

import pytest

from harness.base.vocabulary import Target
from harness.problems.regalloc import selftest
from harness.problems.regalloc.ask import DEFAULT, ask, known
from harness.problems.regalloc.check import is_repeated
from harness.sandbox.bench import Bench
from tests.drive import Command, Sketch, in_process, write_suite
from tests.problems.regalloc.made import HERE, Modules

ON_TARGETS = pytest.mark.parametrize("target", list(Target))


@pytest.fixture
def harness(bench: Bench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """The command, in this process and with the plugin of the other tests in its cache."""
    return in_process(bench.cache, monkeypatch, capsys)


@ON_TARGETS
def test_greedys_own_decisions_are_repeated(target: Target, modules: Modules, bench: Bench) -> None:
    frozen = modules.frozen(target=target)
    answer = ask(DEFAULT, frozen, bench)
    assert {one[0] for one in answer.body["functions"]} >= {"main", "crowded"}
    assert is_repeated(answer, frozen, bench)


@ON_TARGETS
def test_what_is_asked_and_what_is_followed_count_by_themselves(target: Target, modules: Modules, bench: Bench) -> None:
    frozen = modules.frozen(target=target)
    own, other = (ask(known(name), frozen, bench) for name in ("default", "constant"))
    assert not is_repeated(replace(own, object=other.object), frozen, bench)
    assert not is_repeated(replace(own, body=other.body), frozen, bench)


def test_the_selftest_finds_either(harness: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """By name all is as it should be; what the plugin was asked for is another order of the queue."""
    noinline = 'noinline = ["mix", "crowded", "floating", "assembled", "nothing"]'
    crowded = Sketch("pressure", (HERE / "pressure.c").read_text(), more=noinline)
    words = ("selftest", "regalloc", "--suite", write_suite(tmp_path / "crowded", crowded), "--jobs", "1")
    told = harness(*words)
    assert told.code == 0 and "2 of 2 objects are plain clang's" in told.err
    monkeypatch.setattr(selftest, "DEFAULT", known("constant"))
    told = harness(*words)
    assert told.code == 1 and told.out.count("DIFFERS") == 2 and "0 of 2 objects" in told.err
