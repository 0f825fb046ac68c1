"""Commands under limits: how each ended is told exactly, and nothing that it started is left behind."""

import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.base import process
from harness.base.errors import PrerequisiteError, StoppedError
from harness.base.process import Ended, Limits, account, counted, killable, run, start_again, stop_all

MIB = 1 << 20


def shell(script: str, folder: Path, limits: Limits | None = None, stdin: Path | None = None) -> Ended:
    return run(["/bin/sh", "-c", script], cwd=folder, limits=limits or Limits(wall=20), stdin=stdin)


def python(script: str, folder: Path, limits: Limits) -> Ended:
    return run([sys.executable, "-S", "-c", script], cwd=folder, limits=limits)


def alive(pid: int) -> bool:
    """Whether the process runs; a zombie that nobody has waited for yet does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def all_gone(pids: list[int]) -> bool:
    for _ in range(500):
        if not any(alive(pid) for pid in pids):
            return True
        time.sleep(0.02)
    return False


def wait_for(file: Path) -> str:
    """The file's text, once it is there."""
    deadline = time.monotonic() + 30
    while not file.exists():
        assert time.monotonic() < deadline, file
        time.sleep(0.01)
    return file.read_text()


def test_a_command_that_ends_well(tmp_path: Path) -> None:
    ended = shell("printf 'out\\0put'; printf words >&2", tmp_path)
    assert ended.ok and (ended.exit, ended.signal, ended.timed_out) == (0, None, False)
    assert (ended.stdout, ended.stderr) == (b"out\0put", b"words")
    assert 0 < ended.wall < 20 and 0 <= ended.cpu < 5
    assert ended.argv == ("/bin/sh", "-c", "printf 'out\\0put'; printf words >&2")


@pytest.mark.parametrize("status", [1, 7, 125, 137, 255])
def test_an_exit_status_is_told(status: int, tmp_path: Path) -> None:
    ended = shell(f"echo note >&2; echo 'x.c:1: error: bad' >&2; echo later >&2; exit {status}", tmp_path)
    assert (ended.ok, ended.exit, ended.signal, ended.timed_out) == (False, status, None, False)
    assert ended.reason() == f"sh: exit status {status}: x.c:1: error: bad"


@pytest.mark.parametrize(
    ("number", "name"),
    [(signal.SIGSEGV, "SIGSEGV"), (signal.SIGKILL, "SIGKILL"), (signal.SIGXCPU, "SIGXCPU"), (40, "signal 40")],
)
def test_a_signal_is_told(number: int, name: str, tmp_path: Path) -> None:
    ended = shell(f"kill -{int(number)} $$", tmp_path)
    assert (ended.ok, ended.exit, ended.signal, ended.timed_out) == (False, None, number, False)
    assert ended.reason() == f"sh: killed by {name}"


def test_time_runs_out_for_the_whole_group(tmp_path: Path) -> None:
    script = "trap '' TERM; sleep 60 & echo $!; (sleep 61 & echo $!; exec sleep 62) & echo $!; wait"
    ended = shell(script, tmp_path, Limits(wall=0.5))
    assert ended.timed_out and not ended.ok and ended.transient
    assert 0.5 <= ended.wall < 5
    assert ended.reason().startswith(f"sh: stopped after {ended.wall:.1f} s")
    pids = [int(line) for line in ended.stdout.split()]
    assert len(pids) == 3
    assert all_gone(pids)


def test_cpu_time_can_have_a_limit_of_its_own(tmp_path: Path) -> None:
    """What waits for a busy machine is not stopped; what computes is, and it is said by which limit."""
    assert shell("sleep 2.2", tmp_path, Limits(wall=20, cpu=1)).ok
    ended = python("while True: pass", tmp_path, Limits(wall=20, cpu=1))
    assert ended.timed_out and ended.transient and ended.wall < 15
    assert (
        ended.reason()
        == f"{Path(ended.argv[0]).name}: stopped after {ended.wall:.1f} s at its limit of 1 s of CPU time"
    )


