"""The index says what the run files say, follows them, and can neither be written through nor look elsewhere."""

import json
import os
import threading
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.base.errors import UsageError
from harness.base.paths import cache_root
from harness.base.vocabulary import Target
from harness.record import RunFile, building, check, open_index, read_run
from harness.record.rows import Row
from tests.rows import LLVM, row, run_file

LATER = "2026-02-01T00:00:00+00:00"


def index_files() -> set[Path]:
    return set((cache_root() / "index").glob("*.duckdb"))


def rows_in(results: Path) -> list[tuple[str, str, str]]:
    with open_index(results) as index:
        return sorted(index.execute("SELECT run, benchmark, policy FROM rows").fetchall())


def many_rows(number: int) -> list[Row]:
    return [
        row(f"b{n % 40}", f"p{n // 40}", None if n % 7 == 0 else n * 15 + 1, target=list(Target)[n % 2], seed=n)
        for n in range(number)
    ]


def test_it_holds_what_the_files_hold(tmp_path: Path) -> None:
    paths = [run_file(tmp_path, many_rows(3000)), run_file(tmp_path, many_rows(17), finished=LATER)]
    with open_index(tmp_path) as index:
        for path in paths:
            run = read_run(path)
            lines = path.read_bytes().splitlines()
            found = index.execute(
                "SELECT line, cell, benchmark, target, policy, seed, outcome, detail, metric, value, unit, class"
                " FROM rows WHERE run = ? ORDER BY line",
                [run.header.run],
            ).fetchall()
            assert [line for line, *_ in found] == list(range(2, len(lines) + 1))
            for line, *fields in found:
                r = Row.model_validate_json(lines[line - 1], strict=True)
                said = [r.cell, r.benchmark, r.target, r.policy, r.seed, r.outcome, r.detail or None, r.metric, r.value]
                assert fields == [*said, r.unit, r.policy_class], line
            (counted,) = index.execute("SELECT count(*) FROM rows WHERE run = ?", [run.header.run]).fetchone() or ()
            assert counted == len(run.rows)
        headers = index.execute("SELECT run, suite, track, llvm, dirty, file FROM runs ORDER BY run").fetchall()
    assert headers == [(p.stem, "made", "size", LLVM, None, str(p)) for p in sorted(paths)]


NUMBERS = st.floats(1e-6, allow_infinity=False) | st.integers(1, 2**53)
TEXTS = st.text(st.characters(exclude_categories=["C", "Zl", "Zp"]) | st.just("\n"), max_size=30)


