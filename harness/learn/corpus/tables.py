"""The tables of a corpus: their columns, and the rows that units and functions become."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from harness.learn.corpus.duplicates import Judged
from harness.learn.corpus.facts import ModuleFacts
from harness.learn.corpus.kept import Kept

__all__ = ["FUNCTIONS", "UNITS", "Sourced", "function_rows", "unit_row"]

UNITS: dict[str, str] = {
    "unit": "Int64",
    **dict.fromkeys(("name", "source", "path", "origin", "split", "language", "licence", "digest", "shard"), "String"),
    **dict.fromkeys(("offset", "length", "size"), "Int64"),
    **dict.fromkeys(("instructions", "functions", "listed", "calls", "noinline", "allocatable"), "Int64"),
    "known": "Float64",
    "like": "String",
}
"""Column of ``units.parquet`` → its type (of polars); then come the features of Autophase, as Int64."""
FUNCTIONS: dict[str, str] = {
    **dict.fromkeys(("unit", "place"), "Int64"),
    **dict.fromkeys(("name", "digest"), "String"),
    **dict.fromkeys(("instructions", "blocks", "calls"), "Int64"),
    **dict.fromkeys(("local", "noinline"), "Boolean"),
    "ranges": "Int64",
}
"""The same of ``functions.parquet``."""


@dataclass(frozen=True, slots=True)
class Sourced:
    """A unit of a corpus."""

    source: str
    """Package, import or generator."""
    origin: str
    """``debian``, ``import`` or ``generated``."""
    split: str
    licence: str
    kept: Kept

    @property
    def facts(self) -> ModuleFacts:
        """Of its module."""
        return self.kept.facts

    @property
    def name(self) -> str:
        """``zlib/adler32.c``."""
        return f"{self.source}/{self.kept.unit}"


def unit_row(number: int, judged: Judged[Sourced], shard: str, offset: int) -> list[Any]:
    """In the order of the columns. ``offset``: of its frame in the shard."""
    unit, facts = judged.unit, judged.unit.facts
    kept = unit.kept
    return [
        number,
        *(unit.name, unit.source, kept.unit, unit.origin, unit.split, kept.language, unit.licence, kept.digest, shard),
        *(offset, kept.length, kept.size),
        *(facts.instructions, len(facts.functions), len(judged.listed)),
        sum(one.calls for one in facts.functions),
        sum(one.noinline for one in facts.functions),
        sum(facts.functions[place].is_allocatable for place in judged.listed),
        *(judged.known, judged.like),
        *facts.autophase,
    ]


def function_rows(number: int, judged: Judged[Sourced]) -> Sequence[list[Any]]:
    """Of the functions that are listed. ``place``: among all that the unit defines."""
    functions = judged.unit.facts.functions
    return [
        [
            number,
            place,
            *(one.name, one.digest, one.instructions, one.blocks, one.calls, one.local, one.noinline, one.ranges),
        ]
        for place in judged.listed
        for one in [functions[place]]
    ]
