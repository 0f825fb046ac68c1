"""The programs behind a standing: they must give back its figures, failures included."""

import math
import statistics
from pathlib import Path

import pytest

from harness.base.errors import UsageError
from harness.rank import Question, programs, standings
from harness.rank.facets import facets
from harness.rank.question import ALL, questions
from harness.rank.runs import recorded_cells, runs, runs_used
from harness.record import open_index, run_files
from tests.browser.recorded import DETAIL, LLVM, OLDER, write_results


@pytest.fixture(scope="module")
def results(own_folders: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("results")
    write_results(folder)
    return folder


@pytest.fixture
def question(results: Path) -> Question:
    with open_index(results) as index:
        return questions(index, llvm=LLVM, targets=("x86-64",), split=ALL)[0]


def _mean(ratios: list[float]) -> float:
    return math.exp(statistics.fmean(map(math.log, ratios)))


def test_strict_and_matched_are_the_means_of_the_columns(results: Path, question: Question) -> None:
    with open_index(results) as index:
        for row in standings(index, question):
            found = programs(index, question, row.policy)
            assert _mean([p.counted for p in found if p.counted]) == pytest.approx(row.strict, rel=1e-12)
            assert _mean([p.ratio for p in found if p.ratio]) == pytest.approx(row.matched, rel=1e-12)
            assert sum(p.ratio is not None for p in found) == row.completed


def test_a_failed_program_counts_as_the_worse_of_reference_and_o0(results: Path, question: Question) -> None:
    with open_index(results) as index:
        failed = next(p for p in programs(index, question, "flawed") if p.outcome != "ok")
    assert (failed.benchmark, failed.outcome, failed.detail) == ("gamma", "wrong-output", DETAIL)
    assert (failed.policy, failed.ratio, failed.counted) == (None, None, pytest.approx(4000 / 12000))


def test_a_program_that_was_never_run_is_listed(results: Path, question: Question, tmp_path: Path) -> None:
    """A policy that leaves out what it is bad at must not look complete."""
    from harness.record import read_run
    from harness.record.runfile import write_run

    run = read_run(run_files(results)[0][-1])
    header = run.header.model_dump(mode="json", exclude={"run"})
    write_run(tmp_path, header, [r for r in run.rows if (r.policy, r.benchmark) != ("tidy_pass_list", "beta")])
    with open_index(tmp_path) as index:
        missing = next(p for p in programs(index, question, "tidy_pass_list") if p.benchmark == "beta")
        row = next(r for r in standings(index, question) if r.policy == "tidy_pass_list")
    assert (missing.outcome, missing.ratio, missing.counted) == ("not run", None, pytest.approx(2000 / 5000))
    assert (row.completed, row.benchmarks) == (3, 4)


def test_equal_objects_are_marked(results: Path, question: Question) -> None:
    with open_index(results) as index:
        found = {p.benchmark: p for p in programs(index, question, "tidy_pass_list")}
    assert {name for name, p in found.items() if p.same_object} == {"beta"}
    assert found["beta"].ratio == 1.0


def test_unknown_policy_is_an_error_with_a_remedy(results: Path, question: Question) -> None:
    with open_index(results) as index, pytest.raises(UsageError, match="no rows of policy 'nobody'"):
        programs(index, question, "nobody")


def test_runs_are_listed_newest_first_with_their_failures(results: Path, question: Question) -> None:
    with open_index(results) as index:
        newest, older = runs(index)
        assert (newest.llvm, newest.cells, newest.failed) == (LLVM, 48, 2)
        assert (older.llvm, older.cells, older.failed) == (OLDER, 16, 0)
        assert recorded_cells(index, newest.run)[0].outcome == "wrong-output"
        assert runs_used(index, question) == [(newest.run, 24)]


def test_facets_offer_what_is_recorded(results: Path, question: Question) -> None:
    with open_index(results) as index:
        found = facets(index, question)
    assert found.metrics == ("compile.cpu", "size.alloc", "size.text")
    assert (found.splits, found.origins) == (("test", "train"), ("debian", "own"))
    assert ("test", "debian") in found.together
