"""``harness validate``, as a contributor runs it."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from harness.base.paths import ROOT
from harness.base.progress import SilentObserver
from harness.base.vocabulary import Outcome
from harness.checks.submission import trial
from harness.checks.submission.claims import Claim, compared, read_claims
from harness.checks.submission.findings import Code
from harness.checks.submission.validate import validate as validated
from harness.policy.load import read_policy
from harness.run.engines import InProcess
from harness.sandbox.bench import Bench
from tests.drive import Answer, User, write_policy

BY_THE_YEAR = """
import time


def decide(features):
    return features["cost_estimate"] <= (5 if time.gmtime().tm_year < 2027 else -1000)
"""
BY_THE_PLACE = """
import os


def decide(features):
    return features["cost_estimate"] <= (5 if "HOME" not in os.environ else -1000)
"""


def new(user: User, folder: Path, name: str, *words: str) -> Path:
    user.harness("new", name, *words, cwd=folder, code=0)
    return folder / name


def validate(user: User, folder: Path, code: int, *words: str) -> dict[str, Any]:
    answer = user.harness("validate", folder, "--json", *words, code=code, timeout=300)
    found: dict[str, Any] = json.loads(answer.out)
    return found


def codes(report: dict[str, Any]) -> set[str]:
    return {finding["code"] for finding in report["findings"]}


@pytest.mark.parametrize("source", [BY_THE_YEAR, BY_THE_PLACE])
def test_what_decides_otherwise_elsewhere_is_not_valid(source: str, visitor: User, tmp_path: Path) -> None:
    policy = new(visitor, tmp_path, "elsewhere", "--problem", "inlining", "--form", "python")
    (policy / "policy.py").write_text(source)
    manifest = policy / "submission.toml"
    manifest.write_text(manifest.read_text().replace('targets = ["x86-64", "aarch64"]', 'targets = ["x86-64"]'))
    report = validate(visitor, policy, 1)
    assert "V301" in codes(report) and codes(report) <= {"V301", "V109"}


def test_a_broken_one_ends_early(visitor: User, tmp_path: Path) -> None:
    broken = write_policy(tmp_path / "broken", "nosuchpass\n")
    report = validate(visitor, broken, 1)
    assert codes(report) == {"V201", "V203"} and report["runs"] == 1
    assert {finding["where"] for finding in report["findings"]} == {"crc32 on x86-64", "crc32 on aarch64", "broken"}


def test_one_that_is_for_one_target_ends_as_early(visitor: User, tmp_path: Path) -> None:
    broken = write_policy(tmp_path / "broken", "nosuchpass\n", targets='["x86-64"]')
    report = validate(visitor, broken, 1)
    assert {finding["where"] for finding in report["findings"]} == {"crc32 on x86-64", "broken"} and report["runs"] == 1


def test_nothing_is_run_of_a_faulty_folder(visitor: User, tmp_path: Path) -> None:
    faulty = write_policy(tmp_path / "faulty", "default<Oz>\n")
    (faulty / "link").symlink_to("/etc/passwd")
    report = validate(visitor, faulty, 1)
    assert codes(report) == {"V103"} and report["rows"] == [] and report["runs"] == 0


def test_what_hides_from_its_readers_is_not_valid(visitor: User, tmp_path: Path) -> None:
    """A carriage return alone ends the comment, and nearly no viewer shows it."""
    folder = write_policy(tmp_path / "hiding", "# tidy up\rsroa\ndefault<Oz>\n")
    report = validate(visitor, folder, 1)
    assert codes(report) == {"V110"} and report["runs"] == 0


def test_a_report_holds_no_markup_of_the_submission(visitor: User, tmp_path: Path) -> None:
    faulty = write_policy(tmp_path / "faulty", "default<Oz>\n")
    (faulty / "a`b|c<script>@all").symlink_to("/etc/passwd")
    validate(visitor, faulty, 1, "--markdown", str(tmp_path / "report.md"))
    row = next(line for line in (tmp_path / "report.md").read_text().splitlines() if "V103" in line)
    assert row.count("|") == 6 and "`a'b¦c<script>@all`" in row


@pytest.fixture(scope="module")
def claimed(tmp_path_factory: pytest.TempPathFactory) -> tuple[User, Path]:
    """Someone whose submission brings a run file."""
    folder = tmp_path_factory.mktemp("claims")
    user = User.at(folder)
    policy = write_policy(folder / "claiming", "default<Oz>\n")
    user.harness(
        *("run", "--suite", "cbench", "--benchmark", "crc32", "--policy", f"{policy},Oz"),
        *("--metric", "size.alloc", "--no-fresh"),
        code=0,
    )
    shutil.copytree(user.results, policy / "claims", ignore=shutil.ignore_patterns("decisions"))
    return user, policy


def test_an_honest_submission_with_a_true_claim_is_valid(claimed: tuple[User, Path], tmp_path: Path) -> None:
    user, policy = claimed
    before = sorted(path.name for path in user.results.iterdir())
    report = validate(user, policy, 0, "--markdown", str(tmp_path / "report.md"))
    assert report["valid"] and report["findings"] == [] and report["runs"] == 3
    (run,) = (policy / "claims").glob("*.jsonl")
    assert report["claims"] == [{"where": f"claims/{run.name}", "values": 2, "measured": 2}]
    measured = {(row["policy"], row["benchmark"]) for row in report["rows"]}
    assert measured == {(policy, name) for policy in ("claiming", "Oz") for name in ("crc32", "sha", "qsort", "adpcm")}
    text = (tmp_path / "report.md").read_text()
    assert text.startswith("### `claiming`: valid\n") and "| `size.alloc` | `x86-64` | 4 |" in text
    assert f"`claims/{run.name}: 2 of 2 values were measured here and compared`" in text
    assert sorted(path.name for path in user.results.iterdir()) == before, "results are not recorded"


def test_a_claim_that_was_altered_is_refused(claimed: tuple[User, Path], tmp_path: Path) -> None:
    user, policy = claimed
    mine = Path(shutil.copytree(policy, tmp_path / "claiming"))
    (run,) = (mine / "claims").glob("*.jsonl")
    run.write_text(run.read_text().replace('"value":', '"value":1'))
    assert codes(validate(user, mine, 1)) == {"V401"}


def test_of_decisions_those_that_a_claim_names_may_lie_beside_it(claimed: tuple[User, Path], tmp_path: Path) -> None:
    user, policy = claimed
    mine = Path(shutil.copytree(policy, tmp_path / "claiming"))
    shutil.copytree(user.results / "decisions", mine / "claims" / "decisions")
    ((_,), findings) = read_claims(read_policy(mine))
    assert findings == []
    first, *others = sorted((mine / "claims" / "decisions").iterdir())
    first.write_bytes(b"something else")
    ((_,), findings) = read_claims(read_policy(mine))
    assert others and [(one.code.value, one.where) for one in findings] == [("V401", f"claims/decisions/{first.name}")]


def test_rows_of_another_version_are_no_claim(claimed: tuple[User, Path], tmp_path: Path) -> None:
    user, policy = claimed
    mine = Path(shutil.copytree(policy, tmp_path / "claiming"))
    (mine / "passes.txt").write_text("default<Os>\n")
    assert codes(validate(user, mine, 1)) == {"V404"}


def test_a_claim_that_is_false_is_found(claimed: tuple[User, Path]) -> None:
    """Nobody can alter a run file and keep its name; who writes one anew is found out by measuring."""
    _, folder = claimed
    policy = read_policy(folder)
    ((claim,), findings) = read_claims(policy)
    assert findings == [] and len(claim.rows) == 2
    header = claim.run.header
    better = [row.model_copy(update={"value": float(row.value or 0) - 8}) for row in claim.rows]
    assert compared(claim, claim.rows, "cbench", header.llvm).findings == ()
    found = compared(claim, better, "cbench", header.llvm).findings
    assert [one.code for one in found] == [Code.CLAIM_DIFFERS] * 2
    nothing = {"metric": None, "value": None, "outcome": Outcome.WRONG_OUTPUT}
    failed = Claim(claim.where, claim.run, tuple(row.model_copy(update=nothing) for row in claim.rows))
    found = compared(failed, claim.rows, "cbench", header.llvm).findings
    assert [one.code for one in found] == [Code.CLAIM_DIFFERS] * 2
    oz = [row for row in claim.run.rows if row.policy == "Oz"]
    smaller = [row.model_copy(update={"value": float(row.value or 0) - 8}) for row in oz]
    found = compared(claim, [*claim.rows, *smaller], "cbench", header.llvm).findings
    assert [one.code for one in found] == [Code.CLAIM_DIFFERS] * 2 and all("under Oz" in one.where for one in found)
    other = [row.model_copy(update={"policy_digest": "0" * 64}) for row in smaller]
    found = compared(claim, [*claim.rows, *other], "cbench", header.llvm).findings
    assert len(found) == 2, "nor may the reference be called another version of itself"
    for suite, llvm in (("mibench", header.llvm), ("cbench", "0" * 64)):
        assert [one.code for one in compared(claim, better, suite, llvm).findings] == [Code.CLAIM_NOT_COMPARED]


@pytest.mark.parametrize(
    ("name", "code", "what"),
    [
        ("nothere", "V101", "there is no such folder"),
        ("file", "V101", "there is no such folder"),
        ("empty", "V101", "there is no submission.toml"),
        ("link", "V103", "a link, not a folder"),
    ],
)
def test_what_is_no_folder_has_a_code(name: str, code: str, what: str, visitor: User, tmp_path: Path) -> None:
    """In every format: as JSON, as a report for a request, and for people."""
    (tmp_path / "file").write_text("")
    (tmp_path / "empty").mkdir()
    write_policy(tmp_path / "true", "default<Oz>\n")
    (tmp_path / "link").symlink_to(tmp_path / "true")
    report = validate(visitor, tmp_path / name, 1, "--markdown", str(tmp_path / "report.md"))
    (finding,) = report["findings"]
    assert (finding["code"], finding["what"]) == (code, what) and finding["where"] == str(tmp_path / name)
    assert report["policy"] == name and not report["valid"] and report["runs"] == 0
    assert f"| error | {code} |" in (tmp_path / "report.md").read_text()
    answer: Answer = visitor.harness("validate", tmp_path / name, code=1)
    assert code in answer.out and f"{name}: not valid" in answer.out


def test_what_takes_too_long_is_stopped(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the rest of it takes ten times as long."""
    monkeypatch.setattr(trial, "_PATIENCE", 0.01)
    policy = write_policy(tmp_path / "slow", "default<Oz>\n")
    report = validated(policy, bench, InProcess(), SilentObserver())
    assert [one.code for one in report.findings] == [Code.TOO_SLOW] and report.runs == 1


