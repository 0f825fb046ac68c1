"""A suite of one's own by its name and by its path: either works wherever a suite is asked for."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from harness.apply.compile import optimise
from harness.apply.plan import reference_plan
from harness.base.errors import CellError
from harness.base.store import Store
from harness.base.vocabulary import Level, Target
from harness.freeze import freeze
from harness.sandbox.bench import Bench
from tests.drive import Sketch, User, in_process, write_policy, write_suite
from tests.problems.instances.user import write_instances, write_solver
from tests.programs import own_program

FINE = '#include <stdio.h>\nint main(void) { puts("fine"); return 0; }\n'


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A suite ``mine`` of one program, and someone who has run it by its path."""
    folder = tmp_path_factory.mktemp("own")
    write_suite(folder / "mine", Sketch("fine", FINE, expected="fine\n"))
    words = ("--suite", folder / "mine" / "suite.toml", "--policy", "Os,Oz", "--target", "x86-64")
    User.at(folder).harness("run", *words, code=0)
    return folder


@pytest.fixture(scope="module")
def user(place: Path) -> User:
    return User.at(place)


@pytest.mark.parametrize("spelt", ["mine", "mine/"])
def test_every_command_takes_either(spelt: str, user: User, place: Path, tmp_path: Path) -> None:
    suite = spelt if spelt == "mine" else str(place / spelt)
    for words in (
        ("leaderboard", "--split", "all", "--suite", suite),
        ("compare", "Os", "Oz", "--split", "all", "--suite", suite),
        ("export", tmp_path / "rows.csv", "--suite", suite),
        ("replay", user.runs()[0].header.run, "--suite", suite),
        ("repro", f"{user.runs()[0].header.run}#2", "--suite", suite),
        ("run", "--suite", suite, "--policy", "Os", "--target", "x86-64", "--dry-run"),
        ("suites", "show", suite),
        ("suites", "table", suite),
        ("fetch", suite),
    ):
        user.harness(*words, code=0)
    assert len((tmp_path / "rows.csv").read_text().splitlines()) == len(user.rows()) + 1
    user.harness("leaderboard", "--suite", place / "nowhere").refused(2, "nowhere")


def test_a_run_is_replayed_without_saying_where_its_suite_is(user: User) -> None:
    user.harness("replay", user.runs()[0].header.run, code=0)


def test_a_name_that_was_never_used_by_path_is_unknown(place: Path, tmp_path: Path) -> None:
    User.at(tmp_path).harness("suites", "show", "mine").refused(2, "unknown suite 'mine'", "by its path, the first")


def test_what_the_file_is_called_now_counts(tmp_path: Path) -> None:
    user, file = User.at(tmp_path), write_suite(tmp_path / "ours", Sketch("fine", FINE))
    user.harness("suites", "show", file, code=0)
    file.write_text(file.read_text().replace('name = "ours"', 'name = "theirs"'))
    user.harness("suites", "show", "ours").refused(2, "called 'theirs' now, not 'ours'")
    file.unlink()
    user.harness("suites", "show", "ours").refused(2, "'ours' was read from this file, which is gone", str(file))
    copy = write_suite(tmp_path / "elsewhere" / "ours", Sketch("fine", FINE))
    user.harness("suites", "show", copy.parent, code=0)
    assert json.loads(user.harness("suites", "show", "ours", "--json", code=0).out)["name"] == "ours"


def test_a_policy_that_was_run_by_its_path_is_found_by_its_recorded_name(place: Path, tmp_path: Path) -> None:
    user, mine = User.at(tmp_path), write_policy(tmp_path / "my-list", "sroa, simplifycfg")
    suite = ("--suite", place / "mine", "--target", "x86-64")
    user.harness("run", *suite, "--policy", "my-list,Oz").refused(2, "unknown policy 'my-list'", "path, the first time")
    user.harness("run", *suite, "--policy", f"{mine},Oz", code=0)
    assert user.harness("run", *suite, "--policy", "my-list,Oz", code=0).computed == 0
    by_name, by_path = (
        user.harness("compare", one, "Oz", "--suite", "mine", "--split", "all", code=0).out
        for one in ("my-list", f"{mine}/")
    )
    assert by_name == by_path and "my-list" in by_name
    shutil.rmtree(mine)
    user.harness("run", *suite, "--policy", "my-list").refused(
        2, "'my-list' was in this folder, which is gone", str(mine)
    )


def test_a_suite_of_instances_too(tmp_path: Path) -> None:
    user, folder = User.at(tmp_path), write_instances(tmp_path / "made")
    solver = write_solver(tmp_path / "zeros", "print([0, 0, 0], flush=True)\n")
    user.harness("run", "--suite", folder, "--policy", solver, "--benchmark", "small", code=0)
    assert "small" in user.harness("suites", "show", "made", code=0).out
    by_name, by_path = (user.harness("leaderboard", "--suite", one, code=0).out for one in ("made", folder))
    assert by_name == by_path and "zeros" in by_name


def test_the_limit_of_a_compile_step_is_an_option_of_checks(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = in_process(tmp_path, monkeypatch, capsys)
    suite = place / "mine"
    run("suites", "check", suite, "--compile-timeout", "0").refused(2, "--compile-timeout")
    run("suites", "table", suite, "--compile-timeout", "0").refused(2, "--compile-timeout")
    run("suites", "check", "iopddl", "--compile-timeout", "9").refused(2, "--compile-timeout", "says nothing here")


def test_what_runs_into_the_limit_names_the_option(bench: Bench, store: Store, tmp_path: Path) -> None:
    program = own_program(tmp_path, {"main.c": FINE})
    frozen = freeze(program, Target.X86_64, Level.O2, bench)
    short = replace(bench, compile_timeout=0.001, cache=tmp_path / "cache")
    with pytest.raises(CellError, match=r"--compile-timeout is 0\.001"):
        optimise(frozen, reference_plan(Level.O2, Target.X86_64), short)
