"""``--trust``: the same numbers without the sandbox, and nobody is left in doubt about it."""

from pathlib import Path

from tests.drive import TINY, User

RUN = ("run", "--suite", TINY, "--benchmark", "glob", "--target", "x86-64", "--policy", "Oz,oz-tail", "--jobs", "2")


def test_rows_and_standings_say_so(tmp_path: Path) -> None:
    user = User.at(tmp_path)
    isolated = user.harness(*RUN, code=0)
    assert "without the sandbox" not in isolated.err
    before = {(row.policy, row.metric): row.value for row in user.rows()}
    trusted = user.harness(*RUN, "--trust", code=0)
    assert "without the sandbox: policies and programs run with your rights" in trusted.err
    assert trusted.computed == 2, "nothing of what foreign code may have touched is shared"
    first, second = user.runs()
    assert {row.isolation.value for row in first.rows} == {"sandbox"}
    assert {row.isolation.value for row in second.rows} == {"trusted"}
    for row in second.rows:
        if row.metric != "compile.cpu":
            assert before[row.policy, row.metric] == row.value
    assert second.header.host.sandbox.startswith("none (--trust)")
    assert first.header.host.sandbox.startswith("bubblewrap ")
    assert "measured without" not in user.harness("leaderboard", code=0).err


def test_what_only_ran_so_is_named_in_the_standings(tmp_path: Path) -> None:
    user = User.at(tmp_path)
    user.harness(*RUN[:-3], "Oz", code=0)
    answer = user.harness(*RUN[:-3], "oz-tail", "--trust", code=0)
    assert "measured without the sandbox (--trust): oz-tail" in answer.err
    assert "measured without the sandbox (--trust): oz-tail" in user.harness("leaderboard", code=0).err
    again = user.harness(*RUN[:-3], "oz-tail", code=0)
    assert again.computed == 1
    assert "measured without" not in again.err
