"""From a name or a path to a checked suite, with errors that say file, field and what is wrong."""

import difflib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError

from harness.base.documents import parse_json, read_toml
from harness.base.errors import UsageError
from harness.base.own import own_suite, remember_suite, suite_is_path
from harness.base.paths import SUITES, at_home
from harness.base.reading import MIB, read_bytes
from harness.base.text import closest
from harness.suite.known import known_suites, require_own_name, suites_defined_by
from harness.suite.model import Benchmark, Shared, Source, Suite, Workload

__all__ = [
    "DEFINITION_BYTES",
    "LoadedSuite",
    "Program",
    "choose",
    "explain_validation",
    "fault_message",
    "load_suite",
    "read_definition",
    "suite_file",
    "suite_names",
    "validated",
]

DEFINITION = "suite.toml"
EXPECTED = "expected.json"
DEFINITION_BYTES = 1 * MIB
"""Of a suite's definition."""
_EXPECTED_BYTES = 8 * MIB
_MOST_PINNED = 10_000
"""Programs with pinned results."""
_PINNED: TypeAdapter[dict[str, dict[str, str]]] = TypeAdapter(dict[str, dict[str, str]])
_SHOWN = 200
"""Characters of a faulty value that a message repeats."""
_TOLD = {"extra_forbidden": "there is no such field", "missing": "this field is missing"}
_PLAIN = {
    **dict.fromkeys(("tuple_type", "list_type", "set_type"), 'must be a list, as in ["one", "two"]'),
    "string_type": "must be text in quotes",
}
"""Kinds of pydantic's faults, in the words of a TOML file."""
Definition = TypeVar("Definition", bound=BaseModel)


@dataclass(frozen=True)
class Program:
    """A benchmark with what it needs from its suite: ready to be fetched, frozen and run."""

    suite: str
    suite_version: str
    folder: Path
    """The suite's folder: own sources and overlays are relative to it."""
    benchmark: Benchmark
    source: Source
    expected: dict[str, str]
    """Pinned digest of each workload's result; a workload without one is verified against O0."""
    hidden: tuple[Workload, ...] = ()
    """Workloads that verify only, from a secret seed (``harness.suite.hidden``)."""

    home: str | None = None
    """The suite that defines it, where another one shares it."""

    @property
    def id(self) -> str:
        """``suite/benchmark``."""
        return f"{self.suite}/{self.benchmark.name}"

    @property
    def home_id(self) -> str:
        """The same of the suite that defines it."""
        return f"{self.home or self.suite}/{self.benchmark.name}"


@dataclass(frozen=True)
class LoadedSuite:
    """A suite and the folder that it was read from."""

    definition: Suite
    folder: Path
    file: Path

    @property
    def name(self) -> str:
        """The suite's name."""
        return self.definition.name

    @cached_property
    def programs(self) -> tuple[Program, ...]:
        """The suite's programs, in its order; those that it shares with another suite come last.

        Raises UsageError where the other suite has no such program.
        """
        return (*self.own_programs, *(p for other in self.definition.shared for p in self._shared_with(other)))

    def _shared_with(self, other: Shared) -> Iterator[Program]:
        place = f"{self.file}: shared"
        if other.suite not in suite_names():
            raise UsageError(f"there is no suite {other.suite!r} to share with", where=place)
        theirs = load_suite(other.suite)
        by_name = {program.benchmark.name: program for program in theirs.own_programs}
        for name in other.benchmarks:
            if name not in by_name:
                raise UsageError(f"suite {other.suite!r} has no program {name!r} of its own", where=place)
            yield replace(by_name[name], suite=self.name, suite_version=self.definition.version, home=theirs.name)

    @cached_property
    def own_programs(self) -> tuple[Program, ...]:
        """Those that are defined here."""
        expected = read_expected(self.folder)
        return tuple(
            Program(
                suite=self.name,
                suite_version=self.definition.version,
                folder=self.folder,
                benchmark=benchmark,
                source=self.definition.sources[benchmark.source],
                expected=expected.get(benchmark.name, {}),
            )
            for benchmark in self.definition.benchmarks
        )


def suite_names() -> list[str]:
    """Names of the suites that come with the harness."""
    return suites_defined_by(DEFINITION)


def suite_file(name: str) -> Path:
    """The file of the suite called ``name``, or that a path names. Raises UsageError where there is none.

    A name may be that of a suite of one's own that was named by its path before.
    """
    folder = known_suites().get(name, SUITES / name)
    file = folder / DEFINITION
    if name not in known_suites() and (own := own_suite(name)) is not None and own.name == DEFINITION:
        if not own.is_file():
            raise UsageError(
                f"the suite {name!r} was read from this file, which is gone", where=str(own), hint="name its path, once"
            )
        return own
    if suite_is_path(name):
        file = at_home(name).resolve()
        file = file / DEFINITION if file.is_dir() else file
        if not file.is_file():
            raise UsageError("there is no such suite file", where=str(file))
    elif others := sorted(file.parent.glob("*.toml")) if not file.is_file() else []:
        raise UsageError(f"{name!r} is no suite of programs: it is defined by {others[0].name}", where=str(file.parent))
    elif not file.is_file():
        known = sorted(known_suites())
        close = closest(name, known)
        hint = f"did you mean {close!r}?" if close else f"there are: {', '.join(known)}."
        hint = f"{hint} A suite of your own is named by its path, the first time."
        hint = f"name this one by its path: ./{name}" if Path(name, DEFINITION).is_file() else hint
        raise UsageError(f"unknown suite {name!r}", hint=hint)
    return file


