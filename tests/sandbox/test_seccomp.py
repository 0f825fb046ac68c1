"""The filter of system calls: what it refuses is refused, and ordinary programs do not notice it."""

import errno
import platform
import socket
import struct
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import pyseccomp
import pytest

from harness.base.errors import PrerequisiteError
from harness.base.store import Store
from harness.base.vocabulary import Target
from harness.sandbox import Job, Sandbox, seccomp
from harness.sandbox.seccomp import REFUSED, filter_program
from harness.toolchain import Toolchain
from harness.toolchain.targets import TARGETS
from tests.sandbox.jobs import HELPER, helping

ALLOW, KILL_THREAD, KILL_PROCESS, ERRNO = 0x7FFF0000, 0, 0x80000000, 0x00050000
X86_64, I386 = 0xC000003E, 0x40000003
X32 = 0x40000000
NEW_NAMESPACES = (0x20000, *(1 << bit for bit in range(25, 31)))
"""Mounts; control groups, host name, semaphores, users, processes, network."""
ONLY_ELSEWHERE = {"stime"}
"""Refused names that x86-64 does not have."""

on_x86_64 = pytest.mark.skipif(platform.machine() != "x86_64", reason="the numbers are those of x86-64")


def number(name: str) -> int:
    return cast(int, pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name))


def verdict(program: bytes, call: int, arguments: Sequence[int] = (), architecture: int = X86_64) -> int:
    """What the filter, a classic BPF program, answers to a system call."""
    data = struct.pack("=iIQ6Q", call, architecture, 0, *[*arguments, *[0] * 6][:6])
    steps = list(struct.iter_unpack("=HBBI", program))
    accumulator, at = 0, 0
    while True:
        code, if_true, if_false, k = steps[at]
        at += 1
        match code:
            case 0x20:
                (accumulator,) = struct.unpack_from("=I", data, k)
            case 0x54:
                accumulator &= k
            case 0x05:
                at += k
            case 0x15 | 0x25 | 0x35 | 0x45:
                holds = {0x15: accumulator == k, 0x25: accumulator > k, 0x35: accumulator >= k, 0x45: accumulator & k}
                at += if_true if holds[code] else if_false
            case 0x06:
                return k
            case _:
                raise AssertionError(f"instruction {code:#x}")


@pytest.fixture(scope="module")
def program(store: Store) -> bytes:
    return filter_program(store).read_bytes()


def test_the_filter_is_the_same_each_time_and_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[bytes] = []
    assemble = seccomp._assemble
    monkeypatch.setattr(seccomp, "_assemble", lambda: made.append(assemble()) or made[-1])
    first, again = filter_program(Store(tmp_path / "a")), filter_program(Store(tmp_path / "a"))
    assert first == again and len(made) == 1
    other = filter_program(Store(tmp_path / "b"))
    assert len(made) == 2
    assert first.read_bytes() == other.read_bytes() == made[0]
    assert len(made[0]) % 8 == 0 and len(made[0]) > 8 * len(REFUSED)


@on_x86_64
def test_every_refused_name_is_a_system_call() -> None:
    """A name that libseccomp does not know, or that is misspelt, would be refused nowhere."""
    assert {name for name in REFUSED if number(name) < 0} == ONLY_ELSEWHERE
    assert len(set(REFUSED)) == len(REFUSED)


def test_a_libseccomp_that_does_not_know_a_call_is_too_old(monkeypatch: pytest.MonkeyPatch) -> None:
    resolve = pyseccomp.resolve_syscall
    unknown = ("mount_setattr", "quotactl_fd")
    monkeypatch.setattr(pyseccomp, "resolve_syscall", lambda arch, name: -1 if name in unknown else resolve(arch, name))
    with pytest.raises(PrerequisiteError, match="too old to refuse mount_setattr, quotactl_fd") as raised:
        seccomp._assemble()
    assert raised.value.hint == "apt-get install --only-upgrade libseccomp2"


def test_without_libseccomp_there_is_no_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyseccomp", None)
    with pytest.raises(PrerequisiteError, match="libseccomp is not installed") as raised:
        seccomp._assemble()
    assert raised.value.hint == "apt-get install libseccomp2"


@on_x86_64
def test_the_filter_refuses_every_name(program: bytes) -> None:
    for name in set(REFUSED) - ONLY_ELSEWHERE:
        assert verdict(program, number(name)) == ERRNO | errno.EPERM, name


@on_x86_64
@pytest.mark.parametrize(
    "name",
    [
        *(
            "ptrace",
            "process_vm_readv",
            "process_vm_writev",
            "kcmp",
            "pidfd_getfd",
            "unshare",
            "setns",
            "mount",
            "umount2",
        ),
        *("pivot_root", "chroot", "fsopen", "fsmount", "move_mount", "open_tree", "mount_setattr", "open_by_handle_at"),
        *("bpf", "perf_event_open", "userfaultfd", "io_uring_setup", "init_module", "finit_module", "delete_module"),
        *("kexec_load", "kexec_file_load", "reboot", "syslog", "add_key", "request_key", "keyctl", "swapon", "swapoff"),
        *("iopl", "ioperm", "modify_ldt", "settimeofday", "clock_settime", "adjtimex", "sethostname", "setdomainname"),
        *("acct", "quotactl", "fanotify_init", "name_to_handle_at", "io_uring_enter", "io_uring_register"),
    ],
)
def test_what_no_sandbox_may_allow_is_refused(program: bytes, name: str) -> None:
    assert verdict(program, number(name)) == ERRNO | errno.EPERM


