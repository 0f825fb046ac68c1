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

from harness.base.digest import digest_of
from harness.base.errors import UsageError
from harness.base.vocabulary import SPEED, Outcome, PolicyClass, Target
from harness.measure import find_metric
from harness.rank import Question, compare, programs, standings, versus
from harness.rank.doubts import doubts
from harness.rank.question import fingerprints, questions, quote
from harness.rank.standings import Standing, standings_sql
from harness.record import Row, open_index
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


def by_hand(cells: list[Cell], reference: str = "Oz") -> dict[str, tuple[float | None, float | None, int, int]]:
    """Policy → strict, matched, completed, benchmarks: docs/DESIGN's words in Python, without SQL."""
    version = {c.policy: c.version for c in sorted(cells, key=lambda c: c.hour)}
    newest: dict[tuple[str, str, int], Cell] = {}
    for cell in sorted(cells, key=lambda c: c.hour):
        if cell.version == version[cell.policy]:
            newest[cell.policy, cell.benchmark, cell.seed] = cell
    programs = {(c.benchmark, c.program) for c in newest.values() if c.policy == reference}
    values: dict[str, dict[tuple[str, int], int | None]] = defaultdict(dict)
    for cell in newest.values():
        if (cell.benchmark, cell.program) in programs:
            values[cell.policy][cell.benchmark, cell.seed] = cell.value  # it takes part, completed or not
    base = {b: value for (b, _), value in values.get(reference, {}).items() if value is not None}
    slowest = {b: value for (b, _), value in values.get("O0", {}).items() if value is not None}
    answer = {}
    for policy, own in values.items() if base else ():
        seeds = sorted({seed for _, seed in own})  # a seed that was not tried on a program failed there
        strict, matched = [], []
        least = min((base[b] / v for (b, _), v in own.items() if v is not None and b in base), default=1.0)
        known = True
        for b, value in base.items():
            found = [own.get((b, seed)) for seed in seeds]
            if None in found:
                known &= policy == "O0" or b in slowest  # else what a failure counts as is not known
                strict.append(math.log(min(1.0, least, value / slowest.get(b, value))))
            else:
                strict.append(statistics.fmean(math.log(value / v) for v in found if v is not None))
                matched.append(strict[-1])
        mean = math.exp(math.fsum(matched) / len(matched)) if matched else None
        whole = math.exp(math.fsum(strict) / len(strict)) if matched and known else None
        answer[policy] = (whole, mean, len(matched), len(base))
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
        assert standing.strict == (None if strict is None else pytest.approx(strict, rel=1e-12))
        assert (strict or 0) <= (matched or 0) * (1 + 1e-12), "a failure never helps"
        assert standing.matched == (None if matched is None else pytest.approx(matched, rel=1e-12))
        assert (standing.completed, standing.benchmarks) == (completed, benchmarks)
        assert standing.coverage == completed / benchmarks
        assert (standing.rank is None) == (completed < 0.8 * benchmarks)
    # The reference against itself is 1 on whatever it completed.
    assert found["Oz"].strict == found["Oz"].matched == 1.0


# --- one thing at a time


def test_a_failure_counts_as_the_worst_of_reference_floor_and_the_policys_own(tmp_path: Path) -> None:
    rows = [row(name, "Oz", 100) for name in ("one", "two", "three")]
    rows += [row("one", "O0", 400), row("two", "O0", 50), row("three", "O0", 90)]
    rows += [row("one", "mine", None), row("two", "mine", None), row("three", "mine", 50)]
    rows += [row("one", "half", 50), row("two", "half", 125)]
    record(tmp_path, 0, rows)
    found = table(tmp_path)
    assert found["mine"].strict == pytest.approx((100 / 400 * 1 * 2) ** (1 / 3))
    assert (found["mine"].matched, found["mine"].completed, found["mine"].benchmarks) == (2.0, 1, 3)
    assert found["half"].strict == pytest.approx((2 * 0.8 * 0.8) ** (1 / 3))  # never tried counts like failed
    assert found["half"].matched == pytest.approx(math.sqrt(2 * 0.8))
    assert found["half"].coverage == pytest.approx(2 / 3)


def test_what_completed_nothing_has_no_figures(tmp_path: Path) -> None:
    record(tmp_path, 0, [row("one", "Oz", 100), row("one", "O0", 400), row("one", "mine", None)])
    mine = table(tmp_path)["mine"]
    assert (mine.strict, mine.matched, mine.low, mine.high, mine.verdict, mine.mde) == (None,) * 6
    assert (mine.wins, mine.ties, mine.unresolved, mine.losses, mine.completed) == (None, None, None, None, 0)
    assert {mine.record()[name] for name in ("strict", "wins", "losses", "p", "these_low", "median")} == {None}


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
        assert (standing.rank, standing.wins, standing.ties, standing.losses) == (1, 0, len(values), 0)
    assert len({(found[p].strict, found[p].matched, found[p].rank) for p in ("left", "right", "middle")}) == 1
    assert found["left"].rank == (3 if len(values) > 8 else 1), "no order of 5 policies by 8 programs"


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


