"""Decisions files: named by what they hold, refused when they hold something else."""

from pathlib import Path

import pytest
import zstandard

from harness.apply.decisions import Decisions
from harness.base.digest import canonical_json, digest_bytes
from harness.base.errors import UsageError
from harness.base.vocabulary import Level
from harness.record.decisions import load_decisions, store_decisions
from tests.drive import ROOT

DECISIONS = Decisions("passes", Level.OZ, {"passes": ["function(sroa)", "globaldce"], "dropped": ["ü"]})


def stored(results: Path) -> Path:
    assert store_decisions(results, DECISIONS.content) == DECISIONS.digest
    return results / "decisions" / f"{DECISIONS.digest}.zst"


def fault(results: Path, digest: str = DECISIONS.digest) -> UsageError:
    with pytest.raises(UsageError) as raised:
        load_decisions(results, digest)
    assert raised.value.where == str(results / "decisions" / f"{digest}.zst")
    return raised.value


def test_what_is_stored_is_loaded(tmp_path: Path) -> None:
    path = stored(tmp_path)
    assert load_decisions(tmp_path, DECISIONS.digest) == DECISIONS
    assert path.stat().st_mode & 0o777 == 0o644
    assert list(path.parent.iterdir()) == [path]


def test_it_is_stored_once(tmp_path: Path) -> None:
    path = stored(tmp_path)
    before = path.stat()
    stored(tmp_path)
    assert path.stat().st_mtime_ns == before.st_mtime_ns and path.stat().st_ino == before.st_ino


def test_missing_decisions_are_named(tmp_path: Path) -> None:
    assert fault(tmp_path).message == "the decisions of this row are not here"
    stored(tmp_path)
    assert fault(tmp_path, "0" * 64).message == "the decisions of this row are not here"


def test_every_altered_byte_is_noticed(tmp_path: Path) -> None:
    path = stored(tmp_path)
    content = path.read_bytes()
    for index in range(len(content)):
        path.write_bytes(content[:index] + bytes([content[index] ^ 0x10]) + content[index + 1 :])
        try:
            loaded = load_decisions(tmp_path, DECISIONS.digest)
        except UsageError:
            continue
        assert loaded == DECISIONS, index  # a bit of zstd's own header that changes nothing of the content
    for length in range(0, len(content), 7):
        path.write_bytes(content[:length])
        fault(tmp_path)


def test_other_decisions_under_this_name_are_refused(tmp_path: Path) -> None:
    path = stored(tmp_path)
    path.write_bytes(zstandard.compress(Decisions("levels", Level.OZ).content))
    assert fault(tmp_path).message == "altered: its content contradicts its name"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b"[]",
        b"null",
        b"\xff",
        b'{"schema": 2, "kind": "level", "level": "Oz", "body": {}}',
        b'{"schema": 1, "kind": "magic", "level": "Oz", "body": {}}',
        b'{"schema": 1, "kind": "level", "level": "O9", "body": {}}',
        b'{"schema": 1, "kind": "level", "level": "Oz", "body": 3}',
    ],
)
def test_what_are_no_decisions_is_refused(content: bytes, tmp_path: Path) -> None:
    assert store_decisions(tmp_path, content) == digest_bytes(content)
    fault(tmp_path, digest_bytes(content))


def test_equal_decisions_have_equal_files() -> None:
    other = Decisions(DECISIONS.problem, DECISIONS.level, {"dropped": ["ü"], "passes": ["function(sroa)", "globaldce"]})
    assert other.content == DECISIONS.content and other.digest == DECISIONS.digest
    assert Decisions.parse(DECISIONS.content, "here") == DECISIONS
    assert Decisions(DECISIONS.problem, Level.OS, DECISIONS.body).digest != DECISIONS.digest


@pytest.mark.parametrize(
    ("kind", "problem"), [("level", "levels"), ("pass-sequence", "passes"), ("inliner", "inlining"),
                          ("heuristic", "inlining"), ("regalloc", "regalloc"), ("sharding", "sharding")],
)  # fmt: skip
def test_a_file_of_schema_1_is_loaded_by_the_digest_that_it_has(kind: str, problem: str, tmp_path: Path) -> None:
    """Its ``kind`` is read as the problem; rows name the file by the digest of its own bytes, which stays."""
    content = canonical_json({"schema": 1, "kind": kind, "level": "Oz", "body": {"x": 1}})
    digest = store_decisions(tmp_path, content)
    assert digest == digest_bytes(content)
    assert load_decisions(tmp_path, digest) == Decisions(problem, Level.OZ, {"x": 1})


def test_the_decisions_that_come_with_the_harness_are_read() -> None:
    found = sorted((ROOT / "results" / "decisions").glob("*.zst"))
    problems = {load_decisions(ROOT / "results", path.stem).problem for path in found}
    assert len(found) >= 200 and problems == {"inlining", "levels", "passes", "regalloc", "sharding"}
