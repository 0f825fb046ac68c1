"""Whether an input may judge objects: builds that must agree on it do, and the sanitizers find nothing.

An input on which a program's behaviour is undefined says nothing against an object that gives another result.
"""

from collections.abc import Iterable

from harness.apply.reference import reference_object
from harness.base.errors import CellError
from harness.base.vocabulary import Level, Target
from harness.sandbox.bench import Bench
from harness.suite.load import Program
from harness.suite.workloads import ReadyWorkload
from harness.verify.sanitizers import sanitizer_findings
from harness.verify.verify import run_workloads

__all__ = ["disagreement", "why_unfit"]


def why_unfit(
    program: Program, ready: ReadyWorkload, targets: Iterable[Target], expected: str, bench: Bench
) -> str | None:
    """Why no object may be judged by its result on the workload; None where it may.

    ``expected``: digest of the result that objects were compared with.
    """
    agreed, problem = disagreement(program, ready, targets, bench)
    if problem:
        return problem
    if agreed != expected:
        return "the -O0 build and the reference that objects were compared with give different results"
    found = sanitizer_findings(program, (ready,), bench)
    return f"under the sanitizers: {found[0]}" if found else None


def disagreement(
    program: Program, ready: ReadyWorkload, targets: Iterable[Target], bench: Bench
) -> tuple[str, str | None]:
    """Digest of the result of the build at -O0 for x86-64, and why the builds at -Oz do not confirm it, if so."""
    right = ""
    for target, level in ((Target.X86_64, Level.O0), *((target, Level.OZ) for target in targets)):
        way = f"-{level.value} for {target.value}"
        try:
            built, _ = reference_object(program, level, target, bench)
            result = run_workloads(program, target, built, (ready,), bench)[ready.workload.name]
        except CellError as error:
            return right, f"the build at {way} fails: {error.message}"
        right = right or result
        if result != right:
            return right, f"the builds at -O0 for x86-64 and at {way} give different results"
    return right, None