def test_of_a_search_a_short_part_is_tried() -> None:
    """Its author sets the budget, and may want weeks."""
    policy = read_policy(ROOT / "submissions" / "random-search-60s")
    whole, part = policy.manifest, trial.as_tried(policy).manifest
    assert (whole.budget, part.budget) == (60, 30)
    assert len(whole.seeds) == 5 and part.seeds == whole.seeds[:1]


def test_a_search_has_the_time_that_it_says_it_takes() -> None:
    """Whether it counts seconds or trials; a policy that only decides has what all have."""
    allowed = {
        name: trial.seconds_allowed(trial.as_tried(read_policy(ROOT / "submissions" / name)), 4)
        for name in ("size-rules", "random-search-60s", "inline-search")
    }
    assert allowed["random-search-60s"] == allowed["size-rules"] + 30 * 2 * 4
    assert allowed["inline-search"] > allowed["size-rules"] + 20 * 2 * 4


@pytest.mark.parametrize(("name", "trials", "tried"), [("local-after-oz", 20, 0), ("portfolio", 10, 10)])
def test_of_a_search_by_chance_no_trial_is_tried_whatever_it_takes(name: str, trials: int, tried: int) -> None:
    policy = read_policy(ROOT / "submissions" / name)
    assert (policy.manifest.values["trials"], trial.as_tried(policy).manifest.values["trials"]) == (trials, tried)