def load_suite(name: str) -> LoadedSuite:
    """The suite called ``name``, or the one that a path to a ``suite.toml`` (or its folder) names.

    Raises UsageError for an unknown name and for a file that breaks the schema.
    """
    file = suite_file(name)
    definition = read_definition(Suite, file)
    require_own_name(definition.name, file)
    if suite_is_path(name):
        if definition.name not in known_suites():
            remember_suite(definition.name, file)
    elif definition.name != name:
        raise UsageError(f"this suite is called {definition.name!r} now, not {name!r}", where=str(file))
    return LoadedSuite(definition=definition, folder=file.parent, file=file)


def read_definition(model: type[Definition], file: Path) -> Definition:
    """A suite's TOML file as a value of its schema. Raises UsageError, naming the first fault, for any other."""
    return validated(model, read_toml(file, DEFINITION_BYTES), file)


def validated(model: type[Definition], content: Mapping[str, Any], file: Path) -> Definition:
    """The content of a file as a value of its schema. Raises UsageError, naming the first fault."""
    try:
        return model.model_validate(content)
    except ValidationError as error:
        raise explain_validation(error, str(file)) from None


def read_expected(folder: Path) -> dict[str, dict[str, str]]:
    """The pinned results of a suite: benchmark → workload → digest. Empty when it has none."""
    file = folder / EXPECTED
    if not file.is_file():
        return {}
    hint = "restore it from git"
    content = parse_json(read_bytes(file, _EXPECTED_BYTES), str(file), containers=_MOST_PINNED, hint=hint)
    try:
        return _PINNED.validate_python(content)
    except ValidationError as error:
        place = ".".join(str(part) for part in error.errors()[0]["loc"])[:200] or "the file"
        message = f"not a file of expected results: {place} is none"
        raise UsageError(message, where=str(file), hint=hint) from None


def choose(suite: LoadedSuite, names: Iterable[str]) -> tuple[Program, ...]:
    """The programs of these names (``bzip2`` or ``cbench/bzip2``), or all when none is named."""
    wanted = list(names)
    if not wanted:
        return suite.programs
    by_name = {program.benchmark.name: program for program in suite.programs}
    chosen: dict[str, Program] = {}
    for name in wanted:
        short = name.removeprefix(f"{suite.name}/")
        if short not in by_name:
            if short in suite.definition.absent:
                raise UsageError(f"{short!r} is absent from {suite.name}: {suite.definition.absent[short]}")
            close = difflib.get_close_matches(short, by_name, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(by_name)}"
            raise UsageError(f"suite {suite.name!r} has no benchmark {name!r}", hint=hint)
        chosen[short] = by_name[short]
    return tuple(chosen.values())


def fault_message(fault: Mapping[str, Any]) -> str:
    """One of pydantic's faults for people."""
    message, kind = str(fault["msg"]).removeprefix("Value error, "), fault["type"]
    if kind in _TOLD:
        return _TOLD[kind]
    if kind == "value_error":
        return _cut(message)
    wanted = message.removeprefix("Input ") if message.startswith("Input should be ") else message
    wanted = _PLAIN.get(kind, wanted.replace("should be", "must be"))
    return _cut(f"{wanted}, not {_cut(repr(fault['input']))}")


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN + 100 else f"{text[:_SHOWN]}…"


def explain_validation(error: ValidationError, file: str) -> UsageError:
    """One error for people out of pydantic's list: the first fault, and how many more there are."""
    faults = sorted(error.errors(), key=lambda fault: fault["type"] != "extra_forbidden")
    first = faults[0]
    place = ".".join(str(part + 1 if isinstance(part, int) else part) for part in first["loc"] if part != "[key]")
    place, message = _cut(place or "the file"), fault_message(first)
    others = [".".join(str(part) for part in fault["loc"][:2]) for fault in faults[1:4] if fault["loc"]]
    more = f" (also wrong: {_cut(', '.join(others))}{', …' if len(faults) > 4 else ''})" if others else ""
    meant = _meant(first, error) if first["type"] == "extra_forbidden" else None
    return UsageError(f"{place}: {message}{more}", where=file, hint=f"did you mean {meant!r}?" if meant else None)


def _meant(fault: Mapping[str, Any], error: ValidationError) -> str | None:
    """The missing field beside one that does not exist, where their names are alike."""
    *place, name = fault["loc"]
    missing = [
        str(one["loc"][-1]) for one in error.errors() if one["type"] == "missing" and [*one["loc"][:-1]] == place
    ]
    return closest(str(name), missing)
