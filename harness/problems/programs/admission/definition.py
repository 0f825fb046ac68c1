"""All faults of a suite's definition at once, each with its line: before anything is compiled."""

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from harness.base.documents import parse_toml
from harness.base.errors import UsageError
from harness.base.reading import read_text
from harness.base.store import Store
from harness.base.vocabulary import Origin
from harness.problems.programs.admission.findings import Finding, place_of
from harness.suite.generators import check_parameters
from harness.suite.load import DEFINITION_BYTES, LoadedSuite, Program, fault_message, load_suite, suite_file
from harness.suite.locate import Lines
from harness.suite.model import Benchmark, Source, Suite
from harness.suite.sources import fetched_tree

__all__ = ["definition_findings", "tree_findings"]

_CHECK = "definition"
_MOST_FAULTS = 100
"""That are shown."""


def definition_findings(name: str) -> list[Finding]:
    """Everything that can be said without compiling; nothing for a definition that is in order.

    Raises UsageError where there is no such suite, or its file cannot be read.
    """
    file = suite_file(name)
    try:
        text = read_text(file, DEFINITION_BYTES)
        content = parse_toml(text, str(file))
    except UsageError as error:
        line = error.message.rpartition("(at line ")[2].partition(",")[0]
        place = f"{file.name}:{line}" if line.isdecimal() else file.name
        return [Finding("", _CHECK, error.message, place=place)]
    lines = Lines(text)
    try:
        Suite.model_validate(content)
    except ValidationError as error:
        faults = error.errors()[:_MOST_FAULTS]
        twice = list(islice(_twice(content, file, lines), _MOST_FAULTS))
        schema = [_schema_fault(fault, content, file, lines) for fault in _faults(faults)]
        return twice or [*schema, *islice(_generator_faults(content, file, lines), _MOST_FAULTS)]
    try:
        suite = load_suite(name)
        suite.programs  # noqa: B018 - what it shares is looked up
    except UsageError as error:
        return [Finding("", _CHECK, str(error).splitlines()[0], place=file.name)]
    return list(islice((*_source_faults(suite, lines), *_benchmark_faults(suite, lines)), _MOST_FAULTS))


def tree_findings(suite: LoadedSuite, programs: Sequence[Program], store: Store) -> list[Finding]:
    """What the fetched trees of programs lack, overlays included: translation units, include folders, inputs.

    A package's own build makes files of its own, so that of its programs only the inputs are looked for.
    """
    text = read_text(suite.file, DEFINITION_BYTES)
    return list(islice(_tree_faults(suite, programs, store, Lines(text)), _MOST_FAULTS))


def _tree_faults(suite: LoadedSuite, programs: Sequence[Program], store: Store, lines: Lines) -> Iterator[Finding]:
    at = {benchmark.name: number for number, benchmark in enumerate(suite.definition.benchmarks)}
    for program in programs:
        name, tree = program.benchmark.name, fetched_tree(program, store).path
        origin = f"the unpacked {program.source.tarball}" if program.source.tarball else f"{tree}"
        origin += f" with overlay {program.source.overlay}" if program.source.overlay else ""
        for field, missing in _lacking(program, tree):
            path: list[str | int] = ["benchmarks", at[name], *field] if name in at else ["shared"]
            whose = f"benchmarks.{name}.{field[0]}"
            yield Finding(
                name,
                "missing file",
                f"{missing} is not in {origin}",
                field=whose,
                place=place_of(suite.file, path, lines),
            )


def _lacking(program: Program, tree: Path) -> Iterator[tuple[list[str | int], str]]:
    """Field, and the name that is not there."""
    benchmark = program.benchmark
    for name in benchmark.files:
        if not (tree / name).is_file():
            yield ["files"], name
    for name in benchmark.include:
        if not (tree / name).is_dir():
            yield ["include"], name
    for number, workload in enumerate(benchmark.workloads):
        for item in workload.inputs:
            if item.tree is not None and not (tree / item.tree).is_file():
                yield ["workloads", number, "inputs"], item.tree


