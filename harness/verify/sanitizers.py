"""A program built with AddressSanitizer and UndefinedBehaviorSanitizer, run on its workloads."""

import re
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
    ("UBSAN_OPTIONS", "print_stacktrace=0:halt_on_error=1:exitcode=99:report_error_type=1"),
)
_MESSAGE = re.compile(
    r"workload (?P<workload>[^:]+): (?P<ending>.*?) \((?P<words>.*?)(?:; (?P<kind>[a-z-]+))?\)\Z", re.DOTALL
)
_CHECKS = {
    "alignment": ("misaligned-pointer-use", "alignment-assumption"),
    "array-bounds": ("out-of-bounds-index",),
    "bool": ("invalid-bool-load",),
    "builtin": ("invalid-builtin-use",),
    "enum": ("invalid-enum-load",),
    "function": ("function-type-mismatch",),
    "local-bounds": ("local-out-of-bounds",),
    "nonnull-attribute": ("invalid-null-argument",),
    "null": ("null-pointer-use",),
    "object-size": ("insufficient-object-size",),
    "pointer-overflow": ("nullptr-with-offset", "nullptr-with-nonzero-offset", "nullptr-after-nonzero-offset"),
    "return": ("missing-return",),
    "returns-nonnull-attribute": ("invalid-null-return",),
    "shift-base": ("invalid-shift-base",),
    "shift-exponent": ("invalid-shift-exponent",),
    "unreachable": ("unreachable-call",),
    "vla-bound": ("non-positive-vla-index",),
    "vptr": ("dynamic-type-mismatch",),
}
"""Check of ``-fsanitize=`` → kinds of errors, as reports call them where the two differ (compiler-rt's
``ubsan_checks.inc``)."""


def sanitizer_findings(program: Program, ready: Sequence[ReadyWorkload], bench: Bench) -> list[str]:
    """What the sanitizers say, one message for all workloads that end alike; empty for a clean program.

    Leaks do not count. What UndefinedBehaviorSanitizer finds names the check, as ``unsanitized`` has it.
    """
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
        return _together(findings)


def _together(findings: Sequence[str]) -> list[str]:
    """What several workloads meet at one place of the source is one finding."""
    places: dict[str, list[str]] = {}
    for finding in findings:
        match = _MESSAGE.match(finding)
        words = f"{match['ending']} ({match['words']}){_advice(match['kind'])}" if match else finding
        places.setdefault(words, []).append(match["workload"] if match else "")
    return [
        f"workload{'s' if len(names) > 1 else ''} {', '.join(names)}: {words}" if all(names) else words
        for words, names in places.items()
    ]


def _advice(kind: str | None) -> str:
    if kind is None:
        return ""
    check = next((check for check, kinds in _CHECKS.items() if kind in kinds), kind)
    return f'; where no pass can exploit it: unsanitized = {{ {check} = "why" }}'


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
