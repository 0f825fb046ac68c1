"""What a job's end is called: every reason has its exact words."""

from dataclasses import FrozenInstanceError, fields

import pytest

from harness.sandbox import MIB, Finished, Job, Left, Limits, Reason

LIMITS = Limits(wall=1.5, cpu=0.5, memory=64 * MIB, files=12, scratch=3 * MIB, output=2 * MIB)
EMPTY = Left(0, 0, 1)
FULL = Left(0, 0, 0)


def finished(
    reason: Reason, value: int = 0, stderr: bytes = b"", left: Left = EMPTY, limits: Limits = LIMITS
) -> Finished:
    return Finished(
        program="/usr/bin/tool",
        reason=reason,
        value=value,
        limits=limits,
        wall=1.0,
        cpu=1.0,
        total_cpu=1.0,
        peak_memory=1,
        preemptions=0,
        stdout=b"",
        stderr=stderr,
        results={},
        refused={},
        left=left,
    )


ENDINGS = [
    (Reason.EXIT, 0, "exit status 0"),
    (Reason.EXIT, 255, "exit status 255"),
    (Reason.SIGNAL, 11, "killed by SIGSEGV"),
    (Reason.SIGNAL, 40, "killed by signal 40"),
    (Reason.START, 2, "cannot be started: No such file or directory"),
    (Reason.START, 8, "cannot be started: Exec format error"),
    (Reason.WALL, 0, "stopped at its limit of 1.5 s"),
    (Reason.CPU, 0, "stopped at its limit of 0.5 s of CPU time"),
    (Reason.MEMORY, 0, "stopped at its limit of 64 MiB of memory"),
    (Reason.FILES, 0, "stopped at its limit of 12 files"),
    (Reason.OUTPUT, 0, "stopped at its limit of 2 MiB of output"),
    (Reason.STOPPED, 0, "stopped, since it was not needed any more"),
]


def test_every_reason_is_told_here() -> None:
    assert {reason for reason, _, _ in ENDINGS} == set(Reason)


@pytest.mark.parametrize(("reason", "value", "text"), ENDINGS)
def test_the_words_for_an_end(reason: Reason, value: int, text: str) -> None:
    assert finished(reason, value).ending == text
    assert finished(reason, value).reason_line() == f"tool: {text}"
    stderr = b"note\nx.c:1: error: bad\nlater\n"
    assert finished(reason, value, stderr).reason_line() == f"tool: {text}: x.c:1: error: bad"


@pytest.mark.parametrize(("reason", "value", "text"), ENDINGS)
def test_a_full_scratch_folder_is_mentioned_where_something_went_wrong(reason: Reason, value: int, text: str) -> None:
    well = reason is Reason.EXIT and value == 0
    full = "" if well else " (its scratch folder of 3 MiB is full)"
    assert finished(reason, value, left=FULL).ending == text + full
    assert (
        finished(
            reason, value, left=FULL, limits=Limits(1.5, 0.5, 64 * MIB, files=12, scratch=0, output=2 * MIB)
        ).ending
        == text
    )


def test_long_limits_are_whole_numbers() -> None:
    assert finished(Reason.WALL, limits=Limits(wall=60.0)).ending == "stopped at its limit of 60 s"
    assert finished(Reason.CPU, limits=Limits(cpu=600)).ending == "stopped at its limit of 600 s of CPU time"


@pytest.mark.parametrize(
    ("reason", "value", "ok", "exit_", "signal"),
    [
        (Reason.EXIT, 0, True, 0, None),
        (Reason.EXIT, 9, False, 9, None),
        (Reason.SIGNAL, 9, False, None, 9),
        (Reason.START, 2, False, None, None),
        *((reason, 0, False, None, None) for reason in (Reason.WALL, Reason.CPU, Reason.MEMORY, Reason.FILES)),
        (Reason.OUTPUT, 0, False, None, None),
    ],
)
def test_status_and_signal(reason: Reason, value: int, ok: bool, exit_: int | None, signal: int | None) -> None:
    end = finished(reason, value)
    assert (end.ok, end.exit, end.signal) == (ok, exit_, signal)


@pytest.mark.parametrize(
    ("reason", "value", "out_of_time", "transient"),
    [
        *((reason, 0, True, True) for reason in (Reason.WALL, Reason.CPU)),
        *((Reason.SIGNAL, number, False, True) for number in (9, 15, 2)),
        *((Reason.SIGNAL, number, False, False) for number in (11, 6, 8, 25)),
        *((Reason.EXIT, status, False, False) for status in (0, 2, 9, 15)),
        *((reason, 0, False, False) for reason in (Reason.MEMORY, Reason.FILES, Reason.OUTPUT)),
        *((Reason.START, number, False, False) for number in (2, 9, 15)),
    ],
)
def test_what_the_machine_may_be_to_blame_for(reason: Reason, value: int, out_of_time: bool, transient: bool) -> None:
    end = finished(reason, value)
    assert (end.out_of_time, end.transient) == (out_of_time, transient)


@pytest.mark.parametrize(
    "value", [Job("/x"), Limits(), Left(0, 0, 0), finished(Reason.EXIT)], ids=lambda v: type(v).__name__
)
def test_values_do_not_change(value: Job | Limits | Left | Finished) -> None:
    for field in fields(value):
        with pytest.raises(FrozenInstanceError):
            setattr(value, field.name, None)
