"""All faults of a suite's definition at once, each with its line: before anything is compiled."""

import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from harness.admission.findings import Finding, place_of
from harness.errors import UsageError
from harness.suite.generators import check_parameters
from harness.suite.load import LoadedSuite, fault_message, load_suite, suite_file
from harness.suite.model import Benchmark, Source, Suite
from harness.vocabulary import Origin

__all__ = ["definition_findings"]

_CHECK = "definition"


def definition_findings(name: str) -> list[Finding]:
    """Everything that can be said without compiling; nothing for a definition that is in order.

    Raises UsageError where there is no such suite, or its file cannot be read.
    """
    file = suite_file(name)
    try:
        content = tomllib.loads(file.read_text())
    except tomllib.TOMLDecodeError as error:
        line = str(error).rpartition("(at line ")[2].partition(",")[0]
        place = f"{file.name}:{line}" if line.isdecimal() else file.name
        return [Finding("", _CHECK, f"not TOML: {error}", place=place)]
    except UnicodeDecodeError:
        return [Finding("", _CHECK, "not UTF-8 text", place=file.name)]
    try:
        Suite.model_validate(content)
    except ValidationError as error:
        return list(_twice(content, file)) or [_schema_fault(fault, content, file) for fault in _faults(error)]
    try:
        suite = load_suite(name)
        suite.programs  # noqa: B018 - what it shares is looked up
    except UsageError as error:
        return [Finding("", _CHECK, str(error).splitlines()[0], place=file.name)]
    return [*_source_faults(suite), *_benchmark_faults(suite)]


def _faults(error: ValidationError) -> list[Any]:
    """Pydantic's faults, without those that say again that what is in a list is faulty: ``too short`` without it."""
    faults = error.errors()
    places = [fault["loc"] for fault in faults]

    def echoes(fault: Any) -> bool:
        here = fault["loc"]
        return fault["type"] == "too_short" and any(place != here and place[: len(here)] == here for place in places)

    return [fault for fault in faults if not echoes(fault)]


def _schema_fault(fault: Any, content: dict[str, Any], file: Path) -> Finding:
    path = list(fault["loc"])
    names = _named(path, content)
    benchmark = names[1] if len(names) > 1 and names[0] == "benchmarks" else ""
    return Finding(benchmark, _CHECK, fault_message(fault), field=".".join(names), place=place_of(file, path))


def _twice(content: dict[str, Any], file: Path) -> Iterator[Finding]:
    """Benchmarks that have another one's name."""
    benchmarks = content.get("benchmarks")
    names: list[str] = []
    for at, benchmark in enumerate(benchmarks if isinstance(benchmarks, list) else []):
        name = str(benchmark.get("name")) if isinstance(benchmark, dict) else ""
        if name in names:
            first = place_of(file, ["benchmarks", names.index(name)])
            message = f"two benchmarks are called {name!r}; the other is at {first}"
            yield Finding(name, _CHECK, message, field="benchmarks.name", place=place_of(file, ["benchmarks", at]))
        names.append(name)


def _named(path: Sequence[str | int], content: Any) -> list[str]:
    """The path for people: entries of arrays by their names."""
    names: list[str] = []
    for part in path:
        try:
            content = content[part]
        except (KeyError, IndexError, TypeError):
            content = None
        name = content.get("name") if isinstance(part, int) and isinstance(content, dict) else None
        names.append(str(name) if name else str(part + 1) if isinstance(part, int) else part)
    return names


def _source_faults(suite: LoadedSuite) -> Iterator[Finding]:
    for name, source in suite.definition.sources.items():
        for field, folder in _folders(suite.folder, source):
            if not folder.is_dir():
                path: list[str | int] = ["sources", name, field]
                yield Finding(
                    "",
                    "missing file",
                    f"there is no folder {folder}",
                    field=f"sources.{name}.{field}",
                    place=place_of(suite.file, path),
                )


def _folders(folder: Path, source: Source) -> Iterator[tuple[str, Path]]:
    if source.origin is not Origin.DEBIAN:
        yield "path", (folder / (source.path or ".")).resolve()
    elif source.overlay:
        yield "overlay", folder / source.overlay


def _benchmark_faults(suite: LoadedSuite) -> Iterator[Finding]:
    for at, benchmark in enumerate(suite.definition.benchmarks):
        yield from _missing_files(suite, at, benchmark)
        for number, workload in enumerate(benchmark.workloads):
            for item in workload.inputs:
                if item.generator is None:
                    continue
                try:
                    check_parameters(item.generator, item.params)
                except UsageError as error:
                    path: list[str | int] = ["benchmarks", at, "workloads", number, "inputs"]
                    yield Finding(
                        benchmark.name,
                        _CHECK,
                        f"input {item.file}: {error.message}" + (f" ({error.hint})" if error.hint else ""),
                        workload.name,
                        f"benchmarks.{benchmark.name}.workloads.{workload.name}.inputs",
                        place_of(suite.file, path),
                    )


def _missing_files(suite: LoadedSuite, at: int, benchmark: Benchmark) -> Iterator[Finding]:
    """Of trees that are here; what an upstream tree lacks shows when it is compiled."""
    source = suite.definition.sources[benchmark.source]
    if source.origin is Origin.DEBIAN:
        return
    tree = (suite.folder / (source.path or ".")).resolve()
    for field, names, there in (
        ("files", benchmark.files, Path.is_file),
        ("include", benchmark.include, Path.is_dir),
    ):
        for name in names:
            if tree.is_dir() and not there(tree / name):
                yield Finding(
                    benchmark.name,
                    "missing file",
                    f"{name} is not in {tree}",
                    field=f"benchmarks.{benchmark.name}.{field}",
                    place=place_of(suite.file, ["benchmarks", at, field]),
                )
