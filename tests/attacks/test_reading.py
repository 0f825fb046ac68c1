"""What a job may read: the files that it was given, and nothing of the host's."""

import os
from collections.abc import Callable
from pathlib import Path
from threading import Thread

from harness.sandbox import Finished, Sandbox
from tests.attacks.host import Secrets, answers, attack, await_that, gone, marker, outside, running, shell
from tests.drive import ROOT

Program = Callable[[str], Path]


def test_files_of_the_host(sandbox: Sandbox, program: Program, secrets: Secrets) -> None:
    wanted = ["/etc/passwd", str(ROOT / "pyproject.toml"), str(Path(__file__)), *map(str, secrets.files)]
    assert set(answers(outside(program("files"), "read", *wanted)).values()) == {"ok"}
    ways = ["/proc/self/root", "/proc/1/root", "/proc/1/cwd", "/proc/self/cwd/..", "/tmp/../.."]
    through = [f"{way}{path}" for path in wanted for way in ways]
    tried = [*wanted, *through, "/etc/shadow", "/etc/hostname", "/root", "/home", "/var", "/sys", "/dev/mem", "/run"]
    found = answers(sandbox.run(attack(program("files"), "read", "/program", *tried)))
    assert found.pop("/program") == "ok"
    assert found.keys() == set(tried)
    assert set(found.values()) <= {"ENOENT", "EACCES", "EPERM"}


def test_the_system_is_no_more_than_usr(sandbox: Sandbox) -> None:
    done = sandbox.run(shell("ls -A / /etc; ls -A /dev"))
    assert done.ok
    seen = set(done.stdout.decode().split())
    assert {"usr", "tmp", "proc"} <= seen
    allowed = {"/:", "/etc:", "usr", "tmp", "proc", "dev", "etc", "alternatives", "bin", "sbin"}
    allowed |= {"lib", "lib32", "lib64", "fd", "full", "null", "random", "stderr", "stdin", "stdout", "urandom", "zero"}
    assert seen <= allowed


def test_environment_of_the_harness(sandbox: Sandbox, secrets: Secrets) -> None:
    assert os.environ["PLANTED_SECRET"] == secrets.word
    script = "env; cat /proc/*/environ /proc/*/cmdline | tr '\\0' '\\n'; cat /proc/*/mountinfo; echo end"
    done = sandbox.run(shell(script))
    assert b"PATH=/usr/bin:/bin" in done.stdout and done.stdout.endswith(b"end\n")
    text = done.stdout.decode()
    assert secrets.word not in text
    assert str(ROOT) not in text
    assert str(secrets.home.parent) not in text


def test_processes_of_the_host(sandbox: Sandbox, program: Program) -> None:
    folders = [f"/proc/{pid}" for pid in range(1, 2000)]
    own = f"/proc/{os.getpid()}"
    host = answers(outside(program("files"), "list", *folders, own))
    assert host[own] == "ok" and list(host.values()).count("ok") > 5
    found = answers(sandbox.run(attack(program("files"), "list", *folders, own)))
    assert [path for path, answer in found.items() if answer == "ok"] == ["/proc/1", "/proc/2"]


def test_scratch_of_another_sandbox(sandbox: Sandbox) -> None:
    word = marker()
    done: list[Finished] = []
    # The first waits for its input to be gone from its own folder, which no one else can do.
    script = 'echo mine > /tmp/"$1"; chmod -R 777 /tmp; sh -c "sleep 2; :" "$1-ready"; cat /tmp/"$1"; ls /tmp'
    victim = Thread(target=lambda: done.append(sandbox.run(shell(script, word))))
    victim.start()
    try:
        assert await_that(lambda: bool(running(f"{word}-ready")))
        look = 'ls -A /tmp; cat /tmp/"$1" /proc/*/root/tmp/"$1" /proc/*/cwd/"$1"; rm -f /tmp/"$1"; echo end'
        seen = sandbox.run(shell(look, word))
        assert running(f"{word}-ready"), "they did not run at the same time"
        assert seen.stdout == b"end\n"
    finally:
        victim.join()
    assert done[0].stdout.decode().split() == ["mine", word]
    assert gone(word)
