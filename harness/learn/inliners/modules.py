"""Modules to learn from, as trainers take them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.base.vocabulary import Level, Split, Target
from harness.environments.benchmarks import modules_of
from harness.sandbox.bench import Bench
from harness.suite.load import load_suite

__all__ = ["Module", "programs"]


@dataclass(frozen=True, slots=True)
class Module:
    """One module of a corpus or a suite."""

    name: str
    group: str
    """Of modules that share code: a package, a program."""
    bitcode: Path

    def read(self) -> bytes:
        """Its bitcode."""
        return self.bitcode.read_bytes()


def programs(suites: Sequence[str], split: Split, target: Target, bench: Bench) -> list[Module]:
    """Programs of suites, whole, as they are frozen for -Oz."""
    names = [one.id for suite in suites for one in load_suite(suite).programs if one.benchmark.split is split]
    frozen = modules_of(names, target, Level.OZ, bench)
    return [Module(name, name, module.bitcode) for name, module in frozen.items()]
