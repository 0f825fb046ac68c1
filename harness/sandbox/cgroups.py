"""Control groups, where this process may make some: the kernel's own count of memory, processes and CPU time.

A group belongs to a slot (``slots.py``): the slot's spawner is moved into it once, and every sandbox
that it starts is born there. Version 2 and version 1 both serve; where neither can be written to,
the guard's watch and the limits of single processes hold alone.
"""

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import Lock

__all__ = ["Controller", "Group", "find_controller"]

_SLACK = 24 << 20
"""Bytes that the spawner, bubblewrap and the guard may take beside the job."""
_OWN_PROCESSES = 4
_MEMORY, _PIDS, _CPU = "memory", "pids", "cpuacct"
_PROC = Path("/proc/self")


@dataclass(frozen=True)
class Controller:
    """Where groups can be made."""

    version: int
    parents: dict[str, Path]
    """Per controller (``memory``, ``pids``, ``cpuacct``) the folder to make groups in; in version 2 the same one, which
    counts CPU time without a controller."""

    def __str__(self) -> str:
        return f"cgroup v{self.version} ({', '.join(self.parents)})"

    def make(self, name: str) -> "Group":
        """A new group. Raises OSError where that is not allowed."""
        folders = {kind: parent / name for kind, parent in self.parents.items()}
        for folder in dict.fromkeys(folders.values()):
            folder.mkdir()
        return Group(self.version, folders)


