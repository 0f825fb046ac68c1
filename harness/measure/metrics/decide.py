"""What deciding costs, of policies that decide on each module."""

from functools import partial

from harness.measure.evidence import Need
from harness.measure.registry import Subject, metric

_price = partial(
    metric, unit="s", deterministic=False, needs=[Need.DECIDING], can_be_zero=True, whole=False, compares=False
)

_count = partial(
    metric,
    deterministic=False,
    needs=[Need.DECIDING, Need.STEPS],
    can_be_zero=True,
    not_ranked="what deciding took, which need not be the same each time: it is shown beside others",
)


@_price("decide.cpu")
def decide_cpu(subject: Subject) -> float:
    """CPU seconds that the policy took to decide on the module, beyond the plain compilation, when first asked."""
    return round(subject.decide_cpu, 6)


@_price("decide.wall")
def decide_wall(subject: Subject) -> float:
    """Wall seconds that the policy took to decide on the module, beyond the plain compilation, when first asked."""
    return round(subject.decide_wall, 6)


@_count("decide.trials", unit="modules")
def decide_trials(subject: Subject) -> int:
    """Modules whose cost a search looked at before it decided; 1 for an agent, which is shown none: its episode."""
    return subject.decide_trials


@_count("decide.steps", unit="passes")
def decide_steps(subject: Subject) -> int:
    """Passes that were run to decide."""
    return subject.decide_steps
