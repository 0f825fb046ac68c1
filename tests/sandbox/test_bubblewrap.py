"""The world that a job sees: what it is given, and nothing else of the host."""

import os
import re
from pathlib import Path

import pytest

from harness.base.errors import UsageError
from harness.sandbox import MIB, SCRATCH, Job, Limits, Sandbox
from harness.sandbox.bubblewrap import FIRST_FILE, TURNS, USAGE, bubblewrap_command, guard_arguments
from tests.ordinary import is_root
from tests.sandbox.jobs import HELPER, helping, shell

MACHINE = re.compile(r"/(usr|proc|dev|tmp|etc/alternatives)(/.*)?|/(bin|sbin|lib|lib32|lib64)|/")
"""Paths of every machine that may be in a command."""


def write(path: Path, content: bytes, mode: int = 0o600) -> Path:
    path.write_bytes(content)
    path.chmod(mode)
    return path


@pytest.mark.parametrize("system", [False, True])
def test_no_path_of_the_host_is_in_the_command(tmp_path: Path, system: bool) -> None:
    job = Job(
        "/program",
        ("argument",),
        files={"/program": tmp_path / "secret-place", f"{SCRATCH}/x": tmp_path / "other", "/in/data": Path("/root/z")},
        folders=(Path("/opt/given"),),
        stdin=tmp_path / "stdin",
        system=system,
    )
    command, files = bubblewrap_command("/usr/bin/bwrap", tmp_path / "guard", job)
    paths = [word for word in command if word.startswith("/")]
    strange = {path for path in paths if not MACHINE.fullmatch(path)}
    assert strange == {"/opt/given", "/program", "/in/data"}
    assert "/root/z" not in command and not any(str(tmp_path) in word for word in command)
    assert files == (tmp_path / "guard", tmp_path / "secret-place", tmp_path / "other", Path("/root/z"))
    numbers = [int(command[at + 1]) for at, word in enumerate(command) if word == "--file"]
    assert numbers == [FIRST_FILE + 1, FIRST_FILE + 2, FIRST_FILE + 3]
    assert ("/usr" in command) == system
    assert command[-1] == f"/proc/self/fd/{FIRST_FILE}" and command[-2] == "--"


def test_every_namespace_is_asked_for() -> None:
    command, _ = bubblewrap_command("bwrap", Path("/guard"), Job("/x"))
    words = " ".join(command)
    for option in (
        "--unshare-all",
        "--unshare-user",
        "--disable-userns",
        "--cap-drop ALL",
        "--die-with-parent",
        "--new-session",
        "--as-pid-1",
        "--seccomp 4",
        "--remount-ro /",
    ):
        assert option in words
    assert "--share" not in words and " --bind " not in words


def test_the_guard_is_told_every_limit() -> None:
    limits = Limits(1.5, 0.25, 3, 4, 5, 6, 7, 8, 9, 10)
    job = Job("/p", ("a", "b=c"), name="n", environment={"A": "1=2", "B": ""}, limits=limits)
    assert guard_arguments(job, "/tmp", watch_memory=True, turns=False, usage=False) == [
        *("status=3", "scratch=/tmp", "wall_ms=1500", "cpu_ms=250", "memory=3", "address_space=4", "processes=5"),
        *("file_size=6", "files=7", "open_files=10", "output=9", "environment=2", "A=1=2", "B="),
        *("/p", "n", "a", "b=c"),
    ]
    words = guard_arguments(
        Job("/p", limits=Limits(), cores=(0, 3)), "/tmp", watch_memory=False, turns=True, usage=True
    )
    assert {"memory=0", "address_space=0", "environment=0", "core=0", "core=3"} <= set(words)
    assert {f"turns={TURNS}", f"usage={USAGE}"} <= set(words)
    assert words[-2:] == ["/p", "/p"]


def test_the_world_is_empty_but_for_what_is_given(sandbox: Sandbox, tmp_path: Path) -> None:
    script = "for folder in / /tmp /dev; do ls -A $folder; echo --; done; cat /proc/mounts"
    job = shell(script, files={"/given/file": write(tmp_path / "f", b"")})
    finished = sandbox.run(job)
    assert finished.ok, finished.reason_line()
    top, scratch, devices, mounts = (part.splitlines() for part in finished.stdout.decode().split("--\n"))
    assert {"dev", "given", "proc", "tmp", "usr"} <= set(top)
    assert set(top) <= {"bin", "dev", "etc", "given", "lib", "lib32", "lib64", "proc", "sbin", "tmp", "usr"}
    assert scratch == []
    assert set(devices) == {"fd", "full", "null", "random", "stderr", "stdin", "stdout", "urandom", "zero"}
    assert mounts and not any(str(tmp_path) in line for line in mounts)


