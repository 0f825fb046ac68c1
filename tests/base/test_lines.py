"""A file that grows a line at a time, cut anywhere."""

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from harness.base.lines import whole_lines


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n"))), st.data())
def test_whole_lines_are_kept_wherever_it_was_cut(lines: list[str], data: st.DataObject) -> None:
    content = "".join(f"{line}\n" for line in lines).encode()
    cut = content[: data.draw(st.integers(0, len(content)))]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_bytes(cut)
        found = whole_lines(path)
        assert found == lines[: cut.count(b"\n")]
        assert path.read_bytes() == "".join(f"{line}\n" for line in found).encode()


def test_no_file_has_no_lines(tmp_path: Path) -> None:
    assert whole_lines(tmp_path / "none") == []
    assert not (tmp_path / "none").exists()
