"""What a policy's training took, on its page."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from harness.base.errors import UsageError
from harness.page import program
from harness.page.learnt import curve_figure
from harness.page.palette import _LIGHT
from harness.policy.curve import points_of
from harness.policy.load import load_policy
from tests.drive import write_policy

CURVE = """\
{"step":1,"compilations":400,"cpu":50.0,"train":0.99,"validation":null}
{"step":2,"compilations":900,"cpu":110.5,"train":1.01,"validation":1.004}
"""
TRAINING = """
[training]
compilations = 900
cpu_hours = 0.5
seed = 3
curve = "curve.jsonl"
"""


def taught(folder: Path, curve: str, words: str = TRAINING) -> Path:
    made = write_policy(folder / "taught", "mem2reg\n")
    manifest = made / "submission.toml"
    manifest.write_text(manifest.read_text() + words)
    (made / "curve.jsonl").write_text(curve)
    return made


def test_the_page_says_what_it_took_and_draws_the_curve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    policy = load_policy(str(taught(tmp_path, CURVE)))
    monkeypatch.setattr(program, "find_policy", lambda _name: policy)
    page = AppTest.from_function(_about).run()
    assert not page.exception
    (said,) = [one.value for one in page.caption if "compilations" in one.value]
    assert all(word in said for word in ("900", "0.5 CPU hours", "seed 3"))
    assert len(page.get("plotly_chart")) == 1


def test_the_curve_has_both_lines() -> None:
    learnt, others = curve_figure(points_of(CURVE), _LIGHT).data
    assert (tuple(learnt.x), tuple(learnt.y)) == ((400, 900), (0.99, 1.01))
    assert (tuple(others.x), tuple(others.y)) == ((900,), (1.004,))


def test_what_it_took_changes_no_decision(tmp_path: Path) -> None:
    without = load_policy(str(write_policy(tmp_path / "plain" / "taught", "mem2reg\n")))
    assert load_policy(str(taught(tmp_path, CURVE))).digest == without.digest


@pytest.mark.parametrize(
    ("curve", "words", "said"),
    [
        ("{", TRAINING, "line 1"),
        (CURVE.replace("1.004", "NaN"), TRAINING, "line 2"),
        (CURVE.replace("900", "300"), TRAINING, "line 2: compilations"),
        (CURVE.replace('"train"', '"trained"'), TRAINING, "line 1"),
        (CURVE * 5001, TRAINING, "at most 10,000"),
        (CURVE, TRAINING.replace("curve.jsonl", "../curve.jsonl"), "curve"),
        (CURVE, TRAINING.replace("curve.jsonl", "none.jsonl"), "none.jsonl"),
        (CURVE, TRAINING.replace("900", "-1"), "training.compilations"),
        (CURVE, TRAINING.replace("seed", "lucky"), "training.lucky"),
    ],
)
def test_a_training_that_is_none_is_refused(curve: str, words: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=said):
        load_policy(str(taught(tmp_path, curve, words)))


def _about() -> None:
    from harness.page.program import _about

    _about("taught")