def test_without_the_system_there_is_no_usr(sandbox: Sandbox, helper: Path) -> None:
    finished = sandbox.run(helping(helper, "status", "7"))
    assert finished.exit == 7
    assert sandbox.run(Job("/usr/bin/true")).ending == "cannot be started: No such file or directory"


def test_files_in_the_scratch_folder_are_copies_that_can_be_changed(sandbox: Sandbox, tmp_path: Path) -> None:
    source = write(tmp_path / "data", b"before", 0o400)
    finished = sandbox.run(
        shell(
            "printf after >> /tmp/deep/data; rm /tmp/gone",
            results=("**",),
            files={"/tmp/deep/data": source, "/tmp/gone": source},
        )
    )
    assert finished.ok, finished.reason_line()
    assert finished.results == {"deep/data": b"beforeafter"}
    assert source.read_bytes() == b"before"


@pytest.mark.parametrize(
    "change", ["printf x >> {0}", "rm {0}", "mv {0} {0}2", "chmod u+w {0}", ": > {0}2", "mkdir {0}d"]
)
def test_files_elsewhere_are_read_only(sandbox: Sandbox, tmp_path: Path, change: str) -> None:
    source = write(tmp_path / "data", b"content", 0o666)
    job = shell(f"cat /in/data && {change.format('/in/data')}", files={"/in/data": source})
    finished = sandbox.run(job)
    assert finished.stdout == b"content" and not finished.ok
    assert source.read_bytes() == b"content"


@pytest.mark.parametrize(
    ("mode", "shown"), [(0o700, "755 555"), (0o755, "755 555"), (0o600, "644 444"), (0o444, "644 444")]
)
def test_the_executable_bit_is_kept(sandbox: Sandbox, tmp_path: Path, mode: int, shown: str) -> None:
    source = write(tmp_path / "tool", b"#!/bin/sh\necho ran\n", mode)
    job = shell(
        "echo $(stat -c %a /tmp/tool /in/tool); /tmp/tool; /in/tool", files={"/tmp/tool": source, "/in/tool": source}
    )
    lines = sandbox.run(job).stdout.decode().splitlines()
    assert lines[0] == shown
    assert lines[1:] == (["ran", "ran"] if mode & 0o100 else [])


def test_parent_folders_are_made(sandbox: Sandbox, tmp_path: Path) -> None:
    source = write(tmp_path / "data", b"x")
    places = ["/a/b/c/d/file", "/a/b/other", "/tmp/p/q/r/file", "/tmp/p/file"]
    finished = sandbox.run(shell(f"cat {' '.join(places)}; touch /tmp/p/q/new", files=dict.fromkeys(places, source)))
    assert (finished.ok, finished.stdout) == (True, b"xxxx"), finished.reason_line()


@pytest.mark.parametrize(
    "name", ["a b", "it's", 'say "x"', "$HOME;`id`", "line\nline", "-rf", "--", "\\", "ünïcode", "*"]
)
def test_any_file_name_is_taken_as_it_is(sandbox: Sandbox, tmp_path: Path, name: str) -> None:
    source = write(tmp_path / name, b"content of it")
    job = Job(
        "/usr/bin/cat",
        (f"/in/{name}", f"/tmp/{name}"),
        system=True,
        results=(name,),
        files={f"/in/{name}": source, f"/tmp/{name}": source},
    )
    finished = sandbox.run(job)
    assert finished.stdout == b"content of it" * 2, finished.reason_line()
    assert finished.results == {name: b"content of it"}


