"""The suites that come with the harness, under CompilerGym's names."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from harness.base.errors import UsageError
from harness.environments.benchmarks import suite_of

__all__ = ["Benchmark", "Dataset", "Datasets", "benchmark_of"]

_PREFIX = "benchmark://"
_THEIRS = {"cbench": "cbench-v1", "mibench": "mibench-v1"}
"""Suites of ours that CompilerGym has under another name."""


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A program."""

    uri: str
    """``benchmark://cbench-v1/qsort``."""

    def __str__(self) -> str:
        return self.uri

    @property
    def own_name(self) -> str:
        """What the harness calls it: ``cbench/qsort``."""
        suite, _, name = self.uri.removeprefix(_PREFIX).partition("/")
        own = next((ours for ours, theirs in _THEIRS.items() if theirs == suite), suite)
        return f"{own}/{name}"


def benchmark_of(wanted: str | Benchmark) -> Benchmark:
    """The program of this address, with ``benchmark://`` or without."""
    uri = str(wanted)
    return Benchmark(uri if uri.startswith(_PREFIX) else f"{_PREFIX}{uri}")


@dataclass(frozen=True, slots=True)
class Dataset:
    """A suite."""

    name: str
    """``benchmark://cbench-v1``."""
    uris: tuple[str, ...]

    def __str__(self) -> str:
        return self.name

    def __iter__(self) -> Iterator[Benchmark]:
        return self.benchmarks()

    @property
    def size(self) -> int:
        """How many programs it has."""
        return len(self.uris)

    def benchmark_uris(self) -> Iterator[str]:
        """Of every program."""
        yield from self.uris

    def benchmarks(self) -> Iterator[Benchmark]:
        """Every program."""
        yield from map(Benchmark, self.uris)

    def random_benchmark(self, random_state: "np.random.Generator | None" = None) -> Benchmark:
        """One program by chance."""
        chance = np.random.default_rng() if random_state is None else random_state
        return Benchmark(self.uris[chance.integers(len(self.uris))])

    def __getitem__(self, uri: str) -> Benchmark:
        """One program, by its address or its name. Raises UsageError for one that the suite does not have."""
        return self.benchmark(uri if "/" in uri else f"{self.name}/{uri}")

    def benchmark(self, uri: str) -> Benchmark:
        """One program. Raises UsageError for one that the suite does not have."""
        wanted = benchmark_of(uri).uri.lower()
        found = next((one for one in self.uris if one.lower() == wanted), None)
        if found is None:
            raise UsageError(f"{self.name} has no program {uri!r}")
        return Benchmark(found)


class Datasets:
    """All suites."""

    def __init__(self) -> None:
        self._known: dict[str, Dataset] = {}
        for own, names in suite_of().items():
            theirs = f"{_PREFIX}{_THEIRS.get(own, own)}"
            self._known[theirs] = Dataset(theirs, tuple(f"{theirs}/{name}" for name in names))

    def __getitem__(self, name: str) -> Dataset:
        """The suite of this name, with ``benchmark://`` or without. Raises KeyError."""
        return self._known[name if name.startswith(_PREFIX) else f"{_PREFIX}{name}"]

    def __contains__(self, name: str) -> bool:
        return (name if name.startswith(_PREFIX) else f"{_PREFIX}{name}") in self._known

    def __iter__(self) -> Iterator[Dataset]:
        return iter(self._known.values())

    def __len__(self) -> int:
        return len(self._known)

    def datasets(self) -> Iterator[Dataset]:
        """All of them."""
        return iter(self)

    def benchmark_uris(self) -> Iterator[str]:
        """Of every program of every suite."""
        for dataset in self:
            yield from dataset.uris

    def benchmarks(self) -> Iterator[Benchmark]:
        """Every program of every suite."""
        yield from map(Benchmark, self.benchmark_uris())

    def benchmark(self, uri: str) -> Benchmark:
        """One program. Raises KeyError for an unknown suite, UsageError for an unknown program."""
        found = benchmark_of(uri)
        return self[found.uri.rpartition("/")[0]].benchmark(uri)

    def found(self, wanted: str | Benchmark) -> Benchmark:
        """The program of this address, in capitals or not, whose suite may have either name. Raises UsageError for
        one that there is none of.
        """
        suite, _, name = benchmark_of(wanted).uri.lower().removeprefix(_PREFIX).partition("/")
        suite = _THEIRS.get(suite, suite)
        if suite not in self or not name:
            raise UsageError(f"{str(wanted)[:100]!r} is no program: an address is {_PREFIX}cbench-v1/qsort")
        return self[suite].benchmark(f"{suite}/{name}")
