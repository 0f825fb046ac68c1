"""Jobs of the sandbox's tests, and processes seen from outside."""

import os
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from harness.sandbox import Job

__all__ = ["HELPER", "all_gone", "command_lines", "helping", "named", "own_children", "shell", "unlike", "wait_for"]

HELPER = "/helper"


def shell(script: str, **fields: Any) -> Job:
    """A job that runs a script in the system's shell."""
    return Job("/usr/bin/sh", ("-c", script), system=True, **fields)


def helping(helper: Path, *words: str, **fields: Any) -> Job:
    """A job that runs ``helper.c`` with these words."""
    return Job(HELPER, words, files={HELPER: helper, **fields.pop("files", {})}, **fields)


def named(words: str) -> list[int]:
    """The processes of this machine whose command line contains these words; no zombies."""
    return [pid for pid, line in command_lines() if words.encode() in line.replace(b"\0", b" ")]


def command_lines() -> Iterator[tuple[int, bytes]]:
    """Of this machine's processes, as the kernel has them; a process may end between the look at its name and this."""
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            yield int(folder.name), (folder / "cmdline").read_bytes()


def own_children() -> list[str]:
    """The processes that this one has started."""
    return Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()


def unlike(number: int) -> str:
    """Seconds to sleep, about an hour, that tell the sleeping process from those of other tests and sessions."""
    return f"{number}.{os.getpid()}"


def wait_for(words: str, count: int) -> list[int]:
    """Those processes, once there are so many."""
    deadline = time.monotonic() + 30
    while len(found := named(words)) < count:
        assert time.monotonic() < deadline, f"{len(found)} of {count}: {words}"
        time.sleep(0.02)
    return found


def all_gone(pids: Iterable[int]) -> bool:
    """Whether none of the processes runs, or soon does not; a zombie that nobody has waited for is gone."""
    waiting = list(pids)
    for _ in range(250):
        waiting = [pid for pid in waiting if _runs(pid)]
        if not waiting:
            return True
        time.sleep(0.02)
    return False


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False
