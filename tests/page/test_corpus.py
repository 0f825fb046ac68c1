"""The page of the corpus: what is in it, or how it is built."""

import shutil
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from harness.sandbox.bench import Bench
from harness.suite.load import load_suite
from tests.drive import TINY
from tests.learn.corpus.tiny import built


def _page() -> None:
    from harness.page.site import _framed

    _framed("corpus")()


def shown(monkeypatch: pytest.MonkeyPatch, cache: Path) -> AppTest:
    monkeypatch.setenv("HARNESS_CACHE", str(cache))
    monkeypatch.setattr("harness.page.site._menu", lambda _: None)
    page = AppTest.from_function(_page, default_timeout=60).run()
    assert not page.exception
    return page


def test_it_says_what_is_in_it_and_how_near(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built(tmp_path, bench, programs=load_suite(str(TINY)).programs)
    shutil.move(tmp_path / "corpus", tmp_path / "cache" / "corpus")
    page = shown(monkeypatch, tmp_path / "cache")
    text = "\n".join(one.value for one in page.markdown)
    assert "3 translation units" in text and "of 3 programs are nearer to a unit" in text
    splits, near, sources = (one.value for one in page.dataframe)
    assert splits["units"].to_list() == [2, 1]
    assert set(near["program"]) == {f"tiny/{one.benchmark.name}" for one in load_suite(str(TINY)).programs}
    assert sources["source"].to_list() == ["alpha", "beta"]


def test_without_one_it_says_how_it_is_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = shown(monkeypatch, tmp_path)
    assert "there is no corpus" in page.error[0].value
    assert any("`harness corpus build`" in one.value.replace("\\`", "") for one in page.markdown)
