"""One run of a program on one workload, in a sandbox of its own with a fixed environment.

Environment, folder layout, argv[0] and redirections are always the same: they shift instruction
counts, and a program that prints them would otherwise differ between machines.
"""

import hashlib
import json
import re
import signal
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from harness.base import process
from harness.base.confined import confined, failure_of
from harness.base.errors import CellError
from harness.base.process import signal_name
from harness.base.vocabulary import Outcome
from harness.sandbox import GIB, MIB, SCRATCH, Finished, Job, Limits, Reason, Sandbox
from harness.suite.model import Workload
from harness.suite.workloads import ReadyWorkload

__all__ = ["Execution", "Runner", "execute", "job_of", "judge", "observe", "result_digest"]

ENVIRONMENT = {"PATH": "/nonexistent", "LC_ALL": "C", "TZ": "UTC", "HOME": "/nonexistent"}
_PROGRAM = "/program"
_PLUGIN = "/count.so"
_COUNTS = ".counts"
_EMULATED_TIMEOUT_FACTOR = 10.0
_COUNTED_TIMEOUT_FACTOR = 30.0
_UNDEFINED_BEHAVIOUR = re.compile(r"SUMMARY: UndefinedBehaviorSanitizer: (\S+)")
_END = 1 << 16
"""Bytes at the end of a stream in which its last words are looked for."""
_DROP = Path(__file__).with_name("drop.py")
_DROP_LIMITS = process.Limits(wall=10, memory=4 * GIB, file_size=512 * MIB)
_LIMITS = Limits(memory=2 * GIB, processes=16, file_size=256 * MIB, output=256 * MIB, scratch=512 * MIB, files=1000)


@dataclass(frozen=True, slots=True)
class Runner:
    """How programs of a target are started."""

    emulator: str | None = None
    address_space: int | None = 4 * GIB
    """Bytes; None for an emulator and the sanitizers, which reserve more than they use."""
    environment: tuple[tuple[str, str], ...] = ()
    """Added to the fixed environment."""
    system: bool = False
    """Whether the program needs the machine's shared libraries. An emulator does."""
    plugin: Path | None = None
    """The emulator's plugin that counts (``native/count``)."""
    core: int | None = None
    """The one core that the program runs on; None: any."""


@dataclass(frozen=True, slots=True)
class Execution:
    """A run that ended as it should."""

    digest: str
    """Of its result."""
    counts: bytes | None
    """What the plugin wrote; None without one, or when it could not."""
    cpu: float
    """Seconds of CPU time."""


def execute(program: Path, ready: ReadyWorkload, runner: Runner, sandbox: Sandbox) -> str:
    """The digest of the run's result: see ``observe``."""
    return observe(program, ready, runner, sandbox).digest


def observe(program: Path, ready: ReadyWorkload, runner: Runner, sandbox: Sandbox) -> Execution:
    """Run the program. Raises what ``judge`` raises."""
    return judge(sandbox.run(job_of(program, ready, runner)), ready, runner)


def job_of(program: Path, ready: ReadyWorkload, runner: Runner) -> Job:
    """What a sandbox has to run for one run of the program."""
    workload = ready.workload
    factor = _EMULATED_TIMEOUT_FACTOR if runner.emulator else 1.0
    if runner.plugin:
        factor = _COUNTED_TIMEOUT_FACTOR
    plugins = {_PLUGIN: runner.plugin} if runner.plugin else {}
    return Job(
        runner.emulator or _PROGRAM,
        (*_emulated(runner), *workload.args),
        name=None if runner.emulator else "program",
        files={
            _PROGRAM: program,
            **plugins,
            **{f"{SCRATCH}/{name}": source for name, source in ready.files.items()},
        },
        system=runner.system or runner.emulator is not None,
        environment={**ENVIRONMENT, **dict(runner.environment)},
        unvaried=True,
        stdin=ready.files[workload.stdin] if workload.stdin else None,
        results=(*workload.outputs, *([_COUNTS] if runner.plugin else [])),
        limits=replace(_LIMITS, wall=workload.timeout * factor, address_space=runner.address_space),
        cores=() if runner.core is None else (runner.core,),
    )


