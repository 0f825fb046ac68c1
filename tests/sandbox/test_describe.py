"""What is said of the sandbox is what is found here."""

import os
import re
import sys
from pathlib import Path

import pytest

from harness.sandbox import Sandbox, describe, enforcement
from harness.sandbox.cgroups import Controller, find_controller
from harness.sandbox.seccomp import REFUSED
from tests.sandbox.jobs import shell

WATCH = "watched every 2 to 50 ms"
WHATS = [
    *(
        "isolation",
        "user",
        "files",
        "network",
        "system calls",
        "memory",
        "processes",
        "time",
        "cores",
        "disk",
        "orphans",
    ),
]


def entries(sandbox: Sandbox) -> dict[str, str]:
    return {entry.what: entry.how for entry in enforcement(sandbox)}


def pretend(monkeypatch: pytest.MonkeyPatch, controller: Controller | None) -> None:
    module = sys.modules["harness.sandbox.describe"]  # the package has a function of that name
    monkeypatch.setattr(module, "find_controller", lambda: controller)


def test_every_limit_has_a_line(sandbox: Sandbox) -> None:
    found = enforcement(sandbox)
    assert [entry.what for entry in found] == WHATS
    assert all(entry.how for entry in found)


def test_the_lines_are_true_of_this_machine(sandbox: Sandbox) -> None:
    lines = entries(sandbox)
    inside = sandbox.run(shell("ls /proc/self/ns; ls /sys/class/net 2>&1")).stdout.decode().split()
    named = re.search(r"namespaces of its own: ([a-z, ]+); starts in \d+ ms", lines["isolation"])
    assert (
        named and named[1].split(", ") == sorted({"ipc", "mnt", "net", "pid", "user", "uts"}) and named[1][:3] in inside
    )
    user = int(lines["user"].split()[0])
    assert user != 0 and ((user == os.geteuid()) == (os.geteuid() != 0))
    assert f", {len(REFUSED)} refused by name" in lines["system calls"]
    controller = find_controller()
    kinds = controller.parents if controller else {}
    for what, kind in (("memory", "memory"), ("processes", "pids")):
        assert ("control group" in lines[what]) == (kind in kinds)
    assert (WATCH in lines["memory"]) == ("memory" not in kinds)
    assert WATCH in lines["time"] and WATCH in lines["disk"] and "RLIMIT_NPROC" in lines["processes"]


@pytest.mark.parametrize(
    ("kinds", "memory", "processes"),
    [
        (None, f"sum over its processes, {WATCH}", "RLIMIT_NPROC"),
        (("pids",), f"sum over its processes, {WATCH}", "control group, version 1 and RLIMIT_NPROC"),
        (("memory",), "control group, version 1", "RLIMIT_NPROC"),
        (("memory", "pids"), "control group, version 1", "control group, version 1 and RLIMIT_NPROC"),
    ],
)
def test_control_groups_are_claimed_where_they_are(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, kinds: tuple[str, ...] | None, memory: str, processes: str
) -> None:
    pretend(monkeypatch, Controller(1, dict.fromkeys(kinds, Path("/x"))) if kinds else None)
    lines = entries(sandbox)
    assert (lines["memory"], lines["processes"]) == (memory, processes)


def test_one_line_for_a_runs_header(sandbox: Sandbox, trusted: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    controller = find_controller()
    tail = str(controller) if controller else "limits of each process and a watch"
    assert re.fullmatch(rf"bubblewrap \d+\.\d+\.\d+, seccomp, {re.escape(tail)}", describe(sandbox))
    pretend(monkeypatch, None)
    assert describe(sandbox).endswith(", seccomp, limits of each process and a watch")
    assert describe(trusted) == "none (--trust): limits on time, memory of each process and output"


def test_a_controller_names_its_version_and_kinds() -> None:
    assert str(Controller(2, {"memory": Path("/x"), "pids": Path("/x")})) == "cgroup v2 (memory, pids)"
    assert str(Controller(1, {"pids": Path("/x")})) == "cgroup v1 (pids)"
