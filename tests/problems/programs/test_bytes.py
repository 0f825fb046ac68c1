"""Two objects' bytes in tables: every byte is in one of them, whatever is left out for want of room."""

from harness.base.answers import Column
from harness.measure.layout import Comparison, Layout
from harness.problems.programs.bytes import byte_record, byte_tables, totals

LONG = "a" * 60
FOUND = Comparison(
    Layout({"main": 100, "gone": 30, "same": 8, LONG: 5}, 7, {".text": 150, ".rodata": 16}),
    Layout({"main": 90, "new": 20, "same": 8, LONG: 6}, 9, {".text": 133, ".data": 4}),
)
NAMES = {name: name for name in ("main", "gone", "same", LONG)} | {"new": "new(int)"}


def test_what_moved() -> None:
    assert [(row.name, row.delta) for row in FOUND.functions] == [("gone", -30), ("new", 20), ("main", -10), (LONG, 1)]
    assert (FOUND.moved["gone"], FOUND.moved["same"], FOUND.moved["nowhere"]) == (-30, 0, 0)
    assert {row.name: row.delta for row in FOUND.sections} == {".text": -17, ".rodata": -16, ".data": 4}
    assert totals(FOUND) == {"size.text": [150, 133], "size.alloc": [166, 137], "between_functions": [7, 9]}


def test_tables_have_all_bytes() -> None:
    rows = [byte_record(row) | {"spills": row.name} for row in FOUND.functions]
    functions, rest, sections = byte_tables(FOUND, "Oz", "mine", rows, NAMES, None, Column("spills", "spills"))
    assert [row["name"] for row in functions.records] == ["gone", "new(int)", "main", f"{'a' * 43}…"]
    assert [row["note"] for row in functions.records] == ["gone", "new", "", ""]
    headings = [column.heading for column in functions.columns]
    assert headings == ["function", "Oz", "mine", "Δ bytes", "spills", ""]
    text = rest.records[1]
    assert (text["name"], text["delta"]) == ("all of .text", -17)
    assert sum(row["delta"] for row in functions.records) + rest.records[0]["delta"] == text["delta"]
    assert rest.title == "and 1 functions of equal size"
    assert sections.records[-1] == {"name": "size.alloc", "before": 166, "after": 137, "delta": -29}
    assert sum(row["delta"] for row in sections.records[:-1]) == -29


def test_few_rows_of_many() -> None:
    rows = [byte_record(row) for row in FOUND.functions]
    functions, *_ = byte_tables(FOUND, "Oz", "mine", rows, NAMES, 1)
    assert [row["name"] for row in functions.shown or ()] == ["gone"]
    assert functions.below == ("… and 3 more: --rows 0 shows all",)
    assert len(byte_tables(FOUND, "Oz", "mine", [], NAMES, 1)) == 2, "no functions, no table of them"
