"""What a machine can lack: space, rights, LLVM 22. Exit code 3, what, where and the remedy; nothing false stays."""

import json
import os
import re
import subprocess
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest

from harness.base.digest import digest_file
from harness.cli.output import LineProgress
from harness.record import run_files
from harness.toolchain import Toolchain, find_toolchain
from tests.drive import ROOT, TINY, Answer, User, command

RUN = ("run", "--suite", TINY, "--policy", "O0,Oz", "--jobs", "2")
UNWRITABLE = "/sys/harness"
"""Nobody may write there, root included."""


@dataclass(frozen=True)
class SmallDisk:
    """A folder on a disk of its own, for the time of one command."""

    user: User
    folder: Path
    toolchain: Toolchain

    def harness(self, kilobytes: int, *words: str | Path) -> Answer:
        """The command, with ``folder`` on a new disk of this size; without rights to mount, on one that is full."""
        mount = 'mount -t tmpfs -o size="$1" harness-test "$2" && shift 2 && exec "$@"'
        root = [] if os.geteuid() == 0 else ["--map-root-user"]
        prefix = ["unshare", *root, "--mount", "sh", "-c", mount, "sh", f"{kilobytes}k", str(self.folder)]
        environment = self.user.environment()
        if subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode != 0:
            prefix, environment = [], {**environment, **self._preloaded()}
        done = subprocess.run(
            [*prefix, *command(*words)], env=environment, capture_output=True, text=True, timeout=120, check=False
        )
        return Answer(done.returncode, done.stdout, done.stderr)

    def _preloaded(self) -> dict[str, str]:
        library = self.folder.parent / "full.so"
        source = Path(__file__).with_name("full_disk.c")
        subprocess.run([self.toolchain.tool("clang"), "-shared", "-fPIC", source, "-o", library], check=True)
        return {"LD_PRELOAD": str(library), "FULL_DISK": str(self.folder)}


@pytest.mark.parametrize("kilobytes", [4, 60, 250, 1200, 2600])
def test_no_space_in_the_cache(tmp_path: Path, toolchain: Toolchain, kilobytes: int) -> None:
    """Wherever it runs out (inputs, bitcode, objects, linking, index): no cell is blamed for it."""
    cache = tmp_path / "small"
    cache.mkdir()
    user = User(cache, tmp_path / "results")
    answer = SmallDisk(user, cache, toolchain).harness(kilobytes, *RUN)
    answer.refused(3, f"{cache}: no space left for the cache", "free some space, or set HARNESS_CACHE")
    written = "".join(path.read_text() for path in [*user.results.glob("*.jsonl"), *user.results.glob(".*.journal")])
    assert set(re.findall(r'"outcome":"([a-z-]+)"', written)) <= {"ok"}


@pytest.mark.parametrize("kilobytes", [4, 60, 300, 700])
def test_no_space_for_the_index(tiny: User, tmp_path: Path, toolchain: Toolchain, kilobytes: int) -> None:
    """Half an index is not one: the database says nothing of it when it closes its file."""
    cache = tmp_path / "small"
    cache.mkdir()
    answer = SmallDisk(User(cache, tiny.results), cache, toolchain).harness(kilobytes, "leaderboard")
    answer.refused(3, f"{cache}: no space left for the cache")


@pytest.mark.parametrize("kilobytes", [4, 24])
def test_no_space_for_results(tiny: User, tmp_path: Path, toolchain: Toolchain, kilobytes: int) -> None:
    results = tmp_path / "small"
    results.mkdir()
    answer = SmallDisk(User(tiny.cache, results), results, toolchain).harness(kilobytes, *RUN)
    answer.refused(3, f"{results}: cannot write results: No space left on device", "--results")


def test_a_run_removes_what_killed_ones_were_writing(tiny: User, tmp_path: Path) -> None:
    user = User(tiny.cache, tmp_path)
    (tmp_path / "decisions").mkdir()
    left = [tmp_path / ".4194304-abc_1234.partial", tmp_path / "decisions" / ".4194304-abc_1234.partial"]
    for path in left:  # no process has so high a number
        path.write_bytes(b"half")
        os.utime(path, (0, 0))
    user.harness(*RUN, "--benchmark", "glob", code=0)
    assert not any(path.exists() for path in left)


