"""Size of the intermediate representation."""

from harness.measure.evidence import Need
from harness.measure.registry import Subject, metric


@metric("ir.instructions", unit="instructions", deterministic=True, needs=[Need.COMPILING])
def ir_instructions(subject: Subject) -> int:
    """IR instructions after the optimise step: what phase-ordering papers report."""
    return subject.ir_instructions
