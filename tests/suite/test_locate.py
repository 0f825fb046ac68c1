"""Finding the line of a field of a TOML file."""

import tomllib
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from harness.suite.locate import locate

SUITE = '''
name = "mine"  # line 2
description = """
files = ["not a key"]
"""

[sources.own]
path = "src"
"quoted key" = 1

[[benchmarks]]
name = "first"

[[benchmarks.workloads]]
name = "a"
inputs = [{ file = "x" },
  { file = "y" }]

[[benchmarks.workloads]]
name = "b"

[[benchmarks]]
files = [
  "main.c",
]
workloads = [{ name = "c" }]
[benchmarks.extra]
deep.key = 2
'''


def test_fields_tables_and_entries_of_arrays() -> None:
    expected: dict[tuple[str | int, ...], int | None] = {
        ("name",): 2,
        ("files",): None,  # inside a string
        ("sources", "own"): 7,
        ("sources", "own", "path"): 8,
        ("sources", "own", "quoted key"): 9,
        ("sources", "other"): None,
        ("benchmarks", 0): 11,
        ("benchmarks", 0, "name"): 12,
        ("benchmarks", 0, "split"): 11,  # missing: its table
        ("benchmarks", 0, "workloads", 0, "inputs", 1, "file"): 16,
        ("benchmarks", 0, "workloads", 1, "name"): 20,
        ("benchmarks", 1, "files", 0): 23,
        ("benchmarks", 1, "workloads", 0, "name"): 26,
        ("benchmarks", 1, "extra", "deep", "key"): 28,
    }
    assert {path: locate(SUITE, path) for path in expected} == expected


KEYS = st.sampled_from(["name", "files", "a", "b-c", "d_e"])
ENTRY = st.dictionaries(KEYS, st.integers(0, 9), max_size=4)


@given(st.lists(st.tuples(ENTRY, st.lists(ENTRY, max_size=3)), max_size=4))
def test_every_value_stands_where_it_is_said_to(benchmarks: list[tuple[dict[str, int], list[dict[str, int]]]]) -> None:
    lines: list[str] = []
    for fields, workloads in benchmarks:
        lines += ["[[benchmarks]]", *(f"{name} = {value}" for name, value in fields.items())]
        for entry in workloads:
            lines += ["", "[[benchmarks.workloads]]", *(f"{name} = {value}" for name, value in entry.items())]
    text = "\n".join(lines)
    parsed: dict[str, Any] = tomllib.loads(text)

    def check(path: tuple[str | int, ...], table: dict[str, Any]) -> None:
        for name, value in table.items():
            if name == "workloads":
                for number, entry in enumerate(value):
                    check((*path, name, number), entry)
                continue
            line = locate(text, (*path, name))
            assert line is not None
            assert lines[line - 1] == f"{name} = {value}"

    for number, benchmark in enumerate(parsed.get("benchmarks", [])):
        check(("benchmarks", number), benchmark)
