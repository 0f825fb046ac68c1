"""One campaign at a time on a machine, and a lock that goes with its holder, however it ends."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from harness.timing import lock
from harness.timing.lock import alone
from tests.drive import ROOT

HOLDER = """
import sys
from harness.timing import lock
lock._NAME = sys.argv[1]
with lock.alone(lambda: print("waits", flush=True), 0.02):
    print("holds", flush=True)
    sys.stdin.readline()
"""


@pytest.fixture(autouse=True)
def own_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody else's."""
    monkeypatch.setattr(lock, "_NAME", f"\0test-{os.getpid()}")


@contextmanager
def holder() -> "Iterator[subprocess.Popen[str]]":
    command = [sys.executable, "-c", HOLDER.replace("sys.argv[1]", repr(lock._NAME))]
    process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def says(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


@pytest.mark.parametrize("how", ["ends", "killed"])
def test_the_second_waits_until_the_first_lets_go(how: str) -> None:
    with holder() as first:
        assert says(first) == "holds"
        with holder() as second:
            assert [says(second), says(second)] == ["waits", "waits"]
            if how == "killed":
                first.send_signal(signal.SIGKILL)
            else:
                assert first.stdin is not None
                first.stdin.write("\n")
                first.stdin.flush()
            while (word := says(second)) == "waits":
                pass
            assert word == "holds"


def test_it_is_let_go_after_a_failure_and_asked_for_again_at_once() -> None:
    waited: list[int] = []
    for _ in range(3):
        with pytest.raises(RuntimeError), alone(lambda: waited.append(1), 0.01):
            raise RuntimeError
    assert waited == []


def test_threads_of_one_process_wait_for_each_other_too() -> None:
    waited = threading.Event()
    order: list[str] = []

    def second() -> None:
        with alone(waited.set, 0.01):
            order.append("second")

    thread = threading.Thread(target=second)
    with alone(lambda: None, 0.01):
        thread.start()
        assert waited.wait(30)
        order.append("first")
    thread.join(30)
    assert order == ["first", "second"]


def test_what_the_holder_starts_does_not_hold_it() -> None:
    with alone(lambda: None, 0.01):
        child = subprocess.Popen(["/usr/bin/sleep", "60"])
    waited: list[int] = []
    try:
        with alone(lambda: waited.append(1), 0.01):
            assert waited == []
    finally:
        child.kill()
        child.wait()


def test_a_wait_that_is_cut_off_is_an_end() -> None:
    def stop() -> None:
        raise KeyboardInterrupt

    with alone(stop, 0.01):
        with pytest.raises(KeyboardInterrupt), alone(stop, 0.01):
            pass
