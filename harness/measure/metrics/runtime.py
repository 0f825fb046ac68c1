"""Run time on this machine. Not taken of a cell by itself but in a campaign, in pairs (``harness/timing``)."""

from harness.base.vocabulary import SPEED, Target
from harness.measure.evidence import Need, NotMeasurableError
from harness.measure.registry import Subject, metric

_SPEED = (SPEED,)
_NATIVE = (Target.X86_64,)


def _of_a_campaign(_subject: Subject) -> float:
    raise NotMeasurableError("run time is taken in a campaign, beside the reference's")


@metric("runtime.cpu", unit="s", deterministic=False, needs=(Need.CAMPAIGN,), tracks=_SPEED, targets=_NATIVE)
def runtime_cpu(subject: Subject) -> float:
    """CPU seconds of the `time` workloads, in pairs with the reference; shown is the median over blocks."""
    return _of_a_campaign(subject)


@metric("runtime.wall", unit="s", deterministic=False, needs=(Need.CAMPAIGN,), tracks=_SPEED, targets=_NATIVE)
def runtime_wall(subject: Subject) -> float:
    """Seconds of the turns in which the same runs took their CPU time; shown only."""
    return _of_a_campaign(subject)
