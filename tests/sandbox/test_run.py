"""Running a job: how it ended, what it used, and what is left, told exactly."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.base.errors import PrerequisiteError
from harness.base.process import counted
from harness.base.store import Store
from harness.sandbox import MIB, Job, Left, Limits, Reason, Sandbox, bubblewrap, run
from harness.toolchain import Toolchain
from tests.drive import ROOT, TINY, User
from tests.ordinary import is_root
from tests.sandbox.jobs import HELPER, all_gone, helping, shell, unlike, wait_for

TRUE = Job("/usr/bin/true", system=True)


def write(path: Path, content: bytes, mode: int = 0o755) -> Path:
    path.write_bytes(content)
    path.chmod(mode)
    return path


@pytest.mark.parametrize(
    ("program", "content", "mode", "why"),
    [
        ("/nowhere/program", b"", 0o755, "No such file or directory"),
        ("/usr", b"", 0o755, "Permission denied"),
        ("/tmp", b"", 0o755, "Permission denied"),
        ("/program", b"echo text\n", 0o755, "Exec format error"),
        ("/program", b"", 0o755, "Exec format error"),
        ("/program", b"#!/bin/sh\n", 0o644, "Permission denied"),
        ("/program", b"#!/nowhere/sh\n", 0o755, "No such file or directory"),
        ("/program", b"\x7fELF\x02\x01\x01", 0o755, "Exec format error"),
        ("/program/inner", b"", 0o755, "Not a directory"),
    ],
)
def test_what_cannot_be_started(
    sandbox: Sandbox, tmp_path: Path, program: str, content: bytes, mode: int, why: str
) -> None:
    source = write(tmp_path / "program", content, mode)
    finished = sandbox.run(Job(program, system=True, files={"/program": source}, results=("x",)))
    assert finished.reason is Reason.START
    assert finished.ending == f"cannot be started: {why}"
    assert not finished.ok and not finished.transient
    assert (finished.stdout, finished.stderr, finished.results) == (b"", b"", {})
    assert finished.refused == {"x": "not there"}


@pytest.mark.parametrize("status", [0, 1, 127, 255])
def test_an_exit_status(sandbox: Sandbox, helper: Path, status: int) -> None:
    finished = sandbox.run(helping(helper, "status", str(status)))
    assert (finished.reason, finished.value, finished.ok) == (Reason.EXIT, status, status == 0)
    assert finished.program == HELPER


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGABRT, signal.SIGKILL, signal.SIGTERM, signal.SIGPIPE])
def test_a_signal(sandbox: Sandbox, number: signal.Signals) -> None:
    finished = sandbox.run(shell(f"kill -{number.value} $$"))
    assert (finished.reason, finished.value) == (Reason.SIGNAL, number)


def test_signals_have_their_usual_meaning(sandbox: Sandbox) -> None:
    """Python ignores some and blocks none; what is ignored is inherited."""
    masks = sandbox.run(shell("grep -E 'Sig(Blk|Ign)' /proc/self/status")).stdout.split()[1::2]
    of_the_library = 1 << 31 | 1 << 32  # posix_spawn ignores them; a program that needs them handles them
    assert [int(mask, 16) & ~of_the_library for mask in masks] == [0, 0]
    assert sandbox.run(shell("yes | head -1; exit 3")).stderr == b""


def test_output_is_bytes(sandbox: Sandbox, helper: Path) -> None:
    finished = sandbox.run(helping(helper, "bytes"))
    assert finished.stdout == bytes(range(256)) and finished.stderr == bytes(reversed(range(256)))


def test_results_are_what_was_wanted(sandbox: Sandbox) -> None:
    script = "mkdir a; printf one > a/one; printf '\\0\\377' > two; printf 3 > three; ln -s two link"
    finished = sandbox.run(shell(script, results=("a/one", "two", "link", "none")))
    assert finished.results == {"a/one": b"one", "two": b"\0\xff"}
    assert finished.refused == {"link": "a symbolic link, no regular file", "none": "not there"}
    assert sandbox.run(shell(script)).results == {}


def test_peak_memory_is_that_of_the_largest_process(sandbox: Sandbox, helper: Path) -> None:
    small, large = (sandbox.run(helping(helper, "touch", str(size))) for size in (1, 50))
    assert small.ok and large.ok
    assert 50 * MIB <= large.peak_memory < 60 * MIB
    assert 0 < small.peak_memory < 10 * MIB
    family = shell(f"{HELPER} touch 40 & {HELPER} touch 5 & wait", files={HELPER: helper})
    assert 40 * MIB <= sandbox.run(family).peak_memory < 50 * MIB
    orphan = shell(f"({HELPER} touch 30 & ); sleep 0.3", files={HELPER: helper})
    assert 30 * MIB <= sandbox.run(orphan).peak_memory < 40 * MIB


def test_time_is_measured(sandbox: Sandbox, helper: Path) -> None:
    with counted() as used:
        spun = sandbox.run(helping(helper, "spin", "300"))
    assert spun.ok
    assert 0.25 <= spun.cpu <= 1.0
    assert spun.wall >= 0.28
    assert used.cpu == pytest.approx(spun.total_cpu)
    slept = sandbox.run(shell("sleep 0.3"))
    assert 0.3 <= slept.wall < 5 and slept.cpu < 0.2
    for finished in (spun, slept):
        assert finished.total_cpu >= finished.cpu


def test_what_orphans_use_is_in_the_total(sandbox: Sandbox, helper: Path) -> None:
    """They are not waited for by the job, and end before it does."""
    script = f"({HELPER} spin 300 & echo) > /dev/null; sleep 0.5; while pgrep -x helper; do sleep 0.1; done"
    finished = sandbox.run(
        shell(script.replace("pgrep -x helper", "grep -qs helper /proc/[0-9]*/comm"), files={HELPER: helper})
    )
    assert finished.ok, finished.reason_line()
    assert finished.total_cpu - finished.cpu >= 0.25


@pytest.mark.parametrize("count", [0, 1, 5])
def test_processes_left_are_counted_and_ended(sandbox: Sandbox, helper: Path, count: int) -> None:
    finished = sandbox.run(helping(helper, "leave", str(count)))
    assert finished.ok
    assert finished.left.processes == count
    assert len(finished.stdout.split()) == count


def test_files_left_are_counted(sandbox: Sandbox, tmp_path: Path) -> None:
    given = {"/tmp/in/data": write(tmp_path / "data", b"x")}
    assert sandbox.run(TRUE).left.files == 0
    assert sandbox.run(shell("exit", files=given)).left.files == 2
    finished = sandbox.run(shell("mkdir -p a/b; touch a/b/c d; ln -s d e; mkfifo f; rm in/data", files=given))
    assert finished.left.files == 7


def test_free_space_of_the_scratch_folder(sandbox: Sandbox) -> None:
    limits = Limits(scratch=8 * MIB, memory=64 * MIB)
    assert sandbox.run(shell("exit", limits=limits)).left.free == 8 * MIB
    used = sandbox.run(shell("head -c 3145728 /dev/zero > x", limits=limits))
    assert used.ok and used.left.free == 5 * MIB
    full = sandbox.run(shell("cat /dev/zero > x", limits=limits, results=("x",)))
    assert full.left == Left(0, 1, 0)
    assert full.ending == "exit status 1 (its scratch folder of 8 MiB is full)"
    assert len(full.results["x"]) == 8 * MIB


@pytest.mark.parametrize(
    ("script", "limits", "ending"),
    [
        ("sleep 60", Limits(wall=0.3), "stopped at its limit of 0.3 s"),
        ("while :; do :; done", Limits(wall=30, cpu=0.3), "stopped at its limit of 0.3 s of CPU time"),
        ("for i in 1 2 3 4 5 6 7 8 9; do : > $i; done; sleep 9", Limits(files=5), "stopped at its limit of 5 files"),
        ("cat /dev/zero", Limits(output=2 * MIB, file_size=64 * MIB), "stopped at its limit of 2 MiB of output"),
        ("cat /dev/zero >&2", Limits(output=2 * MIB, file_size=2 * MIB), "stopped at its limit of 2 MiB of output"),
        ("cat /dev/zero > x", Limits(file_size=MIB), "exit status 153"),
        ("exec cat /dev/zero > x", Limits(file_size=MIB), "killed by SIGXFSZ"),
    ],
)
def test_a_limit_that_is_met(sandbox: Sandbox, script: str, limits: Limits, ending: str) -> None:
    finished = sandbox.run(shell(script, limits=limits))
    assert finished.ending == ending
    assert max(len(finished.stdout), len(finished.stderr)) <= limits.output


def test_limits_are_in_place_before_the_first_instruction(sandbox: Sandbox) -> None:
    limits = Limits(wall=30, cpu=6.5, address_space=512 * MIB, file_size=3 * MIB, open_files=20, processes=7)
    finished = sandbox.run(
        shell("ulimit -t -Ht; ulimit -v; ulimit -f; ulimit -n; ulimit -c; cat /proc/self/limits", limits=limits)
    )
    lines = {
        line[:26].strip(): line[26:].split() for line in finished.stdout.decode().splitlines() if line[:3] == "Max"
    }
    assert lines["Max cpu time"][:2] == ["9", "10"], "the guard comes first: a driver would report its child's end"
    assert lines["Max address space"][:2] == [str(512 * MIB)] * 2
    assert lines["Max file size"][:2] == [str(3 * MIB)] * 2
    assert lines["Max open files"][:2] == ["20", "20"]
    assert lines["Max processes"][:2] == ["8", "8"]
    assert lines["Max core file size"][:2] == ["0", "0"]
    assert lines["Max stack size"][:2] == [str(8 * MIB)] * 2


def test_every_job_has_a_world_of_its_own(sandbox: Sandbox) -> None:
    """One after the other in the same slot: nothing of the first is seen by the second."""
    assert sandbox.run(shell("echo secret > x; sleep 60 &")).ok
    finished = sandbox.run(shell("ls -A /tmp; ls -d /proc/[0-9]*; ipcs -q | wc -l"))
    assert b"x" not in finished.stdout.split()
    assert set(finished.stdout.split()) <= {b"/proc/1", b"/proc/2", b"/proc/3", b"4"}


INTERRUPTED = """
import sys
from harness.sandbox.bench import open_bench
from harness.sandbox import Job

