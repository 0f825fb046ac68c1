"""The host as a test looks at it: who runs there, and what must stay as it is."""

import os
import subprocess
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.sandbox import MIB, Finished, Job, Limits

__all__ = [
    "SMALL",
    "Roots",
    "Secrets",
    "answers",
    "attack",
    "await_that",
    "children",
    "gone",
    "marker",
    "outside",
    "plant",
    "running",
    "shell",
]

SMALL = Limits(
    wall=20, memory=128 * MIB, processes=16, file_size=16 * MIB, files=100, scratch=4 * MIB, output=MIB, open_files=64
)
"""Enough for every attack that is not about a limit."""
_PATIENCE = 30.0
"""Seconds in which what must happen has happened, on the slowest machine."""


@dataclass(frozen=True)
class Secrets:
    """What a test plants on the host."""

    home: Path
    cache: Path
    results: Path
    word: str
    """In each of the files."""

    @property
    def files(self) -> list[Path]:
        """One in each folder."""
        return [self.home / ".ssh" / "id_ed25519", self.cache / "entry" / "canary", self.results / "canary.jsonl"]


def plant(folder: Path) -> Secrets:
    """Make them. They can be read and written by everybody: only the sandbox protects them."""
    secrets = Secrets(folder / "home", folder / "cache", folder / "results", f"secret-{uuid.uuid4()}")
    for file in secrets.files:
        file.parent.mkdir(parents=True)
        file.write_text(secrets.word)
        file.chmod(0o666)
    for made in (folder, *folder.rglob("*")):
        if made.is_dir():
            made.chmod(0o777)
    return secrets


@dataclass(frozen=True)
class Roots:
    """What no attack may change."""

    tracked: Sequence[Path]
    secrets: Secrets

    def state(self) -> dict[str, tuple[int, ...]]:
        """Of every path what changes with it: kind and mode, owner, size, times."""
        found = {str(path): _state(path) for path in self.tracked}
        for root in (Path("/etc"), self.secrets.home.parent):
            for folder, _, names in os.walk(root):
                found[folder] = _state(Path(folder))
                found.update({f"{folder}/{name}": _state(Path(folder, name)) for name in names})
        return found


def _state(path: Path) -> tuple[int, ...]:
    try:
        found = path.lstat()
    except OSError:
        return ()
    return found.st_mode, found.st_uid, found.st_size, found.st_mtime_ns


def marker() -> str:
    """A word to put into a job's arguments, by which its processes are found on the host."""
    return f"attack-{uuid.uuid4()}"


def running(word: str) -> list[int]:
    """The host's processes that have the word in their arguments."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if word.encode() in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
        except OSError:
            continue
    return found


def children(pid: int) -> list[int]:
    """The processes that a process has started, and that still run."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == pid and fields[0] != "Z":
            found.append(int(folder.name))
    return found


def await_that(holds: Callable[[], bool]) -> bool:
    """Whether it comes to hold within a time that is long for it."""
    end = time.monotonic() + _PATIENCE
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def gone(word: str) -> bool:
    """Whether no process with the word is left. The kernel may take a moment to bury the last."""
    return await_that(lambda: not running(word))


def attack(
    built: Path, *words: str, limits: Limits = SMALL, results: tuple[str, ...] = (), stdin: Path | None = None
) -> Job:
    """A program of the attacker's as a job."""
    return Job("/program", words, files={"/program": built}, limits=limits, results=results, stdin=stdin)


def shell(script: str, *words: str, limits: Limits = SMALL, results: tuple[str, ...] = ()) -> Job:
    """A shell script as a job."""
    path = {"PATH": "/usr/bin:/bin"}
    return Job("/bin/sh", ("-c", script, "sh", *words), system=True, environment=path, limits=limits, results=results)


def answers(done: Finished | subprocess.CompletedProcess[bytes]) -> dict[str, str]:
    """What the program says of each attempt: ``ok``, or the name of the error."""
    lines = os.fsdecode(done.stdout).splitlines()
    assert lines, done
    return dict(line.rsplit(" ", 1) for line in lines)


def outside(built: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    """The same program without a sandbox."""
    return subprocess.run(
        [built, *words], capture_output=True, timeout=60, check=False, start_new_session=True, stdin=subprocess.DEVNULL
    )
