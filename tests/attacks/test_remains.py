"""What a job leaves behind: nothing."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Barrier

import pytest

from harness.base.errors import PrerequisiteError
from harness.base.store import Store
from harness.sandbox import Sandbox, slots
from harness.sandbox.cgroups import find_controller
from tests.attacks.host import SMALL, attack, await_that, children, gone, marker, outside, running, shell
from tests.drive import ROOT

Program = Callable[[str], Path]

MANY = 32
HARNESS = """
import sys
from dataclasses import replace
from pathlib import Path
from harness.sandbox.bench import Bench
from harness.toolchain import find_toolchain
from tests.attacks.host import SMALL, shell
sandbox = Bench(find_toolchain(), Path(sys.argv[1])).sandbox
print("ready", flush=True)
script = 'sleep 100 & sleep 100 & (setsid sh -c "sleep 100; :" "$1" &) ; sh -c "sleep 100; :" "$1" & sleep 100'
limits = replace(SMALL, wall=600)  # what ends it is not this
sandbox.run(shell(script, "attack-" + sys.stdin.readline().strip(), limits=limits))
"""
"""A harness of its own, with a job of several processes; the marker comes by its input, not its arguments."""


def test_daemon(sandbox: Sandbox, program: Program) -> None:
    word = marker()
    assert outside(program("daemon"), word, "20").returncode == 0
    left = running(word)
    assert left, "outside it outlives its parent"
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert gone(word)
    done = sandbox.run(attack(program("daemon"), word, "20"))
    assert done.ok
    assert done.left.processes >= 1
    assert gone(word)


def test_signals_to_all(sandbox: Sandbox) -> None:
    assert sandbox.run(shell("trap '' TERM; kill -TERM -1; kill -9 1; echo alive")).stdout == b"alive\n"


def test_stopped_job(sandbox: Sandbox) -> None:
    word = marker()
    done = sandbox.run(shell("kill -STOP $$; echo never", word, limits=replace(SMALL, wall=0.5)))
    assert done.out_of_time and done.stdout == b""
    assert gone(word)


def test_descriptors_and_forged_reports(sandbox: Sandbox, program: Program) -> None:
    done = sandbox.run(attack(program("descriptors"), results=("open",)))
    assert done.results["open"].split() == [b"0", b"1", b"2"]
    assert done.exit == 9, "what it says of itself is not believed"
    assert done.stdout == b"mine"
    assert sandbox.run(shell("echo right")).stdout == b"right\n"


def test_harness_killed(store: Store) -> None:
    process, word, spawners = _harness(store.root)
    groups = _groups(process.pid)
    process.kill()
    process.wait()
    assert gone(word)
    assert await_that(lambda: not any(Path("/proc", str(pid)).exists() for pid in spawners))
    mine = {**os.environ, "HARNESS_CACHE": str(store.root)}
    find = "from harness.sandbox.cgroups import find_controller; find_controller()"
    subprocess.run([sys.executable, "-c", find], cwd=ROOT, env=mine, check=True, timeout=60)
    assert [folder for folder in groups if folder.exists()] == []


def test_harness_killed_with_its_group(store: Store) -> None:
    process, word, spawners = _harness(store.root)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert gone(word)
    assert await_that(lambda: not any(Path("/proc", str(pid)).exists() for pid in spawners))


def test_spawner_killed(sandbox: Sandbox) -> None:
    word = marker()
    with ThreadPoolExecutor(1) as pool:
        run = pool.submit(sandbox.run, shell('sh -c "sleep 100; :" "$1" & sleep 100', word))
        assert await_that(lambda: len(running(word)) >= 4)  # bubblewrap, guard, job and its child
        (spawner,) = {pid for pid in children(os.getpid()) if set(children(pid)) & set(running(word))}
        os.kill(spawner, signal.SIGKILL)
        with pytest.raises(PrerequisiteError, match="killed"):
            run.result(timeout=60)
    assert gone(word)
    assert sandbox.run(shell("echo again")).stdout == b"again\n"


def test_many_at_once(sandbox: Sandbox) -> None:
    slots.close_slots()
    before, started = _descriptors(), len(children(os.getpid()))
    word, start = marker(), Barrier(MANY)
    script = "sleep 0.1; echo $2 > /tmp/mine; sleep 100 & sleep 0.1; echo $2; ls /tmp"

    def one(number: int) -> tuple[bytes, bytes]:
        start.wait(60)
        done = sandbox.run(shell(script, word, str(number), results=("mine",)))
        assert done.left.processes == 1
        return done.stdout, done.results["mine"]

    with ThreadPoolExecutor(MANY) as pool:
        found = list(pool.map(one, range(MANY)))
    assert found == [(b"%d\nmine\n" % number, b"%d\n" % number) for number in range(MANY)]
    assert gone(word)
    slots.close_slots()
    assert _descriptors() == before
    assert len(children(os.getpid())) == started


def test_places_are_used_again(sandbox: Sandbox) -> None:
    sandbox.run(shell(":"))
    before, started = _descriptors(), children(os.getpid())
    for _ in range(10):
        assert sandbox.run(shell("echo x > /tmp/x; ls -A /tmp")).stdout == b"x\n"
    assert _descriptors() == before
    assert children(os.getpid()) == started


def _harness(cache: Path) -> tuple["subprocess.Popen[str]", str, list[int]]:
    """A harness while it runs a sandbox: its process, the marker, its spawners."""
    process = subprocess.Popen(
        [sys.executable, "-c", HARNESS, str(cache)],
        cwd=ROOT,
        env={**os.environ, "HARNESS_CACHE": str(cache)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdin is not None and process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    word = marker()
    process.stdin.write(word.removeprefix("attack-") + "\n")
    process.stdin.close()
    assert await_that(lambda: len(running(word)) >= 5)
    process.stdout.close()
    spawners = children(process.pid)
    assert spawners
    return process, word, spawners


def _groups(owner: int) -> list[Path]:
    """The control groups of a harness; there are some where this process could make some."""
    controller = find_controller()
    if controller is None:
        return []
    found = [folder for parent in controller.parents.values() for folder in parent.glob(f"harness-{owner}-*")]
    assert found
    return found


def _descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))
