"""Jobs in turns: one runs, the others stand still, and none of them can change that for the others."""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import pytest

from harness.base.errors import StoppedError
from harness.base.process import start_again, stop_all
from harness.sandbox import MIB, Finished, Job, Limits, Reason, Sandbox
from harness.sandbox.slots import close_slots
from harness.sandbox.turns import NextTurns, run_in_turns
from harness.toolchain import Toolchain
from tests.sandbox.jobs import all_gone, command_lines, named, own_children, shell, unlike, wait_for

PROGRAM = "/turns"
CORE = max(os.sched_getaffinity(0))
SLICE = 0.005
Make = Callable[..., Job]
Interval = tuple[int, int, int]
"""Begin, end, and whose it is."""

needs_two_cores = pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="there is one core only")


@pytest.fixture(scope="module")
def make(toolchain: Toolchain, tmp_path_factory: pytest.TempPathFactory) -> Make:
    """Makes a job that runs ``turns.c`` with these words."""
    program = tmp_path_factory.mktemp("turns") / "turns"
    source = Path(__file__).with_name("turns.c")
    subprocess.run([toolchain.tool("clang"), "-D_GNU_SOURCE", "-O1", "-static", source, "-o", program], check=True)

    def job(*words: object, **fields: Any) -> Job:
        return Job(PROGRAM, tuple(map(str, words)), **{"files": {PROGRAM: program}, "cores": (CORE,), **fields})

    return job


@pytest.fixture(params=["sandbox", "trusted"])
def box(request: pytest.FixtureRequest) -> Sandbox:
    """Both isolations."""
    found: Sandbox = request.getfixturevalue(request.param)
    return found


class Asked:
    """Turns in a random order, and what was asked for."""

    def __init__(self, mean: float = SLICE, pause: float = 0.0) -> None:
        self.given: list[tuple[int, float]] = []
        self.alive: list[tuple[int, ...]] = []
        self._random, self._mean, self._pause = Random(7), mean, pause

    def __call__(self, alive: Sequence[int]) -> list[tuple[int, float]]:
        time.sleep(self._pause)
        order = [(number, self._mean * self._random.uniform(0.5, 1.5)) for number in alive]
        self._random.shuffle(order)
        self.given += order
        self.alive.append(tuple(alive))
        return order


def in_turns(box: Sandbox, *jobs: Job, turns: NextTurns | None = None) -> list[Finished]:
    return run_in_turns(box, jobs, turns or Asked())[0]


def intervals(ended: Sequence[Finished], who: str = "") -> list[Interval]:
    """When the jobs ran, by their own clock, in the order of time."""
    words = [(line.split(), number) for number, one in enumerate(ended) for line in one.stdout.decode().splitlines()]
    return sorted((int(begin), int(end), number) for (name, begin, end), number in words if who in ("", name))


def overlaps(found: Sequence[Interval], borne: int = 0) -> list[tuple[Interval, Interval]]:
    """Where two jobs ran at the same time, for more than so many nanoseconds.

    Says something only of jobs that may be on different cores.
    """
    seen: list[tuple[Interval, Interval]] = []
    latest: dict[int, Interval] = {}
    for one in found:
        seen += [(other, one) for whose, other in latest.items() if whose != one[2] and other[1] > one[0] + borne]
        if one[2] not in latest or one[1] > latest[one[2]][1]:
            latest[one[2]] = one
    return seen


def is_subsequence(part: Sequence[int], whole: Sequence[int]) -> bool:
    rest = iter(whole)
    return all(any(item == other for other in rest) for item in part)


def without_repeats(items: Sequence[int]) -> list[int]:
    return [item for at, item in enumerate(items) if at == 0 or items[at - 1] != item]


def guards(marker: str) -> list[int]:
    """Of the jobs with these words in their command lines."""
    return [pid for pid, line in command_lines() if marker.encode() in line and b"\0status=" in line[:200]]


@contextmanager
def busy(core: int) -> Iterator[None]:
    """A process that computes without end on a core."""
    spinning = subprocess.Popen(
        ["/usr/bin/sh", "-c", "while :; do :; done"], preexec_fn=lambda: os.sched_setaffinity(0, {core})
    )
    try:
        yield
    finally:
        spinning.kill()
        spinning.wait()


@pytest.mark.parametrize("cores", [(CORE,), ()])
def test_never_two_at_once_and_in_the_order_asked(box: Sandbox, make: Make, cores: tuple[int, ...]) -> None:
    asked = Asked()
    ended = in_turns(box, *(make("record", 60, cores=cores) for _ in range(4)), turns=asked)
    assert all(one.ok for one in ended)
    found = intervals(ended)
    assert overlaps(found) == []
    seen = without_repeats([number for *_, number in found])
    assert len(seen) > 20
    assert is_subsequence(seen, without_repeats([number for number, _ in asked.given]))