sandbox = open_bench(trust=sys.argv[1] == "trusted").sandbox
script = "sleep {0} & setsid sleep {0} & exec sleep {0}".format(sys.argv[2])
sandbox.run(Job("/usr/bin/sh", ("-c", script), system=True))
"""


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize("isolation", ["sandbox", "trusted"])
def test_an_end_of_the_harness_leaves_nothing_running(isolation: str, how: signal.Signals, tmp_path: Path) -> None:
    seconds = unlike(4300 + how.value)
    command = [sys.executable, "-c", INTERRUPTED, isolation, seconds]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) as child:
        running = wait_for(
            f"sleep {seconds}", 4 if isolation == "sandbox" else 3
        )  # the guard's command line has it too
        child.send_signal(how)
        _, words = child.communicate(timeout=60)
        assert child.returncode != 0
        assert ("KeyboardInterrupt" in words) == (how is signal.SIGINT)
    assert all_gone(running)


def test_a_folder_that_does_not_exist(sandbox: Sandbox, elsewhere: Path) -> None:
    """Bubblewrap's words are told; the machinery works on."""
    missing = elsewhere / "missing"
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        with pytest.raises(
            PrerequisiteError, match="the sandbox cannot be set up: bwrap: Can't find source path"
        ) as raised:
            sandbox.run(shell("echo ran", folders=(missing,)))
        assert str(missing) in raised.value.message and "No such file or directory" in raised.value.message
        assert sandbox.run(TRUE).ok
    assert len(os.listdir("/proc/self/fd")) <= before + 1  # the slot's, where there was none before


