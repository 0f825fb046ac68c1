"""What is said of a job's end is what ended it, whenever its pipes were closed."""

import time

import pytest

from harness.sandbox import Job, Reason, Sandbox
from harness.sandbox.cgroups import find_controller
from harness.sandbox.dialogue import Dialogue, Gone, Late, Patience

CLOSE = "exec 8<&- 9>&-"
"""As the end of a process does it, a moment before it has ended."""


def talk(script: str, sandbox: Sandbox) -> Dialogue:
    dialogue = Dialogue(Job("/bin/sh", ("-c", script), system=True), sandbox)
    with pytest.raises(Gone):
        dialogue.read(1, 20)
    return dialogue


@pytest.mark.parametrize(
    ("ending", "reason", "value"), [("kill -SEGV $$", Reason.SIGNAL, 11), ("exit 3", Reason.EXIT, 3)]
)
def test_a_job_that_dies_slowly_is_not_said_to_be_stopped(
    ending: str, reason: Reason, value: int, sandbox: Sandbox
) -> None:
    finished = talk(f"{CLOSE}; sleep 0.3; {ending}", sandbox).end()
    assert (finished.reason, finished.value) == (reason, value)


def test_a_job_that_only_closes_its_pipes_is_ended_soon(sandbox: Sandbox) -> None:
    dialogue = talk(f"{CLOSE}; exec sleep 100", sandbox)
    began = time.monotonic()
    assert dialogue.end().reason is Reason.STOPPED
    assert time.monotonic() - began < 10
    assert dialogue.end().reason is Reason.STOPPED


def test_a_wait_of_cpu_time_outlasts_a_job_that_sleeps_and_not_one_that_works(sandbox: Sandbox) -> None:
    """What others do on the machine keeps a job from working as sleep does. Without a control group CPU time is
    not known, and the wait is of wall time.
    """
    sleeps = Dialogue(Job("/bin/sh", ("-c", "sleep 1.5; printf a >&9; cat <&8"), system=True), sandbox)
    if find_controller() is None:
        with pytest.raises(Late):
            sleeps.read(1, Patience(0.5, 30))
    assert sleeps.read(1, Patience(0.5 if find_controller() else 30, 30)) == b"a"
    with pytest.raises(Late):
        sleeps.read(1, Patience(30, 0.5))
    sleeps.end()
    works = Dialogue(Job("/bin/sh", ("-c", "printf a >&9; while :; do :; done"), system=True), sandbox)
    assert works.read(1, 20) == b"a"
    began = time.monotonic()
    with pytest.raises(Late):
        works.read(1, Patience(0.5, 60))
    took = time.monotonic() - began
    worked = works.end().total_cpu
    assert worked > 0.45 or find_controller() is None
    assert took < 30
