"""A program built with AddressSanitizer and UndefinedBehaviorSanitizer, run on its workloads."""

from collections.abc import Sequence
from pathlib import Path

from harness.base.errors import CellError, UsageError
from harness.freeze.build import sanitized_program
from harness.freeze.commands import SANITIZE, driver
from harness.freeze.units import compiled_in_tree
from harness.sandbox.bench import Bench
from harness.suite.load import Program
from harness.suite.sources import source_tree
from harness.suite.workloads import ReadyWorkload
from harness.verify.execute import Runner, execute

__all__ = ["sanitizer_findings"]

_OPTIONS = (
    ("ASAN_OPTIONS", "detect_leaks=0:abort_on_error=0:exitcode=99"),
    ("UBSAN_OPTIONS", "print_stacktrace=0:halt_on_error=1:exitcode=99"),
)


def sanitizer_findings(program: Program, ready: Sequence[ReadyWorkload], bench: Bench) -> list[str]:
    """What the sanitizers say, one message a workload; empty for a clean program. Leaks do not count."""
    benchmark = program.benchmark
    with bench.store.scratch() as scratch:
        executable = scratch / "program"
        try:
            if benchmark.program is None:
                _compile(program, executable, bench)
            else:
                sanitized_program(program, tuple(benchmark.unsanitized), executable, bench)
        except UsageError as error:
            return [f"cannot be built with sanitizers: {error.message}"]
        findings: list[str] = []
        runner = Runner(emulator=None, address_space=None, environment=_OPTIONS, system=True)
        for item in ready:
            try:
                execute(executable, item, runner, bench.sandbox)
            except CellError as error:
                findings.append(error.message)
        return findings


def _compile(program: Program, executable: Path, bench: Bench) -> None:
    """All files in one command. Raises UsageError."""
    benchmark = program.benchmark
    command = [
        driver(benchmark),
        *SANITIZE,
        *(f"-fno-sanitize={check}" for check in benchmark.unsanitized),
        *benchmark.flags,
        *(f"-D{define}" for define in benchmark.defines),
        *(f"-I{folder}" for folder in benchmark.include),
        *benchmark.files,
        *benchmark.link,
        *("-o", "../program"),
    ]
    executable.write_bytes(compiled_in_tree(command, source_tree(program, bench), "program", program.id, bench))
    executable.chmod(0o755)
