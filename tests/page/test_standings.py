"""The page of standings: which columns it has room for."""

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.rows import row, run_file

ROOM = 940
"""Pixels for a table where the page is 1,280 wide; 33 of them for the boxes that select rows."""


def _page() -> None:
    from harness.page.site import _framed

    _framed("standings")()


@pytest.mark.parametrize(("failed", "gone"), [(False, "matched"), (True, "median")])
def test_the_share_of_a_ceiling_has_room(
    failed: bool, gone: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = {"Oz": 100, "O0": 300, "a-policy-of-twenty-1": 95, "best": 90}
    rows = [row(f"b{n}", name, value) for n in range(8) for name, value in values.items()]
    if failed:
        rows[2] = row("b0", "a-policy-of-twenty-1", None)
    run_file(tmp_path, rows, suite="cbench", ceilings=["best"])
    monkeypatch.setenv("HARNESS_RESULTS", str(tmp_path))
    monkeypatch.setattr("harness.page.site._menu", lambda _: None)
    page = AppTest.from_function(_page, default_timeout=60).run()
    assert not page.exception
    table = page.dataframe[0]
    assert {"strict", "share", "decide"} <= set(table.value) and gone not in table.value
    columns = json.loads(table.proto.columns)
    assert sum(columns[name]["width"] for name in table.value) <= ROOM - 33
