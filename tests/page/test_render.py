"""Tables that problems show: what a reader sees of their numbers."""

import json

from streamlit.testing.v1 import AppTest


def _grid() -> None:
    from harness.base.views import Grid, GridColumn
    from harness.page.render import show
    from harness.problems.protocol import View

    columns = (
        GridColumn("instance", ("Q", "B"), 64),
        GridColumn("cost", ("976,004,136,790,967,732", "532,843"), 122, right=True),
        GridColumn("gap", ("1.9e+11 %", "–"), 66, right=True),
        GridColumn("points", (123456789.5, None), 58, "%.4f"),
    )
    show(View("Instances", lambda *_: iter((Grid("table", columns),))), None, None)  # type: ignore[arg-type]


def test_a_number_is_never_cut_where_its_first_digits_are() -> None:
    # A canvas draws what is aligned to the right from its end: "04,136,790,967,732" would be read as the cost.
    (table,) = AppTest.from_function(_grid).run().dataframe
    widths = {name: column.get("width") for name, column in json.loads(table.proto.columns).items()}
    assert widths["cost"] >= _needed("976,004,136,790,967,732")
    assert widths["gap"] >= _needed("1.9e+11 %")
    assert widths["points"] >= _needed("123456789.5000")
    assert widths["instance"] == 64


def _needed(text: str) -> float:
    """Pixels: the margins of a cell, and the letters of its font."""
    return 16 + sum(3.5 if letter in ",. " else 6.96 for letter in text)
