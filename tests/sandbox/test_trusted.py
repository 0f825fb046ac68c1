"""Without a sandbox (``--trust``): the same results for an honest job, its limits, and nothing left behind."""

import os
import signal
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from harness.base.errors import PrerequisiteError
from harness.base.store import Store
from harness.base.vocabulary import Isolation
from harness.sandbox import MIB, Job, Limits, Reason, Sandbox, describe, run
from harness.toolchain import Toolchain
from tests.sandbox.jobs import HELPER, all_gone, helping, shell

HONEST = """
read line; printf 'read %s\\n' "$line"; cat in/data; printf "$NAME" >&2
mkdir out; printf 'made\\0' > out/file; ln -s nowhere link; exit 3
"""


def write(path: Path, content: bytes, mode: int = 0o600) -> Path:
    path.write_bytes(content)
    path.chmod(mode)
    return path


def everything_below(folder: Path) -> set[Path]:
    return set(folder.rglob("*"))


def test_an_honest_job_has_the_same_results(sandbox: Sandbox, trusted: Sandbox, tmp_path: Path) -> None:
    job = shell(
        HONEST,
        files={"/tmp/in/data": write(tmp_path / "data", b"content")},
        stdin=write(tmp_path / "stdin", b"a line\n"),
        environment={"NAME": "x\ny=z", "PATH": "/usr/bin:/bin"},
        results=("out/file", "link", "none", "in/data"),
    )
    inside, outside = sandbox.run(job), trusted.run(job)
    assert (outside.reason, outside.value) == (Reason.EXIT, 3)
    assert outside.stdout == b"read a line\ncontent" and outside.stderr == b"x\ny=z"
    assert outside.results == {"out/file": b"made\0", "in/data": b"content"}
    measured = {"wall": 0.0, "cpu": 0.0, "total_cpu": 0.0, "peak_memory": 0, "preemptions": 0, "left": inside.left}
    assert replace(inside, **measured) == replace(outside, **measured)
    assert (outside.left.processes, outside.left.files) == (inside.left.processes, inside.left.files) == (0, 5)
    assert outside.wall > 0 and outside.total_cpu >= outside.cpu > 0 and outside.peak_memory > 0


@pytest.mark.parametrize("name", [None, "program"])
def test_the_program_has_the_same_name(sandbox: Sandbox, trusted: Sandbox, helper: Path, name: str | None) -> None:
    job = helping(helper, "name", name=name)
    assert sandbox.run(job).stdout == trusted.run(job).stdout == (name or HELPER).encode()
    assert trusted.run(job).program == str(helper)


def test_arguments_that_are_paths_inside_are_replaced(trusted: Sandbox, tmp_path: Path) -> None:
    files = {"/in/data": write(tmp_path / "a", b"one"), "/tmp/more": write(tmp_path / "b", b"two")}
    finished = trusted.run(Job("/usr/bin/cat", ("/in/data", "/tmp/more", "more"), files=files))
    assert finished.stdout == b"onetwotwo"
    assert trusted.run(Job("/usr/bin/cat", ("/in/data2",), files=files)).exit == 1


def test_nothing_outside_its_folder_is_written(trusted: Sandbox, store: Store, tmp_path: Path) -> None:
    source = write(tmp_path / "data", b"before")
    before = everything_below(store.root), everything_below(tmp_path)
    script = "pwd; printf after > data; rm gone; touch new; mkdir folder; touch folder/x"
    finished = trusted.run(shell(script, files={"/tmp/data": source, "/tmp/gone": source}, results=("**",)))
    assert finished.results == {"data": b"after", "new": b"", "folder/x": b""}
    assert source.read_bytes() == b"before"
    folder = Path(finished.stdout.decode().strip())
    assert folder.is_relative_to(store.root) and not folder.exists()
    assert (everything_below(store.root), everything_below(tmp_path)) == before


def test_the_scratch_folder_goes_after_a_failure_too(trusted: Sandbox, store: Store) -> None:
    before = everything_below(store.root)
    assert trusted.run(Job("/nowhere/program")).ending == "cannot be started: No such file or directory"
    assert trusted.run(shell("touch x; kill -9 $$")).signal == signal.SIGKILL
    assert trusted.run(shell("touch x; sleep 60", limits=Limits(wall=0.2))).reason is Reason.WALL
    with pytest.raises(FileNotFoundError):
        trusted.run(shell("exit", files={"/tmp/x": Path("/nowhere/file")}))
    assert everything_below(store.root) == before


@pytest.mark.parametrize(
    ("script", "limits", "reason"),
    [
        ("sleep 60 & sleep 60", Limits(wall=0.3), Reason.WALL),
        ("cat /dev/zero", Limits(output=2 * MIB, file_size=64 * MIB), Reason.OUTPUT),
        ("exec cat /dev/zero >&2", Limits(output=2 * MIB, file_size=2 * MIB), Reason.OUTPUT),
        ("while :; do :; done", Limits(wall=30, cpu=0.5), Reason.CPU),
    ],
)
def test_limits_hold(trusted: Sandbox, script: str, limits: Limits, reason: Reason) -> None:
    finished = trusted.run(shell(script, limits=limits))
    assert finished.reason is reason
    assert finished.wall < 15
    assert max(len(finished.stdout), len(finished.stderr)) <= limits.output


