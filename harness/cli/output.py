"""Tables for people, JSON and CSV for programs. Whatever is shown to people is printable."""

import csv
import json
import sys
from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from harness.base.answers import Answer, Column, Table
from harness.base.display import LineProgress, RichProgress, note, observer
from harness.base.errors import HarnessError
from harness.base.text import printable

__all__ = [
    "Column",
    "Format",
    "LineProgress",
    "RichProgress",
    "emit",
    "note",
    "observer",
    "say",
    "show",
    "tell",
    "told",
]


class Format(StrEnum):
    """How a table is printed."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"


def emit(records: Sequence[dict[str, Any]], columns: Sequence[Column], format_: Format, title: str = "") -> None:
    """Print records: all fields as JSON or CSV, the chosen columns as a table."""
    if format_ is Format.JSON:
        print(json.dumps(list(records), indent=2))  # ASCII alone: JSON escapes the rest
    elif format_ is Format.CSV:
        names = list({name: None for record in records for name in record}) or [column.field for column in columns]
        writer = csv.DictWriter(sys.stdout, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: _csv_cell(value) for name, value in record.items()} for record in records)
    else:
        _table(records, columns, title)


def tell(answer: Answer, format_: Format) -> int:
    """Print the answer; its exit code."""
    if answer.text:
        say(answer.text)
    elif format_ is Format.JSON and answer.document is not None:
        print(json.dumps(answer.document, indent=2))
    elif format_ is not Format.TABLE:
        tables = [table for table in answer.tables if not table.for_people]
        if tables:
            emit([record for table in tables for record in table.records], tables[0].columns, format_)
    else:
        _tell_people(answer)
    for line in answer.summary:
        say(line) if format_ is Format.TABLE else note(line)
    for line in answer.notes:
        note(line)
    return 1 if answer.failed else 0


def show(table: Table) -> None:
    """Print what people see of the table, and the lines below it; nothing of a table that is empty."""
    shown = table.records if table.shown is None else table.shown
    if shown:
        emit(shown, table.columns, Format.TABLE, table.title)
    for line in table.below:
        say(line)


def _tell_people(answer: Answer) -> None:
    told = False
    for table in answer.tables:
        shown = table.records if table.shown is None else table.shown
        if shown and told:
            say()
        told = told or bool(shown or table.below)
        show(table)
        for line in table.remarks:
            note(line)


def _table(records: Sequence[dict[str, Any]], columns: Sequence[Column], title: str) -> None:
    """Aligned plain text: it can be piped, grepped and pasted. Wide characters do not occur."""
    shown = [[_cell(column, record.get(column.field)) for column in columns] for record in records]
    widths = [max(len(c.heading), *(len(row[i]) for row in shown), 0) for i, c in enumerate(columns)]
    if title:
        say(title)
    say(_line([c.heading for c in columns], columns, widths))
    say("  ".join("─" * width for width in widths))
    for row in shown:
        say(_line(row, columns, widths))


def _cell(column: Column, value: Any) -> str:
    return "–" if value is None else printable(column.show(value), lines=False)


def _csv_cell(value: Any) -> Any:
    return printable(value) if isinstance(value, str) else value


def _line(cells: Sequence[str], columns: Sequence[Column], widths: Sequence[int]) -> str:
    parts = [
        cell.rjust(width) if column.right else cell.ljust(width)
        for cell, column, width in zip(cells, columns, widths, strict=True)
    ]
    return "  ".join(parts).rstrip()


def say(text: str = "") -> None:
    """Print text for people, with all that is not to be seen as escapes."""
    print(printable(text))


def told(error: HarnessError) -> int:
    """Show the error; the exit code that goes with it."""
    note(f"error: {error}")
    return error.exit_code
