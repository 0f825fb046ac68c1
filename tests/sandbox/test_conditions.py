"""A sandbox under other conditions: what may differ between machines does, and nothing else."""

import json
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.sandbox.bench import Bench
from harness.sandbox.conditions import Conditions, clock_library
from harness.sandbox.model import Job
from harness.sandbox.shown import python_alone
from harness.suite.model import Workload
from harness.suite.workloads import ReadyWorkload
from harness.verify.execute import Runner, job_of

DAY = 86_400
LOOK = """
import ctypes, json, os, sys, time
address = ctypes.addressof(ctypes.c_int.in_dll(ctypes.CDLL(None), "optind"))
seen = {"host": os.uname().nodename, "environment": dict(os.environ), "now": time.time(), "address": address}
print(json.dumps(seen))
"""


@pytest.fixture
def look(bench: Bench) -> Callable[[Conditions], dict[str, Any]]:
    """What Python sees in a sandbox under these conditions."""

    def ask(conditions: Conditions) -> dict[str, Any]:
        alone = python_alone(("numpy",))
        words = ("-I", "-S", "-c", LOOK)
        job = Job(str(alone.program), words, folders=alone.shown, hidden=alone.hidden, environment={"LC_ALL": "C"})
        done = replace(bench, conditions=conditions).sandbox.run(job)
        assert done.ok, done.stderr
        seen: dict[str, Any] = json.loads(done.stdout)
        return seen

    return ask


def test_usual_conditions_add_nothing(look: Callable[[Conditions], dict[str, Any]]) -> None:
    seen = look(Conditions())
    assert seen["host"] == "sandbox" and seen["environment"] == {"LC_ALL": "C"}
    assert abs(seen["now"] - time.time()) < 60


def test_host_and_environment_are_as_they_are_given(look: Callable[[Conditions], dict[str, Any]]) -> None:
    """What the job says itself comes first."""
    seen = look(Conditions("elsewhere", (("TZ", "Asia/Tokyo"), ("LC_ALL", "de_DE"))))
    assert seen["host"] == "elsewhere"
    assert seen["environment"] == {"LC_ALL": "C", "TZ": "Asia/Tokyo"}


def test_a_program_that_is_measured_has_its_own_environment_alone(bench: Bench) -> None:
    """What it executes when it starts is counted, and depends on how many variables there are."""
    job = Job("/usr/bin/env", system=True, environment={"LC_ALL": "C"}, unvaried=True)
    done = replace(bench, conditions=Conditions(environment=(("TZ", "Asia/Tokyo"),))).sandbox.run(job)
    assert done.stdout == b"LC_ALL=C\n"
    workload = ReadyWorkload(Workload(name="only"), {}, None)
    assert job_of(Path("/program"), workload, Runner()).unvaried


def test_addresses_can_be_fixed(look: Callable[[Conditions], dict[str, Any]]) -> None:
    fixed = {look(Conditions(fixed_addresses=True))["address"] for _ in range(3)}
    assert len(fixed) == 1
    assert len({look(Conditions())["address"] for _ in range(3)}) == 3


@pytest.mark.skipif(clock_library() is None, reason="libfaketime is not here")
def test_the_clock_can_be_ahead(look: Callable[[Conditions], dict[str, Any]]) -> None:
    seen = look(Conditions(ahead=400 * DAY))
    assert abs(seen["now"] - time.time() - 400 * DAY) < 60
