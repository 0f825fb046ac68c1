"""What stands behind a run: a signature, another machine, or a claim; and standings of each apart."""

import json
from pathlib import Path
from typing import Any

import pytest

from harness.base.errors import UsageError
from harness.record import open_index
from harness.record.backing import Backing, backings_of
from harness.record.decisions import store_decisions
from harness.record.ledger import add_to_ledger
from harness.record.runfile import SIGNERS
from tests.drive import User
from tests.record.test_ledger import DECISIONS, key_at
from tests.rows import row, run_file

HOST = {"cores": 2, "kernel": "6", "governor": None, "load": 0.1, "sandbox": "bubblewrap"}
HERE, THERE = ({**HOST, "cpu": cpu} for cpu in ("Here", "There"))


def recorded(results: Path, minute: int, host: dict[str, Any], **values: float | None) -> Path:
    results.mkdir(exist_ok=True)
    decisions = store_decisions(results, DECISIONS)
    rows = [row(policy=name, value=value, decisions_digest=decisions) for name, value in values.items()]
    return run_file(results, rows, host=host, finished=f"2026-01-01T00:{minute:02d}:00+00:00")


def backing(results: Path) -> dict[str, str]:
    with open_index(results) as index:
        return dict(index.execute("SELECT run, backing FROM backing").fetchall())


def test_alone_it_is_a_claim(tmp_path: Path) -> None:
    run = recorded(tmp_path, 1, HERE, Oz=100, mine=90)
    assert backing(tmp_path) == {run.stem: "claimed"}


def test_what_another_machine_found_too_is_reproduced(tmp_path: Path) -> None:
    runs = recorded(tmp_path, 1, HERE, Oz=100, mine=90), recorded(tmp_path, 2, THERE, Oz=100, mine=90)
    assert backing(tmp_path) == {run.stem: "reproduced" for run in runs}


def test_the_same_machine_again_reproduces_nothing(tmp_path: Path) -> None:
    runs = recorded(tmp_path, 1, HERE, Oz=100), recorded(tmp_path, 2, HERE, Oz=100)
    assert backing(tmp_path) == {run.stem: "claimed" for run in runs}


def test_one_value_that_nobody_else_found_is_enough(tmp_path: Path) -> None:
    whole = recorded(tmp_path, 1, HERE, Oz=100, mine=90)
    part = recorded(tmp_path, 2, THERE, Oz=100)
    assert backing(tmp_path) == {whole.stem: "claimed", part.stem: "reproduced"}


def test_what_another_machine_contradicts_is_not_reproduced(tmp_path: Path) -> None:
    """Even where a third agrees."""
    for minute, (host, value) in enumerate([(HERE, 90), (THERE, 90), ({**HOST, "cpu": "Elsewhere"}, 80)], 1):
        recorded(tmp_path, minute, host, mine=value)
    assert set(backing(tmp_path).values()) == {"claimed"}


def test_a_run_without_values_is_a_claim(tmp_path: Path) -> None:
    for minute, host in enumerate((HERE, THERE), 1):
        recorded(tmp_path, minute, host, mine=None)
    assert set(backing(tmp_path).values()) == {"claimed"}


def test_values_of_another_program_reproduce_nothing(tmp_path: Path) -> None:
    """A row that borrows the cell of one that is published."""
    small = row(policy="Oz", value=100)
    run_file(tmp_path, [small], host=HERE)
    borrowed = {"policy_digest": small.policy_digest, "object_digest": small.object_digest, "cell": small.cell}
    forged = run_file(tmp_path, [row("large", "mine", 100, **borrowed)], host=THERE)
    assert backing(tmp_path)[forged.stem] == "claimed"


def test_a_failure_that_nobody_else_saw_is_a_claim(tmp_path: Path) -> None:
    run_file(tmp_path, [row(policy="Oz", value=100), row(policy="rival", value=90)], host=HERE)
    forged = run_file(tmp_path, [row(policy="Oz", value=100), row(policy="rival", value=None)], host=THERE)
    assert backing(tmp_path)[forged.stem] == "claimed"


def test_fewer_cores_are_no_other_machine(tmp_path: Path) -> None:
    facts = {"vendor": "GenuineIntel", "family": "6", "model": "85", "stepping": "4", "hypervisor": "kvm"}
    for minute, cores in enumerate((1, 2), 1):
        recorded(tmp_path, minute, {**HERE, **facts, "cores": cores}, Oz=100)
    assert set(backing(tmp_path).values()) == {"claimed"}


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    """An official run, and a claim that looks better."""
    results = tmp_path / "results"
    signed = recorded(results, 1, HERE, Oz=100, mine=90)
    key = key_at(tmp_path / "key")
    (results / SIGNERS).write_text(f"maintainer {key.with_suffix('.pub').read_text()}")
    add_to_ledger(signed, key)
    recorded(results, 2, HERE, boast=10)
    return results


def test_official_standings_are_of_signed_runs_alone(mixed: Path) -> None:
    with open_index(mixed) as index:
        assert backings_of(index) == {Backing.OFFICIAL: 1, Backing.CLAIMED: 1}
    for least in (Backing.OFFICIAL, Backing.REPRODUCED):
        with open_index(mixed, backing=least) as index:
            assert index.execute("SELECT DISTINCT policy FROM rows ORDER BY policy").fetchall() == [("Oz",), ("mine",)]


def test_a_signed_run_that_was_altered_is_not_official(mixed: Path) -> None:
    ledger = mixed / "official.jsonl"
    document = json.loads(ledger.read_text())
    document["entry"]["chain"] = "0" * 64
    ledger.write_text(json.dumps(document) + "\n")
    assert set(backing(mixed).values()) == {"claimed"}
    with pytest.raises(UsageError, match="no run here is official"):
        open_index(mixed, backing=Backing.OFFICIAL)


def test_a_signed_run_without_its_decisions_is_official_no_more(mixed: Path) -> None:
    assert "official" in backing(mixed).values()
    for file in (mixed / "decisions").iterdir():
        file.unlink()
    assert set(backing(mixed).values()) == {"claimed"}


def test_whoever_is_allowed_no_more_made_nothing_official(mixed: Path) -> None:
    assert "official" in backing(mixed).values()
    (mixed / SIGNERS).write_text("")
    assert set(backing(mixed).values()) == {"claimed"}


def test_the_leaderboard_keeps_them_apart(mixed: Path, visitor: User) -> None:
    user = User(visitor.cache, mixed)
    every = user.harness("leaderboard", "--suite", "made", "--split", "all", code=0)
    assert "boast" in every.out and "runs: 1 official, 1 claimed" in every.err
    official = user.harness("leaderboard", "--suite", "made", "--split", "all", "--backing", "official", code=0)
    assert "boast" not in official.out and "mine" in official.out
    user.harness("leaderboard", "--backing", "offical").refused(2, "did you mean 'official'")
