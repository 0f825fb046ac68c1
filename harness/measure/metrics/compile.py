"""What compilation costs: of the tools that make the measured object from the decisions, the policy apart."""

from harness.measure.evidence import Need
from harness.measure.registry import Subject, metric

_PRICE = "a price: shown beside what ranks"


@metric(
    "compile.cpu",
    unit="s",
    deterministic=False,
    needs=[Need.COMPILING],
    whole=False,
    least=1e-6,
    compares=False,
    not_ranked="CPU seconds of whenever each object was first compiled: compile.instructions compares policies",
)
def compile_cpu(subject: Subject) -> float:
    """CPU seconds of both compile steps from the decisions, on the machine and in the hour of their first run."""
    return round(subject.compile_cpu, 6)


@metric(
    "compile.instructions",
    unit="instructions",
    deterministic=True,
    needs=[Need.COMPILING_AGAIN],
    least=1,
    by_name=True,
    not_ranked=_PRICE,
)
def compile_instructions(subject: Subject) -> int:
    """Instructions that the tools of both compile steps execute from the decisions, counted by the emulator."""
    return subject.evidence.compiled_again.instructions()


@metric(
    "compile.peak",
    unit="bytes",
    deterministic=False,
    needs=[Need.COMPILING_AGAIN],
    least=1,
    by_name=True,
    not_ranked=_PRICE,
)
def compile_peak(subject: Subject) -> int:
    """Memory of the larger of the tools of both compile steps from the decisions: bytes resident, at most."""
    return subject.evidence.compiled_again.peak()
