"""The command without its start: a process that has imported the harness, and forks for every command.

Half a second of each command is Python reading modules. Here that is done once a session; what comes after is the
command's own: a process and a session of its own, its folder, environment, descriptors and exit code.
"""

import atexit
import json
import os
import pkgutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from importlib import import_module
from pathlib import Path

__all__ = ["Warm", "fits", "warm"]

_MOST = 1 << 17
"""Bytes of a command and its environment."""
_OURS = "HARNESS_"
"""Variables that the harness reads when it needs them; others may have been read already."""


def fits(environment: Mapping[str, str]) -> bool:
    """Whether a command in this environment may be run so: only the harness's own variables differ from here."""
    theirs, ours = ({k: v for k, v in one.items() if not k.startswith(_OURS)} for one in (environment, _usual()))
    return theirs == ours


def _usual() -> dict[str, str]:
    return {**os.environ, "COLUMNS": "200"}


@lru_cache(maxsize=1)
def warm(_process: int) -> "Warm":
    """The one of this process, which says its number."""
    return Warm()


class Warm:
    """The other end: asks the process for commands, one at a time."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair(type=socket.SOCK_SEQPACKET)
        words = [sys.executable, "-c", f"from tests.warm import main; main({theirs.fileno()})"]
        environment = {**_usual(), "OPENBLAS_NUM_THREADS": "1"}
        root = Path(__file__).parents[1]
        subprocess.Popen(words, cwd=root, env=environment, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL)
        theirs.close()
        self._socket = ours
        self._lock = threading.Lock()
        atexit.register(ours.close)

    def run(
        self, words: Sequence[str], cwd: Path, environment: Mapping[str, str], timeout: float
    ) -> tuple[int, str, str]:
        """Exit code (negative: the signal that ended it), standard output and error. Raises as ``communicate`` does."""
        with self._lock:
            out, err = os.memfd_create("out"), os.memfd_create("err")
            try:
                asked = json.dumps({"words": list(words), "cwd": str(cwd), "environment": dict(environment)})
                socket.send_fds(self._socket, [asked.encode()], [out, err])
                process = json.loads(self._socket.recv(64))
                self._socket.settimeout(timeout)
                try:
                    status = json.loads(self._socket.recv(64))
                except TimeoutError:
                    os.killpg(process, signal.SIGKILL)
                    self._socket.settimeout(None)
                    self._socket.recv(64)
                    raise subprocess.TimeoutExpired(list(words), timeout) from None
                finally:
                    self._socket.settimeout(None)
                return status, _text(out), _text(err)
            finally:
                os.close(out)
                os.close(err)


def _text(descriptor: int) -> str:
    """All that was written, lines ended as text has them."""
    size = os.fstat(descriptor).st_size
    return os.pread(descriptor, size, 0).decode().replace("\r\n", "\n")


def main(descriptor: int) -> None:
    """Import, then fork for every command until nobody asks on this socket."""
    asked = socket.socket(fileno=descriptor)
    for package in ("cli", "cli.commands", "rank", "run", "record", "problems.programs", "problems.inlining"):
        root = import_module(f"harness.{package}")
        for module in pkgutil.iter_modules(root.__path__, f"{root.__name__}."):
            if not module.name.endswith((".pages", ".charts")):  # what pages alone need
                with suppress(ModuleNotFoundError):  # of a part that is not installed
                    import_module(module.name)
    assert len(os.listdir("/proc/self/task")) == 1, "a thread that a fork would lose"
    while True:
        content, descriptors, _, _ = socket.recv_fds(asked, _MOST, 2)
        if not content:
            return
        command = json.loads(content)
        child = os.fork()
        if child == 0:
            asked.close()
            _become(command, descriptors)
            break
        for descriptor in descriptors:
            os.close(descriptor)
        asked.send(json.dumps(child).encode())
        asked.send(json.dumps(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])).encode())
    from harness.cli import main as harness_main

    harness_main()


def _become(command: Mapping[str, object], descriptors: Sequence[int]) -> None:
    """What a process of the command's own would begin as."""
    os.setsid()
    for descriptor, place in zip(descriptors, (1, 2), strict=True):
        os.dup2(descriptor, place)
        os.close(descriptor)
    environment = command["environment"]
    assert isinstance(environment, dict)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(str(command["cwd"]))
    words = command["words"]
    assert isinstance(words, list)
    sys.argv = words