def test_what_a_command_leaves_running_is_ended_with_it(tmp_path: Path) -> None:
    ended = shell("sleep 60 & echo $!; exit 3", tmp_path)
    assert (ended.exit, ended.timed_out) == (3, False)
    assert ended.wall < 10
    assert all_gone([int(ended.stdout)])


def test_cpu_time_is_accounted(tmp_path: Path) -> None:
    with counted() as used:
        ended = python("while True: pass", tmp_path, Limits(wall=0.6))
    assert ended.timed_out
    assert 0.05 < ended.cpu < 2
    assert used.cpu == pytest.approx(ended.cpu)


def test_the_kernel_knows_the_limits(tmp_path: Path) -> None:
    limits = Limits(wall=6.5, memory=64 * MIB, file_size=2 * MIB)
    core = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (core[1], core[1]))
    try:
        ended = shell("ulimit -t; ulimit -Ht; ulimit -v; ulimit -f; ulimit -c", tmp_path, limits)
    finally:
        resource.setrlimit(resource.RLIMIT_CORE, core)
    assert ended.stdout.split() == [b"7", b"8", b"65536", b"4096", b"0"]  # seconds, KiB, and blocks of 512 bytes


def test_memory_is_limited(tmp_path: Path) -> None:
    script = "len(bytearray(512 << 20))"
    refused = python(script, tmp_path, Limits(wall=20, memory=256 * MIB))
    assert refused.exit == 1 and b"MemoryError" in refused.stderr
    assert python(script, tmp_path, Limits(wall=20, memory=None)).ok
    assert python(script, tmp_path, Limits(wall=20)).ok


def test_a_gigabyte_on_standard_output_is_stopped(tmp_path: Path) -> None:
    ended = run(["/bin/cat", "/dev/zero"], cwd=tmp_path, limits=Limits(wall=20, file_size=3 * MIB))
    assert ended.signal == signal.SIGXFSZ and not ended.timed_out
    assert len(ended.stdout) == 3 * MIB


def test_every_file_is_limited(tmp_path: Path) -> None:
    ended = shell("cat /dev/zero > big; cat /dev/zero >&2", tmp_path, Limits(wall=20, file_size=MIB))
    assert not ended.ok
    assert (tmp_path / "big").stat().st_size == len(ended.stderr) == MIB


def test_limits_are_in_place_before_the_first_instruction(tmp_path: Path) -> None:
    """A child that is started at once has them too: it never writes more than is allowed."""
    script = "/usr/bin/head -c 300000 /dev/zero > big & /usr/bin/head -c 300000 /dev/zero; wait"
    limits = Limits(wall=20, file_size=65536)
    for _ in range(60):
        ended = shell(script, tmp_path, limits)
        assert len(ended.stdout) == (tmp_path / "big").stat().st_size == 65536
        (tmp_path / "big").unlink()


def test_what_sets_the_limits_is_not_to_be_seen(tmp_path: Path) -> None:
    """The tool itself has the process that was started: its name, its words, its parent."""
    ended = shell("tr '\\0' ' ' < /proc/$$/cmdline; echo; echo $PPID", tmp_path)
    words, parent = ended.stdout.decode().splitlines()
    assert words.startswith("/bin/sh -c tr ") and int(parent) == os.getpid()


def test_without_the_tools_that_set_limits_nothing_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "find_tool", {"setpriv": "/usr/bin/setpriv"}.get)
    process._limiter.cache_clear()
    try:
        with pytest.raises(PrerequisiteError, match="missing: prlimit") as raised:
            run(["/bin/touch", "ran"], cwd=tmp_path, limits=Limits())
    finally:
        process._limiter.cache_clear()
    assert raised.value.hint == "apt-get install util-linux"
    assert list(tmp_path.iterdir()) == []


