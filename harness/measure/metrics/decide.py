"""What deciding costs, of policies that decide on each module."""

from harness.measure.registry import Subject, metric


@metric("decide.cpu", unit="s", deterministic=False, can_be_zero=True)
def decide_cpu(subject: Subject) -> float:
    """CPU seconds that the policy took to decide on the module, beyond the plain compilation, when first asked."""
    return round(subject.decide_cpu, 6)


@metric("decide.wall", unit="s", deterministic=False, can_be_zero=True)
def decide_wall(subject: Subject) -> float:
    """Wall seconds that the policy took to decide on the module, beyond the plain compilation, when first asked."""
    return round(subject.decide_wall, 6)