@pytest.mark.skipif(not is_root(), reason="the sandbox's user is another one only where the harness is root")
def test_a_folder_that_the_sandboxs_user_cannot_reach(sandbox: Sandbox, elsewhere: Path) -> None:
    inner = elsewhere / "closed" / "inner"
    inner.mkdir(parents=True)
    inner.parent.chmod(0o700)
    with pytest.raises(PrerequisiteError, match=f"{inner}: Permission denied") as raised:
        sandbox.run(shell("echo ran", folders=(inner,)))
    assert f"chmod o+rx {inner} and the folders above it" in (raised.value.hint or "")


def test_a_file_that_does_not_exist(sandbox: Sandbox, tmp_path: Path) -> None:
    before = os.listdir("/proc/self/fd")
    for fields in ({"files": {"/in": tmp_path / "none"}}, {"stdin": tmp_path / "none"}):
        with pytest.raises(FileNotFoundError):
            sandbox.run(shell("exit", **fields))
    assert os.listdir("/proc/self/fd") == before


def test_a_bubblewrap_that_does_not_work(toolchain: Toolchain, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "find_bubblewrap", lambda: "/usr/bin/false")
    broken = Sandbox(toolchain, store)
    with pytest.raises(PrerequisiteError, match="the sandbox cannot be set up: no word why"):
        broken.run(TRUE)
    with pytest.raises(PrerequisiteError, match="the sandbox cannot be set up"):
        broken.probe()
    monkeypatch.setattr(run, "find_bubblewrap", lambda: "/nowhere/bwrap")
    with pytest.raises(PrerequisiteError, match="cannot be set up: /nowhere/bwrap: No such file or directory"):
        Sandbox(toolchain, store).run(TRUE)