def test_standard_input_is_a_file_or_empty(tmp_path: Path) -> None:
    (tmp_path / "input").write_bytes(b"a\0b")
    assert shell("cat", tmp_path).stdout == b""
    assert shell("cat", tmp_path, stdin=tmp_path / "input").stdout == b"a\0b"


def test_the_environment_is_fixed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "1")
    monkeypatch.setenv("LC_ALL", "xx_XX")
    plain = run(["/usr/bin/env"], cwd=tmp_path, limits=Limits(wall=20))
    assert sorted(plain.stdout.splitlines()) == [b"LC_ALL=C", b"PATH=/usr/bin:/bin"]
    given = run(["/usr/bin/env"], cwd=tmp_path, limits=Limits(wall=20), env={"ONLY": "this"})
    assert given.stdout == b"ONLY=this\n"
    assert run(["/usr/bin/env"], cwd=tmp_path, limits=Limits(wall=20), env={}).stdout == b""


def test_it_runs_where_it_is_told_and_holds_no_other_file(tmp_path: Path) -> None:
    with (tmp_path / "open").open("w") as file:
        os.set_inheritable(file.fileno(), True)
        ended = shell("pwd; ls -l /proc/self/fd", tmp_path)
    lines = ended.stdout.decode().splitlines()
    assert lines[0] == str(tmp_path)
    assert not any(line.endswith("/open") for line in lines)
    assert sum("->" in line for line in lines) == 4  # its three streams, and the folder that ls reads


def test_it_has_no_terminal_to_write_to(tmp_path: Path) -> None:
    assert not shell("echo hello > /dev/tty", tmp_path).ok


