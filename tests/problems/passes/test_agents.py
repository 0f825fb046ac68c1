"""Agents and searches that do what they should not: an outcome with its reason, in bounded time."""

import time
from dataclasses import replace
from pathlib import Path

import pytest

from harness.base.errors import CellError, UsageError
from harness.base.vocabulary import Level, Outcome, Target
from harness.freeze import FrozenModule, freeze
from harness.policy.forms.python import form as python
from harness.policy.load import load_policy
from harness.problems.passes import agent
from harness.problems.passes.actions import AUTOPHASE_42
from harness.problems.passes.listed import decisions_of
from harness.problems.passes.search import decide
from harness.problems.passes.session import Line, Session, SessionLost, StepLimits
from harness.problems.programs.problems import program_problem
from harness.problems.programs.take import Made, require_right
from harness.sandbox.bench import Bench
from harness.suite.load import load_suite
from tests.drive import write_policy

PASSES = program_problem("passes")
DSE, SROA, SIMPLIFYCFG, STOP = 5, 38, 36, 42


@pytest.fixture(scope="module")
def frozen(bench: Bench) -> FrozenModule:
    (program,) = (one for one in load_suite("polybench").programs if one.id.endswith("/nussinov"))
    return freeze(program, Target.X86_64, Level.OZ, bench)


class Asked:
    """Writes policies of one file, and has them decide on a module."""

    def __init__(self, frozen: FrozenModule, bench: Bench, folder: Path) -> None:
        self._frozen, self._bench, self._folder = frozen, bench, folder

    def agent(self, source: str, **values: int) -> list[str]:
        words = ", ".join(f"{name} = {value}" for name, value in values.items())
        return self._decided(source, "python", "zero-shot", "policy", f"{{ {words} }}")

    def search(self, source: str, seconds: float = 0.5, seed: int = 0) -> list[str]:
        return self._decided(source, "search", "search", "search", "{}", budget=str(seconds), seeds="[0, 1, 2, 3, 4]")

    def _decided(self, source: str, form: str, policy_class: str, role: str, values: str, **more: str) -> list[str]:
        folder = self._folder / form
        words = {"problem": '"passes"', "form": f'"{form}"', "class": f'"{policy_class}"', "values": values}
        write_policy(folder, "", **words, files=f'{{ {role} = "{role}.py" }}', **more)
        (folder / f"{role}.py").write_text(source)
        decided = PASSES.decide(load_policy(str(folder)), self._frozen, 0, self._bench)
        passes: list[str] = decided.decisions.body["passes"]
        return passes


@pytest.fixture
def asked(frozen: FrozenModule, bench: Bench, tmp_path: Path) -> Asked:
    return Asked(frozen, bench, tmp_path)


def test_an_agent_chooses_step_by_step_and_stops(asked: Asked) -> None:
    source = f"""
def decide(features):
    step = round(float(features["progress"]) * 45)
    assert features["autophase"].shape == (56,) and features["histogram"].shape == (42,)
    assert abs(features["autophase"][51] - 1) < 1e-6 and round(float(features["histogram"].sum()) * 45) == step
    return ({SROA}, {SIMPLIFYCFG}, {STOP})[step]
"""
    assert asked.agent(source, stop=1) == [AUTOPHASE_42.pipelines(())[action] for action in (SROA, SIMPLIFYCFG)]


def test_an_agent_that_stops_at_once_changes_nothing(asked: Asked) -> None:
    assert asked.agent(f"def decide(features): return {STOP}", stop=1) == ["no-op-module"]


def test_a_search_has_no_more_than_its_budget(asked: Asked) -> None:
    source = f"""
def search(session, seed, seconds):
    session.propose([{SROA}])
    while session.cpu < 4 * seconds:
        line = session.line()
        line.run({SROA})
        line.size()
        line.drop()
    return [{SIMPLIFYCFG}]
"""
    assert asked.search(source, seconds=0.5) == [AUTOPHASE_42.pipelines(())[SROA]]


