"""Comparing a program's results with the reference's, workload by workload."""

from collections.abc import Callable, Mapping
from pathlib import Path

from harness.digest import digest_of
from harness.errors import CellError
from harness.store import Store
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
    return Runner(emulator, memory=None if emulator else 4 << 30)


def verify(
    program: Program,
    target: Target,
    linked_object: Path,
    object_digest: str,
    ready: tuple[ReadyWorkload, ...],
    expected: Expected,
    toolchain: Toolchain,
    store: Store,
) -> None:
    """Link the object and run every workload. Equal objects are verified once.

    Raises CellError with the first outcome other than ``ok``.
    """
    key = digest_of(
        [
            ["verify", 1, object_digest, program.benchmark.link, program.benchmark.language],
            [workloads_digest(ready), dict(expected), [item.workload.timeout for item in ready]],
            [toolchain.fingerprint.llvm, toolchain.runtime_fingerprint(target)],
        ]
    )
    with store.lock("verified", key):
        known = store.get("verified", key)
        if known is None:
            known = _verify(program, target, linked_object, ready, expected, toolchain, store)
            store.put("verified", key, known)
    if known["outcome"] != Outcome.OK.value:
        raise CellError(Outcome(known["outcome"]), known["detail"])


def _verify(
    program: Program,
    target: Target,
    linked_object: Path,
    ready: tuple[ReadyWorkload, ...],
    expected: Expected,
    toolchain: Toolchain,
    store: Store,
) -> dict[str, str]:
    try:
        results = run_workloads(program, target, linked_object, ready, toolchain, store)
    except CellError as error:
        if error.transient:
            raise
        return {"outcome": error.outcome.value, "detail": error.message}
    for name, digest in results.items():
        if digest != expected[name]:
            store.require_space()
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
    toolchain: Toolchain,
    store: Store,
) -> dict[str, str]:
    """Link the object, run every workload once; workload name → digest of its result."""
    runner = runner_for(target, toolchain)
    results: dict[str, str] = {}
    with store.scratch() as scratch:
        executable = scratch / "program"
        link_program(program.benchmark, target, linked_object, executable, toolchain, store)
        for item in ready:
            folder = scratch / f"run-{item.workload.name}"
            folder.mkdir()
            try:
                results[item.workload.name] = execute(executable, item, folder, runner)
            except CellError:
                store.require_space()
                raise
    return results


def expected_results(
    program: Program,
    ready: tuple[ReadyWorkload, ...],
    build_reference: Callable[[], tuple[Path, str]],
    toolchain: Toolchain,
    store: Store,
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
    key = digest_of(["reference", 1, digest, workloads_digest(ready), toolchain.runtime_fingerprint(native)])
    with store.lock("reference", key):
        known: dict[str, str] | None = store.get("reference", key)
        if known is None:
            known = run_workloads(program, native, reference, ready, toolchain, store)
            store.require_space()
            store.put("reference", key, known)
    return {**known, **pinned}
