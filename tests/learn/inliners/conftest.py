"""What the tests of learnt inliners share: a few small programs, and workers."""

import threading
from collections.abc import Iterator

import pytest

from harness.base.vocabulary import Level, Target
from harness.environments.benchmarks import modules_of
from harness.learn.inliners.modules import Module
from harness.learn.inliners.pool import Pool
from harness.sandbox.bench import Bench

SMALL = ("cbench/crc32", "cbench/qsort", "cbench/sha", "cbench/stringsearch", "cbench/dijkstra", "cbench/patricia")


@pytest.fixture(scope="session")
def small(bench: Bench) -> list[Module]:
    """Programs of a few hundred lines."""
    return [
        Module(name, name, frozen.bitcode.read_bytes, frozen.digest)
        for name, frozen in modules_of(SMALL, Target.X86_64, Level.OZ, bench).items()
    ]


@pytest.fixture
def pool(bench: Bench) -> Iterator[Pool]:
    """Two workers. Of whatever was started instead of a lost one, too, nothing is left."""
    before = threading.enumerate()
    with Pool(bench, 2) as workers:
        yield workers
    assert set(threading.enumerate()) <= set(before)
