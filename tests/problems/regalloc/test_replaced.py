"""Answers that could not be used, and were replaced by Greedy's own: a run says how many there were, and where."""

from pathlib import Path

import pytest

from tests.drive import Sketch, User, write_policy, write_suite
from tests.programs import write_files

CROWDED = (Path(__file__).parent / "pressure.c").read_text()
TWICE = """
asked = 0
def decide(features):
    global asked
    asked += 1
    return float("nan") if asked <= 2 else float(features["default_priority"])
"""
OFTEN = "two-are-none: LLVM's own decisions stand for answers that could not be used: 2 on pressure (x86-64)"


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> tuple[User, list[str | Path]]:
    """Someone, and the words of a run of two policies, one of which gives no number twice."""
    place = tmp_path_factory.mktemp("replaced")
    noinline = 'noinline = ["mix", "crowded", "floating", "assembled", "nothing"]'
    suite = write_suite(place / "crowded", Sketch("pressure", CROWDED, more=noinline))
    folders = []
    for name, text in (("two-are-none", TWICE), ("all-are-right", TWICE.replace("<= 2", "<= 0"))):
        words = {"problem": '"regalloc"', "form": '"python"', "track": '"speed"', "class": '"zero-shot"'}
        folder = write_policy(place / name, "", files='{ policy = "policy.py" }', **words)
        (folder / "passes.txt").unlink()
        write_files(folder, {"policy.py": text})
        folders.append(folder)
    given = ("--policy", f"greedy,{','.join(map(str, folders))}", "--target", "x86-64", "--metric", "accesses")
    return User.at(place / "user"), ["run", "--suite", suite, "--track", "speed", *given, "--no-fresh"]


def test_a_run_says_how_many_were_replaced(user: tuple[User, list[str | Path]]) -> None:
    """One of what was recorded before, too."""
    someone, words = user
    for _ in range(2):
        lines = [line.strip() for line in someone.harness(*words, code=0, timeout=600).err.splitlines()]
        assert OFTEN in lines
        assert not [line for line in lines if line.startswith(("all-are-right:", "greedy:"))]
