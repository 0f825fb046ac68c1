"""What a person wants to know of a program before trusting results on it."""

from typing import Any

from harness.bench import Bench
from harness.errors import HarnessError
from harness.freeze import freeze
from harness.suite.load import Program
from harness.suite.sources import is_fetched, source_tree
from harness.vocabulary import Level, Origin, Target

__all__ = ["describe_program"]


def describe_program(program: Program, bench: Bench | None) -> dict[str, Any]:
    """The program's facts. Lines and IR instructions are None until the sources are in the cache."""
    benchmark, source = program.benchmark, program.source
    lines = instructions = None
    if bench is not None and is_fetched(program, bench.store):
        tree = source_tree(program, bench.store).path
        lines = sum(_lines((tree / name).read_bytes()) for name in benchmark.files)
        try:
            instructions = freeze(program, Target.X86_64, Level.O0, bench).instructions
        except HarnessError:
            instructions = None
    upstream = f"{source.package} {source.version}" if source.origin is Origin.DEBIAN else source.path
    return {
        "name": benchmark.name,
        "description": benchmark.description,
        "origin": source.origin.value,
        "source": upstream,
        "sha256": source.sha256,
        "licence": source.licence,
        "split": benchmark.split.value,
        "language": benchmark.language,
        "files": len(benchmark.files),
        "lines": lines,
        "ir_instructions": instructions,
        "workloads": [workload.name for workload in benchmark.workloads],
    }


def _lines(content: bytes) -> int:
    """Lines of the translation unit that are not blank."""
    return sum(1 for line in content.splitlines() if line.strip())
