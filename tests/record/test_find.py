"""Finding rows of a run by their line."""

from pathlib import Path

import pytest

from harness.base.errors import UsageError
from harness.record.find import find_row
from tests.rows import block, campaign, row, run_file


@pytest.mark.parametrize("timed", [False, True])
def test_a_line_of_the_file_is_the_row_that_stands_there(timed: bool, tmp_path: Path) -> None:
    """Campaigns and blocks stand before the rows: they are lines too."""
    rows = [row(name) for name in ("one", "three", "two")]
    taken = ([campaign()], [block({"a": 1.0}, number) for number in range(3)]) if timed else ()
    path = run_file(tmp_path, rows, *taken)
    lines = path.read_text().splitlines()
    first = 6 if timed else 2
    for number, name in enumerate(("one", "three", "two"), start=first):
        run, found = find_row(f"{path.stem}#{number}", tmp_path)
        assert run.path == path
        assert found.benchmark == name
        assert f'"benchmark":"{name}"' in lines[number - 1]
    for beyond in (first - 1, first + 3):
        with pytest.raises(UsageError, match=f"no row at line {beyond}: rows stand at lines {first} to {first + 2}"):
            find_row(f"{path.stem}#{beyond}", tmp_path)
