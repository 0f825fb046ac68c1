"""The next version of a manifest: other values, everything else as its authors wrote it."""

import tempfile
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.base.errors import UsageError
from harness.policy.tuning.manifest import next_version, tuned_manifest

MANIFEST = '''# Written by hand.
version = "1.9"  # with the paper
name = "mine"    # the folder's
trained_on = [  # all that we had
  "cbench:train",  # the train split
  "notes, 2024",
]
description = """
Two
lines."""

[files]  # one
heuristic = "heuristic.cpp"

[values]  # found by hand
share = 1.5  # a half more
limit = 3    # small
# the end
'''


@given(st.text(min_size=1))
def test_the_next_version_is_another(version: str) -> None:
    assert next_version(version) != version


@given(st.integers(0, 10**30))
def test_numbers_are_counted(number: int) -> None:
    assert next_version(str(number)) == str(number + 1)
    assert next_version(f"2.{number}") == f"2.{number + 1}"


@given(st.text(min_size=1))
def test_no_version_comes_twice(version: str) -> None:
    seen = [version]
    for _ in range(25):
        seen.append(next_version(seen[-1]))
    assert len(set(seen)) == len(seen)


@pytest.mark.parametrize(
    ("version", "following"),
    [("1", "2"), ("0.9", "0.10"), ("1.2.99", "1.2.100"), ("first", "first.1"), ("first.1", "first.2"),
     ("2-rc", "3-rc"), ("2024-01", "2024-2")],
)  # fmt: skip
def test_versions(version: str, following: str) -> None:
    assert next_version(version) == following


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "submission.toml"
    path.write_text(MANIFEST)
    return path


def test_all_else_stays_as_it_was(file: Path) -> None:
    text = tuned_manifest(file, {"limit": 7, "share": 0.1}, ["tiny:train"], "other")
    expected = MANIFEST
    for old, new in (
        ('version = "1.9"', 'version = "1.10"'),
        ('name = "mine"', 'name = "other"'),
        ('  "notes, 2024",\n', '  "notes, 2024",\n  "tiny:train",\n'),
        ("share = 1.5", "share = 0.1"),
        ("limit = 3", "limit = 7"),
    ):
        assert expected.count(old) == 1
        expected = expected.replace(old, new)
    assert text == expected
    assert file.read_text() == MANIFEST, "it is only read"


@settings(max_examples=50)
@given(
    st.lists(st.text()),
    st.dictionaries(st.from_regex(r"[A-Za-z][A-Za-z0-9_]*", fullmatch=True), st.integers() | st.floats(-1e9, 1e9)),
)
def test_it_says_what_it_was_given(seen: list[str], values: dict[str, int | float]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "submission.toml"
        path.write_text(MANIFEST)
        found = tomllib.loads(tuned_manifest(path, values, seen, "mine"))
    before = tomllib.loads(MANIFEST)
    assert found["values"] == {**before["values"], **values}
    assert all(type(found["values"][name]) is type(value) for name, value in values.items())
    assert found["trained_on"] == list(dict.fromkeys([*before["trained_on"], *seen]))
    others = {"values", "trained_on", "version"}
    assert {k: v for k, v in found.items() if k not in others} == {k: v for k, v in before.items() if k not in others}


@pytest.mark.parametrize(
    "text",
    [
        'name = "mine"\nversion = "1"\n[files]\nheuristic = "heuristic.cpp"\n',
        'name = "mine"\nversion = "1"\ntrained_on = []\nvalues = {}\nfiles = { heuristic = "heuristic.cpp" }\n',
        'name = "mine"\nversion = "1"\nvalues.limit = 3\n[files]\nheuristic = "heuristic.cpp"\n',
        'name = "mine"\nversion = "1"\n[values]\n[files]\nheuristic = "heuristic.cpp"\n',
    ],
)
def test_what_is_missing_is_added(text: str, file: Path) -> None:
    file.write_text(text)
    found = tomllib.loads(tuned_manifest(file, {"limit": 7, "share": 0.5}, ["tiny:train"], "mine"))
    assert found == {
        "name": "mine",
        "version": "2",
        "trained_on": ["tiny:train"],
        "files": {"heuristic": "heuristic.cpp"},
        "values": {"limit": 7, "share": 0.5},
    }


@pytest.mark.parametrize(
    "content",
    [b"name", b"\xff", b'name = "mine"\n', b'version = "1"\nvalues = 5\n', b'version = "1"\nvalues = "limit"\n',
     b'version = "1"\ntrained_on = 5\n', b'version = "1"\ntrained_on = "cbench"\n', None],
)  # fmt: skip
def test_a_file_that_became_something_else(content: bytes | None, file: Path) -> None:
    if content is None:
        file.unlink()
    else:
        file.write_bytes(content)
    with pytest.raises(UsageError, match=r"cannot be given new values|cannot be read|not UTF-8 text") as raised:
        tuned_manifest(file, {"limit": 7}, ["tiny:train"], "mine")
    assert raised.value.where == str(file)