@pytest.mark.parametrize("what", ["program_digest", "workloads"])
def test_programs_and_workloads_of_two_definitions_are_not_compared(tmp_path: Path, what: str) -> None:
    """Counts are sums over workloads, and "ok" says what an object was verified on."""

    def facts(version: str) -> dict[str, Any]:
        same = {"split": "train", "origin": "own", "program_digest": digest_of("same")}
        return {"one": same | {what: digest_of(version)}}

    def left_out() -> list[str]:
        with asked(tmp_path) as index:
            return doubts(index, [QUESTION])

    record(tmp_path, 0, [row("one", "Oz", 100), row("one", "mine", 50)], benchmarks=facts("old"))
    assert left_out() == []
    changed = {"frozen_digest": "f" * 64}
    record(tmp_path, 1, [row("one", "Oz", 1000, **changed)], benchmarks=facts("new"))
    assert set(table(tmp_path)) == {"Oz"}
    (line,) = left_out()
    assert line.endswith("mine on 1") and "run again" in line
    record(tmp_path, 2, [row("one", "mine", 500, **changed)], benchmarks=facts("new"))
    assert table(tmp_path)["mine"].strict == 2.0 and left_out() == []


def test_what_an_older_file_does_not_say_of_its_workloads_is_not_what_a_newer_one_says(tmp_path: Path) -> None:
    facts = {"one": {"split": "train", "origin": "own", "program_digest": digest_of("same")}}
    record(tmp_path, 0, [row("one", "Oz", 100), row("one", "mine", 50)], benchmarks=facts)
    assert table(tmp_path)["mine"].strict == 2.0
    new = {"one": facts["one"] | {"workloads": digest_of("new")}}
    record(tmp_path, 1, [row("one", "Oz", 90, frozen_digest="f" * 64)], benchmarks=new)
    assert set(table(tmp_path)) == {"Oz"}


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


def test_ranks_are_within_a_class_and_shared_by_who_cannot_be_told_apart(tmp_path: Path) -> None:
    """Clear differences order; scatter over programs that is as large as the difference does not."""
    values = {"Oz": 1000, "a": 500, "b": 500, "c": 700, "d": 2000}
    rows = []
    for number in range(12):
        rows += [row(f"b{number}", policy, value + number) for policy, value in values.items()]
        rows.append(row(f"b{number}", "noisy", 1000 + (150 if number % 2 else -150)))
        for policy, value in {"s": 100, "t": 900}.items():
            rows.append(row(f"b{number}", policy, value, policy_class=PolicyClass.SEARCH))
    record(tmp_path, 0, rows)
    found = table(tmp_path)
    ranks = {policy: (standing.rank, standing.rank_high) for policy, standing in found.items()}
    fixed = {"a": (1, 2), "b": (1, 2), "c": (3, 3), "Oz": (4, 5), "noisy": (4, 5), "d": (6, 6)}
    assert ranks == fixed | {"s": (1, 1), "t": (2, 2)}
    assert list(found) == ["a", "b", "c", "noisy", "Oz", "d", "s", "t"]  # by strict within each class
    assert found["a"].reasons == () and found["s"].reasons == ("1 of the 5 seeds that a search needs",)


@pytest.mark.parametrize(("programs", "policies"), [(5, 2), (6, 2), (5, 5), (6, 5)])
def test_too_few_programs_order_nobody_and_it_is_said(programs: int, policies: int, tmp_path: Path) -> None:
    names = ["Oz", *(f"p{n}" for n in range(1, policies))]
    record(tmp_path, 0, [row(f"b{b}", name, 2**n) for b in range(programs) for n, name in enumerate(names)])
    found = table(tmp_path).values()
    if programs == 6:
        assert [(s.rank, s.rank_high, s.reasons) for s in found] == [(n + 1, n + 1, ()) for n in range(policies)]
        assert [s.verdict for s in found] == [None, *["worse"] * (policies - 1)]
    else:
        said = ("5 clusters: from fewer than 6 nothing can be told",)
        assert {(s.rank, s.rank_high, s.reasons) for s in found} == {(1, policies, said)}
        assert [s.verdict for s in found] == [None, *["not resolved"] * (policies - 1)]


