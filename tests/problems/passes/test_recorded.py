"""What a run file says of policies that choose passes step by step."""

from pathlib import Path

from harness.problems.passes.actions import AUTOPHASE_42
from tests.drive import TINY, User


def test_a_run_says_what_was_chosen_from_and_what_was_seen(tmp_path: Path) -> None:
    user = User.at(tmp_path)
    agent = tmp_path / "agent"
    user.harness("new", agent, "--problem", "passes", "--form", "python", code=0)
    words = ("--suite", TINY, "--benchmark", "tally", "--target", "x86-64", "--no-fresh")
    chosen = ("--policy", "Oz", "--policy", "random-passes", "--policy", agent)
    user.harness("run", *words, *chosen, code=0)
    (run,) = user.runs()
    name = next(row.policy for row in run.rows if row.form == "python")
    spaces = run.header.spaces
    assert spaces.keys() == {"random-passes", name}
    assert spaces["random-passes"].keys() == spaces[name].keys() == {"actions.autophase42", "observations"}
    assert {one["actions.autophase42"] for one in spaces.values()} == {AUTOPHASE_42.digest}
    assert spaces["random-passes"]["observations"] != spaces[name]["observations"]
    counted = {(row.policy, row.seed) for row in run.rows if row.metric == "decide.steps" and row.value is not None}
    assert counted >= {("random-passes", seed) for seed in range(5)}
