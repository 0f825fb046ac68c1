"""A command that was spared its start answers as one that was not."""

import os
import subprocess
import time
from pathlib import Path

import pytest

from tests.drive import TINY, User
from tests.warm import fits


@pytest.mark.parametrize(
    "words",
    [
        ("suites", "list"),
        ("nonsense",),
        ("leaderboard",),
        ("suites", "show", "cbench", "--json"),
        ("run", "--suite"),
        (),
    ],
)
def test_it_is_the_same_command(words: tuple[str, ...], tmp_path: Path) -> None:
    user = User.at(tmp_path)
    with user.start(*words, cwd=tmp_path) as process:
        out, err = process.communicate(timeout=60)
    warmed = user.harness(*words, cwd=tmp_path)
    assert (warmed.code, warmed.out, warmed.err) == (process.returncode, out, err)


def test_nothing_of_a_command_is_left_for_the_next(tmp_path: Path) -> None:
    one, other = User.at(tmp_path / "one"), User.at(tmp_path / "other")
    one.harness("run", "--suite", TINY, "--policy", "Oz", "--benchmark", "tally", "--no-fresh", code=0)
    assert one.runs() and not other.results.exists()
    assert "no results" in other.harness("leaderboard").err.lower() or not other.harness("leaderboard").out.strip()


def test_one_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    user = User.at(tmp_path)
    before = time.monotonic()
    with pytest.raises(subprocess.TimeoutExpired):
        user.harness("run", "--suite", TINY, "--policy", "Oz", timeout=0.3)
    assert time.monotonic() - before < 20
    assert user.harness("--version", code=0).out.startswith("harness ")


def test_only_the_usual_environment_fits(tmp_path: Path) -> None:
    user = User.at(tmp_path)
    assert fits(user.environment()) and fits(user.environment(HARNESS_DATA="here"))
    assert not fits(user.environment(LANG="tr_TR.UTF-8")) and not fits(user.environment(PATH=os.environ["PATH"] + ":/"))
