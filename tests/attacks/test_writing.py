"""Where a job may write: in its scratch folder."""

import os
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from harness.sandbox import Sandbox
from tests.attacks.host import Secrets, answers, attack, outside, shell
from tests.drive import ROOT

Program = Callable[[str], Path]

OUTSIDE = (
    *("/x", "/usr/x", "/usr/bin/x", "/usr/bin/env", "/bin/x", "/etc/x", "/etc/alternatives/x", "/dev/x", "/dev/shm/x"),
    *("/proc/x", "/proc/sys/kernel/core_pattern", "/proc/sys/kernel/hostname", "/proc/sys/vm/drop_caches"),
    *("/proc/sysrq-trigger", "/proc/1/oom_score_adj", "/proc/1/mem", "/proc/self/uid_map", "/proc/self/setgroups"),
    *("/sys/x", "/sys/fs/cgroup/x", "/var/tmp/x", "/run/x", "/home/x", "/root/x", "/program", "/tmp/../x"),
)


def test_nothing_but_the_scratch_folder(sandbox: Sandbox, program: Program, secrets: Secrets, tmp_path: Path) -> None:
    tried = [*OUTSIDE, *map(str, secrets.files), str(ROOT / "pyproject.toml"), str(ROOT / "x")]
    assert answers(outside(program("files"), "write", str(tmp_path / "x"))) == {str(tmp_path / "x"): "ok"}
    assert all(os.access(path, os.W_OK) for path in secrets.files)
    job = attack(program("files"), "write", "/tmp/x", *tried)
    found = answers(sandbox.run(job))
    assert found.pop("/tmp/x") == "ok"
    assert found.keys() == set(tried)
    assert "ok" not in found.values(), found
    system = sandbox.run(shell('for path; do (echo x >> "$path") 2>/dev/null && echo "$path"; done', "/tmp/x", *tried))
    assert system.stdout == b"/tmp/x\n"


def test_folders_outside_the_scratch_folder(sandbox: Sandbox, program: Program) -> None:
    found = answers(sandbox.run(attack(program("files"), "make", "/tmp/y", "/y", "/dev/y", "/proc/y", "/program/y")))
    assert found.pop("/tmp/y") == "ok"
    assert "ok" not in found.values(), found


def test_standard_input_is_read_only(sandbox: Sandbox, program: Program, tmp_path: Path) -> None:
    given = tmp_path / "input"
    given.write_text("given to the job")
    given.chmod(0o644)
    before = given.stat()
    done = sandbox.run(attack(program("input"), stdin=given))
    assert done.ok, "what it changes is its copy"
    after = given.stat()
    assert given.read_text() == "given to the job"
    assert (after.st_mode, after.st_mtime_ns, after.st_uid) == (before.st_mode, before.st_mtime_ns, before.st_uid)


def test_standard_input_could_be_changed_outside(program: Program, tmp_path: Path) -> None:
    given = tmp_path / "input"
    given.write_text("given to the job")
    with given.open("rb") as file:
        subprocess.run([program("input")], stdin=file, check=False, timeout=60, capture_output=True)
    assert given.read_text() == "spo"


def test_inputs_are_copies(sandbox: Sandbox, tmp_path: Path) -> None:
    given = tmp_path / "input"
    given.write_text("given")
    job = shell("echo spoiled > /tmp/input; chmod 777 /tmp/input; echo spoiled > /data; cat /data /tmp/input")
    done = sandbox.run(replace(job, files={"/tmp/input": given, "/data": given}))
    assert done.stdout == b"givenspoiled\n"
    assert given.read_text() == "given"


def test_folders_are_read_only(sandbox: Sandbox) -> None:
    with TemporaryDirectory(dir="/var/tmp") as made:  # below /tmp the scratch folder would hide it
        shown = Path(made)
        (shown / "file").write_text("given")
        (shown / "file").chmod(0o666)
        shown.chmod(0o777)
        before = (shown / "file").stat()
        script = 'cd "$1"; cat file; echo x > file; echo y > new; rm -f file; touch file; chmod 700 file .; mv file a'
        done = sandbox.run(replace(shell(script, made), folders=(shown,)))
        assert done.stdout == b"given"
        assert [path.name for path in shown.iterdir()] == ["file"]
        after = (shown / "file").stat()
        assert (after.st_mtime_ns, after.st_mode) == (before.st_mtime_ns, before.st_mode)