def test_an_agent_is_not_of_class_fixed(asked: Asked) -> None:
    with pytest.raises(UsageError, match="zero-shot"):
        asked._decided(f"def decide(features): return {STOP}", "python", "fixed", "policy", "{}")


def test_steps_are_counted(asked: Asked) -> None:
    assert len(asked.agent(f"def decide(features): return {SROA}", steps=7)) == 7


@pytest.mark.parametrize(
    ("source", "outcome", "words"),
    [
        ("def decide(f): raise ValueError('no idea')", Outcome.POLICY_ERROR, "line 1: ValueError: no idea"),
        ("import os\ndef decide(f): os.kill(os.getpid(), 9)", Outcome.POLICY_ERROR, "SIGKILL"),
        ("def decide(f):\n while True: pass", Outcome.POLICY_TIMEOUT, "stopped at its limit of 1 s of CPU time"),
        ("def decide(f): return 42", Outcome.POLICY_ERROR, "3 answers could not be used"),
        ("def decide(f): return float('nan')", Outcome.POLICY_ERROR, "3 answers could not be used"),
        ("def decide(f): return None", Outcome.POLICY_ERROR, "3 answers could not be used"),
        ("def decide(f): return -1", Outcome.POLICY_ERROR, "3 answers could not be used"),
        ("def decide(f): return f['ir.instructions']", Outcome.POLICY_ERROR, "KeyError"),
        ("def decide(f): raise SystemExit", Outcome.POLICY_ERROR, "ended with exit status 0"),
    ],
)
def test_an_agent_that_does_not_decide(source: str, outcome: Outcome, words: str, asked: Asked) -> None:
    started = time.monotonic()
    with pytest.raises(CellError) as error:
        asked.agent(source)
    assert error.value.outcome is outcome
    assert words in error.value.message
    assert "/" not in error.value.message.partition(" ")[0], "no folder of this machine is recorded"
    assert time.monotonic() - started < 30


