"""The bubblewrap command of a job: an empty world, and in it what the job is given."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from harness.sandbox.conditions import USUAL_CONDITIONS, Conditions
from harness.sandbox.model import SCRATCH, Job

__all__ = ["FIRST_FILE", "LEASH", "SECCOMP", "STATUS", "TURNS", "USAGE", "bubblewrap_command", "guard_arguments"]

STATUS = 3
SECCOMP = 4
TURNS = 5
USAGE = 6
LEASH = 7
FIRST_FILE = 500
"""Descriptor numbers inside: the guard's socket, the filter, the socket that gives turns, the control group's CPU
time, the pipe that the job is ended with, and the files, above all that the spawner has open. ``model.FIRST_GIVEN``
follows ``LEASH``."""

_GUARD = f"/proc/self/fd/{FIRST_FILE}"
"""The guard is executed by its descriptor and has no place inside."""
_LINKS = {"fd": "/proc/self/fd", "stdin": "fd/0", "stdout": "fd/1", "stderr": "fd/2"}
_DEVICES = ("null", "zero", "full", "random", "urandom")
_ISOLATION = (
    *("--unshare-all", "--unshare-user", "--disable-userns", "--cap-drop", "ALL"),
    *("--uid", "65534", "--gid", "65534"),
    *("--die-with-parent", "--new-session", "--as-pid-1"),
)
_BESIDE_USR = ("bin", "lib", "lib32", "lib64", "sbin")
_SYSTEM_SETTINGS = ("/etc/alternatives",)


def bubblewrap_command(
    bwrap: str,
    guard: Path,
    job: Job,
    carried: Mapping[Path, Path] = MappingProxyType({}),
    conditions: Conditions = USUAL_CONDITIONS,
) -> tuple[list[str], tuple[Path, ...]]:
    """The command, and the host files to open for it, in order, from descriptor ``FIRST_FILE`` on.

    ``carried``: folders that bubblewrap finds elsewhere than at their own path.

    Files come as copies through descriptors: the sandbox's user need not be able to reach them, and
    no path of the host is to be seen inside.
    """
    command = [*conditions.prefix, bwrap, *_ISOLATION, "--hostname", conditions.hostname, "--seccomp", str(SECCOMP)]
    if job.system:
        command += _system()
    command += ["--proc", "/proc"]
    for device in _DEVICES:
        command += ["--dev-bind", f"/dev/{device}", f"/dev/{device}"]
    for link, destination in _LINKS.items():
        command += ["--symlink", destination, f"/dev/{link}"]
    command += ["--size", str(max(job.limits.scratch, 4096)), "--perms", "0700", "--tmpfs", SCRATCH]
    # After the scratch folder: one of them may lie below its path. Within each other, the outer ones come first.
    for folder in sorted(dict.fromkeys((*job.folders, *job.hidden)), key=lambda path: len(path.parts)):
        if folder in job.hidden:
            command += ["--perms", "0555", "--tmpfs", str(folder)]
        else:
            command += ["--ro-bind", str(_place(folder, carried)), str(folder)]
    for number, (inside, source) in enumerate(job.files.items(), start=FIRST_FILE + 1):
        executable = os.access(source, os.X_OK)
        if inside.startswith(f"{SCRATCH}/"):
            mode = "0755" if executable else "0644"
        else:
            mode = "0555" if executable else "0444"
        command += ["--perms", mode, "--file", str(number), inside]
    command += ["--remount-ro", "/", "--", _GUARD]
    return command, (guard, *job.files.values())


def _place(folder: Path, carried: Mapping[Path, Path]) -> Path:
    """Where bubblewrap finds it."""
    for above in (folder, *folder.parents):
        if above in carried:
            return carried[above] / folder.relative_to(above)
    return folder


def guard_arguments(
    job: Job,
    scratch: str,
    *,
    watch_memory: bool,
    turns: bool = False,
    usage: bool = False,
    leash: bool = False,
    kept: Sequence[int] = (),
) -> list[str]:
    """What the guard is told.

    ``watch_memory``: nobody else limits the memory of all processes. ``usage``: a control group counts CPU time.
    ``turns``, ``leash``: it has these descriptors; ``kept``: those that the job inherits.
    """
    limits = job.limits
    numbers = {
        "wall_ms": round(limits.wall * 1000),
        "cpu_ms": round((limits.cpu or 0) * 1000),
        "memory": limits.memory if watch_memory else 0,
        "address_space": limits.address_space or 0,
        "processes": limits.processes,
        "file_size": limits.file_size,
        "files": limits.files,
        "open_files": limits.open_files,
        "output": limits.output,
    }
    variables = [f"{name}={value}" for name, value in job.environment.items()]
    return [
        f"status={STATUS}",
        f"scratch={scratch}",
        *(f"{name}={number}" for name, number in numbers.items()),
        *(f"core={core}" for core in job.cores),
        *([f"turns={TURNS}"] if turns else []),
        *([f"usage={USAGE}"] if usage else []),
        *([f"leash={LEASH}"] if leash else []),
        *(f"keep={number}" for number in kept),
        f"environment={len(variables)}",
        *variables,
        job.program,
        job.name or job.program,
        *job.arguments,
    ]


def _system() -> Sequence[str]:
    """``/usr``, the links into it that a merged file system has at the top, and the alternatives."""
    words = ["--ro-bind", "/usr", "/usr"]
    for name in _BESIDE_USR:
        path = Path("/", name)
        if path.is_symlink():
            words += ["--symlink", str(path.readlink()), str(path)]
        elif path.is_dir():
            words += ["--ro-bind", str(path), str(path)]
    for setting in _SYSTEM_SETTINGS:
        if Path(setting).is_dir():
            words += ["--ro-bind", setting, setting]
    return words
