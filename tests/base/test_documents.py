"""TOML and JSON that others have written: every text is a bounded value or one clear error, in linear time."""

import contextlib
import json
import time
import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.base.documents import DEEPEST, DIGITS, parse_json, parse_toml
from harness.base.errors import UsageError

TOML = {
    "lists 50,000 deep": ("a = " + "[" * 50_000, "nested more than"),
    "closed lists, deep": ("a = " + "[" * 40 + "]" * 40, "nested more than"),
    "tables 20,000 deep": ("a = " + "{a=" * 20_000, "nested more than"),
    "an integer of 5,000 digits": ("a = " + "9" * 5000, "an integer of more than 38 digits"),
    "an integer of 39 digits": ("a = -" + "9" * 39, "an integer of more than 38 digits"),
    "hexadecimal": ("a = [{b = 0x" + "f" * 10_000 + "}]", "an integer of more than 38 digits"),
    "a key of 100,000 names": ("a" + ".a" * 100_000 + " = 1", "a key of more than 32 names"),
    "a header of many names": ("[a" + ' . "a"' * 100 + "]", "a key of more than 32 names"),
    "after a string": ('a = "\\"" # "\nb' + ".b" * 100 + " = 1", "a key of more than 32 names"),
    "a date that is none": ("a = 2024-02-30", "not TOML"),
    "no TOML": ("a = ", "not TOML"),
}


@pytest.mark.parametrize(("text", "message"), TOML.values(), ids=TOML)
def test_toml_that_is_made_to_hurt_is_one_error(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message) as raised:
        parse_toml(text, "file.toml")
    assert raised.value.where == "file.toml"
    assert len(str(raised.value)) < 400


def test_toml_within_bounds_is_what_the_standard_library_reads() -> None:
    text = (
        f"a = {'[' * (DEEPEST - 1)}{'9' * DIGITS}{']' * (DEEPEST - 1)}\n" + 'b = [1.5, 2.5]\n"c.d".e = """x\n[a.b]"""\n'
    )
    assert parse_toml(text, "file") == tomllib.loads(text)
    floats = "a = [" + "1.5, " * 1000 + "]"
    assert parse_toml(floats, "file") == tomllib.loads(floats)


@given(st.text(st.sampled_from("a.[]{}=\"'#\\\n,1x "), max_size=60))
def test_any_text_is_read_as_the_standard_library_does_or_refused(text: str) -> None:
    try:
        expected: dict[str, Any] | None = tomllib.loads(text)
    except ValueError:
        expected = None
    if expected is None:
        with pytest.raises(UsageError):
            parse_toml(text, "file")
    else:
        assert parse_toml(text, "file") == expected


@pytest.mark.parametrize(
    "piece", ["a.", "[", '"', "'", '"""', '"\\"', '""x', "#\n", " ", "[[a]]\n", "a=1\n", "1_", "\\"]
)
def test_reading_takes_time_in_proportion_to_the_text(piece: str) -> None:
    """A generous factor for eight times the text: of quadratic time it would be 64."""
    assert _seconds(piece, 160_000) < 24 * _seconds(piece, 20_000) + 0.2


def _seconds(piece: str, length: int) -> float:
    text = piece * (length // len(piece))
    taken = []
    for _ in range(3):
        started = time.process_time()
        with contextlib.suppress(UsageError):
            parse_toml(f"v = 1\n{text}", "file")
        taken.append(time.process_time() - started)
    return min(taken)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[" * 900, "nested too deeply|not JSON"),
        (b"[" * 100_000, "lists and objects"),
        (b"[],", "not JSON"),
        (b"9" * 5000, "not JSON: Exceeds the limit"),
        (b'"\xff"', "not UTF-8"),
        (b'[{"a": 1, "b": {"c": 1, "\\u0063": 2}}]', "the name 'c' is there twice"),
        (b"", "not JSON"),
    ],
)
def test_json_that_is_made_to_hurt_is_one_error(content: bytes, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_json(content, "file.json", containers=1000)


@given(st.recursive(st.integers() | st.text(), lambda inner: st.lists(inner, max_size=3), max_leaves=10))
def test_json_is_what_was_written(value: Any) -> None:
    assert parse_json(json.dumps(value).encode(), "file", containers=1000) == value
