"""The commands and their help: examples that name what exists, old spellings, completion, what is optional."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command

from harness.base.paths import RECORDED
from harness.cli.app import app
from harness.policy.load import all_policies
from harness.policy.usual import usual_policies
from harness.record.runfile import run_files
from tests.drive import ROOT, TINY, User, write_policy


def commands() -> list[tuple[str, ...]]:
    """Every command and sub-command, as words."""
    found: list[tuple[str, ...]] = []
    waiting: list[tuple[tuple[str, ...], object]] = [((), get_command(app))]
    while waiting:
        words, command = waiting.pop()
        for name, child in getattr(command, "commands", {}).items():
            found.append((*words, name))
            waiting.append(((*words, name), child))
    return sorted(found)


EVERY = commands()


def test_the_commands_are_there() -> None:
    assert {("run",), ("suites", "check"), ("suites", "list"), ("selftest", "noise"), ("selftest", "inline")} < {*EVERY}


@pytest.mark.parametrize("words", EVERY, ids=" ".join)
def test_each_command_has_help_and_examples_that_can_be_given(words: tuple[str, ...]) -> None:
    """An example is parsed, not run: a word or an option that is no more would be refused."""
    command = get_command(app)
    for word in words:
        command = command.commands[word]  # type: ignore[attr-defined]
    assert command.help and command.help.strip()[0].isupper()
    lines = [line.strip() for line in (command.epilog or "").split("\n\n")[1:]]
    for line in lines:
        example = shlex.split(line)
        if example[0] != "harness":
            continue
        end = example.index(">") if ">" in example else None
        _parse(example[1:end])


def test_the_readme_says_what_each_command_is_for() -> None:
    table = (ROOT / "README.md").read_text().partition("## Commands")[2].partition("\n## ")[0]
    told = {word for row in table.splitlines() for one in re.findall(r"`([^`]+)`", row) for word in one.split()}
    assert {word for words in EVERY for word in words} <= told


def _parse(words: list[str]) -> None:
    command = get_command(app)
    while words and words[0] in getattr(command, "commands", {}):
        command, words = command.commands[words[0]], words[1:]  # type: ignore[attr-defined]
    if "--help" not in words:
        command.make_context("harness", list(words), resilient_parsing=False)


def test_the_old_spelling_still_works_and_says_the_new_one(tmp_path: Path) -> None:
    user = User.at(tmp_path)
    old, new = user.harness("suites", "iopddl", code=0), user.harness("suites", "show", "iopddl", code=0)
    assert old.out == new.out and "chain-4" in new.out
    assert "harness suites show iopddl" in old.err and "harness suites show" not in new.err
    assert user.harness("suites", code=0).out == user.harness("suites", "list", code=0).out
    user.harness("suites", "cbench", "bzip2").refused(2, "one suite at a time")


def test_completion_knows_suites_policies_and_programs(tmp_path: Path) -> None:
    user = User.at(tmp_path)

    def completed(line: str) -> list[str]:
        environment = {
            "_HARNESS_COMPLETE": "complete_bash",
            "COMP_WORDS": line,
            "COMP_CWORD": str(len(line.split()) - 1),
        }
        return user.harness(**environment).out.split()

    assert completed("harness run --suite mib") == ["mibench"]
    assert completed("harness run --suite cbench --policy oz-t") == ["oz-tail"]
    assert "crc32" in completed("harness run --suite cbench --benchmark crc")
    user.harness("suites", "show", TINY, code=0)
    mine = write_policy(tmp_path / "mine-own", "globaldce")
    user.harness("run", "--suite", "tiny", "--benchmark", "tally", "--policy", mine, "--no-fresh", code=0)
    assert completed("harness run --suite ti") == ["tiny"]
    assert completed("harness run --suite tiny --policy Oz,mine-") == ["Oz,mine-own"]


def test_recorded_results_are_copied_once(tmp_path: Path) -> None:
    user = User.at(tmp_path)
    first = user.harness("recorded", code=0)
    here, there = ({file.name for file in run_files(folder)[0]} for folder in (user.results, RECORDED))
    assert here == there and len(here) > 5
    assert f"{len(here)} of {len(here)}" in first.err
    (user.results / min(here)).unlink()
    assert f"1 of {len(here)}" in user.harness("recorded", code=0).err
    decisions = {file.name for file in (user.results / "decisions").iterdir()}
    assert decisions == {file.name for file in (RECORDED / "decisions").glob("*.zst")}


def test_what_runs_where_no_policy_is_named_is_listed_and_cheap() -> None:
    known = {policy.name: policy for policy in all_policies()}
    for track in ("size", "speed", "sharding"):
        usual = usual_policies(track)
        assert usual.remarks == () and len(usual.policies) > 3
        assert {known[policy.name].manifest.policy_class.value for policy in usual.policies} <= {"fixed", "zero-shot"}


WITHOUT = """
import sys
sys.modules[{module!r}] = None
sys.argv = ["harness", *{words!r}]
from harness.cli import main
main()
"""


@pytest.mark.parametrize(
    ("module", "words", "code", "said"),
    [
        (
            "streamlit",
            ["serve"],
            3,
            r"error: the Python package streamlit is not installed\n +pip install '.*\[page\]'",
        ),
        pytest.param(
            "optuna",
            ["tune", "size-rules", "--suite", "cbench", "--trials", "1"],
            3,
            r"optuna .*\n.*\[tune\]",
            marks=pytest.mark.slow,
        ),
        (
            "emx_onnx_cgen",
            ["run", "--suite", "cbench", "--dry-run"],
            0,
            r"left out: clone: .*emx_onnx_cgen.*\[models\]",
        ),
        pytest.param(
            "highspy",
            ["run", "--suite", "iopddl", "--dry-run"],
            0,
            r"left out: exact-model: .*highspy.*\[solvers\]",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_a_part_that_is_not_installed_is_one_line(
    module: str, words: list[str], code: int, said: str, tmp_path: Path
) -> None:
    program = WITHOUT.format(module=module, words=words)
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=User.at(tmp_path).environment(),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, "Traceback" in done.stderr) == (code, False), done.stderr
    assert re.search(said, done.stderr), done.stderr


def test_no_description_is_cut_where_it_is_piped(tmp_path: Path) -> None:
    user = User.at(tmp_path)
    told = user.harness("policies", code=0).out
    described = {one["name"]: " ".join(one["description"].split()) for one in user.json("policies")}
    assert all(description in told for description in described.values())
