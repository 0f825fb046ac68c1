"""Two jobs at once, each in a sandbox of its own, joined by two pipes: one works, the other answers its questions."""

import os
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as Late
from contextlib import suppress

from harness.sandbox.model import FIRST_GIVEN, Finished, Job
from harness.sandbox.run import Sandbox

__all__ = ["READ", "WRITE", "run_joined"]

READ, WRITE = FIRST_GIVEN, FIRST_GIVEN + 1
"""The descriptors of both jobs: what the other one writes, and what the other one reads."""

_PATIENCE = 0.5
"""Seconds that the second job has to end by itself when the first has ended."""


def run_joined(sandbox: Sandbox, leader: Job, follower: Job) -> tuple[Finished, Finished]:
    """Run both. Each ends for itself, and a pipe ends with the job at its other end; the follower has to end when the
    leader has, and is ended (``Reason.STOPPED``) if it does not.

    Raises what ``Sandbox.run`` raises, when both have ended.
    """
    questions, answers, leash = os.pipe(), os.pipe(), os.pipe()
    with ThreadPoolExecutor(1, thread_name_prefix="follower") as pool:
        try:
            following = pool.submit(sandbox.run_with, follower, (questions[0], answers[1]), leash[0])
            led = sandbox.run_with(leader, (answers[0], questions[1]))
            with suppress(Late):
                following.result(_PATIENCE)
        finally:
            os.close(leash[1])
        return led, following.result()