def _faults(faults: Sequence[Any]) -> list[Any]:
    """Pydantic's faults, without those that say again that what is in a list is faulty: ``too short`` without it."""
    places = [fault["loc"] for fault in faults]

    def echoes(fault: Any) -> bool:
        here = fault["loc"]
        return fault["type"] == "too_short" and any(place != here and place[: len(here)] == here for place in places)

    return [fault for fault in faults if not echoes(fault)]


def _schema_fault(fault: Any, content: dict[str, Any], file: Path, lines: Lines) -> Finding:
    path = [part for part in fault["loc"] if part != "[key]"]
    names = _named(path, content)
    benchmark = names[1] if len(names) > 1 and names[0] == "benchmarks" else ""
    inside = ".".join(names[2:] if benchmark else names)  # the table has the program's name in a column of its own
    message = f"{inside}: {fault_message(fault)}" if inside else fault_message(fault)
    return Finding(benchmark, _CHECK, message, field=".".join(names), place=place_of(file, path, lines))


def _twice(content: dict[str, Any], file: Path, lines: Lines) -> Iterator[Finding]:
    """Benchmarks that have another one's name."""
    benchmarks = content.get("benchmarks")
    known: dict[str, int] = {}
    for at, benchmark in enumerate(benchmarks if isinstance(benchmarks, list) else []):
        name = str(benchmark.get("name")) if isinstance(benchmark, dict) else ""
        if name in known:
            first = place_of(file, ["benchmarks", known[name]], lines)
            message = f"two benchmarks are called {name!r}; the other is at {first}"
            place = place_of(file, ["benchmarks", at], lines)
            yield Finding(name, _CHECK, message, field="benchmarks.name", place=place)
        known.setdefault(name, at)


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


def _source_faults(suite: LoadedSuite, lines: Lines) -> Iterator[Finding]:
    for name, source in suite.definition.sources.items():
        for field, folder in _folders(suite.folder, source):
            if not folder.is_dir():
                path: list[str | int] = ["sources", name, field]
                yield Finding(
                    "",
                    "missing file",
                    f"there is no folder {folder}",
                    field=f"sources.{name}.{field}",
                    place=place_of(suite.file, path, lines),
                )


def _folders(folder: Path, source: Source) -> Iterator[tuple[str, Path]]:
    if source.origin is not Origin.DEBIAN:
        yield "path", (folder / (source.path or ".")).resolve()
    elif source.overlay:
        yield "overlay", folder / source.overlay


def _benchmark_faults(suite: LoadedSuite, lines: Lines) -> Iterator[Finding]:
    for at, benchmark in enumerate(suite.definition.benchmarks):
        yield from _missing_files(suite, at, benchmark, lines)
    yield from _generator_faults(suite.definition.model_dump(mode="json"), suite.file, lines)


def _generator_faults(content: dict[str, Any], file: Path, lines: Lines) -> Iterator[Finding]:
    """Inputs whose generator does not exist or does not take their parameters. ``content`` may be faulty elsewhere."""
    for at, benchmark in enumerate(_tables(content, "benchmarks")):
        for number, workload in enumerate(_tables(benchmark, "workloads")):
            for item in _tables(workload, "inputs"):
                generator, params = item.get("generator"), item.get("params", {})
                if not isinstance(generator, str) or not isinstance(params, dict):
                    continue
                try:
                    check_parameters(generator, params)
                except UsageError as error:
                    path: list[str | int] = ["benchmarks", at, "workloads", number, "inputs"]
                    yield Finding(
                        str(benchmark.get("name", "")),
                        _CHECK,
                        f"input {item.get('file')}: {error.message}" + (f" ({error.hint})" if error.hint else ""),
                        str(workload.get("name", "")),
                        f"benchmarks.{benchmark.get('name')}.workloads.{workload.get('name')}.inputs",
                        place_of(file, path, lines),
                    )


def _tables(content: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """The tables of a list; one that is something else keeps its place, empty."""
    found = content.get(name)
    return [one if isinstance(one, dict) else {} for one in found] if isinstance(found, list | tuple) else []


def _missing_files(suite: LoadedSuite, at: int, benchmark: Benchmark, lines: Lines) -> Iterator[Finding]:
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
                    place=place_of(suite.file, ["benchmarks", at, field], lines),
                )