@on_x86_64
def test_the_filter_refuses_nothing_else(program: bytes) -> None:
    """Every other number goes to the kernel, which knows what it has."""
    special = {number(name) for name in ("clone3", "socket", "socketpair")}
    refused = {number(name) for name in REFUSED} | special
    for call in set(range(600)) - refused:
        assert verdict(program, call) == ALLOW, call


@on_x86_64
def test_clone_makes_processes_and_threads_but_no_namespaces(program: bytes) -> None:
    clone = number("clone")
    thread = 0x3D0F00  # what pthread_create asks for
    for harmless in (17, thread, 0x4111, 0x1200011):
        assert verdict(program, clone, [harmless]) == ALLOW
    for flag in NEW_NAMESPACES:
        assert verdict(program, clone, [17 | flag]) == ERRNO | errno.EPERM, hex(flag)
    assert verdict(program, number("clone3"), [1]) == ERRNO | errno.ENOSYS


@on_x86_64
@pytest.mark.parametrize("call", ["socket", "socketpair"])
def test_sockets_are_of_one_family(program: bytes, call: str) -> None:
    for family in range(64):
        wanted = ALLOW if family == socket.AF_UNIX else ERRNO | errno.EAFNOSUPPORT
        assert verdict(program, number(call), [family, 1, 0]) == wanted, family
    assert verdict(program, number(call), [0xFFFFFFFF, 1, 0]) == ERRNO | errno.EAFNOSUPPORT


@on_x86_64
def test_what_waits_in_a_socket_stays_small(program: bytes) -> None:
    options = {option: name for name, option in vars(socket).items() if name in ("SO_SNDBUF", "SO_RCVBUF")}
    options |= {32: "SO_SNDBUFFORCE", 33: "SO_RCVBUFFORCE"}
    assert len(options) == 4
    for option in range(80):
        wanted = ERRNO | errno.EPERM if option in options else ALLOW
        assert verdict(program, number("setsockopt"), [3, socket.SOL_SOCKET, option]) == wanted, option


@on_x86_64
def test_the_other_ways_into_the_kernel_are_shut(program: bytes) -> None:
    """The 32-bit interface and x32 have other numbers: a filter that lets them pass refuses nothing."""
    for call in (0, 1, 26, 101, 165, 310):
        assert verdict(program, call, architecture=I386) in (KILL_THREAD, KILL_PROCESS)
        assert verdict(program, call | X32) in (KILL_THREAD, KILL_PROCESS)


def test_the_kernel_refuses_them_in_the_sandbox(sandbox: Sandbox, helper: Path) -> None:
    names = {str(number(name)): name for name in REFUSED if number(name) >= 0}
    finished = sandbox.run(helping(helper, "call", *names))
    assert finished.ok, finished.reason_line()
    answers = dict(line.split() for line in finished.stdout.decode().splitlines())
    assert {names[call]: answer for call, answer in answers.items()} == dict.fromkeys(names.values(), str(errno.EPERM))


def test_clone3_is_not_there_in_the_sandbox(sandbox: Sandbox, helper: Path) -> None:
    call = str(number("clone3"))
    assert sandbox.run(helping(helper, "call", call)).stdout.decode() == f"{call} {errno.ENOSYS}\n"


@pytest.mark.parametrize("feature", ["threads", "children", "channels", "mapping", "clocks", "signals"])
def test_ordinary_programs_do_not_notice(sandbox: Sandbox, helper: Path, feature: str) -> None:
    finished = sandbox.run(helping(helper, "features"))
    assert finished.ok, finished.reason_line()
    assert f"{feature} works" in finished.stdout.decode().splitlines()


EXCEPTIONS = """
#include <iostream>
#include <stdexcept>
#include <thread>
int main() {
  int caught = 0;
  auto throws = [&caught] { try { throw std::runtime_error("x"); } catch (const std::exception &) { caught++; } };
  std::thread(throws).join();
  throws();
  std::cout << caught << std::endl;
}
"""


def test_exceptions_and_threads_of_cxx_work(sandbox: Sandbox, toolchain: Toolchain, tmp_path: Path) -> None:
    (tmp_path / "main.cc").write_text(EXCEPTIONS)
    command = [toolchain.tool("clang++"), "-static", "-pthread", "main.cc", "-o", "program"]
    subprocess.run(command, cwd=tmp_path, check=True)
    finished = sandbox.run(Job("/program", files={"/program": tmp_path / "program"}))
    assert (finished.ok, finished.stdout) == (True, b"2\n"), finished.reason_line()


def test_the_emulator_works(sandbox: Sandbox, toolchain: Toolchain, tmp_path: Path) -> None:
    spec = TARGETS[Target.AARCH64]
    source = Path(__file__).with_name("helper.c")
    command = [toolchain.tool("clang"), f"--target={spec.triple}", "-D_GNU_SOURCE", "-static", source, "-o", "program"]
    subprocess.run(command, cwd=tmp_path, check=True)
    emulator = f"/usr/bin/{spec.emulator}"
    job = Job(emulator, (HELPER, "features"), files={HELPER: tmp_path / "program"}, system=True)
    finished = sandbox.run(job)
    assert finished.ok, finished.reason_line()
    works = {line.split()[0] for line in finished.stdout.decode().splitlines() if line.endswith(" works")}
    assert works >= {"threads", "channels", "mapping", "clocks", "signals"}  # a child is another program to start