def judge(finished: Finished, ready: ReadyWorkload, runner: Runner) -> Execution:
    """What a run that has ended gave.

    Raises CellError: ``run-crash``, ``run-timeout``, or ``wrong-output`` for an exit status or an
    output file that cannot be right.
    """
    workload = ready.workload
    where = f"workload {workload.name}"
    if finished.out_of_time:
        raise CellError(Outcome.RUN_TIMEOUT, f"{where}: {finished.ending}", transient=True)
    if died_of := _signal_of(finished, emulated=runner.emulator is not None):
        raise CellError(Outcome.RUN_CRASH, f"{where}: killed by {signal_name(died_of)}", finished.transient)
    if finished.reason is not Reason.EXIT:
        raise CellError(Outcome.RUN_CRASH, f"{where}: {finished.ending}{_words(finished)}", finished.transient)
    if finished.exit != workload.exit:
        message = f"{where}: {finished.ending}, not {workload.exit}{_words(finished, printed=True)}"
        raise CellError(Outcome.WRONG_OUTPUT, message)
    for name, why in finished.refused.items():
        if name != _COUNTS:
            raise CellError(Outcome.WRONG_OUTPUT, f"{where}: output file {name}: {why}")
    digest = result_digest(finished.stdout, finished.results, ready, finished.stderr)
    return Execution(digest, finished.results.get(_COUNTS), finished.cpu)


def _emulated(runner: Runner) -> tuple[str, ...]:
    """The emulator's arguments. With a fixed seed the start-up's random bytes are the same in every run."""
    if not runner.emulator:
        return ()
    counting = ("-seed", "1", "-plugin", _PLUGIN) if runner.plugin else ()
    return (*counting, "-0", "program", _PROGRAM)


def result_digest(stdout: bytes, files: Mapping[str, bytes], ready: ReadyWorkload, stderr: bytes = b"") -> str:
    """SHA-256 of filtered standard output, of every declared output file, and of standard error where it is checked.

    Raises CellError where the suite's filter takes too long or too much memory.
    """
    workload = ready.workload
    digest = hashlib.sha256(_filtered(stdout, workload))
    for name in workload.outputs:
        digest.update(f"\0{name}\0{len(files[name])}\0".encode())
        digest.update(files[name])
    if workload.stderr:
        digest.update(b"\0\0stderr\0" + hashlib.sha256(_filtered(stderr, workload)).digest())
    return digest.hexdigest()


def _filtered(stream: bytes, workload: Workload) -> bytes:
    """The lines that count. The patterns are the suite's, and a pattern may never end: see ``drop.py``."""
    if not workload.drop:
        return stream
    ended = confined(_DROP, json.dumps(workload.drop).encode() + b"\n" + stream, _DROP_LIMITS)
    if ended.ok:
        return ended.stdout
    outcome = Outcome.RUN_TIMEOUT if ended.timed_out else Outcome.WRONG_OUTPUT
    words = f"its drop patterns cannot be applied to the output: {failure_of(ended, _DROP_LIMITS)}"
    raise CellError(outcome, f"workload {workload.name}: {words}", ended.transient)


def _signal_of(finished: Finished, *, emulated: bool) -> int | None:
    if finished.signal is not None:
        return finished.signal
    # qemu-user kills itself by the guest's signal; through a shell it would be 128 + signal.
    status = finished.exit
    if emulated and status is not None and status > 128 and status - 128 in set(signal.Signals):
        return status - 128
    return None


def _words(finished: Finished, *, printed: bool = False) -> str:
    """What a sanitizer says, or the last words: on standard error, and ``printed`` on standard output."""
    said = _last_lines(finished.stderr)
    telling = [line for line in said if "runtime error:" in line or "ERROR: AddressSanitizer" in line]
    kinds = [match[1] for line in said if (match := _UNDEFINED_BEHAVIOUR.match(line))]
    words = [*telling[:1], *kinds[:1]] or [*said[-1:], *(_last_lines(finished.stdout)[-1:] if printed else ())]
    return f" ({'; '.join(words)})" if words else ""


def _last_lines(stream: bytes) -> list[str]:
    return [line.strip()[:200] for line in stream[-_END:].decode("utf-8", "replace").strip().splitlines()]
