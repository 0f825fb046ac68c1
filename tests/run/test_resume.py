"""A killed run loses no finished cell and breaks nothing: the same command does the rest."""

import json
import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from harness.measure import all_metrics
from harness.rank import standings
from harness.rank.question import questions
from harness.rank.standings import Standing
from harness.record import Row, RunFile, open_index
from tests.drive import SIZE_METRICS, TINY, User

FEW = ("run", "--suite", TINY, "--benchmark", "glob", "--policy", "O0,Oz", "--jobs", "2")
ALL = ("run", "--suite", TINY, "--policy", "O0,O1,Os,Oz", "--jobs", "2")
Words = tuple[str | Path, ...]


@dataclass(frozen=True)
class Undisturbed:
    """How a run goes that nobody kills."""

    seconds: float
    rows: frozenset[str]


def deterministic(rows: list[Row]) -> frozenset[str]:
    """The rows whose values must repeat, as text."""
    repeat = {name for name, metric in all_metrics().items() if metric.deterministic}
    return frozenset(json.dumps(row.line(), sort_keys=True) for row in rows if row.metric in repeat)


def undisturbed(folder: Path, words: Words, earlier: User) -> Undisturbed:
    """Run from nothing, and how long that takes."""
    user = newcomer(folder / "empty", earlier)
    started = time.monotonic()
    user.harness(*words, code=0)
    seconds = time.monotonic() - started
    return Undisturbed(seconds, deterministic(list(latest(user, earlier).rows)))


def latest(user: User, earlier: User) -> RunFile:
    """The one run that the user has and the earlier one has not."""
    old = {path.name for path in earlier.results.glob("*.jsonl")}
    (new,) = (run for run in user.runs() if run.path.name not in old)
    return new


def journalled(user: User) -> dict[str, str]:
    """The finished cells of the run that is not finished: name → rows, as text."""
    found: dict[str, str] = {}
    for journal in user.results.glob(".*.journal"):
        for line in journal.read_bytes().splitlines(keepends=True):
            if line.endswith(b"\n"):  # else it is torn: that cell was in flight
                entry = json.loads(line)["entry"]
                if "cell" in entry:
                    found[entry["cell"]] = json.dumps(entry["rows"], sort_keys=True)
    return found


def as_cells(rows: list[Row]) -> dict[str, str]:
    """The same of a finished run."""
    cells: dict[str, list[dict[str, object]]] = {}
    for row in rows:
        cells.setdefault(f"{row.cell}:{row.policy}", []).append(row.line())
    order = list(SIZE_METRICS)
    return {
        name: json.dumps(sorted(lines, key=lambda line: order.index(str(line["metric"]))), sort_keys=True)
        for name, lines in cells.items()
    }


def newcomer(folder: Path, earlier: User) -> User:
    """Someone whose results hold an earlier run already, so that the leaderboard has something to say.

    The cache is empty but for the digests of the compiler's files, which take as long as all the rest.
    """
    user = User.at(folder)
    shutil.copytree(earlier.results, user.results)
    user.cache.mkdir()
    shutil.copy(earlier.cache / "file-digests.json", user.cache)
    return user


def leaderboard(user: User) -> list[Standing]:
    """What ``harness leaderboard`` shows, without the time that a new process takes to start."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HARNESS_CACHE", str(user.cache))
        with open_index(user.results) as index:
            return [row for question in questions(index) for row in standings(index, question)]


def kill_within(process: "subprocess.Popen[str]", delay: float) -> bool:
    """SIGKILL to the whole process group after this delay; whether that came before the end."""
    try:
        process.communicate(timeout=delay)
        return False
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return process.returncode == -signal.SIGKILL


def disturb(folder: Path, words: Words, calm: Undisturbed, earlier: User, kills: int, seed: int) -> None:
    """Kill the command this many times, fresh and continued, and let it finish in between."""
    draw = random.Random(seed)
    old = {path.name for path in earlier.results.glob("*.jsonl")}
    generation = killed = 0
    while killed < kills:
        generation += 1
        user = newcomer(folder / str(generation), earlier)
        seen: dict[str, str] = {}
        finished = False
        while not finished:
            process = user.start(*words)
            if killed < kills and kill_within(process, draw.uniform(0.05, 1.1) * calm.seconds):
                killed += 1
            else:
                out, err = process.communicate(timeout=120)
                assert process.returncode == 0, f"after {killed} kills (seed {seed}):\n{out}\n{err}"
                finished = True
            new = [run for run in user.runs() if run.path.name not in old]
            known = as_cells(new[0].rows) if new else journalled(user)
            lost = {cell for cell, rows in seen.items() if known.get(cell) != rows}
            assert not lost, f"after {killed} kills (seed {seed})"
            seen = known
            assert [row.strict for row in leaderboard(user) if row.policy == "Oz"] == [1, 1]
        assert len(new) == 1, "one run file, however often it was killed"
        assert deterministic(list(new[0].rows)) == calm.rows
        assert not list(user.results.glob(".*.journal"))
        assert not [entry for entry in (user.cache / "tmp").iterdir() if not alive(entry.name)]
    user.harness("leaderboard", code=0)
    assert user.harness(*words, code=0).computed == 0


def alive(name: str) -> bool:
    """Whether the process that made this temporary file still runs."""
    return Path("/proc", name.split("-")[0]).exists()


@pytest.fixture(scope="module")
def calm(tiny: User, tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    """The short command, undisturbed."""
    return undisturbed(tmp_path_factory.mktemp("calm"), FEW, tiny)


@pytest.mark.parametrize(("seed", "kills"), [(1, 5), pytest.param(2, 15, marks=pytest.mark.slow)])
def test_killed_again_and_again(tmp_path: Path, tiny: User, calm: Undisturbed, seed: int, kills: int) -> None:
    """At random moments."""
    disturb(tmp_path, FEW, calm, tiny, kills=kills, seed=seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 12))
def test_killed_with_more_cells(tmp_path: Path, tiny: User, seed: int) -> None:
    """More often, with all three programs."""
    disturb(tmp_path / "killed", ALL, undisturbed(tmp_path / "calm", ALL, tiny), tiny, kills=30, seed=seed)


def wait_for(process: "subprocess.Popen[str]", happened: Callable[[], object]) -> None:
    """Until it has happened, while the process runs."""
    deadline = time.monotonic() + 60
    while not happened():
        assert time.monotonic() < deadline
        assert process.poll() is None, "it ended too early"
        time.sleep(0.005)


def test_a_cell_in_flight_is_all_that_is_lost(tmp_path: Path, tiny: User) -> None:
    """Killed as soon as the journal has a cell: the next run computes the others and takes that one over."""
    user = newcomer(tmp_path, tiny)
    process = user.start(*FEW)
    wait_for(process, lambda: journalled(user))
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    before = journalled(user)
    with next(user.results.glob(".*.journal")).open("ab") as journal:
        journal.write(b'{"cell":"torn')  # as if the power had failed within a write
    again = user.harness(*FEW, code=0)
    assert 0 < again.computed <= 4 - len(before)
    assert as_cells(list(latest(user, tiny).rows)).items() >= before.items()


def test_interrupted_by_hand(tmp_path: Path, tiny: User) -> None:
    """Ctrl-C: exit code 130, one line that says how to go on, and it does."""
    user = newcomer(tmp_path, tiny)
    process = user.start(*FEW)
    wait_for(process, lambda: list(user.results.glob(".*.journal")))
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert "same command goes on" in err
    user.harness(*FEW, code=0)
