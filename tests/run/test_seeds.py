"""A policy that searches: its five seeds are five cells on each program, from the manifest to the standings."""

import math
from collections import defaultdict
from pathlib import Path

import pytest

from harness.base.vocabulary import Outcome
from tests.drive import TINY, User, write_policy

LISTS = {
    1: "default<Oz>",
    2: "default<O1>",
    3: "default<O2>",
    4: "mem2reg",
    5: "mem2reg, instcombine, simplifycfg",
}


def searcher(folder: Path, lists: dict[int, str], **changes: str) -> Path:
    """A submission of class ``search`` with a list for each seed."""
    files = ", ".join(f'passes-{seed} = "{seed}.txt"' for seed in lists)
    fields = {"class": '"search"', "seeds": str(list(lists)), "budget": "60.0", "files": f"{{ {files} }}", **changes}
    write_policy(folder, "", **fields)
    (folder / "passes.txt").unlink()
    for seed, passes in lists.items():
        (folder / f"{seed}.txt").write_text(passes)
    return folder


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> User:
    user = User.at(tmp_path_factory.mktemp("seeds"))
    policy = searcher(tmp_path_factory.mktemp("made") / "finder", LISTS)
    words = ("--policy", f"{policy},Oz,O0", "--target", "x86-64", "--jobs", "2")
    user.harness("run", "--suite", TINY, *words, code=0, timeout=300)
    return user


def test_every_seed_is_a_cell_of_its_own(user: User) -> None:
    cells = {(row.benchmark, row.seed): row for row in user.rows() if row.policy == "finder"}
    assert set(cells) == {(name, seed) for name in ("tally", "glob", "calc") for seed in LISTS}
    assert len({row.cell for row in cells.values()}) == 15
    for name in ("tally", "glob", "calc"):
        assert len({cells[name, seed].decisions_digest for seed in LISTS}) == 5
        assert len({cells[name, seed].object_digest for seed in LISTS}) >= 3


def test_the_standing_is_the_mean_over_seeds(user: User) -> None:
    values: dict[tuple[str, int], float] = {}
    reference: dict[str, float] = {}
    for row in user.rows():
        if row.metric == "size.alloc" and row.value is not None:
            if row.policy == "finder":
                values[row.benchmark, row.seed] = row.value
            elif row.policy == "Oz":
                reference[row.benchmark] = row.value
    logs: dict[str, list[float]] = defaultdict(list)
    for (name, _), value in values.items():
        logs[name].append(math.log(reference[name] / value))
    expected = math.exp(sum(sum(series) / 5 for series in logs.values()) / 3)
    rows = {row["policy"]: row for row in user.json("leaderboard", "--target", "x86-64", "--split", "all")}
    finder = rows["finder"]
    assert finder["strict"] == pytest.approx(expected, rel=1e-12)
    assert (finder["class"], finder["seeds"]) == ("search", 5)
    assert finder["these_low"] < finder["strict"] < finder["these_high"], "the choice of seeds matters"
    assert rows["Oz"]["these_low"] == rows["Oz"]["these_high"] == 1.0


def test_a_seed_that_fails_counts_and_takes_nothing_else_with_it(user: User, tmp_path: Path) -> None:
    broken = searcher(tmp_path / "stumbler", {**LISTS, 3: "no-such-pass"})
    results = tmp_path / "results"
    words = ("--policy", f"{broken},Oz,O0", "--target", "x86-64", "--results", results)
    user.harness("run", "--suite", TINY, *words, code=1, timeout=300)
    mine = User(user.cache, results)
    outcomes = {(row.benchmark, row.seed): row.outcome for row in mine.rows() if row.policy == "stumbler"}
    assert {seed for (_, seed), outcome in outcomes.items() if outcome is not Outcome.OK} == {3}
    rows = {row["policy"]: row for row in mine.json("leaderboard", "--target", "x86-64", "--split", "all")}
    whole = {row["policy"]: row for row in user.json("leaderboard", "--target", "x86-64", "--split", "all")}
    assert rows["stumbler"]["strict"] is None, "it completed no program under every seed"
    assert whole["finder"]["strict"] is not None
    assert rows["stumbler"]["coverage"] == 0.0
    assert rows["stumbler"]["rank"] is None
    assert any("coverage" in reason for reason in rows["stumbler"]["reasons"])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seeds": "[1, 2, 3, 4]"}, "at least 5"),
        ({"budget": ""}, "budget"),
        ({"files": '{ passes-1 = "1.txt" }'}, 'passes-2 = "passes-2.txt"'),
    ],
)
def test_what_is_missing_is_named(user: User, tmp_path: Path, changes: dict[str, str], message: str) -> None:
    folder = searcher(tmp_path / "lazy", LISTS, **changes)
    if changes.get("budget") == "":
        manifest = folder / "submission.toml"
        manifest.write_text("".join(line for line in manifest.open() if not line.startswith("budget")))
    user.harness("run", "--suite", TINY, "--policy", folder).refused(2, message)


def test_one_list_may_serve_all_seeds(user: User, tmp_path: Path) -> None:
    same = write_policy(
        tmp_path / "same", "mem2reg", **{"class": '"search"', "seeds": "[1, 2, 3, 4, 5]", "budget": "1.0"}
    )
    words = ("--policy", f"{same},Oz", "--target", "x86-64", "--results", tmp_path / "results")
    user.harness("run", "--suite", TINY, *words, code=0, timeout=300)
    rows = User(user.cache, tmp_path / "results").json("leaderboard", "--target", "x86-64", "--split", "all")
    row = next(row for row in rows if row["policy"] == "same")
    assert row["these_low"] == row["these_high"] == row["strict"], "seeds that agree add no doubt"
