"""Slots: places where one sandbox at a time runs. Each has a spawner and, where possible, a control group.

Slots are made when they are needed and used again; there are as many as sandboxes ran at once.
"""

import atexit
import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

from harness.base.errors import PrerequisiteError, UsageError
from harness.base.process import killable
from harness.sandbox.cgroups import Controller, Group, find_controller, group_name
from harness.sandbox.shown import carried_folders
from harness.sandbox.spawner import MOST_DESCRIPTORS, READY

__all__ = ["Slot", "SlotDied", "SlotLate", "is_root", "sandbox_users", "slot"]

_SPAWNER = Path(__file__).with_name("spawner.py")
_FIRST_USER = 1879048192
"""User ids from here to 2147483647 belong to nobody by systemd's account of them."""
_NOBODY = 65534


class SlotDied(Exception):
    """The spawner is gone."""


class SlotLate(Exception):
    """The spawner does not answer in time."""


class Slot:
    """One spawner. Not for two threads at once."""

    def __init__(self, number: int, *, trusted: bool = False) -> None:
        """``trusted``: what it starts keeps the rights of the harness's user and is in no control group."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        users = "" if trusted else ",".join(str(user) for user in sandbox_users(number))
        carried = {} if trusted else carried_folders(is_root())
        binds = [f"{folder}={place}" for folder, place in carried.items()]
        command = [sys.executable, "-I", "-S", str(_SPAWNER), str(theirs.fileno()), users, *binds]
        self._process = subprocess.Popen(
            command,
            cwd="/",
            env={},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            start_new_session=True,
        )
        theirs.close()
        self._channel = ours
        self.group: Group | None = None
        controller = None if trusted else find_controller()
        if self._channel.recv(16) != READY:
            raise PrerequisiteError("the sandbox's spawner does not start", where=str(_SPAWNER))
        if controller is not None:
            with contextlib.suppress(OSError):
                self.group = _group(controller, group_name(number), self._process.pid)

    @property
    def pid(self) -> int:
        """The spawner's, and its process group's."""
        return self._process.pid

    def start(self, command: Sequence[str], descriptors: dict[int, int]) -> None:
        """Start a command with descriptors of ours (theirs → ours), and no other, on the cores of this thread."""
        request = os.memfd_create("request")
        try:
            cores = sorted(os.sched_getaffinity(0))
            text = json.dumps({"command": list(command), "targets": list(descriptors), "cores": cores})
            os.pwrite(request, text.encode(), 0)
            if len(descriptors) >= MOST_DESCRIPTORS:
                raise UsageError(f"{len(descriptors)} files are more than the {MOST_DESCRIPTORS - 1} of a sandbox")
            socket.send_fds(self._channel, [b"start"], [request, *descriptors.values()])
        except OSError:
            raise SlotDied from None
        finally:
            os.close(request)

    def wait_for(self, other: socket.socket, seconds: float) -> None:
        """Wait until something comes from ``other`` or from the spawner. Raises SlotLate."""
        poll = select.poll()
        for channel in (other, self._channel):
            poll.register(channel, select.POLLIN)
        if not poll.poll(seconds * 1000):
            raise SlotLate

    def wait(self, seconds: float) -> dict[str, Any]:
        """How the command ended: ``status`` and ``cpu`` seconds, or ``error``. Raises SlotDied, SlotLate."""
        poll = select.poll()
        poll.register(self._channel, select.POLLIN)
        if not poll.poll(min(seconds * 1000, (1 << 31) - 1)):
            raise SlotLate
        try:
            answer = self._channel.recv(4096)
        except OSError:
            raise SlotDied from None
        if not answer:
            raise SlotDied
        found: dict[str, Any] = json.loads(answer)
        return found

    def close(self) -> None:
        """End the spawner and what it started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._channel.close()
        self._process.wait()
        if self.group is not None:
            self.group.remove()


def _group(controller: Controller, name: str, pid: int) -> Group:
    """A new group with this process in it. Raises OSError; no group is left then."""
    group = controller.make(name)
    try:
        group.add(pid)
    except OSError:
        group.remove()
        raise
    return group


_lock = Lock()
_idle: dict[bool, list[Slot]] = {False: [], True: []}
"""By whether they are for trusted jobs."""
_made = 0
_owner = os.getpid()


def _forget() -> None:
    """In a forked child: the slots are the parent's."""
    global _lock, _made, _owner
    _lock, _made, _owner = Lock(), 0, os.getpid()
    for slots in _idle.values():
        slots.clear()


os.register_at_fork(after_in_child=_forget)


@contextmanager
def slot(*, trusted: bool = False) -> Iterator[Slot]:
    """A slot of one's own. After an exception it is not used again: what runs in it is killed."""
    global _made
    with _lock:
        found = _idle[trusted].pop() if _idle[trusted] else None
        _made += found is None
        number = _made
    found = found or Slot(number, trusted=trusted)
    try:
        with killable(found.pid):
            yield found
    except BaseException:
        found.close()
        raise
    with _lock:
        _idle[trusted].append(found)


def sandbox_users(number: int) -> tuple[int, ...]:
    """Host user ids for a slot's sandboxes, best first; none where the harness is not root."""
    if not is_root():
        return ()
    return _FIRST_USER + (os.getpid() % (1 << 22)) * 64 + number % 64, _NOBODY


def is_root() -> bool:
    """Whether this is the machine's root, not one that a user namespace only calls so."""
    whole = ["0", "0", str((1 << 32) - 1)]
    return os.geteuid() == 0 and Path("/proc/self/uid_map").read_text().split() == whole


@atexit.register
def close_slots() -> None:
    """End all spawners that nobody uses."""
    if os.getpid() != _owner:  # a forked child has copies of what is not its own
        return
    with _lock:
        for slots in _idle.values():
            while slots:
                slots.pop().close()
