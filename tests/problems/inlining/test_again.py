"""The second asking: at the end of the run, when the clock shows another minute; until then nothing is recorded."""

import json
import os
import signal
import time
from pathlib import Path

import pytest

from harness.base.store import Store
from harness.base.vocabulary import Outcome
from harness.record import Row
from tests.drive import TINY, User, write_policy
from tests.problems.inlining.made import CHEAP_PYTHON
from tests.programs import write_files

PERIOD = 4
"""Seconds: the minute of these tests."""
AFTER = {"HARNESS_ASK_AGAIN_AFTER": f"{PERIOD + 0.1}"}
BY_THE_CLOCK = f"""
import hashlib, time
number = 0
def decide(features):
    global number
    number += 1
    return hashlib.sha256(b"%d %d" % (time.time() // {PERIOD}, number)).digest()[0] & 1
"""
HEURISTIC = """
#include <cstdint>
bool getEvolvableAdvice(CallBase &CB, PolicyContext &Context) {
  return (reinterpret_cast<std::uintptr_t>(&CB) * 0x9e3779b97f4a7c15ull >> 40) & 1;
}
"""
"""By the place in memory of what it is asked about: another one in each process."""


def submission(folder: Path, name: str, content: str) -> Path:
    """A policy that runs code of its own."""
    cpp = name == "heuristic.cpp"
    form, role = ("cpp", "heuristic") if cpp else ("python", "policy")
    write_policy(folder, "", problem='"inlining"', form=f'"{form}"', files=f'{{ {role} = "{name}" }}')
    (folder / "passes.txt").unlink()
    return write_files(folder, {name: content + f"\n{'//' if cpp else '#'} {folder}\n"})  # a cell of its own


def words(*policies: Path) -> tuple[str | Path, ...]:
    """A run of them on one program."""
    names = ",".join(map(str, policies))
    return ("run", "--suite", TINY, "--benchmark", "calc", "--target", "x86-64", "--policy", names, "--jobs", "2")


def outcomes(user: User) -> dict[str, set[Outcome]]:
    """Of each policy that was asked for."""
    found: dict[str, set[Outcome]] = {}
    for row in user.rows():
        if row.policy != "O0":  # the floor, which is measured where one fails
            found.setdefault(row.policy, set()).add(row.outcome)
    return found


def provisional(user: User) -> list[Path]:
    """What the cache has of cells that have been asked once."""
    return sorted(user.cache.glob("provisional/*/*.json"))


def test_a_policy_that_decides_by_the_minute_is_found_out(store: Store, tmp_path: Path) -> None:
    user = User(store.root, tmp_path / "results")
    clock = submission(tmp_path / "clock", "policy.py", BY_THE_CLOCK)
    steady = submission(tmp_path / "steady", "policy.py", CHEAP_PYTHON)
    started = time.monotonic()
    answer = user.harness(*words(clock, steady), code=1, timeout=400, **AFTER)
    assert time.monotonic() - started > PERIOD
    assert "the policies of 2 cells are asked again in " in answer.err
    assert outcomes(user) == {"clock": {Outcome.NOT_REPLAYABLE}, "steady": {Outcome.OK}}
    (row,) = (row for row in user.rows() if row.policy == "clock")
    assert "the policy decides otherwise when it is asked again" in row.detail
    assert (row.value, row.object_digest, row.decisions_digest) == (None, None, None)
    (run,) = user.runs()
    assert run.header.asked_again_after == pytest.approx(PERIOD + 0.1)
    again = user.harness(*words(clock, steady), code=1, timeout=400, **AFTER)
    assert again.computed == 0 and "asked again in " not in again.err


@pytest.mark.slow
def test_a_heuristic_that_decides_by_addresses_is_found_out(store: Store, tmp_path: Path) -> None:
    user = User(store.root, tmp_path / "results")
    user.harness(*words(submission(tmp_path / "places", "heuristic.cpp", HEURISTIC)), code=1, **AFTER)
    assert outcomes(user) == {"places": {Outcome.NOT_REPLAYABLE}}


def test_killed_between_the_two_askings(store: Store, tmp_path: Path) -> None:
    """Nothing of it is recorded, and the same command asks the second time only, as long after the first."""
    user = User(store.root, tmp_path / "results")
    command = words(submission(tmp_path / "clock", "policy.py", BY_THE_CLOCK))
    before = set(provisional(user))
    process = user.start(*command, **AFTER)
    deadline = time.monotonic() + 60
    while not (new := set(provisional(user)) - before):
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    (entry,) = new
    kept = entry.read_bytes()
    assert json.loads(kept)["value"]["outcome"] == "ok" and not user.runs()
    assert b"clock" not in b"".join(path.read_bytes() for path in user.results.glob(".*.journal"))
    user.harness(*command, code=1, **AFTER)
    assert entry.read_bytes() == kept, "it was not asked a first time again"
    assert outcomes(user) == {"clock": {Outcome.NOT_REPLAYABLE}}


def test_more_metrics_are_another_asking(store: Store, tmp_path: Path) -> None:
    """A cell that is final stays so if the policy says the same again, whenever that is."""
    user = User(store.root, tmp_path / "results")
    command = words(submission(tmp_path / "steady", "policy.py", CHEAP_PYTHON))
    user.harness(*command, "--metric", "size.alloc", code=0)
    more = user.harness(*command, "--metric", "size.alloc,ir.instructions", code=0)
    assert more.computed == 1 and "are asked again" not in more.err
    rows: list[Row] = user.rows()
    assert len({row.decisions_digest for row in rows}) == 1 and {row.outcome for row in rows} == {Outcome.OK}


@pytest.mark.parametrize("given", ["soon", "-1", "nan", "inf", "99999"])
def test_the_variable_is_checked(tmp_path: Path, given: str) -> None:
    user = User.at(tmp_path)
    answer = user.harness("run", "--suite", TINY, "--policy", "Oz", HARNESS_ASK_AGAIN_AFTER=given)
    answer.refused(2, "HARNESS_ASK_AGAIN_AFTER", "give seconds from 0 to 3600")