def test_ten_copies_of_a_policy_change_nothing(tmp_path: Path) -> None:
    values = {"Oz": 1000, "first": 950, "second": 990, "noisy": 1020}
    rows = [
        row(f"b{n}", name, value + (n * 7 + value) % 31 * (name != "Oz"))
        for n in range(9)
        for name, value in values.items()
    ]
    record(tmp_path, 0, rows)
    before = table(tmp_path)
    copies = [
        one.model_copy(update={"policy": f"copy{n}", "policy_digest": digest_of(n), "cell": digest_of([n, one.cell])})
        for n in range(10)
        for one in rows
        if one.policy == "first"
    ]
    record(tmp_path, 1, [*rows, *copies])
    after = table(tmp_path)
    for name in values:
        told = ("verdict", "p", "mde", "rank", "strict", "low", "high", "depends_on")
        assert [getattr(after[name], field) for field in told] == [getattr(before[name], field) for field in told]
    assert {after[f"copy{n}"].rank for n in range(10)} == {before["first"].rank}
    assert {after[f"copy{n}"].rank_high for n in range(10)} == {before["first"].rank_high}


def test_another_policy_changes_no_pair(tmp_path: Path) -> None:
    rows = [
        row(f"b{n}", name, 1000 - lead - n % 4 * 3)
        for n in range(8)
        for name, lead in {"Oz": 0, "a": 9, "b": 30}.items()
    ]
    record(tmp_path, 0, rows)
    before = {name: one.rank for name, one in table(tmp_path).items()}
    assert before == {"b": 1, "a": 2, "Oz": 3}
    noisy = [row(f"b{n}", f"noisy{m}", 1000 + (n * 37 + m * 11) % 200 - 100) for n in range(8) for m in range(20)]
    record(tmp_path, 1, [*rows, *noisy])
    after = table(tmp_path)
    with asked(tmp_path) as index:
        assert "b is better than a" in versus(index, QUESTION, "b", "a").summary.conclusion
    assert [after[name].rank for name in ("b", "a", "Oz")] == [1, 2, 3]


def test_ranks_do_not_depend_on_the_reference_that_is_shown(tmp_path: Path) -> None:
    rows = [
        row(f"b{n}", name, 1000 + (n * seed) % 60)
        for n in range(9)
        for seed, name in enumerate(("Oz", "a", "b", "c"), 5)
    ]
    rows += [row("b9", name, value) for name, value in {"Oz": 1000, "a": None, "b": 900, "c": 1100}.items()]
    record(tmp_path, 0, rows)
    shown = [table(tmp_path, replace(QUESTION, reference=name)) for name in ("Oz", "b", "c")]
    ranks = [{name: (one.rank, one.rank_high) for name, one in found.items()} for found in shown]
    assert ranks[0] == ranks[1] == ranks[2]


def test_ranks_against_a_policy_of_few_programs_are_of_those(tmp_path: Path) -> None:
    """Elsewhere it failed nothing: it was not asked."""
    rows = [row(f"b{n}", name, value) for n in range(30) for name, value in (("Oz", 1000), ("O0", 3000))]
    rows += [row(f"b{n}", "second", 990 + n % 3) for n in range(30)]
    rows += [row(f"b{n}", "first", 900 + n % 3) for n in range(8)]
    record(tmp_path, 0, rows)
    found = table(tmp_path, replace(QUESTION, reference="first"))
    assert [found[name].rank for name in ("first", "second", "Oz", "O0")] == [1, 2, 3, 4]
    assert found["second"].benchmarks == 8


def test_a_reference_that_knows_only_the_old_programs_still_has_its_table(tmp_path: Path) -> None:
    def facts(version: str) -> dict[str, Any]:
        return {f"b{n}": {"split": "test", "origin": "own", "program_digest": digest_of(version)} for n in range(8)}

    old = [row(f"b{n}", name, 1000 + n) for n in range(8) for name in ("Oz", "O2", "mine")]
    record(tmp_path, 0, old, benchmarks=facts("old"))
    record(tmp_path, 1, [row(f"b{n}", "Oz", 900, frozen_digest="f" * 64) for n in range(8)], benchmarks=facts("new"))
    assert set(table(tmp_path)) == {"Oz"}
    found = table(tmp_path, replace(QUESTION, reference="O2"))
    assert found["mine"].strict == 1.0 and found["mine"].rank == 1


def test_what_is_an_objects_is_known_of_a_newer_cell_with_the_same_object(tmp_path: Path) -> None:
    """The harness has changed, and so has the cell's key; of times nothing is borrowed."""
    record(tmp_path, 0, [row("one", "Oz", 100), row("one", "mine", 50)])
    newer = {"cell": digest_of("newer"), "metric": "size.text"}
    record(tmp_path, 1, [row("one", "mine", 40, **newer)])
    assert table(tmp_path)["mine"].strict == 2.0
    record(tmp_path, 2, [row("one", "mine", 40, **newer | {"cell": digest_of("newest")})], runtime={"x86-64": "c" * 64})
    assert table(tmp_path)["mine"].strict is None, "of another libc other things are counted"
    record(tmp_path, 3, [row("one", "mine", 40, **newer, object_digest="another")])
    assert table(tmp_path)["mine"].strict is None


