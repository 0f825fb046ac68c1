"""The whole flow for somebody without root's rights: the same numbers as root's."""

import json
import subprocess
from pathlib import Path

import pytest

from harness.record import read_run, run_files
from tests.drive import User
from tests.ordinary import HERE, as_ordinary_user, is_root

MAIN = "from harness.cli import main; main()"
SUITE = HERE / "tests" / "data" / "tiny" / "suite.toml"


@pytest.mark.skipif(not is_root(), reason="all tests run as an ordinary user already")
def test_run_and_replay(tiny: User, tmp_path: Path) -> None:
    home = tmp_path / "home"

    def harness(*words: str | Path) -> "subprocess.CompletedProcess[str]":
        command = as_ordinary_user(home, "-c", MAIN, *words, COLUMNS="200")
        return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)

    done = harness("run", "--suite", SUITE, "--policy", "O0,Os,Oz,oz-tail", "--jobs", "2")
    assert done.returncode == 0, done.stderr
    (file,) = run_files(home / "results")[0]
    mine = read_run(file)
    assert {row.isolation for row in mine.rows} == {"sandbox"}
    assert file.stat().st_uid != 0
    numbers = {(row.benchmark, row.target, row.policy, row.metric): row.value for row in mine.rows}
    for row in tiny.rows():
        if row.metric != "compile.cpu":
            assert numbers[row.benchmark, row.target, row.policy, row.metric] == row.value
    replayed = harness("replay", file.stem, "--suite", SUITE)
    assert replayed.returncode == 0, replayed.stderr
    assert "24 of 24 objects rebuilt" in replayed.stderr
    examined = harness("doctor", "--json")
    assert examined.returncode == 0, examined.stderr
    lines = {line["name"]: line["found"] for line in json.loads(examined.stdout)}
    assert str(file.stat().st_uid) in lines["sandbox: user"]
