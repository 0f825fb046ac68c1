"""What the tests of trajectories share: made programs, and a run whose features were logged."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from harness.sandbox.bench import Bench
from tests.drive import TINY, Answer, User, write_policy
from tests.problems.inlining.made import CHEAP_HEURISTIC
from tests.programs import write_files

FALTERS = (
    "asked = 0\ndef decide(f):\n    global asked\n    asked += 1\n    return None if asked == 3 else asked % 2 == 0\n"
)
"""Its third answer cannot be used, and LLVM's own stands in for it."""
PROGRAMS = ("--suite", TINY, "--benchmark", "tally", "--benchmark", "calc")


@dataclass(frozen=True)
class Logged:
    """A run with ``--log-features``."""

    user: User
    words: tuple[str | Path, ...]
    answer: Answer
    policies: dict[str, Path]

    @property
    def file(self) -> Path:
        """What was logged."""
        (file,) = self.user.results.glob("*.trajectories.parquet")
        return file


def submitted(folder: Path) -> dict[str, Path]:
    """A heuristic, and a policy in Python."""
    found = {}
    for name, form, role, file, content in (
        ("cheap", "cpp", "heuristic", "heuristic.cpp", CHEAP_HEURISTIC),
        ("falters", "python", "policy", "policy.py", FALTERS),
    ):
        words = {"problem": '"inlining"', "form": f'"{form}"'}
        found[name] = write_policy(folder / name, "", **words, files=f'{{ {role} = "{file}" }}')
        (found[name] / "passes.txt").unlink()
        write_files(found[name], {file: content})
    return found


@pytest.fixture(scope="session")
def logged(bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> Logged:
    """Two levels and two policies that decide what to inline, on two programs and targets."""
    folder = tmp_path_factory.mktemp("logged")
    user = User(bench.cache, folder / "results")
    policies = submitted(folder)
    chosen = ",".join(["Oz", "Os", *map(str, policies.values())])
    words = ("run", *PROGRAMS, "--policy", chosen, "--log-features", "--jobs", "2")
    return Logged(user, words, user.harness(*words, code=0), policies)


@pytest.fixture
def alone(logged: Logged, tmp_path: Path) -> User:
    """Someone with the same cache who logged a run without the reference."""
    user = User(logged.user.cache, tmp_path / "results")
    words = ("--suite", TINY, "--benchmark", "tally", "--target", "x86-64", "--policy", logged.policies["cheap"])
    user.harness("run", *words, "--log-features", code=0)
    shutil.rmtree(user.results / "decisions")  # nothing that comes later needs them
    return user