@pytest.mark.parametrize("version", [1, 99])
def test_a_value_of_another_cell_takes_the_place_of_none(version: int, tmp_path: Path) -> None:
    """Whoever records a wrong value of an object that is published changes nobody's own."""
    same = {"object_digest": "mine"}
    record(tmp_path, 0, [row("one", "Oz", 100), row("one", "mine", 50, **same)])
    record(tmp_path, 1, [row("one", "boast", 1, metric_version=version, **same)])
    assert table(tmp_path)["mine"].strict == 2.0


def test_a_price_that_is_exact_is_told_apart(tmp_path: Path) -> None:
    price = {"metric": "compile.instructions"}
    rows = [row(f"b{n}", name, value, **price) for n in range(8) for name, value in (("Oz", 1000), ("mine", 1100))]
    record(tmp_path, 0, rows)
    question = replace(QUESTION, **price)
    mine = table(tmp_path, question)["mine"]
    assert (mine.rank, mine.wins, mine.ties, mine.unresolved, mine.losses) == (None, 0, 0, 0, 8)
    with asked(tmp_path) as index:
        assert {one.verdict for one in programs(index, question, "mine")} == {"worse"}


def test_programs_that_share_code_say_it_once(tmp_path: Path) -> None:
    facts = {"split": "train", "origin": "own", "program_digest": digest_of("p")}
    names = [f"b{n}" for n in range(8)]
    rows = [row(name, policy, value) for name in names for policy, value in {"Oz": 100, "mine": 90}.items()]
    record(tmp_path / "apart", 0, rows, benchmarks=dict.fromkeys(names, facts))
    together = {name: facts | ({"cluster": "library"} if name < "b4" else {}) for name in names}
    record(tmp_path / "together", 0, rows, benchmarks=together)
    apart, shared = (table(tmp_path / name)["mine"] for name in ("apart", "together"))
    assert (apart.clusters, apart.verdict, shared.clusters, shared.verdict) == (8, "better", 5, "not resolved")


def test_who_was_made_on_a_program_is_not_ranked_on_it_and_nobody_else_suffers(tmp_path: Path) -> None:
    rows = [row(f"b{n}", name, value) for n in range(8) for name, value in {"Oz": 100, "wise": 90, "all": 80}.items()]
    record(tmp_path, 0, rows, trained_on={"all": [f"b{n}" for n in range(8)]})
    found = table(tmp_path)
    assert (found["all"].rank, found["all"].reasons) == (None, ("made on 8 of these 8 programs",))
    assert (found["wise"].rank, found["wise"].verdict, found["Oz"].rank) == (1, "better", 2)


def test_one_program_that_makes_the_verdict_is_named(tmp_path: Path) -> None:
    rows = [row(f"b{n:02}", "Oz", 1000) for n in range(20)]
    rows += [row(f"b{n:02}", "lucky", 500 if n == 3 else 1000 - n % 3) for n in range(20)]
    record(tmp_path, 0, rows)
    lucky = table(tmp_path)["lucky"]
    assert lucky.depends_on == "b03" and lucky.without == pytest.approx(1.001, abs=0.0005)
    assert lucky.strict > 1.03 and lucky.median == pytest.approx(1.001, abs=0.001)


def test_low_coverage_is_not_ranked(tmp_path: Path) -> None:
    rows = [row(f"b{n}", "Oz", 100) for n in range(5)]
    rows += [row(f"b{n}", "enough", 50) for n in range(4)] + [row(f"b{n}", "little", 10) for n in range(3)]
    rows += [row(f"b{n}", "O0", 100) for n in range(5)]
    record(tmp_path, 0, rows)
    found = table(tmp_path)
    assert (found["little"].rank, found["little"].strict) == (None, pytest.approx(10 ** (3 / 5)))
    assert found["little"].reasons == ("coverage 3 of 5 is below the suite's rule of 80 %",)
    assert found["enough"].rank is not None and (found["enough"].losses, found["enough"].wins) == (1, 4)
    record(tmp_path, 1, [row("b0", "Oz", 100)], min_coverage=0.9)  # the suite's rule as it is now
    assert table(tmp_path)["enough"].reasons == ("coverage 4 of 5 is below the suite's rule of 90 %",)
    record(tmp_path, 2, [row("b0", "Oz", 100)], min_coverage=0.5)
    assert table(tmp_path)["little"].rank is not None