def test_without_bubblewrap_there_is_no_sandbox(
    toolchain: Toolchain, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "find_tool", {}.get)
    with pytest.raises(PrerequisiteError, match="bubblewrap is not installed") as raised:
        Sandbox(toolchain, store)
    assert raised.value.hint == "apt-get install bubblewrap"


@pytest.fixture(scope="module")
def hello(sandbox: Sandbox) -> Iterator[dict[str, Any]]:
    """What the guard of a real run says of itself."""
    yield dict(sandbox._run(TRUE)[1])


def test_a_real_sandbox_isolates(hello: dict[str, Any]) -> None:
    run._require_isolation(hello)


OWN_NAMESPACES = {name: os.stat(f"/proc/self/ns/{name}").st_ino for name in ("user", "mnt", "pid", "net", "ipc", "uts")}


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        *(
            ({"namespaces": {name: own}}, f"it shares namespaces with the host ({name})")
            for name, own in OWN_NAMESPACES.items()
        ),
        *(({"namespaces": {name: 0}}, f"it shares namespaces with the host ({name})") for name in OWN_NAMESPACES),
        ({"pid": 2}, "its guard is not process 1"),
        ({"uid": 0}, "it has another user inside"),
        ({"uid": 1000}, "it has another user inside"),
        ({"capabilities": ["0000000000000001", "0" * 16]}, "it has capabilities"),
        ({"capabilities": ["0" * 16, "0000000000200000"]}, "it has capabilities"),
        ({"capabilities": ["", ""]}, "it has capabilities"),
        ({"no_new_privileges": "0"}, "it may gain privileges"),
        ({"no_new_privileges": ""}, "it may gain privileges"),
        ({"seccomp": "0"}, "it has no filter of system calls"),
        ({"seccomp": "1"}, "it has no filter of system calls"),
    ],
)
def test_every_single_fault_is_refused(hello: dict[str, Any], change: dict[str, Any], fault: str) -> None:
    changed = {**hello, **change}
    changed["namespaces"] = {**hello["namespaces"], **change.get("namespaces", {})}
    with pytest.raises(PrerequisiteError) as raised:
        run._require_isolation(changed)
    assert raised.value.message == f"the sandbox does not isolate: {fault}"


@pytest.mark.parametrize("user", [0, None])
def test_a_sandbox_of_roots_is_refused_where_the_harness_is_root(hello: dict[str, Any], user: int | None) -> None:
    if is_root():
        with pytest.raises(PrerequisiteError, match="it is root on the host"):
            run._require_isolation({**hello, "host_user": user})
    else:
        run._require_isolation({**hello, "host_user": user})


def test_all_faults_are_told_together(hello: dict[str, Any]) -> None:
    with pytest.raises(PrerequisiteError, match="not process 1; it has another user inside; it has no filter"):
        run._require_isolation({**hello, "pid": 7, "uid": 7, "seccomp": "0"})


