"""What a person wants to know of a program before trusting results on it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from harness.base.errors import HarnessError
from harness.base.reading import MIB, read_bytes
from harness.base.vocabulary import Level, Origin, Target
from harness.freeze import freeze
from harness.sandbox.bench import Bench
from harness.suite.load import Program
from harness.suite.model import Benchmark
from harness.suite.sources import is_fetched, source_tree

__all__ = ["describe_program"]

_MOST_BYTES = 64 * MIB
"""Of a source file."""
_SUFFIXES = frozenset({".c", ".cc", ".cpp", ".cxx", ".C"})


def describe_program(program: Program, bench: Bench | None) -> dict[str, Any]:
    """The program's facts. Lines and IR instructions are None until the sources are in the cache.

    The lines of a package that builds itself are those of all its C and C++ files: which of them it takes is its own
    build's affair, and so is how many ``files`` there are (None).
    """
    benchmark, source = program.benchmark, program.source
    lines = instructions = None
    if bench is not None and is_fetched(program, bench.store):
        tree = source_tree(program, bench).path
        lines = sum(_lines(read_bytes(path, _MOST_BYTES)) for path in _units(benchmark, tree))
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
        "files": len(benchmark.files) or None,
        "lines": lines,
        "ir_instructions": instructions,
        "workloads": [workload.name for workload in benchmark.workloads],
    }


def _units(benchmark: Benchmark, tree: Path) -> Iterator[Path]:
    if benchmark.files:
        yield from (tree / name for name in benchmark.files)
    else:
        yield from (path for path in tree.rglob("*") if path.suffix in _SUFFIXES and path.is_file())


def _lines(content: bytes) -> int:
    """Lines of the translation unit that are not blank."""
    return sum(1 for line in content.splitlines() if line.strip())
