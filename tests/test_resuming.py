"""``make test-all`` goes on where it was cut off, and never past a change."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.programs import write_files

HERE = Path(__file__).parents[1]
TESTS = """
import os, time, pytest

@pytest.mark.parametrize("n", range(6))
def test_easy(n): pass

def test_hard():
    assert os.path.exists("/nonexistent") or "EASY" in os.environ

def test_long():
    if "LONG" in os.environ: time.sleep(60)

def test_elsewhere(): pytest.skip("not here")
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    write_files(tmp_path, {"test_some.py": TESTS, ".gitignore": "build\n__pycache__\n.pytest_cache\n"})
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    return tmp_path


def command(tree: Path, workers: int) -> list[str]:
    words = [sys.executable, "-m", "pytest", "-p", "tests.resume", "--resume", "-p", "no:cacheprovider", str(tree)]
    return [*words, "--rootdir", str(tree), *(["-n", str(workers)] if workers else ["-p", "no:xdist"])]


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(HERE), "PYTHONDONTWRITEBYTECODE": "1", **more}


def ran(tree: Path, workers: int = 0, **more: str) -> tuple[int, str]:
    """Exit status, and the last line."""
    done = subprocess.run(command(tree, workers), cwd=tree, env=environment(**more), capture_output=True, text=True)
    return done.returncode, done.stdout.splitlines()[-1]


@pytest.mark.parametrize("workers", [0, 2])
def test_what_passed_is_left_out(tree: Path, workers: int) -> None:
    status, told = ran(tree, workers)
    assert status == 1 and "1 failed, 7 passed, 1 skipped" in told
    status, told = ran(tree, workers)
    assert status == 1 and "1 failed" in told and "passed" not in told
    status, told = ran(tree, workers, EASY="1")
    assert status == 0 and "1 passed" in told
    assert ran(tree, workers)[0] == 0


@pytest.mark.parametrize("name", ["test_some.py", "beside.txt"])
def test_another_tree_begins_anew(tree: Path, name: str) -> None:
    ran(tree, EASY="1")
    with (tree / name).open("a") as file:
        file.write("# a letter\n")
    status, told = ran(tree, EASY="1")
    assert status == 0 and "8 passed, 1 skipped" in told


def test_what_a_kill_cut_off_is_done_again(tree: Path) -> None:
    running = subprocess.Popen(command(tree, 0), cwd=tree, env=environment(LONG="1"), stdout=subprocess.DEVNULL)
    until = time.monotonic() + 50
    while sum(len(file.read_text().splitlines()) for file in tree.glob("build/tests/*")) < 6:
        assert time.monotonic() < until
        time.sleep(0.1)
    running.send_signal(signal.SIGKILL)
    running.wait()
    (journal,) = tree.glob("build/tests/*")
    with journal.open("a") as file:
        file.write('{"test": "test_some.py::test_lo')
    status, told = ran(tree, EASY="1")
    assert status == 0 and "2 passed, 1 skipped" in told
