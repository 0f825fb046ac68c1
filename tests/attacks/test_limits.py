"""Bombs: whatever a job takes too much of, it is stopped, and the machine has its share back."""

import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from harness.sandbox import MIB, Limits, Reason, Sandbox
from tests.attacks.host import SMALL, attack, gone, marker, outside, shell

Program = Callable[[str], Path]

MEMORY = replace(SMALL, memory=64 * MIB, wall=30, scratch=192 * MIB, file_size=192 * MIB)
SPACIOUS = replace(MEMORY, memory=400 * MIB)


@pytest.mark.parametrize("kind", ["count", "threads"])
def test_number_of_processes(sandbox: Sandbox, program: Program, held: str, kind: str) -> None:
    counts = []
    for most in (6, 30):
        done = sandbox.run(attack(program("forks"), kind, limits=replace(SMALL, processes=most)))
        counts.append(int(done.stdout))
        assert 1 <= counts[-1] <= most
    assert counts[1] > counts[0]
    assert int(outside(program("forks"), kind).stdout) > 30


def test_fork_bomb(sandbox: Sandbox, program: Program, held: str) -> None:
    """Which limit ends it depends on the machine: a group is charged for the dead until the kernel frees them."""
    word = marker()
    job = attack(program("forks"), "bomb", word, limits=replace(SMALL, wall=1.5))
    done = sandbox.run(job)
    assert done.reason in {Reason.WALL, Reason.MEMORY}
    assert done.left.processes >= 2
    assert gone(word)
    assert sandbox.run(shell("echo alive")).stdout == b"alive\n"


@pytest.mark.parametrize(
    ("kind", "mib", "processes"),
    [("own", 192, 1), ("own", 24, 8), ("leader", 192, 1), ("blind", 192, 1), ("scratch", 160, 1), ("tables", 160, 1)],
)
def test_memory(sandbox: Sandbox, program: Program, held: str, kind: str, mib: int, processes: int) -> None:
    job = attack(program("memory"), kind, str(mib), str(processes), marker(), limits=MEMORY)
    done = sandbox.run(job)
    assert done.reason is Reason.MEMORY, done
    assert gone(job.arguments[-1])
    assert sandbox.run(replace(job, limits=SPACIOUS)).ok, "with more memory it would go on"


@pytest.mark.parametrize("kind", ["memfd", "segment"])
def test_memory_that_belongs_to_no_process(sandbox: Sandbox, program: Program, held: str, kind: str) -> None:
    """Nobody without a control group could count it, so nobody is given it."""
    assert outside(program("memory"), kind, "8", "1").returncode == 0
    done = sandbox.run(attack(program("memory"), kind, "8", "1", limits=MEMORY))
    assert done.exit == {"memfd": 4, "segment": 6}[kind]


def test_memory_of_one_that_asks_to_be_killed_last(sandbox: Sandbox, program: Program) -> None:
    job = attack(program("memory"), "unlikely", "160", "1", limits=MEMORY)
    assert sandbox.run(job).reason is Reason.MEMORY
    assert sandbox.run(replace(job, limits=SPACIOUS)).ok


@pytest.mark.parametrize("processes", [1, 5])
@pytest.mark.parametrize("way", ["", "stubborn"])
def test_processor_time(sandbox: Sandbox, program: Program, processes: int, way: str) -> None:
    word = marker()
    limits = replace(SMALL, cpu=1, wall=60)
    done = sandbox.run(attack(program("spin"), str(processes), "100", *way.split(), word, limits=limits))
    assert done.reason is Reason.CPU
    assert done.total_cpu < 10
    assert gone(word)
    assert sandbox.run(attack(program("spin"), str(processes), "0.02", limits=limits)).ok


def test_sleep_without_end(sandbox: Sandbox) -> None:
    word = marker()
    done = sandbox.run(shell("sleep 1000", word, limits=replace(SMALL, wall=0.5)))
    assert done.reason is Reason.WALL
    assert 0.4 < done.wall < 10
    assert gone(word)
    assert sandbox.run(shell("sleep 0.05", limits=replace(SMALL, wall=20))).ok


def test_process_that_ignores_every_signal(sandbox: Sandbox, program: Program) -> None:
    word = marker()
    done = sandbox.run(attack(program("stubborn"), "sleep", word, limits=replace(SMALL, wall=0.5)))
    assert done.reason is Reason.WALL
    assert gone(word)


