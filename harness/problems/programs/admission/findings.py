"""What may be found wrong, and where it stands."""

from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from harness.base.reading import read_text
from harness.suite.load import DEFINITION_BYTES, LoadedSuite
from harness.suite.locate import Lines

__all__ = ["Finding", "placed"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault."""

    benchmark: str
    """Empty for one of the suite itself."""
    check: str
    message: str
    workload: str = ""
    field: str = ""
    """In the suite's definition: ``benchmarks.hello.files``."""
    place: str = ""
    """``suite.toml:14``; empty where no line is to blame."""


def placed(finding: Finding, suite: LoadedSuite) -> Finding:
    """The finding with the line of the program, or of its workload, that it is about."""
    if finding.place:
        return finding
    names = [benchmark.name for benchmark in suite.definition.benchmarks]
    if finding.benchmark not in names:
        return finding  # shared: it stands in another suite's file
    at = names.index(finding.benchmark)
    path: list[str | int] = ["benchmarks", at]
    field = f"benchmarks.{finding.benchmark}"
    workloads = [workload.name for workload in suite.definition.benchmarks[at].workloads]
    if finding.workload in workloads:
        path += ["workloads", workloads.index(finding.workload)]
        field += f".workloads.{finding.workload}"
    return replace(
        finding,
        field=finding.field or field,
        place=place_of(suite.file, path, _lines(read_text(suite.file, DEFINITION_BYTES))),
    )


@lru_cache(maxsize=4)
def _lines(text: str) -> Lines:
    return Lines(text)


def place_of(file: Path, path: list[str | int], lines: Lines) -> str:
    """``suite.toml:14``. ``lines``: those of the file."""
    line = lines.locate(path)
    return file.name if line is None else f"{file.name}:{line}"
