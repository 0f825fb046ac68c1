"""``harness official`` and ``harness verify``, in a clean clone, as a maintainer runs them."""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from harness.record import read_run
from tests.drive import ROOT, Answer, User
from tests.record.test_ledger import key_at

SUITE = "tests/data/tiny/suite.toml"
TINY = ("--suite", SUITE, "--benchmark", "glob", "--policy", "Oz")
TIMED = ("--suite", "cbench", "--benchmark", "crc32", "--policy", "greedy", "--track", "speed", "--budget", "10")


@dataclass(frozen=True)
class Maintainer:
    """Someone with a clone, a key and a secret."""

    folder: Path
    user: User

    def run(self, *words: str) -> Answer:
        program = "import sys; from harness.cli import main; sys.argv[0] = 'harness'; main()"
        done = subprocess.run(
            [sys.executable, "-c", program, *words],
            cwd=self.folder / "clone",
            env=self.user.environment(PYTHONPATH=str(self.folder / "clone")),
            capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip
        return Answer(done.returncode, done.stdout, done.stderr)

    def official(self, results: Path, key: str = "key", what: tuple[str, ...] = TINY) -> Answer:
        return self.run(
            *("official", *what, "--target", "x86-64"),
            *("--hidden-seed-file", str(self.folder / "secret"), "--key", str(self.folder / key)),
            *("--results", str(results)),
        )


@pytest.fixture
def maintainer(tmp_path: Path) -> Maintainer:
    command = [
        "git",
        "-c",
        "safe.directory=*",
        "clone",
        "--quiet",
        "--depth=1",
        f"file://{ROOT}",
        str(tmp_path / "clone"),
    ]
    subprocess.run(command, check=True, timeout=120)
    key_at(tmp_path / "key")
    (tmp_path / "secret").write_text(os.urandom(32).hex())
    return Maintainer(tmp_path, User.at(tmp_path))


def test_a_run_is_signed_and_cut_off_goes_on(maintainer: Maintainer) -> None:
    """It ends when all is measured and the results cannot be written: nothing is measured a second time."""
    results = maintainer.folder / "official"
    results.write_text("a file is in the way")
    first = maintainer.official(results)
    assert first.code == 3 and "cannot write results" in first.err
    results.unlink()
    second = maintainer.official(results)
    assert second.code == 0, second.err
    assert not re.search(r"^cells +\d", second.err, re.MULTILINE), "everything was there"
    (path,) = results.glob("tiny-size-*.jsonl")
    run = read_run(path)
    assert run.header.hidden and {row.copy_ for row in run.rows} == {0, 1, 2, 3}
    assert not list(maintainer.folder.glob("cache-official/*"))
    public = (maintainer.folder / "key.pub").read_text()
    (results / "allowed_signers").write_text(f"maintainer {public}")
    assert maintainer.run("verify", str(results)).code == 0
    path.write_text(path.read_text().replace('"value":', '"value":1', 1))
    found = maintainer.run("verify", str(results))
    assert found.code == 1 and "edited" in found.out


@pytest.mark.slow
def test_a_run_that_was_timed_and_cut_off_is_not_timed_again(maintainer: Maintainer) -> None:
    """Times are others each time: what was recorded before the command was cut off stood beside what it recorded then,
    and no command could say which of them was meant."""
    results = maintainer.folder / "official"
    results.write_text("a file is in the way")
    assert maintainer.official(results, what=TIMED).code == 3
    (before,) = maintainer.folder.glob("cache-official/*/results/*.jsonl")
    results.unlink()
    again = maintainer.official(results, what=TIMED)
    assert again.code == 0 and "timing" not in again.err, again.err
    assert [path.name for path in results.glob("cbench-*.jsonl")] == [before.name]
    assert not list(maintainer.folder.glob("cache-official/*"))


def test_what_is_no_key_is_said_before_anything_is_measured(maintainer: Maintainer) -> None:
    (maintainer.folder / "none").write_text("no key")
    for key in ("none", "absent"):
        answer = maintainer.official(maintainer.folder / "official", key)
        assert answer.code == 2 and "Traceback" not in answer.err and "freeze" not in answer.err
    assert not (maintainer.folder / "official").exists()


def test_a_clone_that_was_changed_makes_nothing_official(maintainer: Maintainer) -> None:
    (maintainer.folder / "clone" / "README.md").write_text("changed")
    maintainer.official(maintainer.folder / "official").refused(2, "differs from its commit: README.md")
    (maintainer.folder / "clone" / "secret key").write_text("hidden")
    maintainer.official(maintainer.folder / "official").refused(2, "README.md, secret key", "keys belong elsewhere")