def test_full_scratch_folder(sandbox: Sandbox) -> None:
    script = 'head -c "$1" /dev/zero > /tmp/filling || exit 3'
    limits = replace(SMALL, scratch=2 * MIB)
    done = sandbox.run(shell(script, str(8 * MIB), limits=limits, results=("filling",)))
    assert done.exit == 3
    assert b"No space left" in done.stderr
    assert "scratch folder of 2 MiB is full" in done.ending
    assert len(done.results["filling"]) == 2 * MIB
    assert sandbox.run(shell(script, str(MIB), limits=limits)).ok


@pytest.mark.parametrize("way", ["obeys", "ignores"])
def test_large_file(sandbox: Sandbox, program: Program, way: str) -> None:
    limits = replace(SMALL, file_size=MIB)
    if way == "ignores":
        done = sandbox.run(attack(program("stubborn"), "file", limits=limits, results=("large",)))
        assert done.exit == 3 and done.stdout == b"file EFBIG\n"
    else:
        done = sandbox.run(shell("exec head -c 2M /dev/zero > /tmp/large", limits=limits, results=("large",)))
        assert done.signal == signal.SIGXFSZ
    assert len(done.results["large"]) == MIB
    assert sandbox.run(shell("exec head -c 2M /dev/zero > /tmp/large")).ok


def test_number_of_files(sandbox: Sandbox, program: Program) -> None:
    many = attack(program("many"), "200000")
    done = sandbox.run(many)
    assert done.reason is Reason.FILES
    assert SMALL.files < done.left.files < 150_000
    assert sandbox.run(attack(program("many"), "50")).ok


@pytest.mark.parametrize("stream", ["out", "err"])
def test_gigabyte_of_output(sandbox: Sandbox, program: Program, stream: str) -> None:
    done = sandbox.run(attack(program("stubborn"), stream, limits=replace(SMALL, file_size=4 * MIB)))
    assert done.reason is Reason.OUTPUT
    assert len(done.stdout if stream == "out" else done.stderr) == SMALL.output
    assert len(done.stderr if stream == "out" else done.stdout) == 0
    assert sandbox.run(shell("head -c 500000 /dev/zero; head -c 500000 /dev/zero >&2")).ok


def test_output_is_watched_while_the_job_runs(sandbox: Sandbox) -> None:
    word = marker()
    limits = replace(SMALL, file_size=4 * MIB)
    done = sandbox.run(shell('head -c "$2" /dev/zero; sleep 1000', word, str(2 * MIB), limits=limits))
    assert done.reason is Reason.OUTPUT
    assert gone(word)


def test_number_of_descriptors(sandbox: Sandbox) -> None:
    script = 'for at in $(seq 3 9); do eval "exec $at< /dev/null" || exit 1; done; ls /proc/self/fd | wc -l'
    assert not sandbox.run(shell(script, limits=replace(SMALL, open_files=8))).ok
    assert sandbox.run(shell(script)).ok


def test_limits_cannot_be_raised(sandbox: Sandbox) -> None:
    script = "ulimit -f 100000000; ulimit -n 100000; ulimit -p 100000; ulimit -t 100000; ulimit -f; ulimit -n"
    done = sandbox.run(shell(script, limits=replace(SMALL, cpu=5)))
    assert b"xceed" in done.stderr or b"not permitted" in done.stderr or not done.ok
    assert b"100000" not in done.stdout


def test_address_space(sandbox: Sandbox, program: Program) -> None:
    job = attack(program("memory"), "own", "64", "1", limits=replace(MEMORY, memory=400 * MIB))
    assert sandbox.run(replace(job, limits=replace(job.limits, address_space=48 * MIB))).exit == 3
    assert sandbox.run(job).ok


def test_limits_are_of_the_job(sandbox: Sandbox) -> None:
    """What one job may have, the next one in the same place may not."""
    free, strict = Limits(wall=20, processes=30), Limits(wall=20, processes=1)
    script = "(:) && (:) & (:) & wait $! && echo forked"
    for _ in range(2):
        assert sandbox.run(shell(script, limits=free)).stdout == b"forked\n"
        assert sandbox.run(shell(script, limits=strict)).stdout == b""
