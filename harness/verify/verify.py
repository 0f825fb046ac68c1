"""Comparing a program's results with the reference's, workload by workload."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.base.digest import digest_of
from harness.base.errors import CellError
from harness.base.vocabulary import Outcome, Target
from harness.basic_blocks.counts import Counts
from harness.sandbox.bench import Bench
from harness.suite.load import Program
from harness.suite.workloads import ReadyWorkload, workloads_digest
from harness.toolchain import Toolchain
from harness.toolchain.elf import loaded
from harness.toolchain.native import native_digest, native_plugin
from harness.verify.execute import Runner, execute, observe
from harness.verify.link import linked

__all__ = [
    "CountedRun",
    "Expected",
    "Trial",
    "counting_runner",
    "expected_results",
    "result_besides",
    "run_workloads",
    "runner_for",
    "verify",
    "verify_counted",
]

Expected = Mapping[str, str]
"""Workload name → digest of the right result."""


@dataclass(frozen=True, slots=True)
class Trial:
    """An object, and what it must do."""

    program: Program
    target: Target
    object: Path
    object_digest: str
    ready: tuple[ReadyWorkload, ...]
    expected: Expected
    besides: ReadyWorkload | None = None
    """What the program is also run on while it is linked, if all is right: ``result_besides`` has the result."""


@dataclass(frozen=True, slots=True)
class CountedRun:
    """What one workload's run executed."""

    workload: str
    counts: Counts | None
    """None when there are none that could be used."""
    problem: str = ""
    """Why there are none."""
    altered: str | None = None
    """What was executed that is not code of the program's file."""


def runner_for(target: Target, toolchain: Toolchain) -> Runner:
    """How the target's programs are started on this machine."""
    emulator = toolchain.emulator(target)
    return Runner(emulator, address_space=None if emulator else Runner().address_space)


def counting_runner(target: Target, bench: Bench) -> Runner:
    """How the target's programs are started so that what they execute is counted: in the emulator, both."""
    plugin = native_plugin("count", bench.toolchain, bench.store)
    return Runner(bench.toolchain.counter(target), address_space=None, plugin=plugin)


def verify(trial: Trial, bench: Bench) -> None:
    """Link the object and run every workload. Equal objects are verified once.

    Raises CellError with the first outcome other than ``ok``.
    """
    key = _key("verify", trial, bench)
    area = bench.area("verified")
    with bench.store.lock(area, key):
        known = bench.store.get(area, key)
        if known is None:
            known = _verify(trial, bench)
            bench.store.put(area, key, known)
    _require_ok(known)


def verify_counted(trial: Trial, bench: Bench) -> tuple[CountedRun, ...]:
    """Like ``verify``, and count in the same runs what they execute."""
    import zstandard

    counter = native_digest("count")
    key = digest_of([counter, _key("counted", trial, bench)])

    def make(entry: Path) -> dict[str, Any]:
        facts, contents = _verify_counted(trial, bench)
        for name, content in contents.items():
            (entry / f"{name}.zst").write_bytes(zstandard.ZstdCompressor(level=3).compress(content))
        return facts

    entry, facts = bench.store.folder_with_facts(bench.area("counted"), key, make)
    _require_ok(facts)
    return tuple(_counted_run(entry, name, altered) for name, altered in facts["altered"].items())


def _counted_run(entry: Path, workload: str, altered: str | None) -> CountedRun:
    import zstandard

    try:
        packed = (entry / f"{workload}.zst").read_bytes()
        counts = Counts.parse(zstandard.ZstdDecompressor().decompress(packed))
    except FileNotFoundError:
        return CountedRun(workload, None, f"workload {workload} ended in a way that leaves no counts")
    except (ValueError, zstandard.ZstdError):
        return CountedRun(workload, None, f"the counts of workload {workload} are damaged")
    if counts.incomplete:
        return CountedRun(workload, None, f"workload {workload} cannot be counted exactly: {counts.incomplete}")
    return CountedRun(workload, counts, altered=altered and f"workload {workload}: {altered}")


def _key(kind: str, trial: Trial, bench: Bench) -> str:
    runtime = _runtime(trial.program, trial.target, bench)
    return digest_of(
        [
            [kind, 1, trial.object_digest, *_linked(trial.program)],
            [workloads_digest(trial.ready), dict(trial.expected), _seconds(trial.ready)],
            [
                bench.toolchain.fingerprint.llvm,
                runtime,
            ],
        ]
    )


