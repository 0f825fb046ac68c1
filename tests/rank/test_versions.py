"""Values of two versions of a metric are never compared; and what else a metric says of itself, in standings."""

from dataclasses import replace
from pathlib import Path

import pytest

from harness.measure import Direction, all_metrics
from harness.rank.compare import versus
from harness.rank.figures import ratio_sql
from harness.record import open_index
from tests.rank.test_standings import QUESTION, record, table
from tests.rows import row

REASON = "measured by another version of size.alloc than the reference on 1 of 1 programs: run both again"


def test_values_of_two_versions_are_not_compared(tmp_path: Path) -> None:
    record(tmp_path, 0, [row("one", "Oz", 100), row("one", "mine", 50)])
    record(tmp_path, 1, [row("one", "Oz", 80, metric_version=2), row("one", "other", 40, metric_version=2)])
    found = table(tmp_path)
    assert (found["other"].strict, found["other"].rank) == (2.0, 1)
    assert (found["mine"].completed, found["mine"].rank, found["mine"].reasons[0]) == (0, None, REASON)
    with open_index(tmp_path) as index:
        (compared,) = versus(index, QUESTION, "mine", "other").rows
        assert (compared.a, compared.b, compared.ratio, compared.outcome_a) == (None, 40, None, "not measured")
        assert "version 1 of the metric" in compared.remark
        assert index.execute("SELECT * FROM contradictions").fetchall() == []


def test_a_policy_that_is_ahead_waits_for_its_reference(tmp_path: Path) -> None:
    record(tmp_path, 0, [row("one", "Oz", 100), row("one", "mine", 50), row("one", "same", 100)])
    record(tmp_path, 1, [row("one", "mine", 40, metric_version=2)])
    found = table(tmp_path)
    assert (found["mine"].rank, found["mine"].reasons[0], found["same"].rank) == (None, REASON, 1)
    record(tmp_path, 2, [row("one", "Oz", 80, metric_version=2)])
    assert table(tmp_path)["mine"].strict == 2.0


def test_equal_objects_are_equal_in_every_version(tmp_path: Path) -> None:
    same = {"object_digest": "d" * 64}
    record(tmp_path, 0, [row("one", "Oz", 100, **same), row("one", "mine", 100, **same)])
    record(tmp_path, 1, [row("one", "Oz", 80, metric_version=2, **same)])
    found = table(tmp_path)["mine"]
    few, same_as = found.reasons
    assert (found.strict, few, same_as) == (1.0, table(tmp_path)["Oz"].reasons[0], "the same objects as Oz: one entry")


COMPILING = {"compile.cpu", "compile.instructions", "compile.peak"}
DECIDING = {"decide.cpu", "decide.wall", "decide.trials", "decide.steps"}


def test_what_a_metric_says_is_what_standings_do() -> None:
    of_object = {name for name, metric in all_metrics().items() if not metric.of_object}
    instances = {name for name, metric in all_metrics().items() if metric.benchmarks == "instances"}
    assert of_object - instances == {*COMPILING, *DECIDING, "ir.instructions"}
    assert [name for name, metric in all_metrics().items() if metric.paired] == ["runtime.cpu"]
    shown = {name for name, metric in all_metrics().items() if metric.not_ranked}
    assert shown == {*COMPILING, *DECIDING, "runtime.wall", "cost.seconds"}
    uncompared = {name for name, metric in all_metrics().items() if not metric.compares}
    assert uncompared == {"compile.cpu", "decide.cpu", "decide.wall"}


def test_of_a_metric_that_should_be_high_ratios_are_the_other_way(monkeypatch: pytest.MonkeyPatch) -> None:
    metrics = all_metrics()
    assert ratio_sql(QUESTION, "reference", "mine") == "reference / mine"
    monkeypatch.setitem(metrics, "size.alloc", replace(metrics["size.alloc"], direction=Direction.HIGHER))
    assert ratio_sql(QUESTION, "reference", "mine") == "mine / reference"
