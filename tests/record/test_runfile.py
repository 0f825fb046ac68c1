"""Run files: written whole, named by their rows, and refused when a byte of them is not as written."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.base.digest import canonical_json, digest_bytes
from harness.base.errors import UsageError
from harness.base.vocabulary import Outcome, Target
from harness.record.journal import Journal
from harness.record.rows import Header, Row
from harness.record.runfile import read_run, run_files, write_run
from tests.rows import block, campaign, header, older_file, row, run_file, written_by_another

ROWS = [row("one", "Oz", 10), row("two", "Oz", None), row("one", "O2", 11.25, metric="compile.cpu", unit="s")]

NAMES = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,20}", fullmatch=True)
NUMBERS = st.integers(1, 2**70)
ANY_ROW = st.builds(
    row,
    benchmark=NAMES,
    policy=NAMES,
    value=st.none() | NUMBERS,
    target=st.sampled_from(Target),
    seed=st.integers(0, 2**63 - 1),
    object_digest=st.text(max_size=20),
)


def some_rows(least: int, most: int) -> st.SearchStrategy[list[Row]]:
    """Rows of different cells."""
    return st.lists(ANY_ROW, min_size=least, max_size=most, unique_by=lambda one: (one.cell, one.policy))


def in_order(rows: list[Row] | tuple[Row, ...]) -> list[str]:
    return sorted(r.model_dump_json() for r in rows)


def refused(path: Path) -> UsageError:
    with pytest.raises(UsageError) as raised:
        read_run(path)
    assert (raised.value.where or "").startswith(str(path))
    return raised.value


def altered(path: Path, content: bytes, name: str | None = None) -> Path:
    """A copy of a run file with other content, alone in a new folder."""
    folder = path.parent / "altered"
    folder.mkdir(exist_ok=True)
    copy = folder / (name or path.name)
    copy.write_bytes(content)
    return copy


@settings(max_examples=20)
@given(rows=some_rows(0, 6))
def test_what_is_written_is_read(rows: list[Row], tmp_path_factory: pytest.TempPathFactory) -> None:
    path = run_file(tmp_path_factory.mktemp("run"), rows)
    run = read_run(path)
    assert in_order(run.rows) == in_order(rows)
    assert run.header == Header(run=path.stem, **header(rows))
    assert run.path == path


def test_the_name_says_suite_track_time_and_digest(tmp_path: Path) -> None:
    path = run_file(tmp_path, ROWS, finished="2026-03-04T05:06:07+00:00")
    first, _, body = path.read_bytes().partition(b"\n")
    fields = json.loads(first)["header"]
    assert fields.pop("run") == path.stem
    digest = digest_bytes(canonical_json(fields) + b"\n" + body)[:32]
    assert path.name == f"made-size-20260304T050607Z-{digest}.jsonl"
    assert [p.name for p in tmp_path.iterdir()] == [path.name]
    assert path.stat().st_mode & 0o777 == 0o644
    assert len(body.splitlines()) == len(ROWS)
    assert all(line == line.strip() and json.loads(line) for line in body.splitlines())


@settings(max_examples=20)
@given(rows=some_rows(2, 5), random=st.randoms(use_true_random=False))
def test_the_order_in_which_cells_ended_does_not_show(
    rows: list[Row], random: Random, tmp_path_factory: pytest.TempPathFactory
) -> None:
    one, other = tmp_path_factory.mktemp("one"), tmp_path_factory.mktemp("other")
    shuffled = random.sample(rows, len(rows))
    first = run_file(one, rows)
    second = run_file(other, shuffled)
    assert first.name == second.name
    assert first.read_bytes() == second.read_bytes()
    third = run_file(other, shuffled, started="2025-12-31T00:00:00+00:00", jobs=9)
    assert first.read_bytes().partition(b"\n")[2] == third.read_bytes().partition(b"\n")[2]
    assert read_run(first).rows == read_run(second).rows


STEPS = [17, pytest.param(1, marks=pytest.mark.slow)]


@pytest.mark.parametrize("step", STEPS)
def test_every_altered_byte_is_noticed(step: int, tmp_path: Path) -> None:
    path = run_file(tmp_path, ROWS)
    content = path.read_bytes()
    start = content.index(b"\n") + 1
    copy = altered(path, content)
    assert read_run(copy).rows == read_run(path).rows
    for index in (*range(0, len(content), step), len(content) - 1):
        copy.write_bytes(content[:index] + bytes([content[index] ^ 1]) + content[index + 1 :])
        message = refused(copy).message
        if index >= start:
            assert message == "torn or altered: its content contradicts its name"


@pytest.mark.parametrize("change", [{"jobs": 7}, {"commit": "f" * 40}, {"dirty": True}, {"started": "2027-01-01"}])
def test_an_altered_header_is_noticed(change: dict[str, Any], tmp_path: Path) -> None:
    path = run_file(tmp_path, ROWS)
    first, _, body = path.read_bytes().partition(b"\n")
    line = canonical_json({"header": {**json.loads(first)["header"], **change}})
    copy = altered(path, line + b"\n" + body)
    assert refused(copy).message == "torn or altered: its content contradicts its name"


@pytest.mark.parametrize("step", STEPS)
def test_a_torn_file_is_noticed_wherever_it_ends(step: int, tmp_path: Path) -> None:
    path = run_file(tmp_path, ROWS)
    content = path.read_bytes()
    copy = altered(path, b"")
    start = content.index(b"\n")
    for length in (*range(0, len(content), step), start, start + 1, len(content) - 1):
        copy.write_bytes(content[:length])
        refused(copy)
    for more in (b"\n", b"{}\n", content):
        copy.write_bytes(content + more)
        refused(copy)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("-size-", "-speed-", "renamed: its header names another run"),
        ("made-", "other-", "renamed: its header names another run"),
        ("T000100Z", "T000101Z", "renamed: its header names another run"),
        ("Z-", "Z-0", "not a run file"),
        (".jsonl", ".json", "not a run file"),
    ],
)
def test_a_renamed_file_is_noticed(old: str, new: str, message: str, tmp_path: Path) -> None:
    path = run_file(tmp_path, ROWS)
    assert refused(path.rename(tmp_path / path.name.replace(old, new))).message == message


def with_header(path: Path, change: Any) -> Path:
    """A run file with another header; one that is JSON fits its name."""
    if isinstance(change, bytes):
        return altered(path, change + b"\n" + path.read_bytes().partition(b"\n")[2])
    return written_by_another(path, **change)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"schema_version": 99}, "schema 99; this harness reads 2"),
        ({"colour": "red"}, "header.colour: Extra inputs are not permitted"),
        ({"jobs": "many"}, "header.jobs: "),
        ({"jobs": "2"}, "header.jobs: "),
        ({"jobs": True}, "header.jobs: "),
        ({"jobs": 10**19}, "header.jobs: "),
        ({"track": "beauty"}, "header.track: "),
        ({"schema_version": True}, "the header is not readable"),
        ({"llvm": "22"}, "header.llvm: "),
        ({"commit": "; rm -rf"}, "header.commit: "),
        ({"started": "yesterday"}, "header.started: "),
        ({"started": "2026-13-01T00:00:00+00:00"}, "header.started: "),
        ({"started": "2026-01-02T00:00:00+00:00"}, "header.finished: "),
        ({"started": "2026-01-01T00:00:00+02:00"}, "header.started: "),
        ({"llvm_version": "22\x1b[31m"}, "header.llvm_version: "),
        ({"min_coverage": 2.0}, "header.min_coverage: "),
        ({"trained_on": {"Oz": ["none"]}}, "header.benchmarks: 'none' is not among them"),
        ({"suite": "other"}, "renamed: its header names another run"),
        ({"finished": "2026-01-01T00:02:00+00:00"}, "renamed: its header names another run"),
        ({"run": "another"}, "renamed: its header names another run"),
        (b"{", "not JSON: "),
        (b"\xff", "not JSON: "),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"header":' + b"9" * 5000 + b"}", "not JSON: Exceeds the limit"),
        (b"[]", "not a JSON object"),
        (b"{}", "the header is not readable"),
        (b'{"header":null}', "the header is not readable"),
        (b'{"header": {}}', "not the canonical text"),
        (b'{"header":{"schema_version":1}}', "schema 1; this harness reads 2"),
        (b'{"header":{"schema_version":7}}', "torn or altered: its content contradicts its name"),
        (b'{"header":{"schema_version":5}}', "names of schema 5 end in 12 digits of the file's digest, not in 32"),
        (b"", "not JSON: "),
    ],
)
def test_a_header_that_cannot_be_is_refused(change: Any, message: str, tmp_path: Path) -> None:
    assert refused(with_header(run_file(tmp_path, ROWS), change)).message.startswith(message)


def test_run_files_and_foreign_files_are_told_apart(tmp_path: Path) -> None:
    path = run_file(tmp_path, ROWS)
    nested = run_file(tmp_path / "2026", ROWS[:1])
    foreign = [tmp_path / "notes.txt", tmp_path / "2026" / "made-size-20260101.jsonl"]
    for file in (*foreign, tmp_path / ".0123.journal", tmp_path / ".abc.partial", tmp_path / "decisions" / "x.zst"):
        file.parent.mkdir(exist_ok=True)
        file.write_text("?")
    runs, others = run_files(tmp_path)
    assert set(runs) == {path, nested}
    assert set(others) == set(foreign)
    assert run_files(tmp_path / "nowhere") == ([], [])


def test_a_failed_cell_has_no_numbers_on_paper() -> None:
    line = row(value=None).line()
    assert not {"metric", "value", "unit"} & set(line)
    assert line["outcome"] == Outcome.WRONG_OUTPUT.value
    assert line["class"] == "fixed"


def test_campaigns_and_blocks_are_kept(tmp_path: Path) -> None:
    made = [block({"o": 1.0, "p": 1.5}, number) for number in range(3)]
    found = campaign()
    path = write_run(tmp_path, header([row()]), [row()], [found], made)
    read = read_run(path)
    assert (read.campaigns, read.blocks, read.rows) == ((found,), tuple(made), (row(),))
    text = path.read_text()
    path.write_text(text.replace('"number":1', '"number":7'))
    with pytest.raises(UsageError, match="torn or altered"):
        read_run(path)


def test_a_journal_keeps_campaigns_and_blocks(tmp_path: Path) -> None:
    journal = Journal(tmp_path, "a" * 64)
    journal.open_campaign("c1", {"campaign": "c1", "core": 1})
    journal.add_block(block({"o": 1.0, "p": 1.5}, 0))
    journal.add(f"{row().cell}:Oz", [row()])
    journal.close(remove=False)
    with journal.path.open("ab") as file:
        file.write(b'{"code":"0123","entry":{"block":{"campaign":"c1","torn')
    again = Journal(tmp_path, "a" * 64)
    assert again.opened == {"c1": {"campaign": "c1", "core": 1}}
    assert again.blocks == [block({"o": 1.0, "p": 1.5}, 0)]
    assert list(again.cells) == [f"{row().cell}:Oz"]
    again.close(remove=True)


def test_what_programs_said_is_recorded_so_that_it_can_be_shown(tmp_path: Path) -> None:
    said = "line 1\nred: \x1b[31m, turned: \u202e, nothing: \x00" + "x" * 100_000
    (read,) = read_run(run_file(tmp_path, [row(value=None, detail=said)])).rows
    assert read.detail.startswith("line 1\nred: \\x1b[31m, turned: \\u202e, nothing: \\x00xxx")
    assert len(read.detail) < 2000


def test_nothing_is_written_that_could_not_be_read(tmp_path: Path) -> None:
    twice = [row("one", "Oz", 10), row("one", "Oz", 11)]
    for rows, fields in ((twice, {}), ([row()], {"suite_version": "1\x07"}), ([row(value=0)], {})):
        with pytest.raises(UsageError):
            run_file(tmp_path, rows, **fields)
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_the_schema_without_campaigns_is_read(tmp_path: Path) -> None:
    path = older_file(tmp_path, [row()], 2)
    assert read_run(path).header.schema_version == 2
    assert read_run(path).header.min_coverage == 0.8


def test_rows_with_a_kind_are_read_as_problem_and_form(tmp_path: Path) -> None:
    """Of schema 6 and before. What the kind of a row does not tell, its form, is not made up."""
    rows = [
        row(),
        row(policy="list", problem="passes", form="list"),
        row(policy="net", problem="inlining", form="onnx"),
    ]
    path = older_file(tmp_path, rows, 6)
    assert b'"kind":"inliner"' in path.read_bytes() and b'"problem"' not in path.read_bytes()
    known = {one.policy: one for one in rows}
    known["net"] = known["net"].model_copy(update={"form": None})
    assert {one.policy: one for one in read_run(path).rows} == known


def test_an_unknown_kind_of_an_old_row_is_named(tmp_path: Path) -> None:
    path = older_file(tmp_path, [row()], 6)
    lines = path.read_bytes().partition(b"\n")[2]
    made = written_by_another(path, lines.replace(b'"kind":"level"', b'"kind":"magic"'))
    with pytest.raises(UsageError, match=r"line 2: kind: unknown kind 'magic'; there were: level, "):
        read_run(made)
    made = written_by_another(path, lines, schema_version=7)
    with pytest.raises(UsageError, match="line 2: problem: Field required"):
        read_run(made)