def test_those_that_ended_are_asked_for_no_more(box: Sandbox, make: Make) -> None:
    asked = Asked()
    ended = in_turns(box, make("record", 100), make("status", 3), make("record", 30), turns=asked)
    assert [one.exit for one in ended] == [0, 3, 0]
    assert asked.alive[0] == (0, 1, 2)
    assert all(set(later) <= set(earlier) for earlier, later in zip(asked.alive, asked.alive[1:], strict=False))
    assert 1 not in asked.alive[3] and asked.alive[-1] == (0,)


def test_turns_of_those_that_ended_or_never_were_are_passed_over(box: Sandbox, make: Make) -> None:
    ended = in_turns(
        box, make("status", 3), make("record", 20), turns=lambda _: [(number, SLICE) for number in (0, 5, 1, 0)]
    )
    assert [one.exit for one in ended] == [3, 0]


def test_wall_time_is_the_time_of_its_turns(box: Sandbox, make: Make) -> None:
    """All of them together had no more than the whole took; each had its CPU time at least."""
    asked = Asked()
    ended, seconds = run_in_turns(box, [make("record", 80) for _ in range(4)], asked)
    assert all(one.ok for one in ended)
    assert sum(one.wall for one in ended) <= seconds
    given = [sum(length for number, length in asked.given if number == job) for job in range(4)]
    for one, length in zip(ended, given, strict=True):
        assert 0.08 <= one.cpu <= one.wall + 0.01
        assert one.wall >= length - 1.5 * SLICE  # the last may not be used up


def test_the_limit_of_wall_time_counts_turns_only(box: Sandbox, make: Make) -> None:
    limits = Limits(wall=0.8)
    asked = Asked(pause=0.12)  # nobody's turn
    ended, seconds = run_in_turns(box, [make("record", 50, limits=limits)], asked)
    assert ended[0].ok, ended[0].reason_line()
    assert len(asked.given) >= 8 and seconds > limits.wall


def test_what_never_ends_is_stopped_at_its_limit(box: Sandbox, make: Make) -> None:
    endless = make("record", 0, limits=Limits(wall=0.4))
    ended = in_turns(box, make("record", 50), endless, make("record", 50), endless)
    assert [one.reason for one in ended] == [Reason.EXIT, Reason.WALL, Reason.EXIT, Reason.WALL]
    for one in ended[1::2]:
        assert 0.4 <= one.wall < 1.0


def test_the_limit_of_cpu_time_holds(sandbox: Sandbox, make: Make) -> None:
    endless = make("record", 0, limits=Limits(wall=30, cpu=0.2))
    assert [one.reason for one in in_turns(sandbox, endless, make("record", 20))] == [Reason.CPU, Reason.EXIT]


@needs_two_cores
def test_a_job_stays_on_its_core_and_its_guard_off_it(box: Sandbox, make: Make) -> None:
    marker = f"marker-{unlike(1)}"
    for core in sorted(os.sched_getaffinity(0))[:2]:
        assert box.run(make("core", 30, cores=(core,))).stdout == b"%d\n" % core
        ended = in_turns(box, make("core", 30, cores=(core,)), make("core", 30, cores=(core,)))
        assert [one.stdout for one in ended] == [b"%d\n" % core] * 2
    seen: list[set[int]] = []

    def look(alive: Sequence[int]) -> list[tuple[int, float]]:
        for pid in guards(marker):
            with suppress(ProcessLookupError):  # it may end while we look
                seen.append(os.sched_getaffinity(pid))
        return [(number, SLICE) for number in alive]

    in_turns(box, make("record", 10, 0, marker), make("record", 10, 0, marker), turns=look)
    assert len(seen) >= 2
    assert all(cores and CORE not in cores for cores in seen)


@needs_two_cores
def test_a_job_has_the_cores_that_it_is_given_and_no_others(box: Sandbox) -> None:
    few = sorted(os.sched_getaffinity(0))[-2:]
    for cores in (few, few[1:]):
        told = box.run(shell("grep Cpus_allowed_list /proc/self/status", cores=tuple(cores))).stdout.split()[1].decode()
        shown = [range(int(a), int(b or a) + 1) for a, _, b in (part.partition("-") for part in told.split(","))]
        assert [core for part in shown for core in part] == cores


@needs_two_cores
def test_sandboxes_are_on_the_cores_of_the_thread_that_starts_them(box: Sandbox, make: Make) -> None:
    """Now, and not only when their spawner was started."""
    all_cores = os.sched_getaffinity(0)
    script = shell("grep Cpus_allowed: /proc/self/status")
    close_slots()
    try:
        before = box.run(script).stdout
        os.sched_setaffinity(0, {min(all_cores)})
        here = box.run(script).stdout
        close_slots()
        assert box.run(script).stdout == here != before
    finally:
        os.sched_setaffinity(0, all_cores)
    assert box.run(script).stdout == before


