"""Control groups: where they can be made is read from the kernel's files, and they limit and count."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from harness.sandbox import MIB, Limits, Reason, Sandbox, cgroups
from harness.sandbox.cgroups import Controller, Group, find_controller
from harness.sandbox.slots import close_slots
from tests.drive import ROOT
from tests.sandbox.jobs import helping

SLACK = 24 * MIB
MEMORY, PIDS = (f"harness-{os.getpid()}-test-{kind}" for kind in ("memory", "pids"))
"""Names of groups that tests make."""
OTHER_MOUNTS = """22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:0 / / rw,relatime shared:1 master:2 - ext4 /dev/vda rw
"""


class Machine:
    """A fake /proc/self, and hierarchies mounted below a folder."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.top = folder / "cgroup"
        self.proc = folder / "proc"
        self.top.mkdir()
        self.proc.mkdir()
        monkeypatch.setattr(cgroups, "_PROC", self.proc)
        monkeypatch.setattr(cgroups, "_works", lambda _: True)
        self.says("", "")

    def says(self, groups: str, mounts: str) -> None:
        (self.proc / "cgroup").write_text(groups)
        (self.proc / "mountinfo").write_text(OTHER_MOUNTS + mounts.replace("TOP", str(self.top)))

    def group(self, path: str, enabled: str | None = "memory pids") -> Path:
        """A group of version 2 that gives its children these controllers; of version 1 for None."""
        folder = self.top / path
        folder.mkdir(parents=True, exist_ok=True)
        if enabled is not None:
            (folder / "cgroup.subtree_control").write_text(enabled)
        return folder


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(tmp_path, monkeypatch)


V2 = "41 31 0:38 / TOP rw,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
V1 = """35 31 0:32 / TOP/memory rw,relatime - cgroup cgroup rw,memory
39 31 0:36 / TOP/pids rw,relatime shared:3 - cgroup cgroup rw,pids
33 31 0:30 / TOP/cpu rw - cgroup cgroup rw,cpu,cpuacct
"""


def test_without_any_hierarchy_there_is_none(machine: Machine) -> None:
    assert cgroups._version_2() is None and cgroups._version_1() is None
    machine.says("0::/\n", "")
    assert cgroups._version_2() is None and cgroups._version_1() is None


def test_version_2_beside_the_own_group(machine: Machine) -> None:
    """Not in it: it holds processes, and so its children have no controllers."""
    machine.group("")
    parent = machine.group("user.slice/app.slice")
    machine.group("user.slice/app.slice/mine.scope")
    machine.says("0::/user.slice/app.slice/mine.scope\n", V2)
    assert cgroups._version_2() == Controller(2, {"memory": parent, "pids": parent})
    assert cgroups._version_1() is None


def test_version_2_in_the_top_group(machine: Machine) -> None:
    top = machine.group("")
    machine.says("0::/\n", V2)
    assert cgroups._version_2() == Controller(2, {"memory": top, "pids": top})


def test_version_2_asks_for_the_controllers_that_are_missing(machine: Machine) -> None:
    top = machine.group("", enabled="cpu memory")
    machine.says("0::/\n", V2)
    assert cgroups._version_2() is not None
    assert (top / "cgroup.subtree_control").read_text() == "+pids"


def test_version_2_looks_further_up_where_it_may_not_write(machine: Machine) -> None:
    top = machine.group("")
    machine.group("a/b/mine")
    for closed in ("a", "a/b"):
        (machine.top / closed / "cgroup.subtree_control").unlink(missing_ok=True)
    machine.says("0::/a/b/mine\n", V2)
    assert cgroups._version_2() == Controller(2, {"memory": top, "pids": top})


def test_version_2_in_a_container(machine: Machine) -> None:
    """It sees a part of the hierarchy, mounted as the top."""
    machine.group("")
    parent = machine.group("system")
    machine.group("system/mine")
    mounts = V2.replace("0:38 /", "0:38 /docker/1234")
    machine.says("0::/docker/1234/system/mine\n", mounts)
    assert cgroups._version_2() == Controller(2, {"memory": parent, "pids": parent})


@pytest.mark.parametrize("own", ["/elsewhere/mine", "/docker/12345/system", "/../other", "/docker/1234/../../other"])
def test_version_2_where_the_own_group_is_not_to_be_seen(machine: Machine, own: str) -> None:
    top = machine.group("")
    machine.group("other")
    machine.group("system")
    machine.says(f"0::{own}\n", V2.replace("0:38 /", "0:38 /docker/1234"))
    assert cgroups._version_2() == Controller(2, {"memory": top, "pids": top})