class Group:
    """One control group. Its limits change from job to job; its processes stay."""

    def __init__(self, version: int, folders: dict[str, Path]) -> None:
        self._version = version
        self._folders = folders
        self._memory = 0
        self._processes = 0
        v2 = version == 2
        self.cpu_file = self._open(_MEMORY if v2 else _CPU, "cpu.stat" if v2 else "cpuacct.usage")
        """A descriptor of the kernel's count of CPU time; None where nothing counts it."""
        self._kill_file = self._open(_MEMORY, "memory.events" if v2 else "memory.oom_control")

    @property
    def limits_memory(self) -> bool:
        """Whether the kernel limits what all processes together have."""
        return _MEMORY in self._folders

    def add(self, pid: int) -> None:
        """Move a process into it."""
        for folder in dict.fromkeys(self._folders.values()):
            (folder / "cgroup.procs").write_text(str(pid))

    def limit(self, memory: int, processes: int) -> None:
        """Set the limits of the next job: bytes resident, processes."""
        if _MEMORY in self._folders and memory != self._memory:
            self._limit_memory(self._folders[_MEMORY], memory + _SLACK)
            self._memory = memory
        if _PIDS in self._folders and processes != self._processes:
            (self._folders[_PIDS] / "pids.max").write_text(str(processes + _OWN_PROCESSES))
            self._processes = processes

    def _limit_memory(self, folder: Path, limit: int) -> None:
        if self._version == 2:
            (folder / "memory.max").write_text(str(limit))
            _write_if_there(folder / "memory.swap.max", "0")
            return
        with_swap = folder / "memory.memsw.limit_in_bytes"
        _write_if_there(with_swap, "-1")  # it may never be below the limit without swap
        (folder / "memory.limit_in_bytes").write_text(str(limit))
        _write_if_there(with_swap, str(limit))

    def kills(self) -> int:
        """How many processes the kernel has killed here for want of memory, since it was made."""
        if self._kill_file is None:
            return 0
        for line in os.pread(self._kill_file, 4096, 0).splitlines():
            if line.startswith(b"oom_kill "):
                return int(line.split()[1])
        return 0

    def cpu(self) -> float | None:
        """Seconds of CPU time of all that ever ran here, whoever waited for it; None where nothing counts them."""
        if self.cpu_file is None:
            return None
        text = os.pread(self.cpu_file, 64, 0).split()
        return int(text[1]) / 1e6 if text[0] == b"usage_usec" else int(text[0]) / 1e9

    def _open(self, kind: str, name: str) -> int | None:
        """A descriptor of a file that the kernel writes; None where there is none."""
        if kind not in self._folders:
            return None
        try:
            return os.open(self._folders[kind] / name, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return None

    def remove(self) -> None:
        """Remove it; nothing happens to its folders while processes are in it."""
        for opened in (self.cpu_file, self._kill_file):
            if opened is not None:
                os.close(opened)
        self.cpu_file = self._kill_file = None
        for folder in dict.fromkeys(self._folders.values()):
            with contextlib.suppress(OSError):
                folder.rmdir()


class Meter:
    """The CPU time of one job while it runs, for whoever waits for its answers."""

    def __init__(self) -> None:
        self._group: Group | None = None
        self._before = 0.0

    def begin(self, group: Group | None) -> None:
        """The job starts now, alone in its group."""
        self._before = (group.cpu() if group is not None else None) or 0.0
        self._group = group

    def seconds(self) -> float | None:
        """So far, the sandbox's own set-up included; None where nothing counts it, or before the start."""
        used = self._group.cpu() if self._group is not None else None
        return None if used is None else used - self._before


def group_name(slot: int) -> str:
    """``harness-PID-SLOT``: the owner's process id tells leftovers of killed processes."""
    return f"harness-{os.getpid()}-{slot}"


_finding = Lock()


def find_controller() -> Controller | None:
    """Where this process may make groups and put its children into them; None where it may not."""
    with _finding:  # two threads would get into the way of each other's trial
        return _find_controller()


@lru_cache(maxsize=1)
def _find_controller() -> Controller | None:
    for controller in (_version_2(), _version_1()):
        if controller is not None:
            _sweep(controller)
            return controller
    return None


def _version_2() -> Controller | None:
    mounted = next((m for m in _mounts() if m[0] == "cgroup2"), None)
    if mounted is None:
        return None
    _, folder, root, _ = mounted
    own = _own_path("")
    if own is None:
        return None
    here = _place(folder, root, own)
    # A group that holds processes gives its children no controllers: look above, and at the top.
    for parent in (*here.resolve().parents, folder):
        if parent.is_relative_to(folder) and _enables(parent) and _works(found := Controller(2, _both(parent))):
            return found
    return None


def _both(parent: Path) -> dict[str, Path]:
    return {_MEMORY: parent, _PIDS: parent}


def _enables(parent: Path) -> bool:
    """Whether groups in ``parent`` have both controllers."""
    try:
        enabled = (parent / "cgroup.subtree_control").read_text().split()
        missing = [kind for kind in (_MEMORY, _PIDS) if kind not in enabled]
        if missing:
            (parent / "cgroup.subtree_control").write_text(" ".join(f"+{kind}" for kind in missing))
    except OSError:
        return False
    return True


def _version_1() -> Controller | None:
    parents: dict[str, Path] = {}
    for kind in (_MEMORY, _PIDS, _CPU):
        mounted = next((m for m in _mounts() if m[0] == "cgroup" and kind in m[3]), None)
        own = _own_path(kind)
        if mounted is None or own is None:
            continue
        _, folder, root, _ = mounted
        inside = _place(folder, root, own)
        parent = inside if inside.is_dir() else folder
        if _works(Controller(1, {kind: parent})):
            parents[kind] = parent
    return Controller(1, parents) if parents else None


def _works(controller: Controller) -> bool:
    """Try it with a process of our own."""
    try:
        group = controller.make(f"harness-{os.getpid()}-probe")
    except OSError:
        return False
    reader, writer = os.pipe()
    child = os.posix_spawn("/bin/cat", ["cat"], {}, file_actions=[(os.POSIX_SPAWN_DUP2, reader, 0)], setsigmask=())
    try:
        group.add(child)
        group.limit(64 << 20, 8)
    except OSError:
        return False
    finally:
        os.close(reader)
        os.close(writer)
        os.waitpid(child, 0)
        group.remove()
    return True


def _sweep(controller: Controller) -> None:
    """Remove the groups of processes that are no more."""
    for parent in dict.fromkeys(controller.parents.values()):
        for folder in parent.glob("harness-*-*"):
            owner = folder.name.split("-")[1]
            if owner.isdigit() and not Path(f"/proc/{owner}").exists():
                with contextlib.suppress(OSError):
                    folder.rmdir()


def _own_path(kind: str) -> str | None:
    """This process's group in the hierarchy of a controller; of version 2 for the empty name."""
    for line in (_PROC / "cgroup").read_text().splitlines():
        number, kinds, path = line.split(":", 2)
        if (kind and kind in kinds.split(",")) or (not kind and number == "0"):
            return path
    return None


def _place(folder: Path, root: str, own: str) -> Path:
    """Where the group ``own`` is to be seen in a hierarchy mounted from ``root`` on; its top where it is not."""
    path = Path(own)
    is_below = path.is_relative_to(root) and ".." not in path.parts  # a namespace's root may be below the process
    return folder / path.relative_to(root) if is_below else folder


def _mounts() -> Iterator[tuple[str, Path, str, tuple[str, ...]]]:
    """Type, mount point, root and options of every mounted hierarchy."""
    for line in (_PROC / "mountinfo").read_text().splitlines():
        left, right = line.split(" - ", 1)
        kind, _, options = right.split(" ", 2)
        if kind in ("cgroup", "cgroup2"):
            fields = left.split()
            yield kind, Path(fields[4]), fields[3], tuple(options.split(","))


def _write_if_there(file: Path, text: str) -> None:
    with contextlib.suppress(OSError):
        file.write_text(text)
