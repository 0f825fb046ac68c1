"""A session is opt in memory: the same modules and counts; and whatever a pass does to it, its owner goes on."""

import random
import time
from pathlib import Path

import pytest

from harness.apply.plan import clang_generate
from harness.base.vocabulary import Level, Target
from harness.freeze.freeze import count_instructions
from harness.problems.passes.actions import AUTOPHASE_42
from harness.problems.passes.session import SessionLost, StepLimits
from harness.sandbox import MIB, Reason
from harness.sandbox.bench import Bench
from harness.sandbox.tools import run_tool, tool_job
from harness.toolchain.elf import allocated_bytes, executable_bytes
from tests.problems.passes.session.conftest import Open

HARD = ("function(sroa)", "trigger-crash-module", "function(simplifycfg)")
"""LLVM's own pass that crashes, between two that do not."""


def lists(count: int, length: int, seed: int) -> list[tuple[int, ...]]:
    chance = random.Random(seed)
    return [tuple(chance.randrange(42) for _ in range(length)) for _ in range(count)]


def opt(module: Path, actions: tuple[int, ...], bench: Bench) -> bytes:
    pipelines = [AUTOPHASE_42.pipelines(())[action] for action in actions]
    words = ("-relocation-model=pic", "-passes=" + ",".join(filter(None, pipelines)), "in.bc", "-o", "out.bc")
    done = run_tool(tool_job("opt", words, {"in.bc": module}, ("out.bc",), 60, bench), bench)
    assert done.ok, done.reason_line()
    return done.results["out.bc"]


@pytest.mark.parametrize("target", Target)
def test_modules_counts_and_sizes_are_those_of_the_tools(
    target: Target, session: Open, modules: dict[Target, Path], bench: Bench, tmp_path: Path
) -> None:
    """Byte for byte what opt writes; the count that the metric takes of it; the bytes of the object clang makes."""
    opened = session(target=target)
    for actions in lists(6, 30, seed=7):
        line = opened.line()
        counted = line.apply(*actions)
        written = opt(modules[target], actions, bench)
        assert line.bitcode() == written
        (tmp_path / "opt.bc").write_bytes(written)
        assert counted == line.count() == count_instructions(tmp_path / "opt.bc", bench)
        step = clang_generate(Level.OZ, target)
        job = tool_job(step.tool, step.arguments, {"opt.bc": tmp_path / "opt.bc"}, (step.writes,), 60, bench)
        made = run_tool(job, bench).results[step.writes]
        (tmp_path / "program.o").write_bytes(made)
        size = line.object_size()
        assert (size.alloc, size.text) == (
            allocated_bytes(tmp_path / "program.o"),
            executable_bytes(tmp_path / "program.o"),
        )


def test_steps_one_by_one_are_steps_at_once(session: Open) -> None:
    opened = session()
    (actions,) = lists(1, 45, seed=3)
    whole, single = opened.line(), opened.line()
    steps = whole.steps(*actions)
    counts = [single.apply(action) for action in actions]
    assert [step.instructions for step in steps] == counts
    assert whole.bitcode() == single.bitcode()
    before = [opened.line().count(), *counts[:-1]]
    assert all(step.changed for step, one, two in zip(steps, before, counts, strict=True) if one != two)
    assert not all(step.changed for step in steps)


def test_undo_and_exact_forks_lead_where_the_list_leads(session: Open) -> None:
    opened = session()
    (actions,) = lists(1, 20, seed=4)
    line, straight = opened.line(), opened.line()
    straight.apply(*actions[:15])
    line.apply(*actions)
    line.undo(5)
    other = line.fork(exact=True)
    assert line.actions == other.actions == straight.actions == actions[:15]
    assert line.bitcode() == other.bitcode() == straight.bitcode()
    line.undo(15)
    assert line.bitcode() == opened.line().bitcode()


def test_a_fork_goes_on_by_itself(session: Open) -> None:
    opened = session()
    line = opened.line()
    line.apply(36, 30)
    fork = line.fork()
    before = line.text()
    assert fork.count() == line.count()
    fork.apply(38, 11)
    assert line.text() == before
    line.drop()
    assert fork.count() == fork.apply(33)  # prune-eh does nothing
    with pytest.raises(ValueError, match="no line"):
        line.count()


def test_actions_that_are_none_change_nothing(session: Open) -> None:
    line = session().line()
    before = line.bitcode()
    for wrong in ((42,), (1, 99), (-1,), ()):
        with pytest.raises(ValueError, match="action"):
            line.apply(*wrong)
    assert line.bitcode() == before
    assert line.actions == ()


def test_a_crash_is_said_and_no_other_session_is_harmed(session: Open) -> None:
    opened, other = session(*HARD), session()
    line, unharmed = opened.line(), other.line()
    line.apply(0)
    with pytest.raises(SessionLost, match="running trigger-crash-module") as lost:
        line.apply(1)
    assert lost.value.why is Reason.SIGNAL
    for late in (lambda: line.count(), opened.line, lambda: line.fork()):
        with pytest.raises(SessionLost, match="the session has ended"):
            late()
    assert unharmed.apply(36) > 0


def test_a_step_that_takes_too_long_is_ended(session: Open) -> None:
    line = session(",".join(["default<O3>"] * 500), limits=StepLimits(seconds=0.2)).line()
    started = time.monotonic()
    with pytest.raises(SessionLost, match=r"no answer within 0\.2 s") as lost:
        line.apply(0)
    assert lost.value.why is None
    assert time.monotonic() - started < 10


def test_a_step_that_takes_too_much_memory_is_ended(session: Open) -> None:
    opened = session(limits=StepLimits(memory=192 * MIB))
    lines = [opened.line()]
    with pytest.raises(SessionLost) as lost:
        for _ in range(5000):
            lines.append(lines[-1].fork())
            lines[-1].apply(24, 13)
            if len(lines) > 1000:
                lines.pop(0).drop()
    assert lost.value.why is Reason.MEMORY


@pytest.mark.parametrize(
    ("pipelines", "words"), [(("no-such-pass",), "no-such-pass"), (("function(sroa",), "invalid pipeline")]
)
def test_a_pipeline_that_is_none_is_named_at_the_start(pipelines: tuple[str, ...], words: str, session: Open) -> None:
    with pytest.raises(SessionLost, match=words):
        session(*pipelines)


def test_what_is_no_module_is_said_at_the_start(bench: Bench, tmp_path: Path) -> None:
    from harness.problems.passes.session import Session

    (tmp_path / "m.bc").write_bytes(b"no bitcode")
    with pytest.raises(SessionLost, match=r"the start: .*[Ii]nvalid"):
        Session(tmp_path / "m.bc", ["globaldce"], bench)
