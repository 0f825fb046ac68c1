"""A metric that another package brings."""

from harness.measure import Need, Subject
from harness.measure.registry import metric

__all__: list[str] = []


@metric("ir.doubled", unit="instructions", deterministic=True, needs=[Need.COMPILING])
def ir_doubled(subject: Subject) -> int:
    """Twice as many instructions as the optimised IR has."""
    return 2 * subject.ir_instructions
