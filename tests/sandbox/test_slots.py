"""Slots: a spawner is started once and used again; whatever happens to one, nothing is left of it."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from harness.base.errors import PrerequisiteError, StoppedError
from harness.base.process import start_again, stop_all
from harness.sandbox import Job, Sandbox, slots
from harness.sandbox.cgroups import find_controller
from harness.sandbox.slots import Slot, SlotDied, SlotLate, close_slots, is_root, sandbox_users, slot
from tests.drive import ROOT
from tests.sandbox.jobs import all_gone, named, shell, unlike, wait_for

TRUE = Job("/usr/bin/true", system=True)
pytestmark = pytest.mark.usefixtures("fresh_slots")


def next_spawner(*, trusted: bool = False) -> int:
    with slot(trusted=trusted) as place:
        return place.pid


def spawners() -> list[int]:
    """Of this process."""
    found = []
    for pid in named(str(slots._SPAWNER)):
        parent = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1]
        if parent == str(os.getpid()):
            found.append(pid)
    return found


def count_descriptors(pid: int) -> int | None:
    """None where the process belongs to somebody else."""
    try:
        return len(os.listdir(f"/proc/{pid}/fd"))
    except PermissionError:
        return None


def test_a_slot_is_used_again(sandbox: Sandbox) -> None:
    assert sandbox.run(TRUE).ok
    first = next_spawner()
    assert sandbox.run(TRUE).ok and next_spawner() == first
    assert spawners() == [first]


def test_two_at_once_have_two() -> None:
    with slot() as one, slot() as two:
        assert one.pid != two.pid
        assert one.group is None or two.group is None or one.group._folders != two.group._folders
    with slot() as again, slot() as other:
        assert {again.pid, other.pid} == {one.pid, two.pid}


def test_as_many_slots_as_ran_at_once() -> None:
    meeting = threading.Barrier(3, timeout=30)
    pids: list[int] = []

    def work() -> None:
        for _ in range(4):
            with slot() as place:
                pids.append(place.pid)
                meeting.wait()
            meeting.wait()

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert len(pids) == 12 and len(set(pids)) == 3


def test_trusted_jobs_have_slots_of_their_own(sandbox: Sandbox, trusted: Sandbox) -> None:
    """A sandbox's spawner has given up root where the harness is root; what is trusted keeps its rights."""
    assert sandbox.run(TRUE).ok and trusted.run(TRUE).ok
    isolated, with_rights = next_spawner(), next_spawner(trusted=True)
    assert isolated != with_rights
    assert Path(f"/proc/{with_rights}").stat().st_uid == os.geteuid()
    with slot(trusted=True) as place:
        assert place.group is None


@pytest.mark.skipif(not is_root(), reason="only root can become somebody else")
def test_the_spawner_of_sandboxes_has_given_up_root() -> None:
    with slot() as place:
        status = Path(f"/proc/{place.pid}/status").read_text()
    fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    users = {int(user) for user in fields["Uid"].split()}
    assert len(users) == 1 and users <= set(sandbox_users(slots._made))
    assert fields["Groups"].split() == []
    assert {int(fields[name], 16) for name in ("CapEff", "CapPrm", "CapInh", "CapAmb")} == {0}


def test_users_of_sandboxes() -> None:
    if not is_root():
        assert sandbox_users(1) == ()
        return
    assert all(0 < user < 1 << 31 for number in range(130) for user in sandbox_users(number))
    assert len({sandbox_users(number)[0] for number in range(64)}) == 64
    assert sandbox_users(1)[-1] == 65534


def test_a_spawner_killed_between_runs_is_one_clear_error(sandbox: Sandbox) -> None:
    killed = next_spawner()
    os.kill(killed, signal.SIGKILL)
    assert all_gone([killed])
    with pytest.raises(PrerequisiteError, match="the process that starts sandboxes was killed") as raised:
        sandbox.run(TRUE)
    assert raised.value.hint == "run it again"
    assert sandbox.run(TRUE).ok and next_spawner() != killed