def test_a_missing_command_is_a_prerequisite(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("hello")
    for command in ("/nowhere/tool", "surely-no-such-tool", str(tmp_path / "text"), str(tmp_path)):
        with pytest.raises(PrerequisiteError) as raised:
            run([command, "x"], cwd=tmp_path, limits=Limits())
        assert raised.value.message.startswith(f"cannot start {command}: ")
        assert raised.value.exit_code == 3
    assert [path.name for path in tmp_path.iterdir()] == ["text"]


def test_many_short_commands_end_one_by_one(tmp_path: Path) -> None:
    """However short a command is, it is waited for, and no descriptor stays open."""
    descriptors = len(os.listdir("/proc/self/fd"))
    for number in range(100):
        assert run(["/bin/echo", str(number)], cwd=tmp_path, limits=Limits(wall=20)).stdout == b"%d\n" % number
    assert len(os.listdir("/proc/self/fd")) == descriptors


def test_threads_do_not_mix_their_commands(tmp_path: Path) -> None:
    wrong: list[str] = []

    def work(name: int) -> None:
        for number in range(15):
            ended = shell(f"echo {name}-{number}; exit {name}", tmp_path)
            if (ended.stdout, ended.exit) != (f"{name}-{number}\n".encode(), name):
                wrong.append(f"{name}-{number}: {ended}")

    threads = [threading.Thread(target=work, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert not wrong


def test_a_very_long_limit_is_a_limit(tmp_path: Path) -> None:
    assert run(["/bin/true"], cwd=tmp_path, limits=Limits(wall=1e9)).ok


INTERRUPTED = """
import sys
from pathlib import Path
from harness.base.process import Limits, run
script = "sleep 60 & echo $$ $! > pids; mv pids ready; wait"
run(["/bin/sh", "-c", script], cwd=Path(sys.argv[1]), limits=Limits(wall=60))
"""


def test_ctrl_c_leaves_nothing_running(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", INTERRUPTED, str(tmp_path)], stderr=subprocess.DEVNULL) as child:
        pids = [int(word) for word in wait_for(tmp_path / "ready").split()]
        assert len(pids) == 2 and all(alive(pid) for pid in pids)
        child.send_signal(signal.SIGINT)
        assert child.wait(timeout=20) != 0
    assert all_gone(pids)


DIES = """
import sys
from pathlib import Path
from harness.base.process import Limits, run
run(["/bin/sh", "-c", "echo $$ > pid; mv pid ready; exec sleep 60"], cwd=Path(sys.argv[1]), limits=Limits(wall=60))
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_tool_dies_with_the_harness(how: signal.Signals, tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", DIES, str(tmp_path)]) as child:
        pid = int(wait_for(tmp_path / "ready"))
        assert alive(pid)
        child.send_signal(how)
        assert child.wait(timeout=20) == -how
    assert all_gone([pid])


@pytest.fixture
def stoppable() -> Iterator[None]:
    """Whatever happens, the next test can run commands."""
    yield
    start_again()


def test_stopping_ends_every_command(stoppable: None, tmp_path: Path) -> None:
    stopped: list[int] = []

    def work(number: int) -> None:
        script = f"sleep 60 & echo $$ $! > pids{number}; mv pids{number} ready{number}; wait"
        try:
            shell(script, tmp_path, Limits(wall=60))
        except StoppedError:
            stopped.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    pids = [int(word) for number in range(3) for word in wait_for(tmp_path / f"ready{number}").split()]
    stop_all()
    for thread in threads:
        thread.join(timeout=20)
    assert sorted(stopped) == [0, 1, 2]
    assert len(pids) == 6 and all_gone(pids)


def test_after_stopping_nothing_runs_until_started_again(
    stoppable: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_all()
    with monkeypatch.context() as patch:
        patch.setattr(process.subprocess, "Popen", lambda *_, **__: pytest.fail("started"))
        for _ in range(2):
            with pytest.raises(StoppedError):
                run(["/bin/touch", "ran"], cwd=tmp_path, limits=Limits())
    start_again()
    assert run(["/bin/touch", "ran"], cwd=tmp_path, limits=Limits()).ok


def test_stopping_ends_what_else_is_killable(stoppable: None) -> None:
    with subprocess.Popen(["/bin/sh", "-c", "sleep 60 & echo $!; wait"], start_new_session=True, stdout=-1) as child:
        assert child.stdout is not None
        other = int(child.stdout.readline())
        with pytest.raises(StoppedError), killable(child.pid):
            stop_all()
            assert child.wait(timeout=20) == -signal.SIGKILL
        assert all_gone([other])
    with pytest.raises(StoppedError), killable(child.pid):
        pytest.fail("this must not be entered any more")


def test_what_is_no_longer_killable_is_left_alone(stoppable: None) -> None:
    with subprocess.Popen(["/bin/cat"], start_new_session=True, stdin=subprocess.PIPE) as child:
        with killable(child.pid):
            pass
        with pytest.raises(KeyError), killable(child.pid):
            raise KeyError
        stop_all()
        start_again()
        assert child.poll() is None
        child.communicate()
    assert child.returncode == 0


def test_being_stopped_is_why_whatever_else_went_wrong(stoppable: None) -> None:
    with subprocess.Popen(["/bin/sleep", "60"], start_new_session=True) as child:
        with pytest.raises(StoppedError), killable(child.pid):
            stop_all()
            raise BrokenPipeError
        child.wait(timeout=20)


def test_an_interrupted_command_is_forgotten(stoppable: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its number may pass to a stranger, whom nobody may kill."""
    wait = process._wait

    def interrupted(pid: int, limits: Limits) -> bool:
        monkeypatch.setattr(process, "_wait", wait)
        os.killpg(pid, signal.SIGKILL)
        raise KeyboardInterrupt

    monkeypatch.setattr(process, "_wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run(["/bin/sleep", "60"], cwd=tmp_path, limits=Limits())
    assert process._running == set()
    stop_all()


def test_what_this_thread_ran_is_counted_and_what_others_did_is_not() -> None:
    with counted() as outer:
        account(0.25)
        with counted() as inner:
            account(0.5)
        other = threading.Thread(target=account, args=(8.0,))
        other.start()
        other.join()
    account(4.0)
    assert (outer.cpu, inner.cpu) == (0.75, 0.5)
