"""Official runs: whatever is edited, removed, added or moved afterwards is found, wherever it is."""

import json
import shutil
import subprocess
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from harness.apply.decisions import Decisions
from harness.base.errors import UsageError
from harness.base.vocabulary import Level
from harness.record.decisions import store_decisions
from harness.record.ledger import Entry, Verified, add_to_ledger, take_run, verify
from harness.record.runfile import LEDGER, LINES, SIGNERS
from harness.record.signature import sign
from tests.rows import row, run_file

RUNS = 3


def key_at(path: Path) -> Path:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True, timeout=60)
    return path


@pytest.fixture(scope="module")
def official(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with three official runs of four rows, and the key beside it."""
    folder = tmp_path_factory.mktemp("official")
    key = key_at(folder / "key")
    results = folder / "results"
    results.mkdir()
    (results / SIGNERS).write_text(f"maintainer {key.with_suffix('.pub').read_text()}")
    digest = store_decisions(results, DECISIONS)
    for number in range(RUNS):
        rows = [row(name, value=10 * number + place, decisions_digest=digest) for place, name in enumerate("abcd", 1)]
        add_to_ledger(run_file(results, rows, finished=f"2026-01-01T00:0{number + 1}:00+00:00"), key)
    return results


DECISIONS = Decisions("passes", Level.OZ, {"passes": ["globaldce"], "dropped": []}).content


def copy_of(official: Path, folder: Path) -> Path:
    return Path(shutil.copytree(official, folder / "results"))


def runs(results: Path) -> list[Path]:
    return sorted(results.glob("made-*.jsonl"))


def said(found: Verified) -> str:
    return "\n".join(f"{fault.where}: {fault.what}" for fault in found.faults)


def edit(path: Path, change: Callable[[list[str]], list[str]]) -> None:
    path.write_text("".join(change(path.read_text().splitlines(keepends=True))))


def test_what_nobody_touched_is_whole(official: Path) -> None:
    found = verify(official)
    assert found.faults == () and found.unsigned == () and len(found.runs) == RUNS
    assert found.signers == ("maintainer",)


@given(
    st.integers(0, RUNS - 1), st.integers(0, 4), st.integers(0, 4), st.sampled_from(["edit", "remove", "add", "move"])
)
def test_every_change_of_a_line_is_named(official: Path, which: int, line: int, other: int, how: str) -> None:
    path = runs(official)[which]
    whole = path.read_text()
    lines = whole.splitlines(keepends=True)
    try:
        if how == "edit":
            lines[line] = lines[line].replace('"', "'", 1)
        elif how == "remove":
            del lines[line]
        elif how == "add":
            lines.insert(line, lines[other].replace("0", "1", 1))
        elif line != other:
            lines.insert(other, lines.pop(line))
        path.write_text("".join(lines))
        found = verify(official)
        changed = "".join(lines) != whole
        assert bool(found.faults) == changed
        assert len(found.runs) == RUNS - changed
        if changed:
            (fault,) = found.faults
            assert fault.where == path.name
            if how in ("edit", "remove"):
                assert f"line {line + 1} {how.rstrip('e')}ed" in fault.what
            if how == "move":
                assert "moved" in fault.what and "edited" not in fault.what
    finally:
        path.write_text(whole)


@pytest.mark.parametrize("which", range(RUNS))
def test_a_run_that_is_gone_is_missed(which: int, official: Path, tmp_path: Path) -> None:
    results = copy_of(official, tmp_path)
    gone = runs(results)[which]
    gone.unlink()
    assert said(verify(results)) == f"{gone.name}: this official run is missing"


@pytest.mark.parametrize("which", range(RUNS))
def test_a_run_that_is_gone_with_its_entry_is_missed(which: int, official: Path, tmp_path: Path) -> None:
    """All but the newest: that one is missed by who knows the last entry."""
    results = copy_of(official, tmp_path)
    known = verify(results).last
    gone = runs(results)[which]
    for path in (gone, gone.with_suffix(LINES)):
        path.unlink()
    edit(results / LEDGER, lambda lines: lines[:which] + lines[which + 1 :])
    found = verify(results)
    if which < RUNS - 1:
        assert "entries were removed, added or moved before this one" in said(found)
    else:
        assert found.faults == () and found.last != known


def test_entries_that_changed_places_are_found(official: Path, tmp_path: Path) -> None:
    results = copy_of(official, tmp_path)
    edit(results / LEDGER, lambda lines: [lines[1], lines[0], *lines[2:]])
    assert "official.jsonl, line 1: entries were removed, added or moved" in said(verify(results))


def test_an_entry_of_a_stranger_is_found(official: Path, tmp_path: Path) -> None:
    """Whoever has another key can add a run, and is not believed."""
    results = copy_of(official, tmp_path)
    added = run_file(results, [row("a", value=1)], finished="2026-01-02T00:00:00+00:00")
    add_to_ledger(added, key_at(tmp_path / "stranger"))
    found = verify(results)
    assert f"official.jsonl, line {RUNS + 1}: not signed by anybody" in said(found)
    assert len(found.runs) == RUNS


def test_a_list_of_signers_that_is_missing_is_said(official: Path, tmp_path: Path) -> None:
    results = copy_of(official, tmp_path)
    (results / SIGNERS).unlink()
    assert "allowed_signers: no list of signers" in said(verify(results))
    with pytest.raises(UsageError, match="no list of signers"):
        verify(results, tmp_path / "misspelt")


def test_an_edited_entry_is_found(official: Path, tmp_path: Path) -> None:
    """A run that was made anew, and an entry that agrees with it: the signature does not."""
    results = copy_of(official, tmp_path)
    document = json.loads((results / LEDGER).read_text().splitlines()[0])
    document["entry"]["number"] = 0
    document["entry"]["chain"] = "0" * 64
    edit(results / LEDGER, lambda lines: [json.dumps(document) + "\n", *lines[1:]])
    assert "official.jsonl, line 1: not signed by anybody" in said(verify(results))


def test_a_signature_for_something_else_is_none(official: Path, tmp_path: Path) -> None:
    """The maintainer signs commits and mails with the same key."""
    results = copy_of(official, tmp_path)
    document = json.loads((results / LEDGER).read_text().splitlines()[0])
    content = tmp_path / "content"
    content.write_bytes(Entry.model_validate(document["entry"]).signed)
    subprocess.run(
        ["ssh-keygen", "-Y", "sign", "-q", "-n", "git", "-f", str(official.parent / "key"), str(content)],
        check=True,
        timeout=60,
    )
    document["signature"] = content.with_suffix(".sig").read_text()
    edit(results / LEDGER, lambda lines: [json.dumps(document) + "\n", *lines[1:]])
    assert "official.jsonl, line 1: not signed by anybody" in said(verify(results))


def test_a_list_of_lines_that_is_gone_is_missed(official: Path, tmp_path: Path) -> None:
    results = copy_of(official, tmp_path)
    runs(results)[0].with_suffix(LINES).unlink()
    assert f"{runs(results)[0].with_suffix(LINES).name}: missing" in said(verify(results))


def test_a_link_is_no_file_beside_a_run(official: Path, tmp_path: Path) -> None:
    results = copy_of(official, tmp_path)
    run = run_file(results, [row("a", value=1)], finished="2026-01-02T00:00:00+00:00")
    beside = run.with_suffix(".functions.parquet")
    beside.write_bytes(b"rows of functions")
    add_to_ledger(run, official.parent / "key")
    assert beside.name not in said(verify(results))
    beside.rename(tmp_path / "elsewhere")
    beside.symlink_to(tmp_path / "elsewhere")
    assert f"{beside.name}: missing, or altered" in said(verify(results))


def test_a_run_of_an_official_name_elsewhere_is_said(official: Path, tmp_path: Path) -> None:
    results = copy_of(official, tmp_path)
    (results / "inside").mkdir()
    shutil.copy(runs(results)[0], results / "inside")
    assert verify(results).unsigned == (runs(results)[0].stem,)


def test_an_added_run_is_said(official: Path, tmp_path: Path) -> None:
    results = copy_of(official, tmp_path)
    added = run_file(results, [row("a", value=1)], finished="2026-01-02T00:00:00+00:00")
    found = verify(results)
    assert found.unsigned == (added.stem,) and len(found.runs) == RUNS


def test_missing_and_altered_decisions_are_found(official: Path, tmp_path: Path) -> None:
    results = copy_of(official, tmp_path)
    (decisions,) = (results / "decisions").iterdir()
    decisions.write_bytes(decisions.read_bytes()[:-4])
    assert said(verify(results)).count("decisions/") == RUNS
    (whole,) = (official / "decisions").iterdir()
    decisions.write_bytes(whole.read_bytes() + zstandard.ZstdCompressor().compress(b"more"))
    assert said(verify(results)).count("altered: its content") == RUNS
    decisions.write_bytes(whole.read_bytes() + b"more")
    assert said(verify(results)).count("not a decisions file") == RUNS
    decisions.unlink()
    assert said(verify(results)).count("the decisions of this row are not here") == RUNS


def test_without_the_list_of_lines_a_change_is_found_all_the_same(official: Path, tmp_path: Path) -> None:
    results = copy_of(official, tmp_path)
    path = runs(results)[0]
    edit(path, lambda lines: lines[:-1])
    path.with_suffix(LINES).unlink()
    assert "altered since it was signed" in said(verify(results))


@pytest.mark.parametrize("content", ["x\n", "{}\n", '{"entry":{},"signature":""}\n', "[" * 10_000, "\0\n"])
def test_a_ledger_that_is_none_is_said(content: str, official: Path, tmp_path: Path) -> None:
    results = copy_of(official, tmp_path)
    (results / LEDGER).write_text((results / LEDGER).read_text() + content)
    assert f"official.jsonl, line {RUNS + 1}" in said(verify(results))
    with pytest.raises(UsageError):
        add_to_ledger(runs(results)[0], official.parent / "key")


@pytest.mark.parametrize(
    "change", [{"signature": "\ud800"}, {"signature": "x" * 100_000}, {"entry": {"beside": {"n" * 300: "0" * 64}}}]
)
def test_an_entry_that_no_file_can_hold_is_said(change: dict[str, Any], official: Path, tmp_path: Path) -> None:
    results = copy_of(official, tmp_path)
    document = json.loads((results / LEDGER).read_text().splitlines()[0])
    document |= {name: document[name] | value if name == "entry" else value for name, value in change.items()}
    edit(results / LEDGER, lambda lines: [*lines, json.dumps(document) + "\n"])
    assert f"official.jsonl, line {RUNS + 1}: not an entry" in said(verify(results))


def test_a_file_that_is_no_key_signs_nothing(official: Path, tmp_path: Path) -> None:
    results = copy_of(official, tmp_path)
    new = run_file(results, [row("a", value=1)], finished="2026-01-02T00:00:00+00:00")
    (tmp_path / "none").write_text("no key")
    before = (results / LEDGER).read_bytes()
    for file in ("none", "absent"):
        with pytest.raises(UsageError):
            add_to_ledger(new, tmp_path / file)
    assert (results / LEDGER).read_bytes() == before


def test_a_run_is_entered_once(official: Path, tmp_path: Path) -> None:
    results = copy_of(official, tmp_path)
    before = (results / LEDGER).read_bytes()
    add_to_ledger(runs(results)[0], official.parent / "key")
    assert (results / LEDGER).read_bytes() == before


def test_a_run_is_taken_with_all_that_belongs_to_it(official: Path, tmp_path: Path) -> None:
    """Into a folder that has another ledger: the copy can be signed there, and is whole."""
    (tmp_path / "other").mkdir()
    taken = take_run(runs(official)[0], tmp_path / "other")
    shutil.copy(official / SIGNERS, tmp_path / "other")
    add_to_ledger(taken, official.parent / "key")
    found = verify(tmp_path / "other")
    assert found.faults == () and found.runs == (taken.stem,)


def test_decisions_that_are_not_what_they_are_called_are_not_taken_for_the_run_s(
    official: Path, tmp_path: Path
) -> None:
    """Somebody who knows what a policy will decide has put another file under its name."""
    (decisions,) = (official / "decisions").iterdir()
    planted = tmp_path / "other" / "decisions" / decisions.name
    planted.parent.mkdir(parents=True)
    planted.write_bytes(b"planted")
    taken = take_run(runs(official)[0], tmp_path / "other")
    shutil.copy(official / SIGNERS, tmp_path / "other")
    add_to_ledger(taken, official.parent / "key")
    assert verify(tmp_path / "other").faults == ()


def test_a_ledger_whose_last_line_does_not_end_can_be_added_to(official: Path, tmp_path: Path) -> None:
    results = copy_of(official, tmp_path)
    (results / LEDGER).write_text((results / LEDGER).read_text().rstrip("\n"))
    add_to_ledger(run_file(results, [row("a", value=1)], finished="2026-01-02T00:00:00+00:00"), official.parent / "key")
    assert "official.jsonl" not in said(verify(results))


def test_a_line_that_stands_there_twice_is_said(official: Path, tmp_path: Path) -> None:
    results = copy_of(official, tmp_path)
    edit(runs(results)[0], lambda lines: [*lines[:2], *lines[1:]])
    assert said(verify(results)).endswith("altered since it was signed: a line stands there twice")


@pytest.mark.parametrize("ending", [b"\n", b"\r"])
def test_a_run_of_nothing_but_ends_of_lines_takes_no_memory(ending: bytes, official: Path, tmp_path: Path) -> None:
    """Each was to have a digest: 128 MiB of them would have had 29 GB."""
    results = copy_of(official, tmp_path)
    runs(results)[0].write_bytes(ending * (4 << 20))
    tracemalloc.start()
    try:
        found = verify(results)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert "it has 4,194,304 lines" in said(found) and most < 256 << 20


def test_many_changes_are_found_in_time(official: Path, tmp_path: Path) -> None:
    """What became of each of many lines takes the square of so many steps to say."""
    results = copy_of(official, tmp_path)
    many = [row(f"b{number:05}", value=None) for number in range(6000)]
    large = run_file(results, many, finished="2026-01-02T00:00:00+00:00")
    add_to_ledger(large, official.parent / "key")
    edit(large, lambda lines: lines[::2])
    started = time.process_time()
    assert "much within lines" in said(verify(results))
    assert time.process_time() - started < 1


def test_what_a_stranger_s_entry_names_is_not_read(official: Path, tmp_path: Path) -> None:
    """Nor is what an entry names a thousand times read a thousand times: it was, decompressed and parsed each time."""
    results = copy_of(official, tmp_path)
    large = store_decisions(
        results, Decisions("passes", Level.OZ, {"passes": ["dce"] * 100_000, "dropped": []}).content
    )
    lines = (results / LEDGER).read_text().splitlines()
    last = json.loads(lines[-1])
    entry = last["entry"] | {"number": RUNS, "previous": verify(results).last, "decisions": [large] * 2000}
    for key, said_of_it in ((official.parent / "key", "an entry before this one"), (None, "not signed by anybody")):
        signature = sign(Entry.model_validate(entry).signed, key) if key else last["signature"]
        forged = json.dumps({"entry": entry, "signature": signature})
        (results / LEDGER).write_text("".join(f"{line}\n" for line in (*lines, forged)))
        started = time.process_time()
        (fault,) = verify(results).faults
        assert said_of_it in fault.what and time.process_time() - started < 4
