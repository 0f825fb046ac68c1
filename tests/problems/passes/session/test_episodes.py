"""Random episodes end where opt ends, and every end of a worker is noticed: ``benchmarks.episodes`` plays thousands."""

import subprocess
import sys
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import pytest

from benchmarks import episodes
from benchmarks.episodes import EQUAL, TOGETHER, Game, Outcome, markdown, play, summary
from harness.base.progress import SilentObserver
from harness.base.vocabulary import Level, Target
from harness.environments.benchmarks import modules_of
from harness.freeze import Fact, FrozenModule
from harness.problems.passes.actions import ActionTable
from harness.sandbox import Finished, Job, Reason
from harness.sandbox.bench import Bench
from harness.sandbox.run import Sandbox
from harness.toolchain.native import llvm_program
from tests.drive import ROOT

SMALL = ("polybench/jacobi-1d", "polybench/trmm")
"""374 and 414 instructions."""
EACH = tuple(number for first in (0, TOGETHER) for number in range(first, first + 3))
"""Three episodes on each of two programs."""


class Crashing(ActionTable):
    """A table whose third action is LLVM's own pass that crashes."""

    def pipelines(self, facts: Collection[Fact]) -> tuple[str, ...]:
        return ("function(sroa)", "function(simplifycfg)", "trigger-crash-module", "function(dce)", "globaldce")


@pytest.fixture(scope="module")
def small(bench: Bench) -> dict[str, FrozenModule]:
    return modules_of(SMALL, Target.X86_64, Level.OZ, bench)


@pytest.fixture
def ends(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> list[Finished]:
    """How each worker of a session ended, as the sandbox has it: sessions are not asked."""
    found: list[Finished] = []
    run_with = Sandbox.run_with

    def watched(sandbox: Sandbox, job: Job, *given: Any) -> Finished:
        finished = run_with(sandbox, job, *given)
        if job.program == "/session":
            found.append(finished)
        return finished

    monkeypatch.setattr(Sandbox, "run_with", watched)
    llvm_program("session", bench.toolchain, bench.store)
    return found


def died(ends: Sequence[Finished]) -> int:
    """Workers that ended by themselves, or by what passes did."""
    return sum(not one.ok and one.reason is not Reason.STOPPED for one in ends)


def lost(outcomes: Sequence[Outcome]) -> list[Outcome]:
    return [one for one in outcomes if one.lost is not None]


def test_a_few_episodes_end_where_opt_ends(small: dict[str, FrozenModule], ends: list[Finished], bench: Bench) -> None:
    outcomes = play(Game(small, 1, bench), EACH, SilentObserver(), jobs=2)
    assert [one.number for one in outcomes] == list(EACH)
    assert [one.program for one in outcomes] == [name for name in SMALL for _ in range(3)]
    assert len({one.actions for one in outcomes}) == len(EACH)
    assert all(one.equal for one in outcomes), list(markdown(summary(outcomes)))
    assert (len(ends), died(ends)) == (2, 0)


def test_large_programs_take_part_in_one_round_of_eight(
    small: dict[str, FrozenModule], bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(episodes, "LARGE", 400)
    game = Game(small, 1, bench)
    played = [game.program(number) for number in range(0, 18 * TOGETHER, TOGETHER)]
    assert played == [*SMALL, *SMALL[:1] * 7] * 2
    monkeypatch.setattr(episodes, "LARGE", 300)
    assert [game.program(number) for number in range(0, 4 * TOGETHER, TOGETHER)] == [*SMALL] * 2


def test_a_worker_that_a_pass_ends_is_noticed_and_the_next_episode_is_played(
    small: dict[str, FrozenModule], ends: list[Finished], bench: Bench
) -> None:
    table = Crashing("crashing", ("sroa", "simplifycfg", "crash", "dce", "globaldce"))
    game = Game(small, 3, bench, table, steps=4)
    outcomes = play(game, range(TOGETHER), SilentObserver())
    crashed = [one for one in outcomes if 2 in one.actions]
    assert 2 <= len(crashed) < TOGETHER - 2
    assert lost(outcomes) == crashed
    assert died(ends) == len(crashed)
    for one in crashed:
        assert one.lost is not None
        assert one.lost.startswith(f"step {one.actions.index(2) + 1}, running trigger-crash-module")
        assert one.noticed
        assert (one.session, one.opt) == (None, None)
    assert all(one.equal for one in outcomes if one not in crashed)
    found = summary(outcomes)["all"]
    assert (found["lost"], found["unnoticed"], found["equal"]) == (len(crashed), 0, TOGETHER - len(crashed))


def test_a_count_that_differs_is_told_with_its_step(
    small: dict[str, FrozenModule], bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The session is made to count one instruction more from the third step on."""
    played = episodes._played

    def wrong(*words: object) -> episodes.Episode:
        found = played(*words)  # type: ignore[arg-type]
        counts = tuple(count + (step >= 2) for step, count in enumerate(found.counts))
        return episodes.Episode(counts, found.lost, found.noticed)

    monkeypatch.setattr(episodes, "_played", wrong)
    (outcome,) = play(Game(small, 1, bench, steps=5), [0], SilentObserver())
    assert not outcome.equal
    assert outcome.session == (outcome.opt or 0) + 1
    assert outcome.differs is not None
    assert outcome.differs.startswith("from step 3 on, ")
    assert outcome.differs in "\n".join(markdown(summary([outcome])))


def test_what_was_played_is_not_played_again(tmp_path: Path) -> None:
    output = tmp_path / "played.jsonl"

    def asked(*words: str) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-m", "benchmarks.episodes", "--suite", "polybench/jacobi-1d", "--output", output]
        return subprocess.run([*command, *words], capture_output=True, text=True, timeout=100, cwd=ROOT)

    assert asked("--episodes", "2").returncode == 0
    first = output.read_text()
    changed = first.replace('"session": ', '"session": 9')  # nobody would count this
    output.write_text(changed[: changed.rindex('"opt"')])
    assert asked("--episodes", "3").returncode == 1
    second = output.read_text().splitlines()
    assert second[:2] == changed.splitlines()[:2]
    assert second[2] == first.splitlines()[2]
    assert len(second) == 4
    refused = asked("--episodes", "3", "--seed", "1")
    assert (refused.returncode, "of other episodes" in refused.stderr) == (1, True)
    assert output.read_text().splitlines() == second


@pytest.mark.slow
def test_ten_episodes_on_each_program_of_cbench_end_where_opt_ends(
    frozen_cbench: list[FrozenModule], ends: list[Finished], bench: Bench
) -> None:
    modules = {frozen.program.id: frozen for frozen in frozen_cbench if frozen.program is not None}
    outcomes = play(Game(modules, 2, bench), range(TOGETHER * len(modules)), SilentObserver())
    assert len(outcomes) >= 200
    found = summary(outcomes)
    assert found["all"]["share"] >= EQUAL, list(markdown(found))
    assert found["all"]["unnoticed"] == 0
    assert died(ends) <= len(lost(outcomes))