def test_limits_of_each_process_hold(trusted: Sandbox, helper: Path) -> None:
    finished = trusted.run(shell("exec cat /dev/zero > x", limits=Limits(file_size=MIB), results=("x",)))
    assert finished.ending == "killed by SIGXFSZ" and len(finished.results["x"]) == MIB
    limits = Limits(address_space=64 * MIB)
    assert trusted.run(helping(helper, "touch", "16", limits=limits)).ok
    assert trusted.run(helping(helper, "touch", "128", limits=limits)).signal == signal.SIGSEGV


@pytest.mark.parametrize("wall", [60.0, 1.0])
def test_orphans_are_ended(trusted: Sandbox, helper: Path, wall: float) -> None:
    """Sessions of their own, whether the job ended or was ended."""
    script = f"{HELPER} leave 3; setsid sleep 60 & echo $!; {'exit' if wall > 1 else 'sleep 60'}"
    finished = trusted.run(shell(script.replace(HELPER, str(helper)), limits=Limits(wall=wall)))
    assert finished.reason is (Reason.EXIT if wall > 1 else Reason.WALL)
    pids = [int(line) for line in finished.stdout.split()]
    assert len(pids) == 4 and all_gone(pids)
    assert finished.left.processes >= 4


def test_a_job_that_kills_its_group_kills_nobody_else(trusted: Sandbox) -> None:
    assert trusted.run(shell("kill -9 0")).signal == signal.SIGKILL
    assert trusted.run(shell("echo fine")).stdout == b"fine\n"


def test_it_has_the_rights_of_the_user(trusted: Sandbox, tmp_path: Path) -> None:
    finished = trusted.run(shell(f"id -u; cat {write(tmp_path / 'mine', b'mine', 0o400)}; stat -c %u ."))
    assert finished.stdout.split() == [b"%d" % os.geteuid(), b"mine%d" % os.geteuid()]


def test_it_holds_its_streams_and_nothing_else(trusted: Sandbox) -> None:
    assert trusted.run(Job("/usr/bin/ls", ("/proc/self/fd",))).stdout.split() == [b"0", b"1", b"2", b"3"]


def test_the_cache_may_be_closed_to_others(toolchain: Toolchain, tmp_path: Path) -> None:
    """A home folder often is."""
    (tmp_path / "home").mkdir(mode=0o700)
    closed = Sandbox(toolchain, Store(tmp_path / "home" / "cache"), Isolation.TRUSTED)
    assert closed.run(shell("touch x", results=("x",))).results == {"x": b""}


def test_neither_bubblewrap_nor_libseccomp_is_needed(
    toolchain: Toolchain, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(*_: object) -> None:
        raise PrerequisiteError("missing")

    monkeypatch.setattr(run, "find_bubblewrap", missing)
    monkeypatch.setattr(run, "filter_program", missing)
    sandbox = Sandbox(toolchain, store, Isolation.TRUSTED)
    assert sandbox.run(shell("exit 4")).exit == 4
    assert describe(sandbox).startswith("none (--trust): ")


def test_the_guard_refuses_what_it_does_not_understand(trusted: Sandbox, tmp_path: Path) -> None:
    """Its command line is the harness's own; a word that it does not know must not be taken for none."""
    for words in (
        ["status=3"],
        ["status=3", "scratch=/tmp", "environment=0"],
        ["status=3", "scratch=/tmp", "environment=2", "A=1", "/usr/bin/true", "true"],
        ["status=3", "scratch=/tmp", "wall=5", "environment=0", "/usr/bin/true", "true"],
        ["status=3", "scratch=/tmp", "wall_ms=-5", "environment=0", "/usr/bin/true", "true"],
        ["status=3", "scratch=/tmp", "wall_ms=5x", "environment=0", "/usr/bin/true", "true"],
        ["status=3", "scratch=/tmp", "core=x", "environment=0", "/usr/bin/true", "true"],
        ["status=3", "scratch=/tmp", "core=1024", "environment=0", "/usr/bin/true", "true"],
        ["status=3", "scratch=/tmp", "turns=", "environment=0", "/usr/bin/true", "true"],
        ["status=3", "scratch=/tmp", "wall_ms=", "environment=0", "/usr/bin/true", "true"],
        ["scratch=/tmp", "environment=0", "/usr/bin/true", "true"],
        ["status=3", "environment=0", "/usr/bin/true", "true"],
        ["/usr/bin/true"],
    ):
        done = subprocess.run([trusted._guard, *words], capture_output=True, text=True, cwd=tmp_path, check=False)
        assert done.returncode == 1 and done.stderr.startswith("guard: not understood: "), words
