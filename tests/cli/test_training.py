"""Policies that say what they were trained on, and tables without those programs."""

from pathlib import Path

import pytest

from tests.drive import TINY, User, write_policy


@pytest.fixture
def learnt(visitor: User, tmp_path: Path) -> User:
    """Someone who has run a policy trained on one program, one trained on a whole split, and one on all there is."""
    seen = {"one": ["tiny/tally"], "half": ["tiny:train"], "whole": ["tiny:train", "tiny/glob"]}
    folders = [
        write_policy(tmp_path / name, f"default<O{level}>\n", trained_on=str(programs).replace("'", '"'))
        for level, (name, programs) in enumerate(seen.items(), 1)
    ]
    policies = ",".join(["Oz", *map(str, folders)])
    visitor.harness("run", "--suite", TINY, "--policy", policies, "--target", "x86-64", code=0)
    return visitor


def test_tables_without_programs_that_were_trained_on(learnt: User) -> None:
    """The restriction holds for every policy of the table, and is said."""
    for unseen, programs in ((None, 3), ("one", 2), ("half", 1), ("one,half", 1), ("Oz", 3)):
        restriction = [] if unseen is None else ["--unseen", unseen]
        table = learnt.json("leaderboard", "--suite", "tiny", "--split", "all", *restriction)
        assert {row["policy"] for row in table} == {"Oz", "one", "half", "whole"}
        assert {row["benchmarks"] for row in table} == {programs}
    compared = learnt.json("compare", "one", "Oz", "--split", "all", "--unseen", "half")
    assert [row["benchmark"] for row in compared] == ["glob"]
    assert "unseen by half" in learnt.harness("leaderboard", "--unseen", "half", code=0).out


@pytest.mark.parametrize("unseen", ["everyone", "whole"])
def test_where_nothing_is_left_that_is_said(learnt: User, unseen: str) -> None:
    learnt.harness("leaderboard", "--suite", "tiny", "--unseen", unseen).refused(2, "unseen")


def test_an_unknown_policy_is_refused(learnt: User) -> None:
    learnt.harness("leaderboard", "--suite", "tiny", "--unseen", "nobody").refused(2, "nobody")
