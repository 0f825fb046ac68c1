"""A run is recorded where standings do not say it already: what counts is what was recorded last."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from harness.base.digest import digest_of
from harness.base.progress import SilentObserver
from harness.base.vocabulary import Outcome, Split
from harness.record import Row, open_index
from harness.record.runfile import header_with
from harness.run.report import Earlier, compare_with_recorded
from tests.drive import Sketch, User, write_policy, write_suite
from tests.rows import header, row, run_file

HELLO = '#include <stdio.h>\nint main(void) { puts("hello"); return 0; }\n'


def record(results: Path, hour: int, rows: Sequence[Row], **fields: Any) -> None:
    moment = (datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=hour)).isoformat(timespec="seconds")
    run_file(results, list(rows), **{"started": moment, "finished": moment, **fields})


def found(results: Path, rows: Sequence[Row], *, fresh: bool = False, **fields: Any) -> Earlier:
    said = header_with(header(list(rows), **fields), results)
    return compare_with_recorded(results, rows, said, SilentObserver(), fresh=fresh)


def version(name: str, value: float, *benchmarks: str) -> list[Row]:
    """Rows of Oz, and of a policy as it is in one version."""
    digests = {"policy_digest": digest_of(name), "object_digest": digest_of(["object", name])}
    mine = [row(benchmark, "mine", value, **digests) for benchmark in benchmarks]
    return [row(benchmark, "Oz", 100) for benchmark in benchmarks] + mine


def test_a_policy_that_was_put_back_is_recorded_again(tmp_path: Path) -> None:
    first, second = version("first", 90, "one"), version("second", 120, "one")
    record(tmp_path, 0, first)
    assert found(tmp_path, first).recorded
    record(tmp_path, 1, second)
    assert found(tmp_path, second).recorded and not found(tmp_path, first).recorded
    record(tmp_path, 2, first)
    assert found(tmp_path, first).recorded


def test_also_where_the_change_was_tried_on_another_program(tmp_path: Path) -> None:
    """Standings have the newest version of a policy alone."""
    record(tmp_path, 0, version("first", 90, "one", "two"))
    record(tmp_path, 1, version("second", 120, "one"))
    assert not found(tmp_path, version("first", 90, "two")).recorded


def test_a_failure_that_was_the_machines_does_not_stand_for_ever(tmp_path: Path) -> None:
    fine = version("first", 90, "one", "two")
    late = {"outcome": Outcome.RUN_TIMEOUT, "metric": None, "value": None, "unit": None}
    failed = [one.model_copy(update=late) if one.benchmark == "one" else one for one in fine]
    record(tmp_path, 0, fine)
    record(tmp_path, 1, failed)
    again = found(tmp_path, fine)
    assert not again.recorded and not again.contradicted and again.reproduced == 4


def test_a_run_of_one_metric_leaves_the_others_as_they_stand(tmp_path: Path) -> None:
    sizes = [row("one", "Oz", 100), row("one", "Oz", 80, metric="size.text")]
    record(tmp_path, 0, sizes)
    record(tmp_path, 1, [row("one", "Oz", 7, metric="ir.instructions")])
    assert found(tmp_path, sizes).recorded


def test_each_suite_has_its_own_runs(tmp_path: Path) -> None:
    rows = version("first", 90, "one")
    record(tmp_path, 0, rows)
    other = found(tmp_path, rows, suite="shares")
    assert not other.recorded and other.reproduced == 2
    (changed,) = found(tmp_path, [row("one", "Oz", 99)], suite="shares").contradicted
    assert changed.value == 99


FACTS = {"one": {"split": "train", "origin": "own", "program_digest": digest_of("one")}}


@pytest.mark.parametrize(
    "fields",
    [
        {"trained_on": {"mine": ("one",)}},
        {"ceilings": ("mine",)},
        {"min_coverage": 0.5},
        {"benchmarks": {"one": FACTS["one"] | {"split": Split.TEST}}},
        {"benchmarks": {"one": FACTS["one"] | {"cluster": "family"}}},
        {"benchmarks": {"one": FACTS["one"] | {"program_digest": digest_of("other")}}},
        {"runtime": {"x86-64": "d" * 64}},
    ],
)
def test_what_the_header_says_can_be_corrected(fields: dict[str, Any], tmp_path: Path) -> None:
    rows = version("first", 90, "one")
    record(tmp_path, 0, rows)
    assert found(tmp_path, rows).recorded and not found(tmp_path, rows, **fields).recorded
    record(tmp_path, 1, rows, **fields)
    assert found(tmp_path, rows, **fields).recorded and not found(tmp_path, rows).recorded


def test_what_an_older_file_does_not_say_of_libraries_is_not_corrected(tmp_path: Path) -> None:
    rows = version("first", 90, "one")
    old, new = ({"benchmarks": {"one": FACTS["one"] | {"runtime": {"x86-64": digit * 64}}}} for digit in "de")
    record(tmp_path, 0, rows)
    assert found(tmp_path, rows, **old).recorded
    record(tmp_path, 1, rows, **old)
    assert found(tmp_path, rows, **old).recorded and not found(tmp_path, rows, **new).recorded


def test_what_could_not_be_measured_contradicts_no_number(tmp_path: Path) -> None:
    record(tmp_path, 0, [row("one", "Oz", 0).model_copy(update={"value": None, "detail": "no such tool"})])
    now = found(tmp_path, [row("one", "Oz", 100)])
    assert (now.contradicted, now.reproduced, now.recorded) == ((), 0, False)


def test_an_author_corrects_a_manifest_and_takes_a_change_back(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "made", Sketch("hello", HELLO))
    user = User.at(tmp_path)

    def run(passes: str, **manifest: str) -> int:
        """How many files there are then."""
        policy = write_policy(tmp_path / "mine", passes, **manifest)
        user.harness("run", "--suite", suite, "--policy", f"Oz,{policy}", "--target", "x86-64", "--no-fresh", code=0)
        return len(user.runs())

    assert [run("mem2reg"), run("mem2reg"), run("mem2reg\nsimplifycfg")] == [1, 1, 2]
    assert [run("mem2reg"), run("mem2reg")] == [3, 3]
    named = {"trained_on": '["made:train"]'}
    assert [run("mem2reg", **named), run("mem2reg", **named)] == [4, 4]
    with open_index(user.results) as index:
        assert index.execute("SELECT DISTINCT policy, benchmark FROM training").fetchall() == [("mine", "hello")]