def test_a_sandbox_that_does_not_isolate_gives_no_result(
    toolchain: Toolchain, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bubblewrap is not taken at its word: here it is asked for less than it must do."""
    whole = run.bubblewrap_command

    def less(bwrap: str, guard: Path, job: Job, *carried: Any) -> tuple[list[str], tuple[Path, ...]]:
        command, files = whole(bwrap, guard, job, *carried)
        command.insert(command.index("--unshare-all") + 1, "--share-net")
        return command, files

    monkeypatch.setattr(run, "bubblewrap_command", less)
    with pytest.raises(PrerequisiteError, match=r"does not isolate: it shares namespaces with the host \(net\)\n"):
        Sandbox(toolchain, store).run(TRUE)


def test_the_trial_tells_facts(sandbox: Sandbox) -> None:
    facts = sandbox.probe()
    assert facts.namespaces.keys() == OWN_NAMESPACES.keys()
    assert not set(facts.namespaces.values()) & set(OWN_NAMESPACES.values())
    assert facts.host_user not in (None, 0)
    assert (facts.host_user == os.geteuid()) == (not is_root())
    assert 0 < facts.start < 10


def test_a_trial_in_which_nothing_runs(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "Job", lambda _, **fields: Job("/usr/bin/false", **fields))
    with pytest.raises(PrerequisiteError, match="nothing runs in the sandbox: false: exit status 1"):
        sandbox.probe()


def words_of(pid: int) -> bytes:
    """The process's command line; nothing of one that has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def test_a_guard_that_is_killed_from_outside(sandbox: Sandbox) -> None:
    """The run tells it as a kill, which may be the machine's fault; the slot goes on."""
    seconds = unlike(4400)

    def kill() -> None:
        inside = wait_for(f"sleep {seconds}", 2)
        while not any(words_of(pid).startswith(b"sleep") for pid in inside):
            time.sleep(0.01)  # the shell has not yet done what comes before
            inside = wait_for(f"sleep {seconds}", 2)  # a process on the way there may have ended
        guards = [pid for pid in inside if b"scratch=" in words_of(pid)]
        os.kill(max(guards), signal.SIGKILL)  # the others are bubblewrap, outside

    killer = threading.Thread(target=kill)
    killer.start()
    finished = sandbox.run(shell(f"echo out; echo x > x; exec sleep {seconds}", results=("x",)))
    killer.join()
    assert (finished.reason, finished.value, finished.transient) == (Reason.SIGNAL, signal.SIGKILL, True)
    assert finished.stdout == b"out\n"
    assert finished.results == {} and finished.refused == {"x": "the sandbox was killed"}
    assert sandbox.run(TRUE).ok


FORBIDDEN = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"'
"""The rest of the command, where no further user namespace can be made."""
HARNESS = "import sys; from harness.cli import main; sys.argv[0] = 'harness'; main()"


def without_namespaces(user: User, *words: str | Path) -> "subprocess.CompletedProcess[str]":
    command = ["unshare", "--user", "--map-root-user", "sh", "-c", FORBIDDEN, "sh", sys.executable, "-c", HARNESS]
    return subprocess.run(
        [*command, *map(str, words)],
        cwd=ROOT,
        env=user.environment(),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


REMEDY = "sudo sysctl -w user.max_user_namespaces=10000"
RUN = ("run", "--suite", TINY, "--policy", "Oz", "--target", "x86-64", "--jobs", "2")


def test_where_user_namespaces_are_forbidden_nothing_runs_but_with_trust(tmp_path: Path) -> None:
    user = User.at(tmp_path)
    refused = without_namespaces(user, *RUN)
    assert refused.returncode == 3 and refused.stdout == ""
    assert REMEDY in refused.stderr and "--trust" in refused.stderr and "Traceback" not in refused.stderr
    assert refused.stderr.count("error: ") == 1
    assert not list(user.results.rglob("*.jsonl"))
    trusted = without_namespaces(user, *RUN, "--trust")
    assert trusted.returncode == 0, trusted.stderr
    lines = [line for path in user.results.glob("*.jsonl") for line in path.read_text().splitlines()]
    rows = [line for line in lines if '"isolation":' in line]
    assert len(rows) >= 3 and all('"isolation":"trusted"' in line for line in rows)
    assert {row.isolation.value for row in user.rows()} == {"trusted"}


def test_where_user_namespaces_are_forbidden_the_doctor_says_so(tmp_path: Path) -> None:
    answer = without_namespaces(User.at(tmp_path), "doctor")
    assert answer.returncode == 3
    assert REMEDY in answer.stderr and "missing: " in answer.stderr and "sandbox" in answer.stderr
    assert "Traceback" not in answer.stderr


def test_a_sandbox_that_shares_something_runs_nothing(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """The guard waits for leave to start the job, and gets none."""
    monkeypatch.setattr(bubblewrap, "_ISOLATION", (*bubblewrap._ISOLATION, "--share-net"))
    name = f"never-{os.getpid()}"
    job = Job("/usr/bin/sleep", ("60",), name=name, system=True, limits=Limits(wall=90))
    began = time.monotonic()
    with pytest.raises(PrerequisiteError, match=r"does not isolate: it shares namespaces with the host \(net\)"):
        sandbox.run(job)
    assert time.monotonic() - began < 30
    monkeypatch.undo()
    assert sandbox.run(TRUE).ok


def test_more_files_than_allowed_are_noticed_however_fast(sandbox: Sandbox) -> None:
    done = sandbox.run(shell("> a; > b; > c; > d", limits=Limits(wall=20, files=3)))
    assert (done.reason, done.left.files) == (Reason.FILES, 4)
    assert sandbox.run(shell("> a; > b; > c", limits=Limits(wall=20, files=3))).ok