def test_what_the_reference_could_not_give_is_lacking_coverage(tmp_path: Path) -> None:
    """A metric that was asked for and could not be taken leaves too little of the suite to rank by."""
    reason = {"outcome": Outcome.OK, "metric": "size.alloc", "unit": "bytes", "detail": "why"}
    rows = [row("one", policy, 100) for policy in ("Oz", "mine")]
    rows += [row("two", policy, None, **reason) for policy in ("Oz", "mine")]
    record(tmp_path, 0, rows)
    mine = table(tmp_path)["mine"]
    assert (mine.completed, mine.benchmarks, mine.rank) == (1, 1, None)
    assert mine.reasons == ("coverage 1 of 2 is below the suite's rule of 80 %",)


def test_times_are_shown_but_get_no_rank(tmp_path: Path) -> None:
    time = {"metric": "compile.cpu", "unit": "s"}
    record(tmp_path, 0, [row("one", "Oz", 0.5, **time), row("one", "mine", 0.25, **time)])
    found = table(tmp_path, replace(QUESTION, metric="compile.cpu"))
    mine = found["mine"]
    assert (mine.strict, mine.matched, mine.median, mine.low, mine.these_low) == (None,) * 5, "nor compared"
    assert (mine.completed, mine.coverage) == (1, 1.0)
    assert [standing.rank for standing in found.values()] == [None, None]
    assert found["mine"].reasons == (find_metric("compile.cpu").not_ranked,)


def test_equal_objects_are_equal_in_what_is_theirs(tmp_path: Path) -> None:
    """Counts of one object that differ, by another libc say, are no difference of policies; what compilers take is."""
    same = {"object_digest": "the same"}
    rows = [row("one", "Oz", 100, **same), row("one", "mine", 101, **same)]
    rows += [row("one", name, n, **same, metric="compile.instructions") for name, n in {"Oz": 100, "mine": 200}.items()]
    record(tmp_path, 0, rows)
    mine = table(tmp_path)["mine"]
    assert (mine.strict, mine.matched, mine.ties) == (1.0, 1.0, 1)
    assert table(tmp_path, replace(QUESTION, metric="compile.instructions"))["mine"].strict == 0.5


def test_what_can_be_no_value_never_is_a_number(tmp_path: Path) -> None:
    counted = {"metric": "ir.instructions"}
    rows = [row(name, "Oz", 100, **counted) for name in ("one", "two")]
    rows += [row("one", "mine", 0, **counted), row("two", "mine", 50, **counted)]
    record(tmp_path, 0, rows)
    question = replace(QUESTION, **counted)
    mine = table(tmp_path, question)["mine"]
    assert (mine.strict, mine.matched, mine.completed) == (None, 2.0, 1)
    with asked(tmp_path) as index:
        figures = {p.benchmark: (p.outcome, p.policy, p.detail) for p in programs(index, question, "mine")}
    assert figures["one"] == ("not measured", None, "0.0 is no value of this metric")
    assert figures["two"] == ("ok", 50, "")


# --- seeds


def test_seeds_are_a_mean_and_one_that_failed_counts_as_the_worst(tmp_path: Path) -> None:
    rows = [row(name, policy, value) for name in ("one", "two") for policy, value in (("Oz", 100), ("O0", 400))]
    search = {"policy_class": PolicyClass.SEARCH}
    rows += [row("one", "mine", value, seed=seed, **search) for seed, value in enumerate((50, 50, 25, 25, 100))]
    rows += [row("two", "mine", value, seed=seed, **search) for seed, value in enumerate((50, 50, None, 50, 50))]
    record(tmp_path, 0, rows)
    mine = table(tmp_path)["mine"]
    one, two = (2 * 2 * 4 * 4 * 1) ** (1 / 5), 1 / 4
    assert mine.strict == pytest.approx(math.sqrt(one * two))
    assert mine.matched == pytest.approx(one)
    assert (mine.seeds, mine.completed, mine.benchmarks, mine.wins, mine.losses) == (5, 1, 2, 1, 1)
    with asked(tmp_path) as index:
        figures = {p.benchmark: p for p in programs(index, QUESTION, "mine")}
    assert (figures["two"].outcome, figures["two"].ratio) == ("wrong-output", None)
    assert figures["two"].counted == pytest.approx(two)
    assert figures["one"].ratio == pytest.approx(one)
    assert (figures["one"].low or 0) < one < (figures["one"].high or 0)


def test_a_program_counts_for_a_policy_of_chance_only_where_its_seeds_agree(tmp_path: Path) -> None:
    values = {
        "surely": (80, 81, 82, 83, 84),
        "perhaps": (70, 80, 90, 100, 115),
        "never": (120, 121, 122, 123, 124),
        "alike": (90, 90, 90, 90, 90),
        "same": (100, 100, 100, 100, 100),
    }
    rows = [row(name, "Oz", 100) for name in values]
    rows += [row(name, "mine", value, seed=seed) for name, mine in values.items() for seed, value in enumerate(mine)]
    record(tmp_path, 0, rows)
    mine = table(tmp_path)["mine"]
    assert (mine.wins, mine.ties, mine.unresolved, mine.losses) == (2, 1, 1, 1)
    with asked(tmp_path) as index:
        found = {p.benchmark: p.verdict for p in programs(index, QUESTION, "mine")}
    assert found == {
        "surely": "better", "perhaps": "unresolved", "never": "worse", "alike": "better", "same": "equal"
    }  # fmt: skip


