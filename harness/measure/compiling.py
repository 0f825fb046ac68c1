"""What the tools of a compile plan need: its steps are run once more, counted by the emulator or watched by the guard.

These are the steps that make the measured object from the decisions. The policy has no part in them: what it took to
decide is a metric of its own.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from harness.apply import CompilePlan, Step, optimise, step_job
from harness.base.digest import digest_of
from harness.base.errors import CellError
from harness.base.vocabulary import Outcome, Target
from harness.basic_blocks import Counts
from harness.freeze import FrozenModule
from harness.measure.missing import NotMeasurableError
from harness.sandbox import Finished, Job
from harness.sandbox.bench import Bench
from harness.sandbox.tools import run_tool
from harness.toolchain.native import native_digest, native_plugin

__all__ = ["HOST", "Compilation", "counted_job", "executed"]

HOST = Target.X86_64
"""What the tools themselves are made for, whatever they compile for."""
_PLUGIN, _COUNTS = "/count.so", ".counts"
_SLOWER = 50
"""Times that a tool may take longer where it is counted: most of its code runs a few times only, and has to be
translated all the same."""


@dataclass(frozen=True)
class Compilation:
    """A plan whose object there is, to be run again. Each figure of a step is taken once, and kept.

    Both raise CellError where a tool runs out of time or is killed: the next run tries again.
    """

    frozen: FrozenModule
    plan: CompilePlan
    bench: Bench

    def instructions(self) -> int:
        """What the tools of both steps execute, from their start to their end. Raises NotMeasurableError."""
        runtime = self.bench.toolchain.runtime_fingerprint(HOST)
        return sum(self._of_steps("executed", [native_digest("count"), runtime], _executed))

    def peak(self) -> int:
        """Bytes resident of the larger of the two tools, when they are most. Raises NotMeasurableError."""
        return max(self._of_steps("resident", [], _resident))

    def _of_steps(self, what: str, depends_on: list[str], take: Callable[[Job, Bench], int]) -> Iterator[int]:
        optimised = optimise(self.frozen, self.plan, self.bench)
        first = self.plan.optimise, self.frozen.bitcode, self.frozen.digest
        second = self.plan.generate, optimised.bitcode, optimised.digest
        for step, source, digest in (first, second):
            yield self._of_step(step, source, [what, 1, digest, *depends_on], take)

    def _of_step(self, step: Step, source: Path, parts: list[object], take: Callable[[Job, Bench], int]) -> int:
        bench = self.bench
        key = digest_of([*parts, step.identity, bench.toolchain.fingerprint.llvm])
        area = bench.area("compilations")
        with bench.store.lock(area, key):
            known: int | None = bench.store.get(area, key)
            if known is None:
                try:
                    with step_job(step, source, bench) as job:
                        known = take(job, bench)
                except CellError as error:
                    if error.transient:
                        raise
                    raise NotMeasurableError(f"{step.tool}: {error.message}") from None
                bench.store.put(area, key, known)
            return known


def counted_job(job: Job, bench: Bench) -> Job:
    """The same tool in the emulator, which counts. Its memory is the emulator's: it has no limit of address space."""
    plugin = native_plugin("count", bench.toolchain, bench.store)
    limits = job.limits
    words = ("-seed", "1", "-plugin", _PLUGIN, "-0", job.name or job.program, job.program)
    return replace(
        job,
        program=bench.toolchain.counter(HOST),
        arguments=(*words, *job.arguments),
        name=None,
        files={**job.files, _PLUGIN: plugin},
        results=(*job.results, _COUNTS),
        limits=replace(limits, address_space=None, wall=limits.wall * _SLOWER, cpu=limits.cpu and limits.cpu * _SLOWER),
    )


def executed(done: Finished) -> int:
    """Instructions that a counted tool has executed. Raises CellError where it failed, or cannot be counted."""
    try:
        counts = Counts.parse(_whole(done).results.get(_COUNTS, b""))
    except ValueError as error:
        raise CellError(Outcome.COMPILE_ERROR, str(error)) from None
    if counts.incomplete is not None:
        raise CellError(Outcome.COMPILE_ERROR, f"cannot be counted exactly: {counts.incomplete}")
    return counts.total["instructions"]


def _executed(job: Job, bench: Bench) -> int:
    return executed(run_tool(counted_job(job, bench), bench))


def _resident(job: Job, bench: Bench) -> int:
    return _whole(run_tool(job, bench)).peak_memory


def _whole(done: Finished) -> Finished:
    if not done.ok:
        outcome = Outcome.COMPILE_TIMEOUT if done.out_of_time else Outcome.COMPILE_ERROR
        raise CellError(outcome, done.reason_line(), done.transient)
    return done
