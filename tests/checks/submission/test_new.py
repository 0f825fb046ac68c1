"""What ``harness new`` writes, for every problem, form and question, is valid as it stands."""

import json
from pathlib import Path

import pytest

from harness.policy.load import MANIFEST
from harness.policy.templates import all_templates
from tests.drive import User

WRITTEN = sorted(
    (problem, form, folder.name.partition("-")[2])
    for (problem, form), template in all_templates().items()
    for folder in template.folder.parent.iterdir()
    if folder.name.partition("-")[0] == form and (folder / MANIFEST).is_file()
)


def test_all_of_them_are_here() -> None:
    assert len(WRITTEN) >= 19
    assert {(problem, form) for problem, form, _ in WRITTEN} == set(all_templates())


@pytest.mark.slow
@pytest.mark.parametrize(("problem", "form", "question"), WRITTEN)
def test_it_is_valid(problem: str, form: str, question: str, visitor: User, tmp_path: Path) -> None:
    asked = ("--question", question) if question else ()
    visitor.harness("new", "mine", "--problem", problem, "--form", form, *asked, cwd=tmp_path, code=0)
    answer = visitor.harness("validate", tmp_path / "mine", "--json", timeout=900)
    report = json.loads(answer.out)
    others = [finding for finding in report["findings"] if finding["code"] != "V109"]
    expected = {"V202"} if form == "best" else set()  # of the programs that its file does not have
    assert answer.code == 0 and {finding["code"] for finding in others} <= expected, others
    assert report["rows"]
