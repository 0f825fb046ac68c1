"""A stranger's build system, as it comes: unpacked, configured, made, and stopped when it goes wild."""

import subprocess
import tarfile
from pathlib import Path

import pytest

from harness.sandbox import GIB, MIB, Finished, Job, Limits, Reason, Sandbox

CONFIGURE = """#!/bin/sh
set -e
echo 'int main(void) { return 0; }' > probe.c
${CC:-cc} probe.c -o probe && ./probe
echo "#define GREETING \\"hello\\"" > config.h
echo configured
"""
MAKEFILE = """
all: greet
greet: greet.o word.o
\t$(CC) -static $^ -o $@
%.o: %.c config.h
\t$(CC) -O1 -c $< -o $@
steal:
\tcat $(STOLEN)
daemon:
\tsetsid sh -c 'sleep 1000' >/dev/null 2>&1 & echo started
forever:
\twhile :; do :; done
grow:
\tcat /dev/zero > large
"""
SOURCES = {
    "configure": CONFIGURE,
    "Makefile": MAKEFILE,
    "greet.c": "#include <stdio.h>\nextern const char *word(void);\nint main(void) { puts(word()); return 0; }\n",
    "word.c": '#include "config.h"\nconst char *word(void) { return GREETING; }\n',
}
LIMITS = Limits(wall=60, memory=GIB, processes=64, scratch=64 * MIB, file_size=32 * MIB)


@pytest.fixture(scope="module")
def tarball(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An upstream release."""
    folder = tmp_path_factory.mktemp("release")
    for name, text in SOURCES.items():
        (folder / name).write_text(text)
    (folder / "configure").chmod(0o755)
    made = folder / "greet-1.0.tar.gz"
    with tarfile.open(made, "w:gz") as archive:
        for name in SOURCES:
            archive.add(folder / name, f"greet-1.0/{name}")
    return made


def build(sandbox: Sandbox, tarball: Path, make: str = "make", limits: Limits = LIMITS) -> Finished:
    script = f"tar xf source.tar.gz && cd greet-1.0 && ./configure && {make}"
    environment = {"PATH": "/usr/bin:/bin", "TMPDIR": "/tmp"}
    return sandbox.run(
        Job(
            "/bin/sh",
            ("-c", script),
            system=True,
            files={"/tmp/source.tar.gz": tarball},
            environment=environment,
            results=("greet-1.0/greet",),
            limits=limits,
        )
    )


def test_a_build_gives_its_program(sandbox: Sandbox, tarball: Path, tmp_path: Path) -> None:
    done = build(sandbox, tarball, "make -j2")
    assert done.ok, done.reason_line()
    assert done.stdout.startswith(b"configured\n")
    program = tmp_path / "greet"
    program.write_bytes(done.results["greet-1.0/greet"])
    program.chmod(0o755)
    assert subprocess.run([program], capture_output=True, check=True).stdout == b"hello\n"


def test_a_build_that_fails_says_where(sandbox: Sandbox, tarball: Path) -> None:
    done = build(sandbox, tarball, "rm word.c && make")
    assert done.exit == 2
    assert "No rule to make target 'word.o'" in done.stderr.decode()
    assert done.refused == {"greet-1.0/greet": "not there"}


def test_a_build_reads_nothing_of_the_machine(sandbox: Sandbox, tarball: Path) -> None:
    done = build(sandbox, tarball, f"make steal STOLEN={tarball}")
    assert done.exit == 2
    assert "No such file or directory" in done.stderr.decode()


def test_a_build_leaves_no_daemon(sandbox: Sandbox, tarball: Path) -> None:
    done = build(sandbox, tarball, "make daemon")
    assert done.ok, done.reason_line()
    assert done.left.processes >= 1


@pytest.mark.parametrize(
    ("target", "changes", "reason"),
    [("forever", Limits(wall=4), Reason.WALL), ("grow", LIMITS, Reason.EXIT)],
)
def test_a_build_that_goes_wild_is_stopped(
    target: str, changes: Limits, reason: Reason, sandbox: Sandbox, tarball: Path
) -> None:
    done = build(sandbox, tarball, f"make {target}", changes)
    assert (done.ok, done.reason) == (False, reason)
