"""What compilation costs."""

from harness.measure.evidence import Need
from harness.measure.registry import Subject, metric


@metric("compile.cpu", unit="s", deterministic=False, needs=[Need.COMPILING], whole=False, least=1e-6)
def compile_cpu(subject: Subject) -> float:
    """CPU seconds of both compile steps from the decisions."""
    return round(subject.compile_cpu, 6)