def test_version_1_has_a_place_for_each_controller(machine: Machine) -> None:
    memory, pids = machine.group("memory/mine", None), machine.group("pids", None)
    machine.says("9:name=systemd:/\n8:pids:/\n4:memory:/mine\n1:cpu,cpuacct:/\n0::/\n", V1)
    accounts = machine.group("cpu", None)
    assert cgroups._version_1() == Controller(1, {"memory": memory, "pids": pids, "cpuacct": accounts})
    assert cgroups._version_2() is None


def test_version_1_with_controllers_mounted_together(machine: Machine) -> None:
    both = machine.group("both/mine", None)
    machine.says("3:pids,memory:/mine\n", "35 31 0:32 / TOP/both rw - cgroup cgroup rw,pids,memory\n")
    assert cgroups._version_1() == Controller(1, {"memory": both, "pids": both})


def test_version_1_with_one_controller_only(machine: Machine) -> None:
    pids = machine.group("pids", None)
    machine.says("8:pids:/\n7:cpu:/\n", V1)
    assert cgroups._version_1() == Controller(1, {"pids": pids})


@pytest.mark.parametrize("own", ["/docker/99", "/../../docker/99", "/"])
def test_version_1_in_a_container(machine: Machine, own: str) -> None:
    """The group that it is in by the kernel's words is not below what it sees mounted."""
    memory, pids = machine.group("memory", None), machine.group("pids", None)
    mounts = V1.replace("0:32 /", "0:32 /docker/1234").replace("0:36 /", "0:36 /docker/1234")
    machine.says(f"8:pids:{own}\n4:memory:/docker/1234\n", mounts)
    assert cgroups._version_1() == Controller(1, {"memory": memory, "pids": pids})


def test_both_versions(machine: Machine) -> None:
    """Where version 1 has the controllers, version 2 has none to give."""
    machine.group("unified").joinpath("cgroup.subtree_control").unlink()
    memory, pids = machine.group("memory", None), machine.group("pids", None)
    machine.says("8:pids:/\n4:memory:/\n0::/\n", V1 + V2.replace("TOP", "TOP/unified"))
    assert cgroups._version_2() is None
    assert cgroups._version_1() == Controller(1, {"memory": memory, "pids": pids})


