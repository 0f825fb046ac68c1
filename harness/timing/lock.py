"""One campaign at a time on a machine: two would disturb each other."""

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["alone"]

_NAME = "\0llvm-harness-timing"
"""An abstract socket: the kernel lets go of it when its holder ends, however it ends."""


@contextmanager
def alone(wait: Callable[[], None], pause: float = 1.0) -> Iterator[None]:
    """Hold the machine for timing; while another harness does, call ``wait`` and try again after ``pause`` seconds."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as holder:
        while True:
            try:
                holder.bind(_NAME)
                break
            except OSError:
                wait()
                time.sleep(pause)
        yield
