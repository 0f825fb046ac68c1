"""What the kernel would do for a job outside: namespaces, mounts, other processes, rights."""

import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from harness.sandbox import Sandbox
from tests.attacks.host import answers, attack, outside, shell

Program = Callable[[str], Path]


def test_namespaces(sandbox: Sandbox, program: Program) -> None:
    found = answers(sandbox.run(attack(program("namespaces"), "kinds")))
    assert found.pop("fork") == "ok"
    clone3 = {name: found.pop(name) for name in list(found) if name.startswith("clone3:")}
    assert len(clone3) == 9
    assert set(clone3.values()) == {"ENOSYS"}
    assert len(found) == 23
    assert set(found.values()) == {"EPERM"}


def test_namespaces_could_be_had_outside(program: Program) -> None:
    found = answers(outside(program("namespaces"), "kinds"))
    ways = ("unshare:user", "clone:user", "clone3:user", "clone3:nothing", "fork")
    assert {name: found[name] for name in ways} == dict.fromkeys(ways, "ok")


def test_mounts(sandbox: Sandbox, program: Program) -> None:
    found = answers(sandbox.run(attack(program("namespaces"), "mounts")))
    assert len(found) == 9
    assert set(found.values()) == {"EPERM"}


def test_mounts_could_be_made_outside(program: Program) -> None:
    """In namespaces of its own: nothing of it is seen on the host."""
    own = ("unshare", "--user", "--map-root-user", "--mount", "--pid", "--fork", "--propagation", "private")
    command = [*own, str(program("namespaces")), "mounts"]
    before = Path("/proc/self/mountinfo").read_text()
    done = subprocess.run(command, capture_output=True, check=False, timeout=60)
    assert Path("/proc/self/mountinfo").read_text() == before
    found = answers(done)
    assert found["mount:tmpfs"] == found["mount:bind"] == found["chroot"] == found["fsopen"] == "ok"


def test_other_processes(sandbox: Sandbox, program: Program) -> None:
    done = sandbox.run(attack(program("processes"), "first"))
    assert done.exit == 7, "signals to process 1 have no effect"
    found = answers(done)
    allowed = {name: found.pop(name) for name in ("self:mem", "self:limit", "child:kill")}
    assert set(allowed.values()) == {"ok"}
    assert len(found) == 19
    assert set(found.values()) <= {"EPERM", "EACCES"}, found


def test_other_processes_could_be_read_outside(program: Program) -> None:
    found = answers(outside(program("processes")))
    ways = ("child:vm_readv", "child:vm_writev", "child:ptrace", "self:mem")
    assert {name: found[name] for name in ways} == dict.fromkeys(ways, "ok")


def test_rights(sandbox: Sandbox, program: Program) -> None:
    found = answers(sandbox.run(attack(program("rights"))))
    assert len(found) == 15
    assert set(found.values()) <= {"EPERM", "EINVAL", "EROFS", "EACCES"}, found


def test_rights_as_the_kernel_shows_them(sandbox: Sandbox) -> None:
    status = _status(sandbox.run(shell("cat /proc/self/status")).stdout)
    assert status["Uid"].split() == status["Gid"].split() == ["65534"] * 4
    assert {status[f"Cap{kind}"] for kind in ("Inh", "Prm", "Eff", "Bnd", "Amb")} == {"0" * 16}
    assert status["NoNewPrivs"] == "1"
    assert status["Seccomp"] == "2"
    assert _status(Path("/proc/self/status").read_bytes())["NoNewPrivs"] == "0"


def test_programs_with_the_right_to_become_root(sandbox: Sandbox, program: Program) -> None:
    special = [path for path in (Path("/usr/bin/su"), Path("/usr/bin/mount")) if path.exists()]
    if not special:
        pytest.skip("no such program on this machine")
    assert all(path.stat().st_mode & 0o4000 and path.stat().st_uid == 0 for path in special)
    script = """
    cp /usr/bin/id /tmp/id && chmod 6755 /tmp/id && /tmp/id -u
    su -c 'id -u' 2>&1; echo "su $?"
    mount -t tmpfs none /tmp 2>&1; echo "mount $?"
    mount --bind /usr /tmp 2>&1; echo "bind $?"
    test -x /usr/bin/su && echo end
    """
    lines = sandbox.run(shell(script)).stdout.decode().splitlines()
    assert lines[0] == "65534" and lines[-1] == "end"
    assert "0" not in lines
    assert not {"su 0", "mount 0", "bind 0"} & set(lines)


def test_calls_of_another_word_size(sandbox: Sandbox, program: Program) -> None:
    done = sandbox.run(attack(program("oldcalls")))
    assert done.stdout.startswith(b"start ok")
    assert done.signal is not None or b"old ok" not in done.stdout or Path("/lib/ld-linux-aarch64.so.1").exists()


def _status(text: bytes) -> Mapping[str, str]:
    pairs = (line.split(":", 1) for line in text.decode().splitlines())
    return {name: value.strip() for name, value in pairs}