def test_a_spawner_killed_during_a_run_takes_its_job_along(sandbox: Sandbox) -> None:
    marker = unlike(4205)

    def kill() -> None:
        wait_for(f"sleep {marker}", 2)
        os.kill(spawners()[0], signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    with pytest.raises(PrerequisiteError, match="was killed"):
        sandbox.run(shell(f"sleep {marker} & sleep {marker}; exit"))
    killer.join()
    assert all_gone(named(f"sleep {marker}"))
    assert sandbox.run(TRUE).ok


def test_after_an_exception_the_slot_is_gone_with_what_ran_in_it() -> None:
    with pytest.raises(RuntimeError), slot() as place:
        place.start(["/usr/bin/sleep", unlike(4210)], {})
        sleeping = wait_for(f"sleep {unlike(4210)}", 1)
        raise RuntimeError
    assert all_gone([place.pid, *sleeping])
    assert next_spawner() != place.pid


def test_a_command_that_is_not_there_is_told() -> None:
    with slot() as place:
        place.start(["/nowhere/tool"], {})
        assert place.wait(20) == {"error": "/nowhere/tool: No such file or directory"}
        place.start(["/usr/bin/true"], {})
        answer = place.wait(20)
    assert answer["status"] == 0 and 0 <= answer["cpu"] < 5


def test_a_spawner_that_is_late_or_gone() -> None:
    with pytest.raises(SlotLate), slot() as place:
        place.start(["/usr/bin/sleep", "60"], {})
        place.wait(0.05)
    assert all_gone([place.pid])
    with pytest.raises(SlotDied), slot() as place:
        os.kill(place.pid, signal.SIGKILL)
        place.wait(20)


def test_the_status_of_a_killed_command() -> None:
    with slot() as place:
        place.start(["/usr/bin/sh", "-c", "kill -9 $$"], {})
        assert place.wait(20)["status"] == -9


def test_a_command_has_no_descriptor_but_those_it_is_given(tmp_path: Path) -> None:
    with (tmp_path / "listing").open("w+") as file, slot() as place:
        place.start(["/usr/bin/ls", "/proc/self/fd"], {1: file.fileno(), 77: file.fileno()})
        assert place.wait(20)["status"] == 0
        file.seek(0)
        assert file.read().split() == ["0", "1", "2", "3", "77"]  # 3: the folder that it lists


@pytest.mark.parametrize("seen", [1, 2, 2, 2, 3, 4])
def test_stopping_ends_jobs_and_refuses_more_until_started_again(seen: int, sandbox: Sandbox) -> None:
    """However far they are: the command is in the words of what sets the sandbox up, of the guard, of the shell."""
    marker = unlike(4215)

    def stop() -> None:
        wait_for(f"sleep {marker}", seen)
        stop_all()

    stopper = threading.Thread(target=stop)
    stopper.start()
    try:
        with pytest.raises(StoppedError):
            sandbox.run(shell(f"sleep {marker} & sleep {marker}; exit"))
        stopper.join()
        assert all_gone(named(f"sleep {marker}"))
        with pytest.raises(StoppedError):
            sandbox.run(TRUE)
    finally:
        start_again()
    assert sandbox.run(TRUE).ok


def test_many_runs_leave_no_descriptor_and_no_process(sandbox: Sandbox) -> None:
    sandbox.run(TRUE)
    spawner = next_spawner()
    descriptors, theirs = os.listdir("/proc/self/fd"), count_descriptors(spawner)
    for _ in range(200):
        assert sandbox.run(TRUE).ok
    assert os.listdir("/proc/self/fd") == descriptors
    assert next_spawner() == spawner
    assert spawners() == [spawner]
    assert count_descriptors(spawner) == theirs


def test_a_slot_that_is_closed_leaves_neither_process_nor_group() -> None:
    place = Slot(9999)
    folders = [] if place.group is None else list(place.group._folders.values())
    assert all(folder.is_dir() for folder in folders)
    place.close()
    assert not Path(f"/proc/{place.pid}").exists()
    assert not any(folder.exists() for folder in folders)


HARNESS = """
import os, sys, time
from harness.sandbox.bench import open_bench
from harness.sandbox import Job
from harness.sandbox.slots import slot

bench = open_bench()
assert bench.sandbox.run(Job("/usr/bin/true", system=True)).ok
with slot() as one, slot() as two:
    folders = [str(folder) for place in (one, two) if place.group for folder in place.group._folders.values()]
    print(one.pid, two.pid, *folders, flush=True)
    if sys.argv[1] == "killed":
        one.start(["/usr/bin/sleep", sys.argv[2]], {})
        time.sleep(60)
if sys.argv[1] == "forked":
    if os.fork() == 0:
        sys.exit(0)
    os.wait()
    assert all(os.path.exists(f"/proc/{place.pid}") for place in (one, two))
    assert bench.sandbox.run(Job("/usr/bin/true", system=True)).ok
"""


def harness(mode: str) -> "subprocess.Popen[str]":
    """A process of its own that has two slots."""
    return subprocess.Popen(
        [sys.executable, "-c", HARNESS, mode, unlike(4220)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )


@pytest.mark.parametrize("mode", ["plain", "forked"])
def test_at_its_end_the_harness_leaves_neither_process_nor_group(mode: str) -> None:
    """What a fork of it does at its own end is no matter."""
    with harness(mode) as child:
        out, _ = child.communicate(timeout=60)
    assert child.returncode == 0
    assert all_gone(int(word) for word in out.split()[:2])
    assert not any(Path(word).exists() for word in out.split()[2:])


def test_a_killed_harness_leaves_no_process_and_the_next_removes_its_groups() -> None:
    with harness("killed") as child:
        assert child.stdout is not None
        words = child.stdout.readline().split()
        sleeping = wait_for(f"sleep {unlike(4220)}", 1)
        child.kill()
    assert all_gone([*map(int, words[:2]), *sleeping])
    folders = [Path(word) for word in words[2:]]
    assert bool(folders) == (find_controller() is not None)
    with harness("plain") as child:
        child.communicate(timeout=60)
    assert not any(folder.exists() for folder in folders)


def test_idle_slots_can_be_closed(sandbox: Sandbox) -> None:
    sandbox.run(TRUE)
    before = next_spawner()
    close_slots()
    assert spawners() == []
    assert sandbox.run(TRUE).ok and next_spawner() != before
