"""Taking results out of a folder that an attacker filled."""

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from harness.sandbox import MIB, Reason, Sandbox
from tests.attacks.host import SMALL, Secrets, attack, shell

Program = Callable[[str], Path]

ODD = {
    "absolute": "a symbolic link",
    "relative": "a symbolic link",
    "above": "a symbolic link",
    "process": "a symbolic link",
    "loop": "a symbolic link",
    "outside": "a symbolic link",
    "outside/passwd": "not below a folder",
    "folder": "a folder",
    "fifo": "a FIFO",
    "socket": "a socket",
    "plain/inner": "not below a folder",
    "missing": "not there",
    "../etc/passwd": "not a path inside",
    "/etc/passwd": "not a path inside",
    "folder/../plain": "not a path inside",
    "sparse": "bytes",
}
PLAIN = {"plain": b"plain", "hard": b"plain", "folder/inner": b"inner", "line\nbreak": b"newline"}


def test_odd_results(sandbox: Sandbox, program: Program, secrets: Secrets) -> None:
    limits = replace(SMALL, file_size=64 * MIB, scratch=16 * MIB)
    target = secrets.files[0]
    job = attack(program("odd"), str(target), limits=limits, results=(*PLAIN, *ODD))
    started = time.monotonic()
    done = sandbox.run(job)
    assert time.monotonic() - started < 20
    assert done.results == PLAIN
    assert done.refused.keys() == ODD.keys()
    for name, why in ODD.items():
        assert why in done.refused[name], name


def test_links_lead_somewhere_outside(program: Program, secrets: Secrets, tmp_path: Path) -> None:
    """The same links, followed on the host, would give a secret away."""
    (tmp_path / "link").symlink_to(secrets.files[0])
    assert (tmp_path / "link").read_text() == secrets.word


def test_terabyte_with_nothing_in_it(sandbox: Sandbox, program: Program) -> None:
    limits = replace(SMALL, file_size=1 << 50, scratch=16 * MIB)
    script = "truncate -s 1T /tmp/sparse && stat -c %s /tmp/sparse"
    done = sandbox.run(shell(script, limits=limits, results=("sparse",)))
    assert int(done.stdout) == 1 << 40
    assert done.results == {}
    assert done.refused["sparse"].startswith(f"{1 << 40} bytes")


def test_all_that_there_is(sandbox: Sandbox, program: Program) -> None:
    limits = replace(SMALL, file_size=64 * MIB, scratch=16 * MIB)
    done = sandbox.run(attack(program("odd"), limits=limits, results=("**",)))
    assert done.results == {**PLAIN, "\udcff\udcfe": b"bytes"}
    kinds = {"absolute", "relative", "above", "process", "loop", "outside", "fifo", "socket", "sparse"}
    assert done.refused.keys() == kinds


def test_sparse_files_are_not_more_than_the_folder_together(sandbox: Sandbox) -> None:
    script = "truncate -s 3M /tmp/first; for at in 1 2 3 4 5; do ln /tmp/first /tmp/$at; done"
    done = sandbox.run(shell(script, results=("first", "1", "2", "3", "4", "5")))
    assert sum(map(len, done.results.values())) <= SMALL.scratch
    assert len(done.results) == 1 and len(done.refused) == 5


def test_thousands_of_results(sandbox: Sandbox, program: Program) -> None:
    limits = replace(SMALL, files=2000)
    started = time.monotonic()
    done = sandbox.run(attack(program("many"), "1900", limits=limits, results=("**",)))
    assert done.ok and len(done.results) == 1900 and not done.refused
    done = sandbox.run(attack(program("many"), "200000", results=("**",)))
    assert done.reason is Reason.FILES
    assert len(done.results) <= SMALL.files
    assert len(done.refused) < 10 * SMALL.files
    assert time.monotonic() - started < 60


def test_deep_folders(sandbox: Sandbox, program: Program) -> None:
    limits = replace(SMALL, files=3000)
    started = time.monotonic()
    name = "deep/" * 40 + "file-0"
    done = sandbox.run(attack(program("many"), "1", "40", limits=limits, results=(name,)))
    assert done.results == {name: b""}
    done = sandbox.run(attack(program("many"), "1", "2000", limits=limits, results=("**", "deep/" * 2000 + "file-0")))
    assert done.ok
    assert time.monotonic() - started < 60


def test_folders_in_place_of_files(sandbox: Sandbox) -> None:
    done = sandbox.run(shell("mkdir -p /tmp/result /tmp/other/result", results=("result", "other/result", "other")))
    assert done.results == {}
    assert {why.split(",")[0] for why in done.refused.values()} == {"a folder"}


@pytest.mark.parametrize("mode", ["000", "111"])
def test_closed_folders(sandbox: Sandbox, mode: str) -> None:
    script = f"mkdir /tmp/closed; echo x > /tmp/closed/file; chmod {mode} /tmp/closed /tmp"
    done = sandbox.run(shell(script, results=("closed/file", "**")))
    assert done.ok
    assert done.results.keys() | done.refused.keys() >= {"closed/file"}


def test_results_of_a_job_that_was_stopped(sandbox: Sandbox) -> None:
    done = sandbox.run(shell("echo x > /tmp/x; sleep 100", limits=replace(SMALL, wall=0.3), results=("x",)))
    assert done.reason is Reason.WALL
    assert done.results == {"x": b"x\n"}
