"""Workloads made ready to run: input files generated once into the cache, and their digest."""

from dataclasses import dataclass
from pathlib import Path

from harness.digest import digest_file, digest_of
from harness.store import Store
from harness.suite.generators import generate
from harness.suite.load import Program
from harness.suite.model import Input, Workload

__all__ = ["ReadyWorkload", "input_key", "inputs_exist", "prepare", "workloads_digest"]


@dataclass(frozen=True, slots=True)
class ReadyWorkload:
    """A workload whose input files exist."""

    workload: Workload
    files: dict[str, Path]
    """Name in the working folder → file in the cache."""
    expected: str | None
    """Pinned digest of the result, if the suite has one."""


def prepare(program: Program, store: Store, kind: str = "count") -> tuple[ReadyWorkload, ...]:
    """The program's workloads of one kind, with all inputs generated."""
    return tuple(
        ReadyWorkload(
            workload=workload,
            files={item.file: _input_file(item, store) for item in workload.inputs},
            expected=program.expected.get(workload.name),
        )
        for workload in program.benchmark.workloads
        if workload.kind == kind
    )


def workloads_digest(ready: tuple[ReadyWorkload, ...]) -> str:
    """What verification depends on besides the program: arguments, inputs' content, pinned results."""
    return digest_of(
        [
            [
                item.workload.model_dump(mode="json", exclude={"timeout"}),
                {name: digest_file(path) for name, path in item.files.items()},
                item.expected,
            ]
            for item in ready
        ]
    )


def input_key(item: Input) -> str:
    """The cache's key of a generated file. A generator that changes its bytes changes its name."""
    return digest_of(["input", item.generator, item.seed, item.params])


def inputs_exist(program: Program, store: Store, kind: str = "count") -> bool:
    """Whether ``prepare`` would generate nothing."""
    workloads = (workload for workload in program.benchmark.workloads if workload.kind == kind)
    return all(store.path("inputs", input_key(item)).is_dir() for workload in workloads for item in workload.inputs)


def _input_file(item: Input, store: Store) -> Path:
    def make(entry: Path) -> None:
        (entry / "content").write_bytes(generate(item.generator, item.seed, item.params))

    return store.folder("inputs", input_key(item), make) / "content"