def test_bad_jobs_end_as_they_do_alone_and_the_others_go_on(box: Sandbox, make: Make) -> None:
    jobs = [
        make("raise", signal.SIGSEGV.value, 12),
        make("raise", signal.SIGABRT.value, 1),
        make("raise", signal.SIGKILL.value, 7),
        make("status", 77),
        Job("/nowhere/program", cores=(CORE,)),
        make("flood", limits=Limits(wall=30, output=2 * MIB, file_size=64 * MIB)),
        make("flood", limits=Limits(wall=30, output=2 * MIB, file_size=2 * MIB)),
    ]
    good = make("record", 60)
    ended = in_turns(box, good, *jobs, good)
    assert [one.ok for one in ended] == [True, *[False] * len(jobs), True]
    for job, one in zip(jobs, ended[1:-1], strict=True):
        alone = box.run(job)
        assert (one.reason, one.value) == (alone.reason, alone.value)
        assert len(one.stdout) <= job.limits.output


@pytest.mark.parametrize("mode", ["ignore", "handle"])
def test_what_a_job_does_with_sigcont_is_its_own_matter(box: Sandbox, make: Make, mode: str) -> None:
    ended = in_turns(box, make(mode, 40, cores=()), make("record", 40, cores=()), make(mode, 40, cores=()))
    assert all(one.ok for one in ended)
    lines = [one.stdout.decode().splitlines() for one in ended]
    if mode == "handle":
        assert lines[0].pop() == lines[2].pop() == "continued 1"
    plain = [replace(one, stdout="\n".join(text).encode()) for one, text in zip(ended, lines, strict=True)]
    assert overlaps(intervals(plain)) == []


def test_a_job_that_stops_itself_wastes_its_own_turns(box: Sandbox, make: Make) -> None:
    forever = make("stop", 0, limits=Limits(wall=0.2))
    ended = in_turns(box, make("stop", 5), make("record", 40), forever)
    assert ended[0].ok and ended[0].stdout == b"went on\n"
    assert ended[1].ok
    assert ended[2].reason is Reason.WALL and ended[2].wall >= 0.2
    assert box.run(make("stop", 1, limits=Limits(wall=0.2))).reason is Reason.WALL  # alone, nobody wakes it


@pytest.mark.parametrize("mode", ["fork", "both"])
def test_a_jobs_children_stand_still_with_it(sandbox: Sandbox, make: Make, mode: str) -> None:
    """Those of other sessions too."""
    ended = in_turns(sandbox, make(mode, 40, cores=()), make("record", 60, cores=()), make(mode, 40, cores=()))
    assert all(one.ok for one in ended)
    assert len(intervals(ended, "child")) > 4
    assert overlaps(intervals(ended), borne=1_000_000) == []


def test_without_a_sandbox_children_of_its_group_stand_still_with_a_job(trusted: Sandbox, make: Make) -> None:
    ended = in_turns(trusted, make("both", 40, cores=()), make("record", 60, cores=()))
    assert all(one.ok for one in ended)
    assert overlaps(intervals(ended), borne=1_000_000) == []


def test_a_child_that_computes_on_is_ended_with_its_job(box: Sandbox, make: Make) -> None:
    ended = in_turns(box, make("leave", 15), make("record", 60), make("leave", 15))
    assert [one.ok for one in ended] == [True] * 3
    assert [one.left.processes for one in ended] == [1, 0, 1]


def test_the_parent_of_a_vfork_holds_nobody_up(box: Sandbox, make: Make) -> None:
    """It cannot be stopped before its child, which is, has ended."""
    asked = Asked()
    ended, seconds = run_in_turns(box, [make("vfork", 6, 10), make("record", 30), make("vfork", 2, 3)], asked)
    assert [one.ok for one in ended] == [True] * 3
    assert [one.stdout for one in ended[::2]] == [b"done\n"] * 2
    assert seconds < 20  # a guard that waits for it would be given up after 30 s


def at_round(wanted: int, act: Callable[[], None]) -> NextTurns:
    """Everyone in order, and in one round something happens first."""
    rounds = count(1)

    def next_turns(alive: Sequence[int]) -> list[tuple[int, float]]:
        if next(rounds) == wanted:
            act()
        return [(number, SLICE) for number in alive]

    return next_turns


