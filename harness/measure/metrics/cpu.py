"""What compilation costs."""

from harness.measure.registry import Subject, metric


@metric("compile.cpu", unit="s", deterministic=False)
def compile_cpu(subject: Subject) -> float:
    """CPU seconds of both compile steps from the decisions."""
    return round(subject.compile_cpu, 6)
