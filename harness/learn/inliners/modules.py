"""Modules to learn from, as trainers take them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from harness.base.vocabulary import Level, Split, Target
from harness.environments.benchmarks import modules_of
from harness.freeze import FrozenModule
from harness.learn.corpus.corpus import Corpus
from harness.learn.corpus.corpus import Module as Unit
from harness.sandbox.bench import Bench
from harness.suite.load import load_suite

__all__ = ["Module", "programs", "units", "whole"]


@dataclass(frozen=True, slots=True)
class Module:
    """One module of a corpus or a suite."""

    name: str
    group: str
    """Of modules that share code: a package, a program."""
    read: Callable[[], bytes]
    """Its bitcode. Threads may call it."""
    digest: str
    """Of the bitcode."""
    closed: bool = False
    """Whether what its functions call is called nowhere else: a file is taken for a whole program then."""


def programs(suites: Sequence[str], split: Split, target: Target, bench: Bench) -> list[Module]:
    """Programs of suites, whole, as they are frozen for -Oz; one that several of them have, once."""
    there = {
        one.id: one.benchmark.cluster or one.home_id
        for suite in suites
        for one in load_suite(suite).programs
        if one.benchmark.split is split and (one.home is None or one.home not in suites)
    }
    found = modules_of([*there], target, Level.OZ, bench)
    return [whole(name, module, there[name]) for name, module in found.items()]


def whole(name: str, frozen: FrozenModule, group: str | None = None) -> Module:
    """A program. ``group``: of those that it shares code with; None: it shares code with no other."""
    return Module(name, group or name, frozen.bitcode.read_bytes, frozen.digest)


def units(corpus: Corpus, split: str, most: int, **equal: str) -> list[Module]:
    """Units of a corpus that have something to decide, for x86-64, of at most so many IR instructions; with these
    values in other columns (``language="c++"``).
    """
    return [
        Module(one.name, _group(one), partial(corpus.bitcode, one.facts), one.facts["digest"], closed=True)
        for one in corpus.modules(split, **equal)
        if one.facts["functions"] > 1 and one.facts["calls"] > 0 and one.facts["instructions"] <= most
    ]


def _group(unit: Unit) -> str:
    return unit.name if unit.facts["origin"] == "generated" else str(unit.facts["source"])