def test_a_job_whose_guard_is_killed_is_lost_alone(sandbox: Sandbox, make: Make) -> None:
    marker = f"marker-{unlike(2)}"

    def kill() -> None:
        (guard,) = guards(marker)
        os.kill(guard, signal.SIGKILL)

    jobs = (make("record", 60), make("record", 0, 0, marker), make("record", 60))
    ended = in_turns(sandbox, *jobs, turns=at_round(3, kill))
    assert [one.ok for one in ended] == [True, False, True]
    assert ended[1].signal == signal.SIGKILL and ended[1].transient
    assert all_gone(named(marker))


def test_what_a_job_gives_is_what_it_gives_alone(box: Sandbox, make: Make, tmp_path: Path) -> None:
    (tmp_path / "data").write_bytes(b"content")
    (tmp_path / "stdin").write_bytes(b"a line\n")
    job = shell(
        "read line; echo $line $NAME; cat data >&2; mkdir out; printf made > out/file; ln -s x link; sleep 99 & exit 5",
        files={"/tmp/data": tmp_path / "data"},
        stdin=tmp_path / "stdin",
        environment={"NAME": "value", "PATH": "/usr/bin:/bin"},
        results=("out/file", "link", "none"),
    )
    alone = box.run(job)
    ended = in_turns(box, job, make("record", 30), job)
    assert alone.results == {"out/file": b"made"} and alone.stdout == b"a line value\n" and alone.left.processes == 1

    def told(one: Finished) -> Finished:
        left = replace(one.left, free=0)
        return replace(one, wall=0.0, cpu=0.0, total_cpu=0.0, peak_memory=0, preemptions=0, left=left)

    assert told(ended[0]) == told(ended[2]) == told(alone)


def test_nothing_is_left_behind(box: Sandbox, make: Make) -> None:
    marker = f"marker-{unlike(3)}"
    jobs = [make("record", 6, 0, marker), make("raise", signal.SIGSEGV.value, 1, marker), make("leave", 3, 0, marker)]
    in_turns(box, *jobs)
    descriptors, processes = os.listdir("/proc/self/fd"), own_children()
    for _ in range(10):
        in_turns(box, *jobs)
    assert os.listdir("/proc/self/fd") == descriptors
    assert own_children() == processes
    assert not any(thread.name.startswith("turns") for thread in threading.enumerate())
    assert all_gone(named(marker))


def test_one_that_cannot_be_made_ready_is_an_error_when_the_others_have_ended(box: Sandbox, make: Make) -> None:
    """At once: nobody waits for what is not coming."""
    started = time.monotonic()
    asked = Asked()
    with pytest.raises(FileNotFoundError):
        in_turns(box, make("record", 20), Job("/x", files={"/tmp/x": Path("/nowhere/file")}), turns=asked)
    assert asked.alive[0] == (0,)
    assert time.monotonic() - started < 20


def test_when_nobody_gives_turns_any_more_everything_ends(box: Sandbox, make: Make) -> None:
    """What ignores the signal that the kernel sends to stopped orphans too."""
    marker = f"marker-{unlike(4)}"

    def fail() -> None:
        raise RuntimeError("no more")

    ignoring = shell(f"trap '' HUP TERM; : {marker}; while :; do :; done", cores=(CORE,))
    with pytest.raises(RuntimeError, match="no more"):
        in_turns(box, ignoring, make("record", 0, 0, marker), turns=at_round(4, fail))
    assert all_gone(named(marker))


def test_the_user_can_stop_it(box: Sandbox, make: Make) -> None:
    marker = f"marker-{unlike(5)}"

    def stop() -> None:
        wait_for(marker, 4)
        stop_all()

    stopper = threading.Thread(target=stop)
    stopper.start()
    try:
        with pytest.raises(StoppedError):
            in_turns(box, *(make("record", 0, 0, marker) for _ in range(2)))
        stopper.join()
    finally:
        start_again()
    assert all_gone(named(marker))


def test_preemptions_are_counted(box: Sandbox, make: Make) -> None:
    """Standing still between turns is none."""
    with busy(CORE):
        assert box.run(make("record", 150)).preemptions > 0
        ended = in_turns(box, make("record", 150), make("record", 150), turns=Asked(mean=0.05))
    assert all(one.ok and one.preemptions > 0 for one in ended)


def test_standing_still_is_no_preemption(box: Sandbox, make: Make) -> None:
    """Of many turns most end without one, whoever else wants the core."""
    for _ in range(4):  # until the machine is quiet enough to tell
        asked = Asked(mean=0.001)
        ended = in_turns(box, make("record", 60), make("record", 60), turns=asked)
        assert all(one.ok for one in ended)
        assert len(asked.given) > 60
        if sum(one.preemptions for one in ended) < len(asked.given) / 2:
            return
    pytest.fail(f"{[one.preemptions for one in ended]} preemptions in {len(asked.given)} turns")
