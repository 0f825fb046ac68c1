"""What a command answers, before anybody prints it: tables of records, remarks, an exit code."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Answer", "Column", "Table"]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a printed table: its heading, the record's field, how a value looks."""

    heading: str
    field: str
    show: Callable[[Any], str] = str
    right: bool = False


@dataclass(frozen=True)
class Table:
    """Records, and the columns that people see of them."""

    records: Sequence[dict[str, Any]]
    columns: Sequence[Column]
    title: str = ""
    differing: Sequence[dict[str, Any]] | None = None
    """The records that a table for people has, where it does not have all."""


@dataclass(frozen=True)
class Answer:
    """What a verb found."""

    table: Table | None = None
    notes: tuple[str, ...] = ()
    """For people, behind the table."""
    document: dict[str, Any] | None = None
    """What JSON shows instead of the table's records."""
    failed: bool = False
    """Exit code 1: something is not as it should be."""
