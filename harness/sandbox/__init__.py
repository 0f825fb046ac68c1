"""The sandbox for everything that is not the harness's own: submitted code, benchmark programs, foreign builds."""

from harness.sandbox.describe import Enforced, describe, enforcement
from harness.sandbox.model import FIRST_GIVEN, GIB, MIB, SCRATCH, Finished, Job, Left, Limits, Reason, grace
from harness.sandbox.run import Sandbox

__all__ = [
    "FIRST_GIVEN",
    "GIB",
    "MIB",
    "SCRATCH",
    "Enforced",
    "Finished",
    "Job",
    "Left",
    "Limits",
    "Reason",
    "Sandbox",
    "describe",
    "enforcement",
    "grace",
]