def test_what_does_not_work_is_not_taken(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.group("")
    for kind in ("memory", "pids"):
        machine.group(kind, None)
    machine.says("8:pids:/\n4:memory:/\n0::/\n", V1 + V2)
    monkeypatch.setattr(cgroups, "_works", lambda controller: controller.parents.keys() == {"pids"})
    assert cgroups._version_2() is None
    assert cgroups._version_1() == Controller(1, {"pids": machine.top / "pids"})


def test_groups_of_dead_owners_are_removed(tmp_path: Path) -> None:
    with subprocess.Popen(["/usr/bin/true"]) as child:
        child.wait()
    for name in (f"harness-{child.pid}-1", f"harness-{os.getpid()}-1", "harness-x-1", "other-1-1"):
        (tmp_path / name).mkdir()
    cgroups._sweep(Controller(2, {"memory": tmp_path, "pids": tmp_path}))
    assert {path.name for path in tmp_path.iterdir()} == {f"harness-{os.getpid()}-1", "harness-x-1", "other-1-1"}


def test_a_group_of_version_2_is_written_as_the_kernel_wants_it(tmp_path: Path) -> None:
    group = Controller(2, {"memory": tmp_path, "pids": tmp_path}).make("g")
    assert group.limits_memory
    group.limit(100 * MIB, 8)
    folder = tmp_path / "g"
    assert (folder / "memory.max").read_text() == str(100 * MIB + SLACK)
    assert (folder / "memory.swap.max").read_text() == "0"
    assert (folder / "pids.max").read_text() == "12"
    group.add(1234)
    assert (folder / "cgroup.procs").read_text() == "1234"
    for limits in ((100 * MIB, 8), (50 * MIB, 8), (50 * MIB, 9)):
        (folder / "memory.max").write_text("kept")
        (folder / "pids.max").write_text("kept")
        group.limit(*limits)
        changed = (limits == (50 * MIB, 8), limits[1] == 9)
        assert (folder / "memory.max").read_text() == (str(50 * MIB + SLACK) if changed[0] else "kept")
        assert (folder / "pids.max").read_text() == ("13" if changed[1] else "kept")
    (folder / "memory.events").write_text("low 0\nhigh 0\nmax 9\noom 3\noom_kill 2\noom_group_kill 1\n")
    assert Group(2, {"memory": folder}).kills() == 2


def test_a_group_without_memory_does_not_claim_to_limit_it(tmp_path: Path) -> None:
    group = Group(1, {"pids": tmp_path})
    assert not group.limits_memory and group.kills() == 0
    group.limit(1, 2)
    assert [path.name for path in tmp_path.iterdir()] == ["pids.max"]


def test_a_group_whose_files_cannot_be_read_counts_nothing(tmp_path: Path) -> None:
    assert Group(2, {"memory": tmp_path}).kills() == Group(1, {"memory": tmp_path}).kills() == 0
    (tmp_path / "memory.oom_control").write_text("oom_kill_disable 0\nunder_oom 0\noom_kill 4\n")
    assert Group(1, {"memory": tmp_path}).kills() == 4


@pytest.fixture
def controller() -> Controller:
    """Of this machine."""
    found = find_controller()
    if found is None:
        pytest.skip("this user may make no control groups on this machine")
    return found


def hungry() -> "subprocess.Popen[bytes]":
    """Takes memory without end once it may begin."""
    return subprocess.Popen(
        ["/usr/bin/sh", "-c", "read x; exec tail /dev/zero"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
    )


def test_a_real_group_kills_what_takes_too_much_and_counts_it(controller: Controller) -> None:
    if "memory" not in controller.parents:
        pytest.skip("groups here do not limit memory")
    group = controller.make(MEMORY)
    try:
        group.limit(16 * MIB, 8)
        assert group.kills() == 0
        for count in (1, 2):
            with hungry() as child:
                group.add(child.pid)
                child.communicate(b"go\n", timeout=60)
            assert child.returncode == -9
            assert group.kills() == count
    finally:
        group.remove()
    assert not any((parent / MEMORY).exists() for parent in controller.parents.values())


def test_limits_change_from_job_to_job(controller: Controller, sandbox: Sandbox, helper: Path) -> None:
    """In one and the same slot, up and down."""
    close_slots()
    for allowed, taken, fits in ((40, 120, False), (300, 120, True), (40, 120, False), (40, 10, True)):
        finished = sandbox.run(helping(helper, "touch", str(taken), limits=Limits(memory=allowed * MIB, wall=30)))
        assert (finished.ok, finished.reason is Reason.MEMORY) == (fits, not fits), finished.reason_line()


def test_the_limit_of_processes_is_the_kernels(controller: Controller) -> None:
    if "pids" not in controller.parents:
        pytest.skip("groups here do not limit processes")
    group = controller.make(PIDS)
    script = "read x; for i in 1 2 3 4 5 6 7 8 9; do sleep 9 2>&- & done"
    try:
        group.limit(64 * MIB, 2)
        with subprocess.Popen(["/usr/bin/sh", "-c", script], stdin=subprocess.PIPE, stderr=subprocess.PIPE) as child:
            group.add(child.pid)
            _, words = child.communicate(b"go\n", timeout=60)
            assert b"fork" in words
    finally:
        for pid in (controller.parents["pids"] / PIDS / "cgroup.procs").read_text().split():
            os.kill(int(pid), 9)
        deadline = time.monotonic() + 5
        while (controller.parents["pids"] / PIDS).exists() and time.monotonic() < deadline:
            group.remove()
    assert not (controller.parents["pids"] / PIDS).exists()


def test_a_place_that_cannot_be_written_does_not_work(tmp_path: Path) -> None:
    """A plain folder is no hierarchy, and where no folder can be made there is none either."""
    assert not cgroups._works(Controller(2, dict.fromkeys(("memory", "pids"), Path("/proc"))))
    assert not cgroups._works(Controller(1, {"memory": tmp_path / "nowhere"}))


def test_threads_that_ask_first_at_once_get_one_answer() -> None:
    script = (
        "from concurrent.futures import ThreadPoolExecutor\n"
        "from harness.sandbox.cgroups import find_controller\n"
        "with ThreadPoolExecutor(8) as pool:\n"
        "    found = [f.result() for f in [pool.submit(find_controller) for _ in range(8)]]\n"
        "print(len({str(one) for one in found}), found[0] is None)\n"
    )
    alone = subprocess.run(
        [sys.executable, "-c", "from harness.sandbox.cgroups import find_controller; print(find_controller() is None)"],
        capture_output=True, text=True, check=True, cwd=ROOT,
    )  # fmt: skip
    together = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    assert together.stdout.split() == ["1", alone.stdout.strip()]