def _linked(program: Program) -> list[Any]:
    """What says how an object of the program becomes a program."""
    return [program.benchmark.link, program.benchmark.language]


def _runtime(program: Program, target: Target, bench: Bench) -> str:
    """Fingerprint of what an object of the program is linked with and run by."""
    return bench.toolchain.runtime_fingerprint(target, program.benchmark.language, program.benchmark.link)


def _seconds(ready: tuple[ReadyWorkload, ...]) -> list[float]:
    return [item.workload.timeout for item in ready]


def _require_ok(known: Mapping[str, str]) -> None:
    if known["outcome"] != Outcome.OK.value:
        raise CellError(Outcome(known["outcome"]), known["detail"])


def _verify(trial: Trial, bench: Bench) -> dict[str, str]:
    runner = runner_for(trial.target, bench.toolchain)
    try:
        with linked(trial.program.benchmark, trial.target, trial.object, bench) as executable:
            results = {item.workload.name: execute(executable, item, runner, bench.sandbox) for item in trial.ready}
            known = _compared(results, trial.expected, bench)
            if known["outcome"] == Outcome.OK.value:
                _run_besides(trial, executable, bench)
    except CellError as error:
        return _failed(error)
    return known


def _verify_counted(trial: Trial, bench: Bench) -> tuple[dict[str, Any], dict[str, bytes]]:
    """The outcome's record, and each workload's counts; none unless every result is right."""
    runner = counting_runner(trial.target, bench)
    try:
        with linked(trial.program.benchmark, trial.target, trial.object, bench) as executable:
            runs = {item.workload.name: observe(executable, item, runner, bench.sandbox) for item in trial.ready}
            memory = loaded(executable)
            facts = _compared({name: run.digest for name, run in runs.items()}, trial.expected, bench)
            if facts["outcome"] == Outcome.OK.value:
                _run_besides(trial, executable, bench)
    except CellError as error:
        return {**_failed(error), "altered": {}}, {}
    altered = {name: _foreign_code(run.counts, memory) for name, run in runs.items()}
    return {**facts, "altered": altered}, {name: run.counts for name, run in runs.items() if run.counts is not None}


def _foreign_code(counts: bytes | None, memory: Mapping[tuple[str, int], bytes]) -> str | None:
    try:
        return Counts.parse(counts or b"").foreign(memory)
    except ValueError:  # without counts there is nothing to say; reading them says why
        return None


def _run_besides(trial: Trial, executable: Path, bench: Bench) -> None:
    """Run the linked program on the workload that is not compared here, and keep its result; a failure is not kept."""
    if trial.besides is None:
        return
    try:
        digest = execute(executable, trial.besides, runner_for(trial.target, bench.toolchain), bench.sandbox)
    except CellError:
        return
    key = _besides_key(trial.program, trial.target, trial.object_digest, trial.besides, bench)
    bench.store.put(bench.area("besides"), key, digest)


def result_besides(
    program: Program, target: Target, object_digest: str, ready: ReadyWorkload, bench: Bench
) -> str | None:
    """Digest of the object's result on the workload that it was run on ``besides``; None where there is none."""
    key = _besides_key(program, target, object_digest, ready, bench)
    digest: str | None = bench.store.get(bench.area("besides"), key)
    return digest


def _besides_key(program: Program, target: Target, object_digest: str, ready: ReadyWorkload, bench: Bench) -> str:
    runtime = _runtime(program, target, bench)
    about = [object_digest, target.value, *_linked(program)]
    limits = [ready.workload.timeout, bench.toolchain.fingerprint.llvm, runtime]
    return digest_of(["besides", 1, about, workloads_digest((ready,)), limits])


def _failed(error: CellError) -> dict[str, str]:
    if error.transient:
        raise error
    return {"outcome": error.outcome.value, "detail": error.message}


def _compared(results: Mapping[str, str], expected: Expected, bench: Bench) -> dict[str, str]:
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
    with linked(program.benchmark, target, linked_object, bench) as executable:
        return {item.workload.name: execute(executable, item, runner, bench.sandbox) for item in ready}


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
    tools = [bench.toolchain.fingerprint.llvm, _runtime(program, native, bench)]
    key = digest_of(["reference", 2, digest, _linked(program), workloads_digest(ready), _seconds(ready), *tools])
    area = bench.area("reference")
    with bench.store.lock(area, key):
        known: dict[str, str] | None = bench.store.get(area, key)
        if known is None:
            known = run_workloads(program, native, reference, ready, bench)
            bench.store.require_space()
            bench.store.put(area, key, known)
    return {**known, **pinned}
