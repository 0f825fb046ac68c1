"""Run time on this machine. Not taken of a cell by itself but in a campaign, in pairs (``harness/timing``)."""

from functools import partial

from harness.base.vocabulary import SPEED, Target
from harness.measure.evidence import Need, Took
from harness.measure.registry import metric

_PAIRED = "runtime.cpu"
_time = partial(
    metric, unit="s", deterministic=False, needs=[Need.CAMPAIGN], tracks=[SPEED], targets=[Target.X86_64],
    whole=False, least=1e-6,
)  # fmt: skip


@_time(_PAIRED, paired=True)
def runtime_cpu(took: Took) -> float:
    """CPU seconds of the `time` workloads, in pairs with the reference; shown is the median over blocks."""
    return round(took.cpu, 6)


@_time("runtime.wall", not_ranked=f"shown only: {_PAIRED} ranks")
def runtime_wall(took: Took) -> float:
    """Seconds of the turns in which the same runs took their CPU time; shown only."""
    return round(took.wall, 6)
