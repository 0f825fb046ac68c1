"""Comparing a program's results with the reference's, workload by workload."""

from collections.abc import Callable, Mapping
from pathlib import Path

from harness.bench import Bench
from harness.digest import digest_of
from harness.errors import CellError
from harness.suite.load import Program
from harness.suite.workloads import ReadyWorkload, workloads_digest
from harness.toolchain import Toolchain
from harness.verify.execute import Runner, execute
from harness.verify.link import link_program
from harness.vocabulary import Outcome, Target

__all__ = ["Expected", "expected_results", "run_workloads", "runner_for", "verify"]

Expected = Mapping[str, str]
"""Workload name → digest of the right result."""


def runner_for(target: Target, toolchain: Toolchain) -> Runner:
    """How the target's programs are started on this machine."""
    emulator = toolchain.emulator(target)
    return Runner(emulator, address_space=None if emulator else Runner().address_space)


def verify(
    program: Program,
    target: Target,
    linked_object: Path,
    object_digest: str,
    ready: tuple[ReadyWorkload, ...],
    expected: Expected,
    bench: Bench,
) -> None:
    """Link the object and run every workload. Equal objects are verified once.

    Raises CellError with the first outcome other than ``ok``.
    """
    key = digest_of(
        [
            ["verify", 1, object_digest, program.benchmark.link, program.benchmark.language],
            [workloads_digest(ready), dict(expected), [item.workload.timeout for item in ready]],
            [bench.toolchain.fingerprint.llvm, bench.toolchain.runtime_fingerprint(target)],
        ]
    )
    area = bench.area("verified")
    with bench.store.lock(area, key):
        known = bench.store.get(area, key)
        if known is None:
            known = _verify(program, target, linked_object, ready, expected, bench)
            bench.store.put(area, key, known)
    if known["outcome"] != Outcome.OK.value:
        raise CellError(Outcome(known["outcome"]), known["detail"])


def _verify(
    program: Program,
    target: Target,
    linked_object: Path,
    ready: tuple[ReadyWorkload, ...],
    expected: Expected,
    bench: Bench,
) -> dict[str, str]:
    try:
        results = run_workloads(program, target, linked_object, ready, bench)
    except CellError as error:
        if error.transient:
            raise
        return {"outcome": error.outcome.value, "detail": error.message}
    for name, digest in results.items():
        if digest != expected[name]:
            bench.store.require_space()
            return {
                "outcome": Outcome.WRONG_OUTPUT.value,
                "detail": f"workload {name}: output differs from the reference's",
            }
    return {"outcome": Outcome.OK.value, "detail": ""}


def run_workloads(
    program: Program,
    target: Target,
    linked_object: Path,
    ready: tuple[ReadyWorkload, ...],
    bench: Bench,
) -> dict[str, str]:
    """Link the object, run every workload once; workload name → digest of its result."""
    runner = runner_for(target, bench.toolchain)
    results: dict[str, str] = {}
    with bench.store.scratch() as scratch:
        executable = scratch / "program"
        link_program(program.benchmark, target, linked_object, executable, bench.toolchain, bench.store)
        for item in ready:
            results[item.workload.name] = execute(executable, item, runner, bench.sandbox)
    return results


def expected_results(
    program: Program,
    ready: tuple[ReadyWorkload, ...],
    build_reference: Callable[[], tuple[Path, str]],
    bench: Bench,
) -> dict[str, str]:
    """The right results: those that the suite pins, else those of the reference build.

    ``build_reference`` gives object and digest of the program at -O0 for x86-64; it is called only
    when a result is not pinned. Raises CellError when the reference build itself fails.
    """
    pinned = {item.workload.name: item.expected for item in ready if item.expected}
    if len(pinned) == len(ready):
        return pinned
    native = Target.X86_64
    reference, digest = build_reference()
    key = digest_of(["reference", 1, digest, workloads_digest(ready), bench.toolchain.runtime_fingerprint(native)])
    area = bench.area("reference")
    with bench.store.lock(area, key):
        known: dict[str, str] | None = bench.store.get(area, key)
        if known is None:
            known = run_workloads(program, native, reference, ready, bench)
            bench.store.require_space()
            bench.store.put(area, key, known)
    return {**known, **pinned}
