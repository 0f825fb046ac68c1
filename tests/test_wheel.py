"""The package as others get it: a wheel, installed where there is no checkout, started from any folder."""

import json
import os
import subprocess
import sys
import venv
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

import harness
from harness.base.paths import NATIVE_SOURCES
from harness.record.runfile import run_files
from tests.drive import ROOT

RESOLVES = "HARNESS_TEST_REGISTRY"
"""Set to 0 where no packages can be had: the slow test installs them."""


@dataclass(frozen=True)
class Installed:
    """An installation, and a folder that has nothing to do with it."""

    python: Path
    elsewhere: Path

    def run(self, *command: str | Path, code: int = 0, timeout: float = 120) -> "subprocess.CompletedProcess[str]":
        """A command of it, from the folder."""
        folders = {"HARNESS_CACHE": str(self.elsewhere / "cache"), "HARNESS_ASK_AGAIN_AFTER": "0"}
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("HARNESS_", "PYTHON"))}
        words = [str(self.python.parent / command[0]), *map(str, command[1:])]
        done = subprocess.run(
            words, cwd=self.elsewhere, env=kept | folders, capture_output=True, text=True, timeout=timeout, check=False
        )
        assert done.returncode == code and "Traceback" not in done.stderr, f"{done.stdout}\n{done.stderr}"
        return done


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (file,) = folder.glob("*.whl")
    return file


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel beside the packages that these tests have."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder / "venv", symlinks=True)
    python = folder / "venv" / "bin" / "python"
    asked = [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    packages = Path(subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip())
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(packages)
    (packages / "beside.pth").write_text("".join(f"{path}\n" for path in sys.path if path.endswith("-packages")))
    start = python.parent / "harness"
    start.write_text(f"#!{python}\nfrom harness.cli import main\nmain()\n")
    start.chmod(0o755)
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    return Installed(python, elsewhere)


def test_it_is_the_installed_one_that_runs(installed: Installed) -> None:
    where = installed.run("python", "-c", "import harness; print(harness.__file__)").stdout
    assert not Path(where.strip()).is_relative_to(ROOT)
    assert installed.run("harness", "--version").stdout.split() == ["harness", harness.__version__]


def test_the_suites_and_policies_are_there(installed: Installed) -> None:
    suites = {one["name"]: one["programs"] for one in json.loads(installed.run("harness", "suites", "--json").stdout)}
    assert suites["cbench"] == 21 and {*suites} == {"cbench", "iopddl", "mibench", "polybench", "spec-like"}
    assert "crc32" in installed.run("harness", "suites", "show", "cbench").stdout
    names = {one["name"] for one in json.loads(installed.run("harness", "policies", "--json").stdout)}
    assert {"Oz", "greedy", "size-rules"} <= names


def test_results_are_where_it_is_started(installed: Installed) -> None:
    told = installed.run("harness", "leaderboard", code=2).stderr
    assert "there are no results yet" in told
    installed.run("harness", "recorded")
    here, there = (
        {file.name for file in run_files(folder)[0]} for folder in (installed.elsewhere / "results", ROOT / "results")
    )
    assert here == there
    printed = installed.run("harness", "leaderboard", "--suite", "cbench", "--track", "size", "--json").stdout
    assert {one["policy"] for one in json.loads(printed)} >= {"Oz", "size-rules"}


def test_what_is_built_from_it_is_what_a_checkout_builds(installed: Installed) -> None:
    """Keys of cells hold digests of native sources: the same, or nothing that was measured is known again."""
    names = sorted(folder.name for folder in NATIVE_SOURCES.iterdir() if folder.is_dir())
    program = "import sys; from harness.toolchain.native import native_digest as d; print(*map(d, sys.argv[1:]))"
    theirs = installed.run("python", "-c", program, *names).stdout.split()
    ours = subprocess.run([sys.executable, "-c", program, *names], cwd=ROOT, capture_output=True, text=True, check=True)
    assert theirs == ours.stdout.split() and len(theirs) > 3


def test_a_run_says_which_commit_it_is_of(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        built = json.loads(archive.read("harness/data/commit.json"))
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert built["commit"] == (head.stdout.strip() or None)


def test_nothing_that_a_checkout_has_is_carried_by_an_editable_installation() -> None:
    assert not (ROOT / "harness" / "data").exists()


@pytest.mark.slow
@pytest.mark.skipif(os.environ.get(RESOLVES) == "0", reason="no packages can be had here")
def test_in_an_empty_environment_it_measures(wheel: Path, tmp_path: Path) -> None:
    """With what it depends on, and no extra: a run, the standings, the Python door; the page says what it lacks."""
    venv.create(tmp_path / "venv", symlinks=True, with_pip=True)
    python = tmp_path / "venv" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", str(wheel)], check=True, capture_output=True)
    user = Installed(python, tmp_path / "elsewhere")
    user.elsewhere.mkdir()
    ran = user.run("harness", "run", "--suite", "cbench", "--benchmark", "crc32", timeout=1200)
    assert "left out: clone" in ran.stderr and "llvm-policy-harness[models]" in ran.stderr
    assert "size-rules" in user.run("harness", "leaderboard", "--split", "all").stdout
    assert "llvm-policy-harness[page]" in user.run("harness", "serve", code=3).stderr
    door = "import harness; print(int(harness.evaluate('Oz', 'cbench/crc32')['size.alloc'].iloc[0]))"
    assert user.run("python", "-c", door, timeout=300).stdout.strip() == "4254"
