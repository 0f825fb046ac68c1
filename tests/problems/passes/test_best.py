"""The best lists that are known: a file of lists, a ceiling of tables, and nothing that is ranked."""

import json
from pathlib import Path

import pytest

from harness.base.errors import CellError, UsageError
from harness.base.vocabulary import Level, Target
from harness.freeze import FrozenModule, freeze
from harness.policy.load import load_policy
from harness.problems.programs.problems import program_problem
from harness.sandbox.bench import Bench
from harness.suite.load import load_suite

PROGRAM = "polybench/nussinov"
MANIFEST = """
name = "known"
version = "1"
problem = "passes"
form = "best"
class = "search"
track = "size"
targets = ["x86-64"]
authors = ["A. Tester"]
licence = "MIT"
description = "Made by a test."
trained_on = ["polybench/nussinov"]
budget = 60
deterministic = true
ceiling = true

[files]
lists = "lists.json"
"""


@pytest.fixture(scope="module")
def frozen(bench: Bench) -> FrozenModule:
    (program,) = (one for one in load_suite("polybench").programs if one.id == PROGRAM)
    return freeze(program, Target.X86_64, Level.OZ, bench)


def written(folder: Path, lists: object, manifest: str = MANIFEST) -> Path:
    folder = folder / "known"
    folder.mkdir()
    (folder / "submission.toml").write_text(manifest)
    (folder / "lists.json").write_text(lists if isinstance(lists, str) else json.dumps(lists))
    return folder


def of(program: str, *passes: str, trials: int = 7) -> object:
    return {program: {"x86-64": {"passes": passes, "trials": trials}}}


def test_the_program_has_its_list(frozen: FrozenModule, bench: Bench, tmp_path: Path) -> None:
    policy = load_policy(str(written(tmp_path, of(PROGRAM, "default<Oz>", "mergefunc"))))
    decided = program_problem("passes").decide(policy, frozen, 0, bench)
    assert decided.decisions.body["passes"] == ["default<Oz>", "mergefunc"]
    assert (decided.trials, decided.steps) == (7, 0)


def test_a_program_without_a_list_is_said(frozen: FrozenModule, bench: Bench, tmp_path: Path) -> None:
    policy = load_policy(str(written(tmp_path, of("cbench/crc32", "default<Oz>"))))
    with pytest.raises(CellError, match=r"^lists\.json has no list for polybench/nussinov on x86-64"):
        program_problem("passes").decide(policy, frozen, 0, bench)


@pytest.mark.parametrize(
    ("lists", "words"),
    [
        (of(PROGRAM, "structurizecfg"), "structurizecfg"),
        (of(PROGRAM, "no such pass"), "no such pass"),
        (of(PROGRAM), "must be"),
        (of(PROGRAM, "default<Oz>", trials=0), "must be"),
        (of(PROGRAM, "default<Oz>", trials=10**30), "must be"),
        ({PROGRAM: {"riscv": {"passes": ["default<Oz>"], "trials": 1}}}, "must be"),
        ([1, 2], "must be"),
        ("{", "not JSON"),
    ],
)
def test_a_file_that_is_not_of_the_form_is_refused(lists: object, words: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=words):
        load_policy(str(written(tmp_path, lists)))


@pytest.mark.parametrize(
    ("line", "words"),
    [("ceiling = true", "ceiling"), ('trained_on = ["polybench/nussinov"]', "trained_on")],
)
def test_it_says_that_it_is_a_ceiling_and_of_what(line: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=words):
        load_policy(str(written(tmp_path, of(PROGRAM, "default<Oz>"), MANIFEST.replace(line, ""))))
