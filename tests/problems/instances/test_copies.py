"""Several runs of a solver, instances under other numbers, and the table that poses as a solver."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from harness.problems.sharding.domain import Sharding
from harness.problems.sharding.generate import generate
from harness.record import Row
from harness.record.decisions import load_decisions
from tests.drive import User
from tests.problems.instances.user import write_solver

NAMES = [f"made-{number}" for number in range(6)]
DOMAIN = Sharding()
DESCENT = """
import json, sys
problem = json.load(open(sys.argv[1]))["problem"]
costs, usages = problem["nodes"]["costs"], problem["nodes"]["usages"]
chosen = [usage.index(min(usage)) for usage in usages]
print(chosen, flush=True)
edges = {}
for (a, b), table in zip(problem["edges"]["nodes"], problem["edges"]["costs"]):
    edges.setdefault(a, []).append((b, table, False))
    edges.setdefault(b, []).append((a, table, True))
for _ in range(3):
    for node in range(len(chosen)):
        def price(way):
            total = costs[node][way]
            for other, table, turned in edges.get(node, []):
                row, column = (chosen[other], way) if turned else (way, chosen[other])
                total += table[row * len(costs[node if turned else other]) + column]
            return total
        allowed = [way for way in range(len(costs[node])) if usages[node][way] <= usages[node][chosen[node]]]
        chosen[node] = min(allowed, key=price)
    print(chosen, flush=True)
"""
"""Takes what is cheapest and uses no more memory, whatever the order of nodes."""
TABLE = """
import hashlib, json, sys
content = open(sys.argv[1], "rb").read()
known = {}
found = known.get(hashlib.sha256(content).hexdigest())
if found is None and {polite}:
    usages = json.loads(content)["problem"]["nodes"]["usages"]
    found = [usage.index(min(usage)) for usage in usages]
if found is not None:
    print(found)
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a suite of six made instances, an honest solver, and two tables of what it gave."""
    folder = tmp_path_factory.mktemp("copies")
    write_solver(folder / "descent", DESCENT)
    lines = ['name = "made"', 'version = "1"', 'description = "Made by a test."']
    (folder / "made").mkdir()
    for number, name in enumerate(NAMES):
        content = generate(name, 40 + number, 2, 0.2, (2, 2))
        (folder / "made" / f"{name}.json").write_bytes(content)
        lines += ["[[instances]]", f'name = "{name}"', f'file = "{name}.json"', 'split = "test"', "seconds = 20"]
        lines += [f'sha256 = "{hashlib.sha256(content).hexdigest()}"']
    (folder / "made" / "sharding.toml").write_text("\n".join(lines) + "\n")
    honest = User.at(folder / "first")
    honest.harness("run", "--suite", folder / "made", "--policy", folder / "descent", "--cores", "1")
    known = {}
    for row in honest.rows():
        if row.metric == "cost":
            content = (folder / "made" / f"{row.benchmark}.json").read_bytes()
            known[hashlib.sha256(content).hexdigest()] = assignment(honest, row)
    for name, polite in (("table", False), ("polite-table", True)):
        write_solver(folder / name, TABLE.replace("{}", json.dumps(known), 1).replace("{polite}", str(polite)))
    return folder


def assignment(user: User, row: Row) -> list[int]:
    """What was recorded."""
    found = load_decisions(user.results, str(row.decisions_digest)).body["assignment"]
    assert isinstance(found, list)
    return found


@pytest.fixture(scope="module")
def user(place: Path) -> User:
    """Someone who has run all three, twice, and on copies. Do not add runs."""
    someone = User.at(place / "user")
    policies = ",".join(str(place / name) for name in ("descent", "table", "polite-table"))
    words = ("run", "--suite", place / "made", "--policy", policies, "--cores", "1", "--repeats", "2", "--perturb")
    answer = someone.harness(*words, code=1)
    assert "54 cells, 54 computed now, 6 failed" in answer.err
    return someone


def test_runs_and_copies_are_rows_of_their_own(user: User) -> None:
    rows = [row for row in user.rows() if row.policy == "descent" and row.metric == "cost"]
    assert {(row.seed, row.copy_) for row in rows} == {(0, 0), (1, 0), (0, 1)}
    assert len({row.cell for row in rows}) == 18
    for row in rows:
        path = user.results.parent.parent / "made" / f"{row.benchmark}.json"
        instance = DOMAIN.parse(path.read_bytes(), row.benchmark)
        mine = np.array(assignment(user, row))
        assert DOMAIN.verify(instance, mine) is None
        assert DOMAIN.cost(instance, mine) == row.value, "a copy's assignment is one to the instance, and costs that"


def test_each_run_draws_other_numbers_and_says_which(user: User, place: Path) -> None:
    (run,) = user.runs()
    assert run.header.solving is not None
    seed = run.header.solving.renumbered
    other = User.at(place / "other")
    words = ("run", "--suite", place / "made", "--policy", place / "descent", "--cores", "1", "--benchmark", NAMES[0])
    other.harness(*words, "--perturb")
    secret = place / "secret"
    secret.write_text("correct horse battery staple")
    other.harness(*words, "--perturb", "--seed-file", secret)
    drawn, kept = (one.header for one in sorted(other.runs(), key=lambda one: one.header.hidden is not None))
    assert drawn.solving and drawn.solving.renumbered not in (None, seed)
    assert kept.solving and kept.solving.renumbered is None and kept.hidden is not None
    assert "correct horse" not in next(iter(sorted(other.results.glob("*.jsonl")))).read_text()
    again = other.harness(*words, "--perturb", "--seed-file", secret)
    assert again.computed == 0, "the same secret makes the same copies"


def test_standings_are_of_the_instances_as_they_are(user: User) -> None:
    table = {row["policy"]: row for row in user.json("leaderboard")}
    assert table["descent"]["solved"] == table["table"]["solved"] == 6
    assert table["descent"]["ratio"] == table["table"]["ratio"]
    assert table["descent"]["repeats"] == 2


def test_a_table_that_poses_as_a_solver_is_seen_for_what_it_is(user: User) -> None:
    """By what it shares with others, and by what is left of it under other numbers."""
    said = user.harness("leaderboard").out
    assert "same assignments as descent on 6 of 6 instances" in said
    lines = {line.partition(":")[0]: line for line in said.splitlines() if "under other numbers" in line}
    rests = "what it gives rests on how these instances are numbered"
    assert "and fails on 6" in lines["table"] and rests in lines["table"]
    assert "fails" not in lines["polite-table"] and rests in lines["polite-table"]
    assert rests not in lines["descent"]


def test_replay_judges_copies_too(user: User) -> None:
    (run,) = user.runs()
    answer = user.harness("replay", run.path, "--suite", user.results.parent.parent / "made")
    assert "48 of 48 assignments are worth what was recorded" in answer.err
