"""Workloads made ready to run: input files generated once into the cache, and their digest."""

import shutil
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from harness.base.digest import digest_file, digest_of
from harness.base.errors import UsageError
from harness.base.paths import SUITES
from harness.base.store import Store
from harness.suite.generators import generate
from harness.suite.generators.apart import generate_apart
from harness.suite.load import Program
from harness.suite.model import Input, Workload
from harness.suite.sources import fetched_tree

__all__ = [
    "ReadyWorkload",
    "counted_on",
    "input_key",
    "inputs_exist",
    "prepare",
    "prepare_one",
    "remove_inputs",
    "workloads_digest",
]


@dataclass(frozen=True, slots=True)
class ReadyWorkload:
    """A workload whose input files exist."""

    workload: Workload
    files: dict[str, Path]
    """Name in the working folder → file in the cache."""
    expected: str | None
    """Pinned digest of the result, if the suite has one."""


def prepare(program: Program, store: Store, kind: str = "count") -> tuple[ReadyWorkload, ...]:
    """The program's workloads of one kind (``count``, ``time``, ``hidden``), with all inputs generated."""
    return tuple(
        prepare_one(program, workload, store, program.expected.get(workload.name))
        for workload in _of_kind(program, kind)
    )


def prepare_one(program: Program, workload: Workload, store: Store, expected: str | None = None) -> ReadyWorkload:
    """One workload, which need not be the suite's, with its inputs generated."""
    files = {item.file: _input_file(item, program, store) for item in workload.inputs}
    return ReadyWorkload(workload, files, expected)


def remove_inputs(workload: Workload, store: Store) -> None:
    """Drop the generated inputs of a workload that will not run again."""
    for item in workload.inputs:
        if item.tree is None:
            shutil.rmtree(store.path("inputs", input_key(item)), ignore_errors=True)


def _of_kind(program: Program, kind: str) -> tuple[Workload, ...]:
    if kind == "hidden":
        return program.hidden
    return tuple(workload for workload in program.benchmark.workloads if workload.kind == kind)


def workloads_digest(ready: tuple[ReadyWorkload, ...]) -> str:
    """What verification depends on besides the program: arguments, inputs' content, pinned results."""
    return digest_of(
        [
            [
                _dump(item.workload),
                {name: _content(path) for name, path in item.files.items()},
                item.expected,
            ]
            for item in ready
        ]
    )


def counted_on(program: Program, store: Store) -> str:
    """Digest of what the program is verified and counted on: arguments and inputs, not which results are pinned."""
    return workloads_digest(tuple(replace(item, expected=None) for item in prepare(program, store)))


def _content(path: Path) -> str:
    status = path.stat()
    return _digest(path, status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=8192)
def _digest(path: Path, _size: int, _modified: int) -> str:
    """Of an input file, taken once a process: every cell of a program has the same inputs."""
    return digest_file(path)


def _dump(workload: Workload) -> dict[str, Any]:
    """All of it but how long it may take, and fields that say nothing where they are not set."""
    dump = workload.model_dump(mode="json", exclude={"timeout"})
    if not workload.stderr:
        del dump["stderr"]
    for item in dump["inputs"]:
        if item["tree"] is None:
            del item["tree"]
    return dump


def input_key(item: Input) -> str:
    """The cache's key of a generated file. A generator that changes its bytes changes its name."""
    assert item.generator is not None
    return digest_of(["input", item.generator, item.seed, item.params])


def inputs_exist(program: Program, store: Store, kind: str = "count") -> bool:
    """Whether ``prepare`` would generate nothing."""
    workloads = _of_kind(program, kind)
    items = [item for workload in workloads for item in workload.inputs if item.tree is None]
    return all(store.has("inputs", input_key(item)) for item in items)


def _input_file(item: Input, program: Program, store: Store) -> Path:
    """The file in the cache, generated if it is not there; or the file of the source tree, which is fetched already.

    Raises UsageError when the tree has no such file. Its links stay inside it, so that this is no file of the user's.
    """
    if item.tree is not None:
        file = fetched_tree(program, store).path / item.tree
        if not file.is_file():
            raise UsageError(f"input {item.file}: the source tree has no file {item.tree}", where=program.id)
        return file
    generator, seed = item.generator, item.seed
    assert generator is not None and seed is not None  # the schema sees to it

    def fill(entry: Path) -> None:
        make = generate if program.folder.is_relative_to(SUITES) else generate_apart
        try:
            (entry / "content").write_bytes(make(generator, seed, item.params))
        except UsageError as error:
            raise UsageError(f"input {item.file}: {error.message}", where=program.id, hint=error.hint) from None

    return store.folder("inputs", input_key(item), fill) / "content"
