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
    shown: Sequence[dict[str, Any]] | None = None
    """The records that people see, where they do not see all."""
    below: tuple[str, ...] = ()
    """Lines for people that belong to the table."""
    remarks: tuple[str, ...] = ()
    """More of them, which are no part of what is printed: they go to standard error."""
    for_people: bool = False
    """CSV and JSON leave it out."""


@dataclass(frozen=True)
class Answer:
    """What a verb found."""

    tables: tuple[Table, ...] = ()
    notes: tuple[str, ...] = ()
    """Remarks for people, behind the tables: standard error."""
    document: Any = None
    """What JSON shows in place of the tables' records."""
    text: str = ""
    """What is printed as it is, in whatever format."""
    summary: tuple[str, ...] = ()
    """For people, behind the tables: a part of what is printed, unless that is JSON or CSV."""
    failed: bool = False
    """Exit code 1: something is not as it should be."""
