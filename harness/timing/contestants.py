"""The objects of one program that are timed against each other, and a trial run of each."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.base.digest import digest_of
from harness.base.errors import CellError
from harness.base.vocabulary import Outcome, Target
from harness.record.rows import CONTROL
from harness.sandbox.bench import Bench
from harness.suite.load import Program
from harness.suite.workloads import ReadyWorkload, workloads_digest
from harness.timing.twin import TWIN
from harness.verify.execute import observe
from harness.verify.link import linked
from harness.verify.verify import runner_for

__all__ = ["NATIVE", "NO_TIME", "TimedProgram", "TrialRun", "try_object"]

NATIVE = Target.X86_64
"""The one target that programs are timed on: an emulator's time is nobody's speed."""
NO_TIME = "it uses no CPU time that the kernel could measure"


@dataclass(frozen=True)
class TimedProgram:
    """A program with its distinct objects."""

    program: Program
    reference: str
    """Digest of the object that ratios are against."""
    objects: Mapping[str, Path]
    """Digest of an object → its twin (``harness.timing.twin``), the reference's among them."""
    ready: tuple[ReadyWorkload, ...]
    """Its ``time`` workloads."""
    expected: Mapping[str, str]
    """Workload → digest of the right result."""
    runtime: str = ""
    """Fingerprint of what it is linked with."""

    @property
    def name(self) -> str:
        """The benchmark's name."""
        return self.program.benchmark.name

    @property
    def contestants(self) -> dict[str, Path]:
        """What a block times: every object, and the copy of the reference's."""
        return {**self.objects, CONTROL: self.objects[self.reference]}

    @property
    def workload(self) -> str:
        """The workloads' names; all are run in a block, and their times summed."""
        return "+".join(item.workload.name for item in self.ready)

    @property
    def inputs(self) -> str:
        """Digest of all that a time depends on beside the object: times of equal ones can be compared."""
        linked = [list(self.program.benchmark.link), self.runtime]
        return digest_of(["timed", TWIN, workloads_digest(self.ready), *linked])


@dataclass(frozen=True, slots=True)
class TrialRun:
    """One run of an object on its ``time`` workloads, before anything is timed."""

    cpu: float
    """Seconds, of all workloads: an estimate."""
    problem: str
    """Why the object cannot be timed; empty: it can."""


def try_object(program: TimedProgram, digest: str, bench: Bench) -> TrialRun:
    """Run an object once, not timed; kept in the cache, failures of the machine excepted."""
    benchmark = program.program.benchmark
    key = digest_of(
        ["tried", 2, digest, benchmark.link, benchmark.language, program.inputs, dict(program.expected)]
        + [
            bench.toolchain.runtime_fingerprint(NATIVE, benchmark.language, benchmark.link),
            [item.workload.timeout for item in program.ready],
        ]
    )
    area = bench.area("tried")
    known: dict[str, Any] | None = bench.store.get(area, key)
    if known is None:
        known, transient = _try(program, digest, bench)
        if not transient:
            bench.store.put(area, key, known)
    return TrialRun(known["cpu"], known["problem"])


def _try(program: TimedProgram, digest: str, bench: Bench) -> tuple[dict[str, Any], bool]:
    cpu = 0.0
    try:
        with linked(program.program.benchmark, NATIVE, program.objects[digest], bench) as executable:
            for item in program.ready:
                done = observe(executable, item, runner_for(NATIVE, bench.toolchain), bench.sandbox)
                if done.digest != program.expected[item.workload.name]:
                    message = f"workload {item.workload.name}: output differs from the reference's"
                    raise CellError(Outcome.WRONG_OUTPUT, message)
                cpu += done.cpu
    except CellError as error:
        return {"cpu": 0.0, "problem": f"{error.outcome.value}: {error.message}"}, error.transient
    if not cpu > 0:
        return {"cpu": 0.0, "problem": NO_TIME}, False
    return {"cpu": cpu, "problem": ""}, False
