"""Standings, against the same figures computed by hand from the rows: failures, old results, versions, compilers."""

import math
import statistics
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.digest import digest_of
from harness.errors import UsageError
from harness.rank import Question, compare, programs, standings
from harness.rank.question import fingerprints, questions
from harness.rank.standings import Standing, quote, standings_sql
from harness.record import Row, open_index
from harness.vocabulary import Outcome, PolicyClass, Target, Track
from tests.rows import LLVM, row, run_file

OTHER = "c" * 64
QUESTION = Question("made", "x86-64", "size", "size.alloc", "Oz", LLVM)
Folders = Callable[[str], Path]


def at(hour: int) -> str:
    """A time of day, as headers write it."""
    return (datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=hour)).isoformat(timespec="seconds")


def record(results: Path, hour: int, rows: list[Row], **fields: Any) -> None:
    run_file(results, rows, started=at(hour), finished=at(hour), **fields)


@contextmanager
def asked(results: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with open_index(results) as index:
        yield index


def table(results: Path, question: Question = QUESTION) -> dict[str, Standing]:
    """The standings by policy."""
    with asked(results) as index:
        found = standings(index, question)
    assert len({s.policy for s in found}) == len(found)
    return {s.policy: s for s in found}


# --- by hand


class Cell(NamedTuple):
    """A recorded cell of a generated history."""

    hour: int
    policy: str
    version: int
    benchmark: str
    program: int
    seed: int
    value: int | None


def by_hand(cells: list[Cell], reference: str = "Oz") -> dict[str, tuple[float, float | None, int, int]]:
    """Policy → strict, matched, completed, benchmarks: docs/DESIGN's words in Python, without SQL."""
    version = {c.policy: c.version for c in sorted(cells, key=lambda c: c.hour)}
    newest: dict[tuple[str, str, int], Cell] = {}
    for cell in sorted(cells, key=lambda c: c.hour):
        if cell.version == version[cell.policy]:
            newest[cell.policy, cell.benchmark, cell.seed] = cell
    programs = {(c.benchmark, c.program) for c in newest.values() if c.policy == reference}
    values: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for cell in newest.values():
        if (cell.benchmark, cell.program) in programs:
            values[cell.policy]  # it takes part, completed or not
            if cell.value is not None:
                values[cell.policy][cell.benchmark].append(cell.value)
    figures = {p: {b: statistics.median(v) for b, v in found.items()} for p, found in values.items()}
    base = figures.get(reference, {})
    answer = {}
    for policy, own in figures.items():
        worst = {b: max(value, figures.get("O0", {}).get(b, value)) for b, value in base.items()}
        strict = [math.log(value / own.get(b, worst[b])) for b, value in base.items()]
        matched = [math.log(value / own[b]) for b, value in base.items() if b in own]
        if base:
            mean = math.exp(math.fsum(matched) / len(matched)) if matched else None
            answer[policy] = (math.exp(math.fsum(strict) / len(strict)), mean, len(matched), len(base))
    return answer


@st.composite
def histories(draw: st.DrawFn) -> list[Cell]:
    """Several runs, in each of which some policies meet some programs; programs and policies change between."""
    cells = []
    for hour in range(draw(st.integers(1, 4))):
        programs = {b: draw(st.sampled_from([0, 0, 0, 1])) for b in ("one", "two", "three", "four", "five")}
        for policy in ("Oz", "O0", "swift", "steady"):
            if not draw(st.sampled_from([True, True, policy in ("Oz", "O0")])):
                continue
            version = draw(st.sampled_from([0, 0, 0, 1])) if policy == "swift" else 0
            for benchmark, program in programs.items():
                for seed in (0, 1) if policy == "steady" else (0,):
                    value = draw(st.sampled_from([None, "absent", 1, 2, 2, 2, 3, 100]))
                    if value != "absent":
                        number = value * 7 if isinstance(value, int) else None
                        cells.append(Cell(hour, policy, version, benchmark, program, seed, number))
    return cells


def recorded(cells: list[Cell], results: Path) -> None:
    for hour in sorted({c.hour for c in cells}):
        chosen = [c for c in cells if c.hour == hour]
        rows = [
            row(
                c.benchmark,
                c.policy,
                c.value,
                seed=c.seed,
                policy_digest=digest_of([c.policy, c.version]),
                # Another program is another module, so another cell; and every run may fail anew.
                frozen_digest=digest_of([c.benchmark, c.program, c.hour]),
            )
            for c in chosen
        ]
        facts = {
            c.benchmark: {"split": "train", "origin": "own", "program_digest": digest_of(c.program)} for c in chosen
        }
        record(results, hour, rows, benchmarks=facts)


@settings(max_examples=15)
@given(cells=histories())
def test_they_are_what_a_person_computes(cells: list[Cell], tmp_path_factory: pytest.TempPathFactory) -> None:
    results = tmp_path_factory.mktemp("results")
    recorded(cells, results)
    expected = by_hand(cells)
    with asked(results) as index:
        if not expected:
            with pytest.raises(UsageError, match="no rows of the reference policy 'Oz'"):
                standings(index, QUESTION)
            return
        found = {s.policy: s for s in standings(index, QUESTION)}
    assert set(found) == set(expected)
    for policy, (strict, matched, completed, benchmarks) in expected.items():
        standing = found[policy]
        assert standing.strict == pytest.approx(strict, rel=1e-12)
        assert standing.matched == (None if matched is None else pytest.approx(matched, rel=1e-12))
        assert (standing.completed, standing.benchmarks) == (completed, benchmarks)
        assert standing.coverage == completed / benchmarks
        assert standing.rank == 1 + sum(other.strict > standing.strict for other in found.values() if other.strict)
    # The reference against itself is 1 on whatever it completed.
    assert found["Oz"].strict == found["Oz"].matched == 1.0


# --- one thing at a time


def test_a_failure_counts_as_the_worst_of_reference_and_o0(tmp_path: Path) -> None:
    rows = [row("one", "Oz", 100), row("two", "Oz", 100), row("one", "O0", 400), row("two", "O0", 50)]
    rows += [row("one", "mine", None), row("two", "mine", None), row("one", "half", 50)]
    record(tmp_path, 0, rows)
    found = table(tmp_path)
    assert found["mine"].strict == pytest.approx(math.sqrt(100 / 400 * 100 / 100))
    assert found["mine"].matched is None
    assert (found["mine"].completed, found["mine"].benchmarks, found["mine"].coverage) == (0, 2, 0.0)
    assert found["half"].strict == pytest.approx(math.sqrt(100 / 50 * 1))  # never tried counts like failed
    assert found["half"].matched == pytest.approx(2.0)
    assert found["half"].coverage == 0.5


def test_without_o0_a_failure_counts_as_the_reference(tmp_path: Path) -> None:
    record(tmp_path, 0, [row("one", "Oz", 100), row("one", "mine", None)])
    assert table(tmp_path)["mine"].strict == 1.0


def test_a_programs_failure_of_the_reference_leaves_it_out(tmp_path: Path) -> None:
    record(tmp_path, 0, [row("one", "Oz", 100), row("two", "Oz", None), row("one", "mine", 50), row("two", "mine", 1)])
    assert table(tmp_path)["mine"].strict == 2.0
    assert table(tmp_path)["mine"].benchmarks == 1


@given(values=st.lists(st.integers(1, 10**9), min_size=1, max_size=60))
@settings(max_examples=8)
def test_equal_values_give_exactly_one_and_equal_ranks(
    values: list[int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    results = tmp_path_factory.mktemp("results")
    rows = []
    for number, value in enumerate(values):
        rows += [row(f"b{number}", policy, value) for policy in ("Oz", "same")]
        rows += [row(f"b{number}", policy, value + number % 7 + 1) for policy in ("left", "right", "middle")]
    record(results, 0, rows)
    found = table(results)
    for policy in ("Oz", "same"):
        standing = found[policy]
        assert standing.strict == standing.matched == standing.coverage == 1.0
        assert (standing.low, standing.high) == ((1.0, 1.0) if len(values) > 1 else (None, None))
        assert standing.rank == 1
    assert len({(found[p].strict, found[p].matched, found[p].rank) for p in ("left", "right", "middle")}) == 1
    assert found["left"].rank == 3


def test_the_newest_result_wins(tmp_path: Path) -> None:
    record(tmp_path, 0, [row("one", "Oz", 100), row("one", "mine", 50)])
    assert table(tmp_path)["mine"].strict == 2.0
    record(tmp_path, 2, [row("one", "mine", 25)])
    record(tmp_path, 1, [row("one", "mine", 10)])  # measured before, written after
    assert table(tmp_path)["mine"].strict == 4.0
    record(tmp_path, 3, [row("one", "mine", 0.5, metric="compile.cpu", unit="s")])  # the same cell, another metric
    assert table(tmp_path)["mine"].strict == 4.0
    record(tmp_path, 4, [row("one", "mine", None)])
    assert table(tmp_path)["mine"].coverage == 0


def test_versions_of_a_policy_are_not_mixed(tmp_path: Path) -> None:
    old, new = {"policy_digest": "d" * 64}, {"policy_digest": "e" * 64, "policy_class": PolicyClass.SEARCH}
    reference = [row("one", "Oz", 100), row("two", "Oz", 100)]
    record(tmp_path, 0, [*reference, row("one", "mine", 50, **old), row("two", "mine", 50, **old)])
    record(tmp_path, 1, [row("one", "mine", 80, **new)])
    mine = table(tmp_path)["mine"]
    assert (mine.policy_class, mine.completed, mine.matched) == ("search", 1, 1.25)


def test_programs_of_two_definitions_are_not_compared(tmp_path: Path) -> None:
    def facts(version: str) -> dict[str, Any]:
        return {"one": {"split": "train", "origin": "own", "program_digest": version}}

    record(tmp_path, 0, [row("one", "Oz", 100), row("one", "mine", 50)], benchmarks=facts("old"))
    changed = {"frozen_digest": "f" * 64}
    record(tmp_path, 1, [row("one", "Oz", 1000, **changed)], benchmarks=facts("new"))
    assert set(table(tmp_path)) == {"Oz"}
    record(tmp_path, 2, [row("one", "mine", 500, **changed)], benchmarks=facts("new"))
    assert table(tmp_path)["mine"].strict == 2.0


def test_compilers_are_never_mixed(tmp_path: Path) -> None:
    record(tmp_path, 0, [row("one", "Oz", 100), row("one", "mine", 50), row("one", "gone", 20)])
    record(tmp_path, 1, [row("one", "Oz", 90, llvm=OTHER), row("one", "mine", 60, llvm=OTHER)], llvm=OTHER)
    first, second = table(tmp_path), table(tmp_path, replace(QUESTION, llvm=OTHER))
    assert (first["mine"].strict, second["mine"].strict) == (2.0, 1.5)
    assert set(second) == {"Oz", "mine"}
    with asked(tmp_path) as index:
        assert fingerprints(index) == [(OTHER, "22.1.0"), (LLVM, "22.1.0")]
        assert [q.llvm for q in questions(index)] == [OTHER]
        assert [q.llvm for q in questions(index, llvm="aaaa")] == [LLVM]
        for unknown in ("dead", "", "22.1.0"):
            with pytest.raises(UsageError, match="no results of the toolchain"):
                questions(index, llvm=unknown)


def test_ranks_are_within_a_class_and_shared_by_equals(tmp_path: Path) -> None:
    values = {"Oz": 100, "a": 50, "b": 50, "c": 70, "d": 200}
    rows = [row("one", policy, value) for policy, value in values.items()]
    rows += [row("one", policy, value, policy_class=PolicyClass.SEARCH) for policy, value in {"s": 10, "t": 90}.items()]
    record(tmp_path, 0, rows)
    ranks = {policy: standing.rank for policy, standing in table(tmp_path).items()}
    assert ranks == {"a": 1, "b": 1, "c": 3, "Oz": 4, "d": 5, "s": 1, "t": 2}
    assert list(table(tmp_path)) == ["a", "b", "c", "Oz", "d", "s", "t"]  # best first within each class


def test_times_are_shown_but_get_no_rank(tmp_path: Path) -> None:
    time = {"metric": "compile.cpu", "unit": "s"}
    record(tmp_path, 0, [row("one", "Oz", 0.5, **time), row("one", "mine", 0.25, **time)])
    found = table(tmp_path, replace(QUESTION, metric="compile.cpu"))
    assert found["mine"].strict == 2.0
    assert [standing.rank for standing in found.values()] == [None, None]


def test_metrics_targets_and_suites_are_kept_apart(tmp_path: Path) -> None:
    arm = {"target": Target.AARCH64}
    rows = [row("one", "Oz", 100), row("one", "mine", 50), row("one", "Oz", 90, **arm), row("one", "mine", 30, **arm)]
    rows += [row("one", policy, value, metric="size.text") for policy, value in {"Oz": 10, "mine": 40}.items()]
    record(tmp_path, 0, rows)
    record(
        tmp_path, 1, [row("one", "Oz", 8, frozen_digest=None), row("one", "mine", 1, frozen_digest=None)], suite="other"
    )
    assert table(tmp_path)["mine"].strict == 2.0
    assert table(tmp_path, replace(QUESTION, target="aarch64"))["mine"].strict == pytest.approx(3.0)
    assert table(tmp_path, replace(QUESTION, metric="size.text"))["mine"].strict == 0.25
    assert table(tmp_path, replace(QUESTION, suite="other"))["mine"].strict == pytest.approx(8.0)
    assert table(tmp_path, replace(QUESTION, reference="mine"))["Oz"].strict == 0.5


def test_restriction_to_a_split_and_an_origin(tmp_path: Path) -> None:
    facts = {
        "one": {"split": "train", "origin": "own", "program_digest": "1"},
        "two": {"split": "test", "origin": "own", "program_digest": "2"},
        "three": {"split": "test", "origin": "debian", "program_digest": "3"},
    }
    rows = [row(name, "Oz", 120) for name in facts]
    rows += [row("one", "mine", 60), row("two", "mine", 40), row("three", "mine", 30)]
    record(tmp_path, 0, rows, benchmarks=facts)
    assert table(tmp_path)["mine"].strict == pytest.approx((2 * 3 * 4) ** (1 / 3))
    assert table(tmp_path, replace(QUESTION, split="train"))["mine"].strict == 2.0
    assert table(tmp_path, replace(QUESTION, split="test"))["mine"].strict == pytest.approx(math.sqrt(12))
    assert table(tmp_path, replace(QUESTION, split="test", origin="debian"))["mine"].strict == 4.0
    with pytest.raises(UsageError):
        table(tmp_path, replace(QUESTION, split="train", origin="debian"))


def test_what_a_policy_does_not_support_is_no_failure(tmp_path: Path) -> None:
    other = row("one", "mine", None).model_copy(update={"outcome": Outcome.UNSUPPORTED, "frozen_digest": None})
    record(tmp_path, 0, [row("one", "Oz", 100), other])
    assert set(table(tmp_path)) == {"Oz"}


def test_the_interval_is_students_over_programs(tmp_path: Path) -> None:
    ratios = [1.5, 1.1, 0.9, 2.0, 1.3]
    rows = [row(f"b{n}", "Oz", 1000) for n in range(5)]
    rows += [row(f"b{n}", "mine", 1000 / ratio) for n, ratio in enumerate(ratios)]
    record(tmp_path, 0, rows)
    logs = [math.log(ratio) for ratio in ratios]
    half = 2.7764451 * statistics.stdev(logs) / math.sqrt(5)
    mine = table(tmp_path)["mine"]
    assert mine.low == pytest.approx(math.exp(statistics.mean(logs) - half), rel=1e-6)
    assert mine.high == pytest.approx(math.exp(statistics.mean(logs) + half), rel=1e-6)


def test_nothing_is_ranked_without_the_reference(tmp_path: Path) -> None:
    record(tmp_path, 0, [row("one", "mine", 50)])
    with pytest.raises(UsageError, match="no rows of the reference policy 'Oz' for made, x86-64") as raised:
        table(tmp_path)
    assert raised.value.hint == "run `harness run --suite made --policy Oz` first"


@settings(max_examples=20)
@given(st.lists(st.text(), min_size=1, max_size=30))
def test_a_quoted_text_is_one_literal(texts: list[str]) -> None:
    with duckdb.connect() as connection:
        assert connection.execute(f"SELECT {', '.join(map(quote, texts))}").fetchall() == [tuple(texts)]


def test_names_are_quoted_wherever_they_stand(tmp_path: Path) -> None:
    evil = "a'b'; DROP TABLE rows; --"
    record(tmp_path, 0, [row(evil, evil, 100), row(evil, "mine", 50)], suite=evil.replace("/", ""))
    question = replace(QUESTION, suite=evil, reference=evil)
    found = table(tmp_path, question)
    assert found["mine"].strict == 2.0 and found[evil].strict == 1.0
    for field in ("suite", "target", "track", "metric", "reference", "llvm", "split", "origin"):
        assert "x''y" in standings_sql(replace(QUESTION, **{field: "x'y"}))


def test_questions_are_what_was_recorded(tmp_path: Path) -> None:
    with asked(tmp_path) as index, pytest.raises(UsageError, match="there are no results yet"):
        questions(index)
    record(tmp_path, 0, [row("one", "Oz", 1), row("one", "Oz", 1, target=Target.AARCH64)])
    record(tmp_path, 1, [row("one", "Oz", 1, frozen_digest=None)], suite="other")
    with asked(tmp_path) as index:
        found = [(q.suite, q.target, q.track, q.metric, q.reference) for q in questions(index)]
        rest = ("size", "size.alloc", "Oz")
        assert found == [("made", "x86-64", *rest), ("made", "aarch64", *rest), ("other", "x86-64", *rest)]
        assert [q.suite for q in questions(index, suite="other", metric="size.text", reference="O2")] == ["other"]
        assert [q.target for q in questions(index, targets=("aarch64",))] == ["aarch64"]
        for nothing in ({"suite": "none"}, {"track": "speed"}, {"suite": "other", "targets": ("aarch64",)}):
            with pytest.raises(UsageError, match="no results of ") as raised:
                questions(index, **nothing)
            assert "made (track size, aarch64)" in (raised.value.hint or "")


def speed(policy: str, benchmark: str, metric: str | None, value: float | None, **fields: Any) -> Row:
    """A row of track speed; with ``value`` None and the outcome ok, a metric that could not be taken."""
    made = row(benchmark, policy, 0, track=Track.SPEED)
    named = {"metric": metric, "unit": "operands", "value": value, "detail": "" if value is not None else "why"}
    return made.model_copy(update={**named, **fields})


def test_ratios_of_what_may_be_zero(tmp_path: Path) -> None:
    """Values plus one, everywhere: zero spills is the best there is, and no failure."""
    rows = [speed("greedy", name, "spills", value) for name, value in (("one", 0), ("two", 9), ("three", 4))]
    rows += [speed("basic", name, "spills", value) for name, value in (("one", 3), ("two", 0), ("three", 4))]
    record(tmp_path, 0, rows, track=Track.SPEED)
    question = replace(QUESTION, track="speed", metric="spills", reference="greedy")
    found = table(tmp_path, question)["basic"]
    assert found.strict == pytest.approx(math.prod([1 / 4, 10 / 1, 5 / 5]) ** (1 / 3))
    assert (found.matched, found.completed) == (found.strict, 3)
    with asked(tmp_path) as index:
        ratios = {r.benchmark: (r.a, r.b, r.ratio) for r in compare(index, question, "basic", "greedy")}
        figures = {r.benchmark: (r.policy, r.ratio, r.counted) for r in programs(index, question, "basic")}
    assert ratios == {"one": (3, 0, 1 / 4), "two": (0, 9, 10), "three": (4, 4, 1)}
    assert figures == {"one": (3, 1 / 4, 1 / 4), "two": (0, 10, 10), "three": (4, 1, 1)}
    other = replace(question, metric="loads")
    record(tmp_path, 1, [speed("greedy", "one", "loads", 5), speed("basic", "one", "loads", 0)], track=Track.SPEED)
    assert table(tmp_path, other)["basic"].completed == 0


def test_what_failed_counts_as_the_tracks_slowest_baseline(tmp_path: Path) -> None:
    rows = [speed("greedy", name, "instructions", 100) for name in ("one", "two")]
    rows += [speed("fast-o0", "one", "instructions", 400), speed("fast-o0", "two", "instructions", 50)]
    rows += [speed("O0", name, "instructions", 90_000) for name in ("one", "two")]
    failed = {"outcome": Outcome.RUN_CRASH, "unit": None, "detail": "killed"}
    rows += [speed("mine", name, None, None, **failed) for name in ("one", "two")]
    record(tmp_path, 0, rows, track=Track.SPEED)
    question = replace(QUESTION, track="speed", metric="instructions", reference="greedy")
    assert table(tmp_path, question)["mine"].strict == pytest.approx((1 / 4 * 1) ** 0.5)
    with asked(tmp_path) as index:
        assert {p.benchmark: p.counted for p in programs(index, question, "mine")} == {"one": 1 / 4, "two": 1}


def test_a_metric_that_could_not_be_taken_is_not_covered_and_says_why(tmp_path: Path) -> None:
    """The cell stays one cell; its other metrics count."""
    rows = []
    for policy in ("greedy", "basic"):
        rows += [speed(policy, name, "instructions", 100) for name in ("one", "two")]
        rows.append(speed(policy, "one", "mca.cycles", 10))
    rows += [speed("greedy", "two", "mca.cycles", 30), speed("basic", "two", "mca.cycles", None)]
    record(tmp_path, 0, rows, track=Track.SPEED)
    question = replace(QUESTION, track="speed", metric="mca.cycles", reference="greedy")
    found = table(tmp_path, question)["basic"]
    assert (found.completed, found.benchmarks, found.matched) == (1, 2, 1.0)
    assert table(tmp_path, replace(question, metric="instructions"))["basic"].completed == 2
    with asked(tmp_path) as index:
        figures = {p.benchmark: (p.outcome, p.detail) for p in programs(index, question, "basic")}
        assert index.execute("SELECT count(*) FROM cells").fetchone() == (4,)
    assert figures == {"one": ("ok", ""), "two": ("not measured", "why")}


def test_questions_of_a_track_with_several_references(tmp_path: Path) -> None:
    record(tmp_path, 0, [speed("greedy", "one", "instructions", 1)], track=Track.SPEED)
    with asked(tmp_path) as index:
        assert [(q.metric, q.reference) for q in questions(index)] == [
            ("instructions", name) for name in ("greedy", "basic", "pbqp")
        ]
        assert [q.reference for q in questions(index, reference="fast")] == ["fast"]
