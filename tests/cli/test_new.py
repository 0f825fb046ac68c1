"""``harness new``: a submission for every problem and form that one may have, which loads and runs as it is."""

import re
import shutil
from pathlib import Path

import onnx
import pytest

from harness.base.paths import SUBMISSIONS
from harness.policy.load import load_policy
from harness.policy.problems import all_problems
from harness.policy.templates import all_templates
from tests.drive import TINY, User, in_process
from tests.problems.instances.user import write_instances

PAIRS = [(name, form) for name, problem in all_problems().items() for form, its in problem.forms.items() if its.role]
PAIRS.append(("regalloc", "choice"))
"""Other forms without a file are those of baselines."""
INSTANCES = "sharding"
WITH_PLUGIN = ("inlining", "regalloc")
"""Whose first cells build a plugin."""
RUN = [pytest.param(*pair, marks=pytest.mark.slow if pair[0] in WITH_PLUGIN else ()) for pair in PAIRS]


def test_every_form_of_a_submission_has_one() -> None:
    assert {*PAIRS} == {*all_templates()}
    there = {(p.manifest.problem, p.manifest.form) for p in map(load_policy, (f"{f}/" for f in SUBMISSIONS.iterdir()))}
    assert there <= {*PAIRS} and len(PAIRS) == 18


OTHER_QUESTIONS = [
    *(("regalloc", form, "eviction") for form in ("cpp", "onnx", "python", "tree")),
    *(("regalloc", form, "function") for form in ("cpp", "onnx", "python")),
]
"""A form with a file answers every question that it may, and a submission to start from is there for each."""


def test_every_other_question_has_one() -> None:
    manifests = {
        folder.parent for template in all_templates().values() for folder in template.folder.parent.glob("*-*/*.toml")
    }
    assert {tuple(folder.name.split("-", 1)) for folder in manifests} == {pair[1:] for pair in OTHER_QUESTIONS}


@pytest.mark.slow
@pytest.mark.parametrize(("problem", "form", "question"), OTHER_QUESTIONS)
def test_one_that_answers_another_question(problem: str, form: str, question: str, tmp_path: Path) -> None:
    user = User.at(tmp_path)
    words = ("new", "mine", "--problem", problem, "--form", form, "--question")
    user.harness(*words, question, cwd=tmp_path, code=0)
    assert load_policy(f"{tmp_path}/mine/").manifest.question == question
    suite = ("--suite", TINY, "--benchmark", "glob", "--target", "x86-64")
    user.harness("run", *suite, "--policy", tmp_path / "mine", code=0, timeout=600)
    assert {(row.policy, row.outcome.value) for row in user.rows() if row.policy == "mine"} == {("mine", "ok")}


@pytest.mark.parametrize(("problem", "form"), PAIRS)
def test_it_loads_and_says_how_to_try_it(
    problem: str, form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = in_process(tmp_path / "cache", monkeypatch, capsys)
    monkeypatch.chdir(tmp_path)
    answer = run("new", "mine", "--kind", problem, "--form", form)
    assert answer.code == 0 and "wait for your words" in answer.err and " ." not in answer.err
    assert ("harness ceiling ./mine " in answer.out) == ((problem, form) == ("inlining", "best"))
    policy = load_policy("./mine")
    assert (policy.manifest.problem, policy.manifest.form, policy.name) == (problem, form, "mine")
    assert answer.out.startswith("harness run --suite ") and "--policy ./mine" in answer.out
    text = (tmp_path / "mine" / "submission.toml").read_text()
    assert len(re.findall(r"# yours", text)) == 4 and "NAME" not in text
    shutil.copytree(tmp_path / "mine", tmp_path / "before")
    run("new", "mine", "--problem", problem, "--form", form).refused(2, "mine", "there already")
    for file in (tmp_path / "before").iterdir():
        assert file.read_bytes() == (tmp_path / "mine" / file.name).read_bytes()


@pytest.mark.parametrize(("problem", "form"), RUN)
def test_it_runs_as_it_is(problem: str, form: str, tmp_path: Path) -> None:
    user = User.at(tmp_path)
    user.harness("new", "mine", "--problem", problem, "--form", form, cwd=tmp_path, code=0)
    if problem == INSTANCES:
        words = ("--suite", write_instances(tmp_path / "made"), "--benchmark", "small")
    else:
        words = ("--suite", TINY, "--benchmark", "glob", "--target", "x86-64")
    if form == "best":  # it knows a program of cbench
        (file,) = (tmp_path / "mine").glob("*.json")
        file.write_text(file.read_text().replace("cbench/crc32", "tiny/glob"))
    user.harness("run", *words, "--policy", tmp_path / "mine", code=0, timeout=600)
    assert {(row.policy, row.outcome.value) for row in user.rows() if row.policy == "mine"} == {("mine", "ok")}


def test_words_that_mean_nothing_are_refused_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = in_process(tmp_path / "cache", monkeypatch, capsys)
    monkeypatch.chdir(tmp_path)
    run("new", "mine").refused(2, "which problem", "--problem passes --form best|list", "--form best|cpp")
    run("new", "mine", "--problem", "sharding").refused(2, "in which form", "--form cpp|python")
    run("new", "mine", "--problem", "shardin").refused(2, "did you mean 'sharding'?")
    run("new", "mine", "--problem", "levels").refused(2, "--problem", "no submission to start from")
    run("new", "mine", "--problem", "passes", "--form", "tree").refused(2, "--form", "there are: best")
    asked = ("--form", "cpp", "--question", "evictions")
    run("new", "mine", "--problem", "regalloc", *asked).refused(2, "--question", "there are: priority, eviction")
    asked = ("--form", "list", "--question", "evictions")
    run("new", "mine", "--problem", "passes", *asked).refused(2, "--question", "asks one question only")
    run("new", "Oz", "--problem", "passes", "--form", "list").refused(2, "Oz", "is a baseline's")
    run("new", "no/where", "--problem", "passes", "--form", "list").refused(2, "no/where", "No such file")
    assert not [path.name for path in tmp_path.iterdir() if path.name != "cache"]


@pytest.mark.parametrize(
    ("problem", "question"),
    [("inlining", None), ("passes", None), ("regalloc", None), ("regalloc", "eviction"), ("regalloc", "function")],
)
def test_the_model_is_what_the_script_beside_it_writes(problem: str, question: str | None) -> None:
    """It is bytes in the repository; a reader of it reads the script."""
    template = all_templates()[problem, "onnx"]
    folder = (template.asked(question) if question else template).folder
    names: dict[str, object] = {"__name__": "make_model"}
    exec((folder / "make_model.py").read_text(), names)  # as its user does; it is no module of the harness
    written = onnx.load(str(next(folder.glob("*.onnx"))))
    assert names["make_model"]().SerializeToString() == written.SerializeToString()  # type: ignore[operator]
