"""What the program's ``count`` workloads execute together, counted by QEMU's plugin."""

from harness.base.vocabulary import SPEED
from harness.measure.evidence import Need
from harness.measure.missing import NotMeasurableError
from harness.measure.registry import Breakdown, Subject, metric

_SPEED = (SPEED,)


@metric("instructions", unit="instructions", deterministic=True, needs=[Need.RUNS], tracks=_SPEED)
def instructions(subject: Subject) -> Breakdown:
    """Executed instructions, those of libc and start-up included."""
    return _counted(subject, "instructions")


@metric("instructions.libc", unit="instructions", deterministic=True, needs=[Need.RUNS, Need.CODE], tracks=_SPEED)
def instructions_libc(subject: Subject) -> int:
    """Those of the executed instructions that are libc's and start-up's, which no policy compiles."""
    return subject.evidence.profile.outside


@metric("loads", unit="accesses", deterministic=True, needs=[Need.RUNS], tracks=_SPEED)
def loads(subject: Subject) -> Breakdown:
    """Memory reads, of at most 8 bytes each as the emulator makes them."""
    return _counted(subject, "loads")


@metric("stores", unit="accesses", deterministic=True, needs=[Need.RUNS], tracks=_SPEED)
def stores(subject: Subject) -> Breakdown:
    """Memory writes, of at most 8 bytes each as the emulator makes them."""
    return _counted(subject, "stores")


@metric("accesses", unit="accesses", deterministic=True, needs=[Need.RUNS], tracks=_SPEED)
def accesses(subject: Subject) -> int:
    """Memory reads and writes together."""
    totals = subject.evidence.totals
    return totals["loads"] + totals["stores"]


def _counted(subject: Subject, kind: str) -> Breakdown:
    """The total; per function where the object's blocks are known too."""
    total = subject.evidence.totals[kind]
    try:
        return Breakdown(total, subject.evidence.profile.by_function[kind])
    except NotMeasurableError:
        return Breakdown(total, {})