@pytest.mark.parametrize("size", [0, 1, 4096, 64 * MIB + 1])
def test_files_of_any_size_arrive_whole(sandbox: Sandbox, tmp_path: Path, size: int) -> None:
    content = bytes(range(251)) * (size // 251 + 1)
    source = write(tmp_path / "data", content[:size])
    job = Job("/usr/bin/cp", ("/tmp/data", "/tmp/copy"), system=True, files={"/tmp/data": source}, results=("copy",))
    finished = sandbox.run(job)
    assert finished.ok, finished.reason_line()
    assert finished.results["copy"] == content[:size]


def test_two_hundred_files(sandbox: Sandbox, tmp_path: Path) -> None:
    files = {f"/in/{n}": write(tmp_path / str(n), b"%d\n" % n) for n in range(200)}
    finished = sandbox.run(Job("/usr/bin/cat", tuple(files), system=True, files=files))
    assert finished.stdout.split() == [b"%d" % n for n in range(200)]


def test_more_files_than_can_be_given_are_an_error_and_the_next_job_runs(sandbox: Sandbox, tmp_path: Path) -> None:
    source = write(tmp_path / "file", b"")
    files = {f"/in/{n}": source for n in range(260)}
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(UsageError, match="files are more than the 250 of a sandbox"):
        sandbox.run(Job("/usr/bin/true", system=True, files=files))
    assert len(os.listdir("/proc/self/fd")) <= before
    assert sandbox.run(Job("/usr/bin/true", system=True)).ok


def test_as_many_files_as_can_be_given(sandbox: Sandbox, tmp_path: Path) -> None:
    """Three streams, the socket, the filter, the guard and the count of CPU time, where there is one, count too."""
    source = write(tmp_path / "file", b"x")
    files = {f"/in/{n}": source for n in range(243)}
    assert sandbox.run(Job("/usr/bin/cat", ("/in/242",), system=True, files=files)).stdout == b"x"
    with pytest.raises(UsageError):
        sandbox.run(Job("/usr/bin/true", system=True, files={**files, "/in/more": source, "/in/most": source}))


def test_standard_input_is_a_file_or_empty(sandbox: Sandbox, tmp_path: Path) -> None:
    content = bytes(range(256)) * 1000
    given = sandbox.run(Job("/usr/bin/cat", system=True, stdin=write(tmp_path / "in", content, 0o400)))
    assert given.stdout == content
    assert sandbox.run(Job("/usr/bin/cat", system=True)).stdout == b""
    assert (tmp_path / "in").read_bytes() == content


def test_standard_input_is_a_copy_without_a_path(sandbox: Sandbox, tmp_path: Path) -> None:
    """A descriptor of the host's file could be opened again, for writing, and tell where it lies."""
    source = write(tmp_path / "in", b"mine", 0o666)
    script = (
        "chmod 777 /dev/stdin; printf x >&0; printf x > /dev/stdin; printf x > /proc/self/fd/0; ls -l /proc/self/fd"
    )
    finished = sandbox.run(shell(script, stdin=source))
    assert (source.read_bytes(), source.stat().st_mode & 0o777) == (b"mine", 0o666)
    assert str(tmp_path) not in finished.stdout.decode()
    assert not sandbox.run(shell("printf x >&0", stdin=source)).ok


def test_the_program_sees_the_name_it_is_given(sandbox: Sandbox, helper: Path) -> None:
    assert sandbox.run(helping(helper, "name", name="a name")).stdout == b"a name"
    assert sandbox.run(helping(helper, "name")).stdout == HELPER.encode()


@pytest.mark.parametrize(
    "environment",
    [
        {},
        {"A": ""},
        {"A": "1\n2\n", "B": "x=y=", "PATH": "/nowhere", "é": "ü"},
        {f"V{n}": "x" * 1000 for n in range(100)},
    ],
    ids=["none", "empty value", "strange values", "much"],
)
def test_the_environment_is_exactly_what_is_given(
    sandbox: Sandbox, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HARNESS_SECRET", "1")
    finished = sandbox.run(Job("/usr/bin/env", ("-0",), system=True, environment=environment))
    shown = finished.stdout.decode().split("\0")[:-1]
    assert shown == [f"{name}={value}" for name, value in environment.items()]


def test_where_and_who_it_is(sandbox: Sandbox) -> None:
    finished = sandbox.run(shell("pwd; uname -n; id -u; id -g; id -G; cat /proc/self/cmdline | tr '\\0' ' '; tty"))
    assert finished.stdout.decode().splitlines()[:5] == ["/tmp", "sandbox", "65534", "65534", "65534"]
    assert "not a tty" in finished.stdout.decode()


def test_it_holds_its_streams_and_nothing_else(sandbox: Sandbox, tmp_path: Path) -> None:
    """Files come through descriptors; the job must not have any of them, nor the guard's socket."""
    files = {f"/in/{n}": write(tmp_path / str(n), b"") for n in range(5)}
    finished = sandbox.run(Job("/usr/bin/ls", ("/proc/self/fd",), system=True, files=files))
    assert finished.stdout.split() == [b"0", b"1", b"2", b"3"]  # 3: the folder that it lists


def test_folders_are_seen_at_their_own_path_and_read_only(sandbox: Sandbox, elsewhere: Path) -> None:
    inner = elsewhere / "given" / "inner"
    inner.mkdir(parents=True)
    inner.chmod(0o777)
    write(inner / "file", b"content\n", 0o666)
    write(elsewhere / "beside", b"")
    script = f"cat {inner}/file; ls {elsewhere}; touch {inner}/new || printf x > {inner}/file"
    finished = sandbox.run(shell(script, folders=(inner.parent,)))
    assert finished.stdout == b"content\ngiven\n" and not finished.ok
    assert os.listdir(inner) == ["file"] and (inner / "file").read_bytes() == b"content\n"


@pytest.mark.skipif(not is_root(), reason="the sandbox's user is another one only where the harness is root")
def test_files_that_only_root_may_read_can_be_given(sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0o700)
    source = write(tmp_path / "closed" / "file", b"mine", 0o400)
    assert sandbox.run(Job("/usr/bin/cat", ("/in",), system=True, files={"/in": source})).stdout == b"mine"