def test_no_space_is_noticed_without_rights_to_mount(
    tmp_path: Path, toolchain: Toolchain, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other way of having a full disk, so that it works where it is needed."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "unshare").symlink_to("/bin/false")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    test_no_space_in_the_cache(tmp_path, toolchain, 0)


@pytest.mark.parametrize("words", [RUN, ("leaderboard",), ("suites", "check", str(TINY))], ids=lambda words: words[0])
def test_a_cache_that_nobody_may_write(tiny: User, words: tuple[str | Path, ...]) -> None:
    user = User(Path(UNWRITABLE), tiny.results)
    user.harness(*words).refused(3, UNWRITABLE, "cannot write to the cache", "set HARNESS_CACHE")


@pytest.mark.parametrize("words", [RUN, ("leaderboard",)], ids=lambda words: words[0])
def test_a_cache_that_is_no_folder(tiny: User, tmp_path: Path, words: tuple[str | Path, ...]) -> None:
    file = tmp_path / "file"
    file.write_text("mine")
    for cache in (file, file / "below", Path("/proc/nowhere")):
        user = User(cache, tiny.results)
        user.harness(*words).refused(3, "cannot be a folder of the cache", str(cache), "set HARNESS_CACHE")
    assert file.read_text() == "mine"


def test_results_that_nobody_may_write(tiny: User, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("mine")
    for results in (Path(UNWRITABLE), file / "below"):
        user = User(tiny.cache, results)
        user.harness(*RUN).refused(3, f"{results}: cannot write results", "--results")
    User(tiny.cache, file).harness(*RUN).refused(2, f"{file}: is a file", "--results")
    assert file.read_text() == "mine"
    other = tmp_path / "elsewhere"
    User(tiny.cache, Path(UNWRITABLE)).harness(*RUN, "--results", other, code=0)
    assert len(run_files(other)[0]) == 1


def fake_llvm(folder: Path, toolchain: Toolchain, version: str | None, without: str | None = None) -> Path:
    """An LLVM with another version's clang, or without one of its tools."""
    binaries = folder / "bin"
    binaries.mkdir(parents=True)
    for tool in toolchain.bin.iterdir():
        if tool.name != without:
            (binaries / tool.name).symlink_to(tool)
    if version:
        (binaries / "clang").unlink()
        (binaries / "clang").write_text(f'#!/bin/sh\necho "Debian clang version {version}"\n')
        (binaries / "clang").chmod(0o755)
    return folder


def test_no_llvm_where_the_variable_says(tiny: User, tmp_path: Path) -> None:
    for words in (RUN, ("suites", "check", str(TINY)), ("replay", "tiny", "--suite", str(TINY))):
        answer = tiny.harness(*words, HARNESS_LLVM=str(tmp_path))
        answer.refused(3, f"HARNESS_LLVM={tmp_path}", "there is no clang here", "apt-get install clang-22")


@pytest.mark.parametrize("version", ["21.1.0", "23.0.0"])
def test_another_llvm(tiny: User, tmp_path: Path, toolchain: Toolchain, version: str) -> None:
    prefix = fake_llvm(tmp_path / "llvm", toolchain, version)
    answer = tiny.harness(*RUN, HARNESS_LLVM=str(prefix))
    answer.refused(3, f"this is LLVM {version}", "only comparable with LLVM 22", "apt-get install clang-22")
    found = tiny.harness(*RUN, "--dry-run", PATH=f"{prefix / 'bin'}:/usr/bin:/bin", code=0)  # looks further than PATH
    assert "6 cells" in found.out or "12 cells" in found.out


def test_half_an_llvm(tiny: User, tmp_path: Path, toolchain: Toolchain) -> None:
    prefix = fake_llvm(tmp_path / "llvm", toolchain, None, without="opt")
    tiny.harness(*RUN, HARNESS_LLVM=str(prefix)).refused(3, "lacks opt", str(prefix), "apt-get install")


def test_the_same_llvm_elsewhere_is_the_same(tiny: User, visitor: User, tmp_path: Path, toolchain: Toolchain) -> None:
    """The fingerprint is of the files, not of the folder: nothing is compiled anew."""
    prefix = fake_llvm(tmp_path / "llvm", toolchain, None)
    (prefix / "lib").symlink_to(toolchain.bin.parent / "lib")
    assert visitor.harness(*RUN, HARNESS_LLVM=str(prefix / "bin"), code=0).computed == 0


def test_without_the_emulator_native_programs_still_run(visitor: User, tmp_path: Path, toolchain: Toolchain) -> None:
    tools = tmp_path / "bin"
    tools.mkdir()
    path = {"PATH": str(tools), "HARNESS_LLVM": str(toolchain.bin)}
    visitor.harness(*RUN, "--target", "x86-64", code=0, **path)
    visitor.harness(*RUN, "--target", "aarch64", **path).refused(
        3, "qemu-aarch64 is not installed", "apt-get install qemu-user"
    )


def test_an_emulator_that_does_not_count_is_refused(visitor: User, tmp_path: Path) -> None:
    """As a QEMU with another plugin interface: the program runs, and nothing is counted. Sizes can still be taken."""
    tools = tmp_path / "bin"
    tools.mkdir()
    stub = tools / "qemu-x86_64"
    stub.write_text('#!/bin/sh\nwhile [ "$1" != /program ]; do shift; done\nexec "$@"\n')
    stub.chmod(0o755)
    path = {"PATH": f"{tools}:{os.environ['PATH']}"}
    words = (*RUN, "--target", "x86-64")
    visitor.harness(*words, "--metric", "instructions", **path).refused(
        3, "x86-64 programs cannot be counted: qemu-x86_64 gives", "QEMU 7.2"
    )
    visitor.harness(*words, "--metric", "size.text", code=0, **path)
    lines = {line["name"]: line for line in json.loads(visitor.harness("doctor", "--json", code=0, **path).out)}
    assert lines["counter, x86-64"]["found"] is None
    assert lines["counter, aarch64"]["found"]
    tools.joinpath("qemu-x86_64").unlink()
    missing = {"PATH": str(tools), "HARNESS_LLVM": str(find_toolchain().bin)}
    visitor.harness(*words, "--metric", "instructions", **missing).refused(
        3, "qemu-x86_64 is not installed: x86-64 programs cannot be counted", "apt-get install"
    )


def test_doctor_lists_what_is_missing(tiny: User, tmp_path: Path) -> None:
    lines = {line["name"]: line for line in tiny.json("doctor")}
    for name in (
        "LLVM 22",
        "fingerprint",
        "reference plan, x86-64",
        "reference plan, aarch64",
        "qemu-aarch64",
        "counter, x86-64",
        "counter, aarch64",
        "bwrap",
    ):
        assert lines[name]["found"] and lines[name]["needed_for"]
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert {re.split("[><=]", one)[0] for some in declared.values() for one in some} <= {*lines}, "of every extra"
    lacking = tiny.harness("doctor", code=3, HARNESS_LLVM=str(tmp_path))
    assert "MISSING" in lacking.out
    assert "error: missing: LLVM 22" in lacking.err and "apt-get install clang-22" in lacking.err
    assert "Traceback" not in lacking.err


def test_two_identical_runs_at_once(tmp_path: Path) -> None:
    """The second is told to wait, and takes nothing from the first."""
    user = User.at(tmp_path)
    words = (*RUN, "--target", "x86-64")
    first = user.start(*words, "--jobs", "1")
    deadline = time.monotonic() + 60
    while not list(user.results.glob(".*.journal")):
        assert first.poll() is None and time.monotonic() < deadline
        time.sleep(0.01)
    user.harness(*words).refused(2, f"{user.results}: the same run is already going on", "wait for it")
    user.harness("run", "--suite", TINY, "--policy", "Oz", "--target", "x86-64", code=0)  # another one may go on
    _, err = first.communicate(timeout=120)
    assert first.returncode == 0, err
    assert {(row.benchmark, row.policy) for row in user.rows()} == {
        (name, policy) for name in ("calc", "glob", "tally") for policy in ("O0", "Oz")
    }
    user.harness("leaderboard", code=0)


def test_a_closed_pipe_is_no_error(tiny: User) -> None:
    """``harness … | head -1``."""
    pipe = ["sh", "-c", '"$@" | head -c 1', "sh", *command("policies", "--json")]
    done = subprocess.run(pipe, env=tiny.environment(), capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout, done.stderr) == ("[", "")


@pytest.mark.slow
def test_nothing_of_the_checkout_is_touched(tiny: User, tmp_path: Path) -> None:
    """Not even byte code or build files beside a suite's own sources."""
    tree = [path for path in TINY.parent.rglob("*") if path.is_file()]
    before = {path: digest_file(path) for path in tree}
    User.at(tmp_path).harness(*RUN, "--benchmark", "glob", "--target", "x86-64", code=0)
    assert {path: digest_file(path) for path in TINY.parent.rglob("*") if path.is_file()} == before


def test_waiting_for_the_machine_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    progress = LineProgress()
    progress.stage("solve", 4.0)
    for weight, what in ((1.0, "one"), (0.0, "waiting: another"), (0.0, "waiting: another"), (3.0, "two")):
        progress.advance(weight, what)
    lines = capsys.readouterr().err.splitlines()
    assert [line.split()[1] for line in lines] == ["25%", "waiting:", "100%"]
