"""docs/schema.md names every field of a run file's lines, and every column of the index's tables."""

import re
from pathlib import Path

import pytest

from harness.record import open_index
from harness.record.rows import Block, Campaign, History, Model
from tests.drive import ROOT

TEXT = (ROOT / "docs" / "schema.md").read_text()


@pytest.mark.parametrize("model", [Campaign, Block, History])
def test_each_field_of_a_line(model: type[Model]) -> None:
    paragraph = TEXT.split(f"**{model.__name__}.**")[1].split("\n\n")[0]
    assert set(model.model_fields) - set(re.findall(r"`(\w+)`", paragraph)) == set()


@pytest.mark.parametrize("table", ["runs", "benchmarks", "training", "instances", "histories"])
def test_each_column_of_a_table(table: str, tmp_path: Path) -> None:
    with open_index(tmp_path) as index:
        columns = [name for name, *_ in index.sql(f"DESCRIBE {table}").fetchall()]
    (said,) = re.findall(rf"^\| `{table}` \| .*?: `([^`]*)`", TEXT, re.MULTILINE)
    assert said.split(", ") == columns