def test_seeds_alone_make_the_interval_for_these_programs(tmp_path: Path) -> None:
    """What is counted has no noise but that of programs and seeds."""
    rows = [row(f"b{n}", "Oz", 1000) for n in range(8)]
    for n in range(8):
        rows += [row(f"b{n}", "sure", 900 + 10 * n, seed=seed) for seed in range(5)]
        rows += [row(f"b{n}", "unsure", 900 + 10 * n + 30 * (seed - 2), seed=seed) for seed in range(5)]
        rows.append(row(f"b{n}", "single", 900 + 10 * n))
    record(tmp_path, 0, rows)
    found = table(tmp_path)
    for exact in ("sure", "single", "Oz"):
        assert found[exact].these_low == found[exact].these_high == pytest.approx(found[exact].strict, rel=1e-14)
    unsure = found["unsure"]
    assert (unsure.these_low or 0) < unsure.strict < (unsure.these_high or 0)
    for policy in ("sure", "unsure", "single"):
        one = found[policy]
        assert (one.low or 0) < (one.these_low or 0) and (one.these_high or 0) < (one.high or 0)
        assert one.mde == pytest.approx((one.high or 0) / one.strict - 1, rel=0.6)
    assert (found["sure"].low, found["sure"].high) == (found["single"].low, found["single"].high)
    assert found["Oz"].mde is None


def test_a_seed_that_was_not_tried_somewhere_failed_there(tmp_path: Path) -> None:
    rows = [row(name, policy, 100) for name in ("one", "two") for policy in ("Oz", "O0")]
    rows += [row("one", "mine", 50, seed=seed) for seed in range(5)] + [row("two", "mine", 50)]
    record(tmp_path, 0, rows)
    mine = table(tmp_path)["mine"]
    assert (mine.completed, mine.matched, mine.strict) == (1, 2.0, pytest.approx(math.sqrt(2 * 1)))
    with asked(tmp_path) as index:
        assert {p.benchmark: p.outcome for p in programs(index, QUESTION, "mine")} == {"one": "ok", "two": "not run"}


def test_metrics_targets_and_suites_are_kept_apart(tmp_path: Path) -> None:
    arm = {"target": Target.AARCH64}
    rows = [row("one", "Oz", 100), row("one", "mine", 50), row("one", "Oz", 90, **arm), row("one", "mine", 30, **arm)]
    rows += [row("one", policy, value, metric="size.text") for policy, value in {"Oz": 10, "mine": 40}.items()]
    record(tmp_path, 0, rows)
    other = {"frozen_digest": digest_of("another module")}
    record(tmp_path, 1, [row("one", "Oz", 8, **other), row("one", "mine", 1, **other)], suite="other")
    assert table(tmp_path)["mine"].strict == 2.0
    assert table(tmp_path, replace(QUESTION, target="aarch64"))["mine"].strict == pytest.approx(3.0)
    assert table(tmp_path, replace(QUESTION, metric="size.text"))["mine"].strict == 0.25
    assert table(tmp_path, replace(QUESTION, suite="other"))["mine"].strict == pytest.approx(8.0)
    assert table(tmp_path, replace(QUESTION, reference="mine"))["Oz"].strict == 0.5


