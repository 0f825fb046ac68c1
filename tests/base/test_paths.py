"""Where results go when nobody says where."""

from pathlib import Path

import pytest

from harness.base.paths import RECORDED, ROOT, default_results, usual_results
from tests.drive import User


def test_results_are_those_of_the_checkout_for_who_is_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HARNESS_RESULTS", raising=False)
    for inside in (ROOT, ROOT / "docs"):
        monkeypatch.chdir(inside)
        assert usual_results() == default_results() == RECORDED
    monkeypatch.chdir(tmp_path)
    assert usual_results() == default_results() == tmp_path / "results"
    (tmp_path / "inside").symlink_to(ROOT)
    monkeypatch.chdir(tmp_path / "inside")
    assert usual_results() == RECORDED


def test_the_environment_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARNESS_RESULTS", str(tmp_path / "mine"))
    assert default_results() == tmp_path / "mine"


@pytest.mark.parametrize(
    "words",
    [
        ("new", "~nobody.here/mine", "--problem", "passes", "--form", "list"),
        ("run", "--suite", "cbench", "--policy", "~nobody.here/mine"),
        ("suites", "show", "~nobody.here/mine"),
        ("explain", "~nobody.here/mine", "cbench/crc32"),
    ],
)
def test_the_home_of_nobody_is_said(words: tuple[str, ...], visitor: User) -> None:
    visitor.harness(*words).refused(2, "~nobody.here/mine", "write the whole path")


def test_a_place_in_the_home_of_nobody_is_said(visitor: User) -> None:
    visitor.harness("cache", HARNESS_CACHE="~nobody.here/cache").refused(2, "~nobody.here/cache", "whole path")