@settings(max_examples=5)
@given(facts=st.dictionaries(TEXTS, st.tuples(NUMBERS, st.integers(0, 2**63 - 1)), max_size=50))
def test_every_text_and_number_arrives(
    facts: dict[str, tuple[float, int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    results = tmp_path_factory.mktemp("results")
    named = {f"b{number}": text for number, text in enumerate(facts)}
    failed = [row(name, "O3", None, detail=text) for name, text in named.items()]
    time = {"metric": "compile.cpu"}
    run_file(results, [*failed, *(row(name, "Oz", facts[t][0], seed=facts[t][1], **time) for name, t in named.items())])
    with open_index(results) as index:
        details = dict(index.execute("SELECT benchmark, detail FROM rows WHERE metric IS NULL").fetchall())
        numbers = index.execute("SELECT benchmark, value, seed FROM rows WHERE metric IS NOT NULL").fetchall()
    assert details == {name: text or None for name, text in named.items()}
    assert {named[name]: (value, seed) for name, value, seed in numbers} == facts


def test_an_empty_folder_has_an_empty_index(tmp_path: Path) -> None:
    for results in (tmp_path, tmp_path / "nowhere"):
        with open_index(results) as index:
            assert index.execute("SELECT count(*) FROM rows").fetchone() == (0,)
            assert index.execute("SELECT count(*) FROM cells").fetchone() == (0,)
            assert index.execute("SELECT count(*) FROM measurements").fetchone() == (0,)


def test_it_follows_the_files(tmp_path: Path) -> None:
    before = index_files()
    first = run_file(tmp_path, [row("one", "Oz", 1)])
    assert rows_in(tmp_path) == [(first.stem, "one", "Oz")]
    (built,) = index_files() - before
    stamp = built.stat().st_mtime_ns
    assert rows_in(tmp_path) == [(first.stem, "one", "Oz")]
    assert built.stat().st_mtime_ns == stamp  # nothing changed: nothing is built
    second = run_file(tmp_path / "sub", [row("two", "O2", 2)], finished=LATER)
    assert rows_in(tmp_path) == sorted([(first.stem, "one", "Oz"), (second.stem, "two", "O2")])
    assert len(index_files() - before) == 1  # the old one is gone
    first.unlink()
    assert rows_in(tmp_path) == [(second.stem, "two", "O2")]


def test_a_reader_keeps_its_snapshot(tmp_path: Path) -> None:
    run_file(tmp_path, [row("one", "Oz", 1)])
    with open_index(tmp_path) as old:
        run_file(tmp_path, [row("two", "Oz", 2)], finished=LATER)
        with open_index(tmp_path) as new:
            assert new.execute("SELECT count(*) FROM rows").fetchone() == (2,)
            assert old.execute("SELECT count(*) FROM rows").fetchone() == (1,)


def test_two_folders_do_not_mix(tmp_path: Path) -> None:
    run_file(tmp_path / "a", [row("one", "Oz", 1)])
    run_file(tmp_path / "b", [row("two", "Oz", 2)])
    assert [r[1] for r in rows_in(tmp_path / "a")] == ["one"]
    kept = index_files()
    assert [r[1] for r in rows_in(tmp_path / "b")] == ["two"]
    assert kept < index_files()  # the index of one is not thrown away for the other's


def test_many_readers_at_once_build_it_once(tmp_path: Path) -> None:
    before = index_files()
    run_file(tmp_path, many_rows(500))
    counts: list[int] = []

    def read() -> None:
        with open_index(tmp_path) as index:
            counts.append((index.execute("SELECT count(*) FROM rows").fetchone() or (0,))[0])

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert counts == [500] * 4
    assert len(index_files() - before) == 1


def test_foreign_files_are_named_and_ignored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = run_file(tmp_path, [row("one", "Oz", 1)])
    foreign = tmp_path / "notes.jsonl"
    foreign.write_text('{"cell": "x"}\n')
    (tmp_path / ".0123.journal").write_text("{}")
    assert rows_in(tmp_path) == [(path.stem, "one", "Oz")]
    assert capsys.readouterr().err == f"warning: ignored, not a run file: {foreign}\n"
    open_index(tmp_path, warn=False).close()
    assert capsys.readouterr().err == ""


def test_a_torn_file_is_refused_and_its_repair_is_seen(tmp_path: Path) -> None:
    path = run_file(tmp_path, [row("one", "Oz", 1), row("two", "Oz", 2)])
    whole = path.read_bytes()
    assert len(rows_in(tmp_path)) == 2
    path.write_bytes(whole[:-20])
    with pytest.raises(UsageError) as raised:
        open_index(tmp_path)
    assert raised.value.where == str(path) and "torn or altered" in raised.value.message
    assert raised.value.hint
    path.write_bytes(whole)
    assert len(rows_in(tmp_path)) == 2


def test_a_changed_number_of_the_same_length_is_noticed(tmp_path: Path) -> None:
    path = run_file(tmp_path, [row("one", "Oz", 123456)])
    assert len(rows_in(tmp_path)) == 1
    path.write_bytes(path.read_bytes().replace(b"123456", b"123455"))
    with pytest.raises(UsageError, match="torn or altered"):
        open_index(tmp_path)


@pytest.fixture(scope="module")
def one_row(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results of one row, that no statement changes."""
    results = tmp_path_factory.mktemp("results")
    run_file(results, [row("one", "Oz", 1)])
    return results


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM read_text('{file}')",
        "SELECT * FROM read_csv('{file}')",
        "SELECT * FROM read_json('{file}')",
        "SELECT * FROM '{file}'",
        "SELECT * FROM glob('{folder}/*')",
        "COPY rows TO '{folder}/stolen.csv'",
        "EXPORT DATABASE '{folder}/all'",
        "ATTACH '{folder}/other.duckdb' AS other",
        "INSERT INTO rows (run) VALUES ('x')",
        "UPDATE rows SET value = 0",
        "DELETE FROM rows",
        "DROP VIEW cells",
        "CREATE TABLE mine (x INTEGER)",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET enable_external_access = true",
        "SET lock_configuration = false",
        "RESET enable_external_access",
        "SET memory_limit = '1GB'",
    ],
)
def test_a_query_can_neither_write_nor_look_elsewhere(statement: str, one_row: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.json"
    secret.write_text(json.dumps({"secret": 1}))
    with open_index(one_row) as index:
        with pytest.raises(duckdb.Error):
            index.execute(statement.format(file=secret, folder=tmp_path)).fetchall()
        assert index.execute("SELECT value FROM rows").fetchall() == [(1.0,)]
    assert os.listdir(tmp_path) == ["secret.json"]


def test_cells_and_measurements_count_each_thing_once(tmp_path: Path) -> None:
    cell = [row("one", "Oz", 10), row("one", "Oz", 4, metric="size.text")]
    run_file(tmp_path, [*cell, row("two", "Oz", None)])
    again = [cell[0], row("one", "Oz", 0.5, metric="compile.cpu", unit="s")]
    run_file(tmp_path, again, started=LATER, finished=LATER)
    with open_index(tmp_path) as index:
        cells = index.execute("SELECT benchmark, outcome FROM cells").fetchall()
        measured = index.execute("SELECT metric, value, started FROM measurements ORDER BY metric").fetchall()
    assert Counter(cells) == {("one", "ok"): 2, ("two", "wrong-output"): 1}  # once a run
    early = "2026-01-01T00:00:00+00:00"
    assert measured == [("compile.cpu", 0.5, LATER), ("size.alloc", 10.0, LATER), ("size.text", 4.0, early)]


def test_building_it_is_told_file_by_file(tmp_path: Path) -> None:
    for started in (LATER, "2026-01-01T00:00:00+00:00"):
        run_file(tmp_path, [row("a", "Oz", 1)], started=started, finished=started)
    told: list[tuple[str, float | str]] = []

    class Told:
        def stage(self, name: str, total: float) -> None:
            told.append((name, total))

        def advance(self, weight: float, what: str) -> None:
            told.append((what, weight))

    open_index(tmp_path, observer=Told()).close()
    (name, total), *pieces = told
    assert name == "index" and len(pieces) == 2 and sum(float(weight) for _, weight in pieces) == total > 0
    open_index(tmp_path, observer=Told()).close()
    assert len(told) == 3


def everything(results: Path) -> dict[str, list[str]]:
    """All that the index has, but the order."""
    with open_index(results) as index:
        names = [name for (name,) in index.execute("SELECT table_name FROM information_schema.tables").fetchall()]
        return {name: sorted(map(repr, index.execute(f"SELECT * FROM {name}").fetchall())) for name in names}


@given(order=st.permutations(range(4)), read_after=st.sets(st.integers(0, 3)))
@settings(max_examples=8, deadline=None)
def test_what_grows_has_the_same_in_it_as_what_is_built_at_once(
    order: list[int], read_after: set[int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Two runs contradict each other, and one is of another machine's word: what follows from all is made anew."""
    results = tmp_path_factory.mktemp("results")
    for place in order:
        day = f"2026-01-0{place + 1}T00:00:00+00:00"
        run_file(results, [row("a", "Oz", 1 + place % 2), row(f"b{place}", "O2", 7)], started=day, finished=day)
        if place in read_after:
            everything(results)
    grown = everything(results)
    for index in index_files():
        index.unlink()
    assert grown == everything(results)
    assert len(grown["rows"]) == 8 and grown["contradictions"]


def test_of_what_is_added_that_alone_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def reading(path: Path) -> RunFile:
        read.append(path.name)
        return read_run(path)

    monkeypatch.setattr(building, "read_run", reading)
    first = run_file(tmp_path, [row("one", "Oz", 1)])
    open_index(tmp_path).close()
    second = run_file(tmp_path, [row("two", "Oz", 2)], finished=LATER)
    open_index(tmp_path).close()
    assert read == [first.name, second.name]
    os.utime(first, ns=(0, 0))  # it may be another one
    open_index(tmp_path).close()
    assert sorted(read[2:]) == sorted([first.name, second.name])
    read.clear()
    second.unlink()
    assert [name for name, *_ in rows_in(tmp_path)] == [first.stem] and read == [first.name]


@pytest.mark.parametrize("more", [False, True], ids=["again", "grown"])
def test_an_altered_index_is_built_again(more: bool, tmp_path: Path) -> None:
    """Whoever edits the derived file: its name contradicts it then, and nothing is taken over from it."""
    before = index_files()
    run_file(tmp_path, [row("b", "p", 700)])
    open_index(tmp_path).close()
    (index,) = index_files() - before
    with duckdb.connect(str(index)) as connection:
        connection.execute("UPDATE rows SET value = 100, exact = 100")
        connection.execute("CHECKPOINT")
    if more:
        run_file(tmp_path, [row("c", "p", 1)], finished=LATER)
    with open_index(tmp_path) as connection:
        values = connection.execute("SELECT value FROM rows ORDER BY value").fetchall()
    assert values == ([(1.0,), (700.0,)] if more else [(700.0,)])


def test_an_index_built_under_a_wrong_clock_is_not_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Someone's clock was a year ahead when the run was made and first read; now it is right again."""
    ahead = (datetime.now(UTC) + timedelta(days=365)).isoformat(timespec="seconds")
    run_file(tmp_path, [row("b", "p", 700)], started=ahead, finished=ahead)
    with monkeypatch.context() as patch:
        patch.setattr(check, "_AHEAD", timedelta(days=400))
        open_index(tmp_path).close()
    with pytest.raises(UsageError, match="by this machine's clock"):
        open_index(tmp_path)
