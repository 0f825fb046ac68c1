"""Bytes of functions and sections under two policies, as a verb shows them: to people, in CSV and in JSON."""

from collections.abc import Mapping, Sequence
from typing import Any

from harness.base.answers import Column, Table
from harness.measure.layout import TEXT, Change, Comparison

__all__ = ["beginning", "byte_record", "byte_tables", "one_table", "shortened", "totals"]

_LONGEST = 44
"""Characters of a name in a table for people."""


def byte_record(row: Change) -> dict[str, Any]:
    """Of one function or section: ``before``, ``after`` and ``delta``."""
    return {"name": row.name, "before": row.before, "after": row.after, "delta": row.delta}


def totals(found: Comparison) -> dict[str, list[int]]:
    """Of the whole objects: [before, after]."""
    return {
        "size.text": [found.before.text, found.after.text],
        "size.alloc": [found.before.alloc, found.after.alloc],
        "between_functions": [found.before.between, found.after.between],
    }


def byte_tables(
    found: Comparison,
    before: str,
    after: str,
    functions: Sequence[dict[str, Any]],
    names: Mapping[str, str],
    most: int | None,
    *more: Column,
) -> list[Table]:
    """For people: functions that changed, the rest of the code, and sections. Together they are all bytes.

    ``before``, ``after``: whose objects they are. ``functions``: of each that changed ``byte_record`` and what a
    problem adds, shown in the columns ``more``. ``names``: symbol → name for people. ``most``: rows; None: all.
    """
    columns = (
        Column(before, "before", "{:,}".format, right=True),
        Column(after, "after", "{:,}".format, right=True),
        Column("Δ bytes", "delta", "{:+,}".format, right=True),
    )
    tables = []
    if functions:
        shown = [row | {"name": shortened(names[row["name"]]), "note": _note(row)} for row in functions]
        told = (Column("function", "name"), *columns, *more, Column("", "note"))
        tables.append(beginning(shown, told, "bytes of functions that changed", most))
    equal = len({**found.before.functions, **found.after.functions}) - len(found.functions)
    rest = [found.between, Change(f"all of {TEXT}", found.before.text, found.after.text)]
    loaded = [*found.sections, Change("size.alloc", found.before.alloc, found.after.alloc)]
    for heading, rows, title in (
        ("", rest, f"and {equal} functions of equal size"),
        ("section", loaded, "bytes that are loaded"),
    ):
        tables.append(beginning([byte_record(row) for row in rows], (Column(heading, "name"), *columns), title, None))
    return tables


def beginning(records: Sequence[dict[str, Any]], columns: Sequence[Column], title: str, most: int | None) -> Table:
    """The first rows, for people, and how many there are besides; a column without heading only where it is used."""
    shown = records[:most]
    told = [column for column in columns if column.heading or any(record[column.field] for record in shown)]
    more = len(records) - len(shown)
    below = (f"… and {more} more: --rows 0 shows all",) if more else ()
    return Table(records, told, title, shown=shown, below=below, for_people=True)


def one_table(tables: Mapping[str, Sequence[dict[str, Any]]]) -> Table:
    """For CSV: each record says which of the tables it is of."""
    names = list(dict.fromkeys(name for rows in tables.values() for row in rows for name in row))
    records = [{"table": table, **dict.fromkeys(names), **row} for table, rows in tables.items() for row in rows]
    return Table(records, (), shown=())


def shortened(name: str) -> str:
    """A function's name, no longer than a table has room for."""
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"


def _note(row: Mapping[str, Any]) -> str:
    return "gone" if row["after"] is None else "new" if row["before"] is None else ""
