"""What a submission says of itself, on the page: text, whatever it looks like."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from harness.base.formats import plain
from harness.page import program
from harness.policy import Policy, load_policy
from harness.policy.load import find_policy
from tests.drive import write_policy

PICTURE = "![p](https://tracker.example/p.png) <img src=x> [a](https://tracker.example)"


def test_authors_are_no_markup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Markdown in a manifest would make every reader's browser fetch a picture from elsewhere."""
    honest = load_policy(str(write_policy(tmp_path / "quiet", "mem2reg\n")))
    manifest = honest.manifest.model_copy(update={"authors": (PICTURE,), "description": PICTURE, "licence": PICTURE})
    told = Policy(manifest, honest.folder, honest.contents, False)
    monkeypatch.setattr(program, "find_policy", lambda _name: told)
    page = AppTest.from_function(_about).run()
    assert not page.exception
    assert plain(PICTURE) in page.caption[0].value
    assert PICTURE not in page.caption[0].value
    assert page.text[0].value == PICTURE, "this element reads no Markdown"


def test_a_forged_policy_name_reads_no_file(tmp_path: Path) -> None:
    folder = write_policy(tmp_path / "elsewhere", "mem2reg\n")
    assert find_policy(str(folder)) is None


def _about() -> None:
    from harness.page.program import _about

    _about("quiet")