def test_an_agent_that_writes_files_writes_none_of_ours(asked: Asked, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    source = f"""
import pathlib
def decide(features):
    for place in ({str(mark)!r}, "/usr/mark", "mark"):
        try:
            pathlib.Path(place).write_text("here")
        except OSError:
            pass
    return {SROA}
"""
    asked.agent(source, steps=1)
    assert not mark.exists()
    assert not Path("/usr/mark").exists()


def test_an_agent_waits_for_llvm_as_long_as_that_takes(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its process does not end meanwhile, though it would last for a shorter time elsewhere."""
    monkeypatch.setattr(python, "_LIMITS", replace(python._LIMITS, wall=4.0))
    really = Line.apply

    def slowly(line: Line, *actions: int) -> int:
        time.sleep(3)
        return really(line, *actions)

    monkeypatch.setattr(Line, "apply", slowly)
    assert len(asked.agent(f"def decide(features): return {SROA}", steps=3)) == 3


def test_the_passes_of_an_episode_have_a_limit_together(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent, "EPISODE", 1e-3)
    with pytest.raises(CellError, match="of CPU time together") as error:
        asked.agent(f"def decide(features): return {SROA}", steps=45)
    assert error.value.outcome is Outcome.COMPILE_TIMEOUT


def test_a_search_finds_what_it_looks_for(asked: Asked) -> None:
    source = """
def search(session, seed, seconds):
    line = session.line()
    start = line.count()
    best, found = start, []
    for action in range(len(session.actions)):
        tried = line.fork()
        if tried.apply(action) < best:
            best, found = tried.count(), [action]
        tried.drop()
    line.run(*found)
    assert line.count() == best < start and line.is_right() and line.size() > 0
    assert len(line.autophase()) == 56 and len(line.ir2vec()) == 75 and any(line.ir2vec())
    return found
"""
    (chosen,) = asked.search(source, seconds=5)
    assert chosen == AUTOPHASE_42.pipelines(())[SROA] or "mem2reg" in chosen


def test_what_a_search_proposed_counts_when_its_budget_is_spent(asked: Asked) -> None:
    source = f"""
def search(session, seed, seconds):
    line = session.line()
    session.propose([{SROA}])
    while True:
        line.reset()
        line.apply({SROA}, {SIMPLIFYCFG})
"""
    assert asked.search(source, seconds=0.2) == [AUTOPHASE_42.pipelines(())[SROA]]


def test_a_pass_that_ends_the_session_is_told_and_the_search_goes_on(asked: Asked) -> None:
    """No action of ours ends it, so that the search does: 1,024 lines are the most, and reading one more is refused."""
    source = f"""
def search(session, seed, seconds):
    lines, refused = [], ""
    try:
        for _ in range(2000):
            lines.append(session.line())
    except ValueError as error:
        refused = str(error)
    assert "drop some" in refused, refused
    return [{SROA}]
"""
    assert asked.search(source, seconds=20) == [AUTOPHASE_42.pipelines(())[SROA]]


@pytest.mark.parametrize(
    ("source", "outcome", "words"),
    [
        ("def search(s, seed, t): raise ValueError('no idea')", Outcome.POLICY_ERROR, "line 1: ValueError: no idea"),
        ("def search(s, seed, t): return [42]", Outcome.POLICY_ERROR, "must be numbers from 0 to 41"),
        ("def search(s, seed, t): return None", Outcome.POLICY_ERROR, "TypeError"),
        ("import os\ndef search(s, seed, t): os._exit(0)", Outcome.POLICY_ERROR, "ended without a list"),
        (
            "import os\ndef search(s, seed, t): os.write(s._write, b'\\xff' * 64); return s.line()",
            Outcome.POLICY_ERROR,
            "no request",
        ),
        (
            "import os\ndef search(s, seed, t): s.ask(b'\\x05\\0\\0\\0\\x05\\0\\0\\0\\0')",
            Outcome.POLICY_ERROR,
            "cannot ask for that",
        ),
        ("def search(s, seed, t):\n while True: s.line().apply(38)", Outcome.POLICY_ERROR, ""),
    ],
)
def test_a_search_without_a_list(source: str, outcome: Outcome, words: str, asked: Asked) -> None:
    started = time.monotonic()
    with pytest.raises(CellError) as error:
        asked.search(source)
    assert error.value.outcome in (outcome, Outcome.POLICY_TIMEOUT)
    assert words in error.value.message
    assert "/" not in error.value.message.partition(" ")[0], "no folder of this machine is recorded"
    assert time.monotonic() - started < 60


def test_one_request_takes_no_longer_than_what_is_left_of_the_budget(
    asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Thousands of passes at once would else take whatever they take: two seconds here."""
    monkeypatch.setattr("harness.problems.passes.search.relay._LAST", 0.1)
    source = f"""
def search(session, seed, seconds):
    session.propose([{SROA}])
    session.line().run(*[{DSE}] * 10_000)
    return [{SIMPLIFYCFG}]
"""
    assert asked.search(source, seconds=0.2) == [AUTOPHASE_42.pipelines(())[SROA]]
    assert asked.search(source, seconds=60) == [AUTOPHASE_42.pipelines(())[SIMPLIFYCFG]]


def test_a_session_that_is_lost_takes_its_time_from_the_budget(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    limits = StepLimits(seconds=1e-5)
    opened = Session
    monkeypatch.setattr(decide, "Session", lambda *given, **named: opened(*given, **named, limits=limits))
    source = f"""
from harness.problems.passes.search.client import SessionLost
def search(session, seed, seconds):
    for _ in range(5):
        before = session.cpu
        try:
            session.line().run(*[{DSE}] * 4000)
            return [{SIMPLIFYCFG}]
        except SessionLost:
            assert session.cpu > before, session.cpu
    return [{SROA}]
"""
    assert asked.search(source, seconds=20) == [AUTOPHASE_42.pipelines(())[SROA]]


@pytest.mark.parametrize(("failures", "right"), [(1, True), (2, False)])
def test_a_program_that_was_late_is_tried_once_more(
    failures: int, right: bool, frozen: FrozenModule, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = [CellError(Outcome.RUN_TIMEOUT, "late", transient=True)] * failures
    really = require_right

    def late(made: Made, bench: Bench) -> None:
        if left:
            raise left.pop()
        really(made, bench)

    monkeypatch.setattr(decide, "require_right", late)
    passes = decisions_of((SROA,), AUTOPHASE_42.pipelines(()), frozen)
    assert decide._behaves(passes, frozen, bench) is right


def test_looks_at_what_tells_the_cost_are_trials(asked: Asked) -> None:
    """They end a search as looks at the cost do: else it would have LLVM for as long as it likes."""
    source = f"""
def search(session, seed, seconds):
    session.propose([{SROA}])
    while session.cpu < 20 * seconds:
        line = session.line()
        line.autophase()
        line.drop()
    return [{SIMPLIFYCFG}]
"""
    values = "{ trials = 5 }"
    found = asked._decided(source, "search", "search", "search", values, budget="0.2", seeds="[0, 1, 2, 3, 4]")
    assert found == [AUTOPHASE_42.pipelines(())[SROA]]


@pytest.mark.parametrize(
    "used",
    [
        f"line.run(*[{SROA}] * 90)",
        "line.reset()",
        "line.fork().drop()",
        "session.line().drop()",
        "line.is_right()",
        f"line.run(*[{SROA}] * 10_000)",
    ],
)
def test_a_search_that_never_looks_does_not_keep_its_budget(used: str, asked: Asked) -> None:
    """With trials it may go on when its seconds are spent, but not for ever without one."""
    source = f"""
def search(session, seed, seconds):
    session.propose([{SROA}])
    line = session.line()
    while session.cpu < 20 * seconds:
        {used}
    return [{SIMPLIFYCFG}]
"""
    values = "{ trials = 3 }"
    found = asked._decided(source, "search", "search", "search", values, budget="0.2", seeds="[0, 1, 2, 3, 4]")
    assert found == [AUTOPHASE_42.pipelines(())[SROA]]


def test_a_search_that_looks_has_its_trials_when_its_seconds_are_spent(asked: Asked) -> None:
    """Each with a line of its own, a session begun anew, and a list that is checked."""
    source = f"""
def search(session, seed, seconds):
    for _ in range(20):
        for _ in range(2):
            line = session.line()
            line.run(*[{SROA}] * 45)
        line.size()
        again = session.line()
        again.run(*[{SROA}] * 45)
        again.is_right()
        again.drop()
        line.drop()
    return [{SIMPLIFYCFG}]
"""
    values = "{ trials = 21 }"
    found = asked._decided(source, "search", "search", "search", values, budget="0.01", seeds="[0, 1, 2, 3, 4]")
    assert found == [AUTOPHASE_42.pipelines(())[SIMPLIFYCFG]]


def test_a_list_is_taken_without_a_session(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    """A start would cost a second for nothing, and lose the list where it fails."""

    def opened(*given: object, **named: object) -> Session:
        raise SessionLost("the start: no memory", None)

    monkeypatch.setattr(decide, "Session", opened)
    assert asked.search(f"def search(session, seed, seconds): return [{SROA}]") == [AUTOPHASE_42.pipelines(())[SROA]]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("import time\ndef search(s, seed, t): time.sleep(1000)", "nothing was heard of it for 2 s"),
        (
            "import time\ndef search(s, seed, t):\n while True:\n  time.sleep(0.2)\n  s.actions\n  s.line().drop()",
            "it thought for 4 s in all, and did not spend its budget",
        ),
        (
            f"def search(s, seed, t):\n while True:\n  try: s.line().run(*[{SROA}] * 50)\n  except Exception: pass",
            "it did not end within 1 s after its budget was spent",
        ),
    ],
)
def test_why_a_search_is_stopped_is_said(source: str, said: str, asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.problems.programs.session.submission._PATIENCE", 2.0)
    monkeypatch.setattr("harness.problems.programs.session.relay._GRACE", 1.0)
    with pytest.raises(CellError) as error:
        asked.search(source, seconds=0.2)
    assert error.value.outcome is Outcome.POLICY_TIMEOUT
    assert error.value.message.startswith(f"search.py: {said}, and no list")