def test_restriction_to_a_split_and_an_origin(tmp_path: Path) -> None:
    facts = {
        "one": {"split": "train", "origin": "own", "program_digest": digest_of(1)},
        "two": {"split": "test", "origin": "own", "program_digest": digest_of(2)},
        "three": {"split": "test", "origin": "debian", "program_digest": digest_of(3)},
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


@pytest.mark.parametrize("count", [4, 5])
def test_the_interval_is_at_least_students_over_programs(count: int, tmp_path: Path) -> None:
    ratios = [1.5, 1.1, 0.9, 2.0, 1.3][:count]
    modelled = {"metric": "mca.static"}
    rows = [row(f"b{n}", "Oz", 1000, **modelled) for n in range(count)]
    rows += [row(f"b{n}", "mine", 1000 / ratio, **modelled) for n, ratio in enumerate(ratios)]
    record(tmp_path, 0, rows)
    logs = [math.log(ratio) for ratio in ratios]
    half = {4: 3.1824463, 5: 2.7764451}[count] * statistics.stdev(logs) / math.sqrt(count)
    mine = table(tmp_path, replace(QUESTION, **modelled))["mine"]
    low, high = (math.exp(statistics.mean(logs) + sign * half) for sign in (-1, 1))
    if count == 4:  # too few to resample
        assert (mine.low, mine.high) == (pytest.approx(low, rel=1e-6), pytest.approx(high, rel=1e-6))
    assert mine.low is not None and mine.low <= low * (1 + 1e-6)
    assert mine.high is not None and mine.high >= high * (1 - 1e-6)
    assert mine.these_low == mine.these_high == pytest.approx(mine.strict)


def test_nothing_is_ranked_without_the_reference(tmp_path: Path) -> None:
    record(tmp_path, 0, [row("one", "mine", 50)])
    with pytest.raises(UsageError, match="no rows of the reference policy 'Oz' for made, x86-64") as raised:
        table(tmp_path)
    assert raised.value.hint == "run `harness run --suite made --policy Oz` first; there are: mine"
    with open_index(tmp_path) as index, pytest.raises(UsageError) as raised:
        standings(index, replace(QUESTION, origin="contest"))
    assert raised.value.hint.startswith("nobody was measured on such programs: there are --split ")


@settings(max_examples=20)
@given(st.lists(st.text(), min_size=1, max_size=30))
def test_a_quoted_text_is_one_literal(texts: list[str]) -> None:
    with duckdb.connect() as connection:
        assert connection.execute(f"SELECT {', '.join(map(quote, texts))}").fetchall() == [tuple(texts)]


def test_names_are_quoted_wherever_they_stand() -> None:
    for field in ("suite", "target", "track", "reference", "llvm", "split", "origin"):
        assert "x''y" in standings_sql(replace(QUESTION, **{field: "x'y"}))
    assert "'mca.cycles@x''y'" in standings_sql(replace(QUESTION, metric="mca.cycles@x'y"))


def test_questions_are_what_was_recorded(tmp_path: Path) -> None:
    with asked(tmp_path) as index, pytest.raises(UsageError, match="there are no results yet"):
        questions(index)
    record(tmp_path, 0, [row("one", "Oz", 1), row("one", "Oz", 1, target=Target.AARCH64)])
    record(tmp_path, 1, [row("one", "Oz", 1, frozen_digest=digest_of("another"))], suite="other")
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
        with pytest.raises(UsageError) as raised:
            questions(index, suite="other", targets=("aarch64",))
        assert (raised.value.hint or "").startswith("there are: other (track size, x86-64), ")  # the nearest first


def speed(policy: str, benchmark: str, metric: str | None, value: float | None, **fields: Any) -> Row:
    """A row of track speed; with ``value`` None and the outcome ok, a metric that could not be taken."""
    made = row(benchmark, policy, 0, track=SPEED)
    unit = metric and find_metric(metric).unit_on(Target.X86_64)
    named = {"metric": metric, "unit": unit, "value": value, "detail": "" if value is not None else "why"}
    return made.model_copy(update={**named, **fields})


def test_ratios_of_what_may_be_zero(tmp_path: Path) -> None:
    """Values plus one, everywhere: zero spills is the best there is, and no failure."""
    rows = [speed("greedy", name, "spills", value) for name, value in (("one", 0), ("two", 9), ("three", 4))]
    rows += [speed("basic", name, "spills", value) for name, value in (("one", 3), ("two", 0), ("three", 4))]
    record(tmp_path, 0, rows, track=SPEED)
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
    record(tmp_path, 1, [speed("greedy", "one", "loads", 5), speed("basic", "one", "loads", 0)], track=SPEED)
    assert table(tmp_path, other)["basic"].completed == 0


def test_what_failed_counts_as_the_tracks_slowest_baseline(tmp_path: Path) -> None:
    rows = [speed("greedy", name, "instructions", 100) for name in ("one", "two")]
    rows += [speed("fast-o0", "one", "instructions", 400), speed("fast-o0", "two", "instructions", 50)]
    rows += [speed("O0", name, "instructions", 90_000) for name in ("one", "two")]
    failed = {"outcome": Outcome.RUN_CRASH, "unit": None, "detail": "killed"}
    rows += [speed("mine", name, None, None, **failed) for name in ("one", "two")]
    record(tmp_path, 0, rows, track=SPEED)
    question = replace(QUESTION, track="speed", metric="instructions", reference="greedy")
    assert table(tmp_path, question)["mine"].strict is None
    with asked(tmp_path) as index:
        assert {p.benchmark: p.counted for p in programs(index, question, "mine")} == {"one": 1 / 4, "two": 1}


def test_a_metric_that_could_not_be_taken_is_not_covered_and_says_why(tmp_path: Path) -> None:
    """The cell stays one cell; its other metrics count."""
    rows = []
    for policy in ("greedy", "basic"):
        rows += [speed(policy, name, "instructions", 100) for name in ("one", "two")]
        rows.append(speed(policy, "one", "mca.cycles", 10))
    rows += [speed("greedy", "two", "mca.cycles", 30), speed("basic", "two", "mca.cycles", None)]
    record(tmp_path, 0, rows, track=SPEED)
    question = replace(QUESTION, track="speed", metric="mca.cycles", reference="greedy")
    found = table(tmp_path, question)["basic"]
    assert (found.completed, found.benchmarks, found.matched) == (1, 2, 1.0)
    assert table(tmp_path, replace(question, metric="instructions"))["basic"].completed == 2
    with asked(tmp_path) as index:
        figures = {p.benchmark: (p.outcome, p.detail) for p in programs(index, question, "basic")}
        assert index.execute("SELECT count(*) FROM cells").fetchone() == (4,)
    assert figures == {"one": ("ok", ""), "two": ("not measured", "why")}


def test_questions_of_a_track_with_several_references(tmp_path: Path) -> None:
    record(tmp_path, 0, [speed("greedy", "one", "instructions", 1)], track=SPEED)
    with asked(tmp_path) as index:
        assert [(q.metric, q.reference) for q in questions(index)] == [
            ("instructions", name) for name in ("greedy", "basic", "pbqp")
        ]
        assert [q.reference for q in questions(index, reference="fast")] == ["fast"]


def test_who_completed_nothing_comes_last(tmp_path: Path) -> None:
    """Counting its programs as the reference's, where nothing worse is known, puts nobody ahead."""
    rows = [row("one", "Oz", 100), row("one", "worse", 110), row("one", "absent", None)]
    record(tmp_path, 1, rows)
    assert list(table(tmp_path)) == ["Oz", "worse", "absent"]


def test_benchmarks_that_are_named_are_all_that_counts(tmp_path: Path) -> None:
    values = {"one": 50, "two": 100, "three": 400}
    record(tmp_path, 0, [row(name, "Oz", 100) for name in values] + [row(name, "a", v) for name, v in values.items()])
    only = replace(QUESTION, benchmarks=("one", "three"))
    found = table(tmp_path, only)["a"]
    assert (found.benchmarks, found.strict) == (2, pytest.approx(math.sqrt(2 * 0.25)))
    assert only.restrictions == ("only one, three",)
    with asked(tmp_path) as index:
        named = questions(index, suite="made", benchmarks=("two",))
        assert [(one.benchmarks, one.split) for one in named] == [(("two",), None)]
        assert [one.benchmark for one in versus(index, named[0], "a", "Oz").rows] == ["two"]
        with pytest.raises(UsageError, match="benchmark 'thre'") as raised:
            questions(index, benchmarks=("one", "thre"))
    assert raised.value.hint == "did you mean 'three'?"


def test_copies_are_one_entry_and_say_of_whom(tmp_path: Path) -> None:
    names = [f"p{number}" for number in range(8)]
    same = {"object_digest": "d" * 64}
    rows = [row(name, "Oz", 100) for name in names]
    rows += [row(name, policy, 90, **same) for name in names for policy in ("a", "b", "c")]
    record(tmp_path, 0, rows)
    found = table(tmp_path)
    first, *others = sorted("abc")
    assert not any("the same objects" in reason for reason in found[first].reasons)
    assert [found[one].reasons for one in others] == [(f"the same objects as {first}: one entry",)] * 2


def test_a_ceiling_is_not_ranked_and_measures_the_others(tmp_path: Path) -> None:
    values = {"Oz": 100, "half": 95, "best": 90}
    rows = [row(f"b{n}", name, value) for n in range(8) for name, value in values.items()]
    record(tmp_path, 0, rows, ceilings=["best"])
    found = table(tmp_path)
    assert found["best"].rank is None
    assert "a ceiling: the best that is known of each program" in found["best"].reasons
    assert found["half"].rank is not None
    assert found["best"].share == 1
    assert found["half"].share == pytest.approx(math.log(100 / 95) / math.log(100 / 90))


def test_a_ceiling_says_what_trials_it_took_and_no_price(tmp_path: Path) -> None:
    rows = [row(f"b{n}", name, value) for n in range(8) for name, value in (("Oz", 100), ("best", 90))]
    rows += [row(f"b{n}", "best", 1000 * (n + 1), metric="decide.trials") for n in range(8)]
    rows += [row(f"b{n}", "best", 0.0, metric="decide.cpu") for n in range(8)]
    record(tmp_path, 0, rows, ceilings=["best"])
    found = table(tmp_path)["best"]
    said = "a ceiling: the best that is known of each program, found in 4,500 trials, the median of programs"
    assert said in found.reasons
    assert found.decide_cpu is None
