"""``harness run`` on a suite of instances, as a user does it: what is recorded, ranked, replayed and refused."""

import json
import signal
import subprocess
import time
from pathlib import Path

import pytest

from harness.base.vocabulary import Outcome
from harness.record import open_index
from tests.drive import User
from tests.problems.instances.user import HUGE, SOLVED, write_instances, write_solver

SOLVERS = {
    "improves": "print([0, 1, 2], flush=True); import time; time.sleep(0.8); print([0, 0, 0])",
    "settles": "print([0, 1, 2])",
    "overflows": "print([0, 0, 1])",
    "garbles": "print([0, 0, 0]); print('[0, 0, x]')",
    "silent": "pass",
    "crashes": "print([0, 0, 0], flush=True); import os; os.abort()",
}
OUTCOMES = {
    "overflows": (Outcome.INFEASIBLE, "at time 4 it uses 45 bytes, 5 more than the limit of 40"),
    "garbles": (Outcome.POLICY_ERROR, "the last assignment printed is malformed: it is no list of integers"),
    "silent": (Outcome.POLICY_ERROR, "the solver ended without printing an assignment"),
    "crashes": (Outcome.POLICY_ERROR, "killed by SIGABRT"),
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the suite and the solvers."""
    folder = tmp_path_factory.mktemp("solvers")
    write_instances(folder / "made")
    for name, body in SOLVERS.items():
        write_solver(folder / name, body)
    return folder


@pytest.fixture(scope="module")
def user(place: Path) -> User:
    """Someone who has run all of them. Do not add runs."""
    someone = User.at(place / "user")
    answer = someone.harness("run", "--suite", place / "made", "--policy", every(place), "--cores", "1", code=1)
    assert "12 cells, 12 computed now, 8 failed" in answer.err
    assert "time scale 1, one solver at a time on 1 core" in answer.err
    return someone


def every(place: Path) -> str:
    """All solvers, for ``--policy``."""
    return ",".join(str(place / name) for name in SOLVERS)


def test_every_outcome_is_recorded_with_its_reason(user: User) -> None:
    (run,) = user.runs()
    solving = run.header.solving
    assert solving is not None
    assert (solving.time_scale, solving.cores) == (1.0, 1)
    facts = solving.instances["small"]
    assert (facts.seconds, facts.best, facts.bound) == (20.0, 130, 120)
    assert facts.plain is not None and facts.plain > SOLVED, "what a failure counts as"
    failed = {(row.policy, row.outcome, row.detail) for row in run.rows if row.outcome is not Outcome.OK}
    assert {(policy, outcome) for policy, outcome, _ in failed} == {(name, one) for name, (one, _) in OUTCOMES.items()}
    for policy, _, detail in failed:
        assert OUTCOMES[policy][1] in detail
    assert all(row.level is None and row.object_digest is None for row in run.rows)
    assert len({row.decisions_digest for row in run.rows if row.policy == "improves"}) == 1, "equal assignments"


def test_costs_are_exact_from_the_file_to_the_index(user: User) -> None:
    (run,) = user.runs()
    costs = {(row.benchmark, row.policy): row.value for row in run.rows if row.metric == "cost"}
    assert costs["small", "improves"] == SOLVED and costs["huge", "improves"] == HUGE
    assert HUGE > 2**63 and int(float(HUGE)) != HUGE
    with open_index(user.results) as index:
        query = "SELECT exact FROM rows WHERE metric = 'cost' AND benchmark = 'huge' AND policy = 'improves'"
        assert index.execute(query).fetchone() == (HUGE,)
        history = "SELECT cost FROM histories WHERE benchmark = 'huge' AND policy = 'improves' ORDER BY seconds"
        assert index.execute(history).fetchall() == [(HUGE + 85,), (HUGE,)]
        fractions = index.execute("SELECT count(exact) FROM rows WHERE metric = 'cost.seconds'").fetchone()
        assert fractions is not None and fractions[0] < 4
    late, early = run.histories[0], run.histories[-1]
    assert all(list(one.seconds) == sorted(one.seconds) for one in (late, early))


def test_the_standings_are_of_what_was_solved(user: User) -> None:
    (record,) = (row for row in user.json("leaderboard", "--suite", "made") if row["policy"] == "improves")
    assert (record["contest_score"], record["contest_instances"]) == (None, 0), "there was no contest"
    assert record["ratio"] == pytest.approx((136 / 130) ** 0.5)
    assert record["gap"] == pytest.approx(136 / 120 - 1)
    assert (record["solved"], record["instances"], record["time_scale"], record["cores"]) == (2, 2, 1.0, 1)
    table = user.harness("leaderboard", code=0).out
    assert "made · track sharding · 2 instances, test split, local · time scale 1, 1 core" in table
    assert "2 instances: from fewer than 6 nothing can be told" in table
    lines = user.json("leaderboard", "--instances")
    huge = next(line for line in lines if (line["policy"], line["benchmark"]) == ("settles", "huge"))
    assert (huge["cost"], huge["best"]) == (HUGE + 85, HUGE), "the lowest recorded stands for an unknown best"
    failed = next(line for line in lines if line["policy"] == "overflows")
    assert (failed["ratio"], failed["outcome"], failed["cost"]) == (None, "infeasible", None)
    query = user.harness("leaderboard", "--sql", code=0).out
    with open_index(user.results) as index:
        assert len(index.execute(query).fetchall()) == 12


def test_two_solvers_are_compared(user: User) -> None:
    answer = user.harness("compare", "improves", "settles", code=0).out
    assert "1.6250" in answer and "improves" in answer
    user.harness("compare", "improves", "nobody").refused(2, "no rows of policy 'nobody'")


def test_an_assignment_is_judged_again(user: User, place: Path, tmp_path: Path) -> None:
    (run,) = user.runs()
    answer = user.harness("replay", run.header.run, "--suite", place / "made", code=0)
    assert "4 of 4 assignments are worth what was recorded" in answer.err
    script = user.harness("repro", f"{run.header.run}/huge/x86-64/improves", "--suite", place / "made", code=0).out
    (tmp_path / "judge.sh").write_text(script)

    def judge(file: Path, script: str = "judge.sh") -> "subprocess.CompletedProcess[str]":
        return subprocess.run(["sh", script, file], cwd=tmp_path, capture_output=True, text=True, check=False)

    done = judge(place / "made" / "huge.json")
    assert (done.returncode, done.stdout) == (0, f"cost {HUGE} peak 40 limit 40\nequal\n"), done.stderr
    assert "another instance" in judge(place / "made" / "small.json").stderr
    (tmp_path / "other.sh").write_text(script.replace("assignment = [0, 0, 0]", "assignment = [0, 1, 2]"))
    assert "the cost differs" in judge(place / "made" / "huge.json", "other.sh").stderr
    user.harness("repro", f"{run.header.run}/huge/x86-64/silent", "--suite", place / "made").refused(
        2, "this row has no assignment: policy-error"
    )


def test_a_changed_instance_is_not_judged_by_the_old_one(user: User, place: Path, tmp_path: Path) -> None:
    write_instances(tmp_path / "made")
    definition = tmp_path / "made" / "sharding.toml"
    content = (tmp_path / "made" / "small.json").read_bytes()
    (tmp_path / "made" / "small.json").write_bytes(content + b"\n")
    import hashlib

    text = definition.read_text().replace(
        hashlib.sha256(content).hexdigest(), hashlib.sha256(content + b"\n").hexdigest()
    )
    definition.write_text(text)
    (run,) = user.runs()
    user.harness("replay", run.header.run, "--suite", tmp_path / "made").refused(2, "made/small has changed since")


def test_again_costs_nothing_and_records_nothing(user: User, place: Path, tmp_path: Path) -> None:
    words = ("run", "--suite", place / "made", "--policy", place / "improves", "--cores", "1")
    answer = user.harness(*words, code=0)
    assert answer.computed == 0 and "nothing new: every row is recorded already" in answer.err
    dry = user.harness(*words, "--dry-run", code=0).out
    assert "2 cells: 0 to do, 2 cached" in dry
    scaled = user.harness(*words, "--dry-run", "--time-scale", "0.1", code=0).out
    assert "2 cells: 2 to do, 0 cached\nat most 4 s, one solver at a time on 1 core" in scaled
    with_other = User(user.cache, tmp_path / "results")
    assert with_other.harness(*words, code=0).computed == 0
    assert len(with_other.rows()) == 6


def test_a_killed_run_keeps_what_it_has(place: Path, tmp_path: Path) -> None:
    someone = User.at(tmp_path)
    slow = write_solver(tmp_path / "slow", "import time; print([0, 0, 0], flush=True); time.sleep(3)")
    words = ("run", "--suite", place / "made", "--policy", f"{place / 'settles'},{slow}", "--cores", "1")
    process = someone.start(*words)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not any(b'"cell"' in f.read_bytes() for f in someone.results.glob(".*.jou*")):
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    kept = sum(file.read_bytes().count(b"\n") for file in someone.results.glob(".*.journal"))
    assert 1 <= kept < 4 and someone.runs() == []
    answer = someone.harness(*words, code=0)
    assert answer.computed == 4 - kept
    (run,) = someone.runs()
    assert len(run.rows) == 12 and len(run.histories) == 4


def test_what_beats_a_proof_stops_everything(place: Path, tmp_path: Path) -> None:
    someone = User.at(tmp_path)
    suite = write_instances(tmp_path / "made", best=1000, bound=1000)
    words = ("run", "--suite", suite, "--policy", place / "settles", "--cores", "1")
    answer = someone.harness(*words)
    answer_ = [line for line in answer.err.splitlines() if line.startswith("error: ")]
    assert answer.code == 1 and len(answer_) == 1
    assert "costs 221, less than the proven lower bound of 1,000: the evaluator is wrong" in answer_[0]
    assert someone.runs() == [] and list(someone.results.glob(".*.journal")) == []


def test_missing_instances_are_reported_and_not_dropped(place: Path, tmp_path: Path) -> None:
    someone = User.at(tmp_path)
    suite = write_instances(tmp_path / "made")
    (suite / "small.json").unlink()
    words = ("run", "--suite", suite, "--policy", place / "settles", "--cores", "1")
    answer = someone.harness(*words, code=1, HARNESS_DATA=str(tmp_path / "nothing"))
    assert "MISSING: small: its file is not here" in answer.err
    assert "1 of 2 instances were not run: put their files into a folder of HARNESS_DATA" in answer.err
    (run,) = someone.runs()
    assert run.header.solving is not None and list(run.header.solving.missing) == ["small"]
    data = tmp_path / "data"
    data.mkdir()
    (suite / "huge.json").rename(data / "huge.json")  # parsed before, and nowhere now
    words += ("--policy", place / "improves")
    someone.harness(*words, HARNESS_DATA=str(tmp_path / "nothing")).refused(3, "its file is not here")
    assert "2 cells, 1 computed now" in someone.harness(*words, code=1, HARNESS_DATA=str(data)).err
    named = someone.harness(*words, "--benchmark", "small", HARNESS_DATA=str(tmp_path / "nothing"))
    named.refused(3, "its file is not here", "put small.json into a folder of HARNESS_DATA")
    (suite / "small.json").write_text("{")
    someone.harness(*words).refused(2, "it is not the file that the suite pins", "small.json")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--target", "aarch64"), "--target says nothing here"),
        (("--jobs", "2"), "--jobs says nothing here"),
        (("--metric", "size.text"), "--metric says nothing here"),
        (("--seed-file", "/etc/passwd"), "of sharding instances a secret makes copies alone"),
        (("--perturb", "--seed-file", "/dev/null"), "a character device, not a regular file"),
        (("--track", "size"), "its track is 'sharding', not 'size'"),
        (("--cores", "4096"), "a solver cannot have 4096 cores: this machine has"),
        (("--benchmark", "smal"), "has no instance 'smal'"),
        (("--policy", "Oz"), "Oz is a policy of problem 'levels', and made is a suite of sharding instances"),
    ],
)
def test_what_means_nothing_is_refused(options: tuple[str, ...], message: str, place: Path, visitor: User) -> None:
    visitor.harness("run", "--suite", place / "made", *options).refused(2, message)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--time-scale", "1"), "--time-scale says nothing here: cbench is a suite of programs"),
        (("--cores", "1"), "--cores says nothing here: cbench is a suite of programs"),
        (("--policy", "greedy-descent"), "greedy-descent cannot be run on cbench, a suite of programs"),
        (("--track", "sharding"), "track 'sharding' is one of instances"),
        (("--metric", "cost"), "metric 'cost' is one of instances"),
    ],
)
def test_what_is_of_solvers_means_nothing_for_programs(options: tuple[str, ...], message: str, visitor: User) -> None:
    visitor.harness("run", "--suite", "cbench", *options).refused(2, message)


def test_json_and_csv_hold_all_of_the_table(user: User) -> None:
    records = user.json("leaderboard")
    lines = user.harness("leaderboard", "--csv", code=0).out.splitlines()
    assert len(lines) == 1 + len(records) and lines[0].split(",") == list(records[0])
    assert json.dumps(records)
