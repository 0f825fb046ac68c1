"""Text from elsewhere on a terminal: it can be read, and does nothing."""

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from harness.base.errors import CellError, UsageError
from harness.base.text import closest, is_printable, lookalike, printable, printable_line
from harness.base.vocabulary import Outcome

ESCAPES = "\x1b]0;owned\x07\x1b[2J\x1b[31mok\x1b[0m"
TURNED = "abc\u202efed\u2066x\u200b\ufeff"


@given(st.text(alphabet=st.characters(codec=None)))
@example(ESCAPES)
@example(TURNED)
@example("\udc80\ud800")
def test_nothing_invisible_is_left(text: str) -> None:
    shown = printable(text)
    assert all(c == "\n" or unicodedata.category(c) not in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"} for c in shown)
    assert "\n" not in printable(text, lines=False)
    shown.encode("utf-8")  # no half of a surrogate is left
    assert printable(shown) == shown


def test_marks_that_choose_a_variant_are_not_hidden() -> None:
    """There are 256 of them: a text that looks empty could hold anything."""
    for code in (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0), 0x180B, 0x17B4):
        assert printable(f"x{chr(code)}y").isascii() and not is_printable(chr(code))


@given(st.text(alphabet=st.characters(min_codepoint=32, max_codepoint=126)))
def test_plain_text_stays(text: str) -> None:
    assert printable(text) == text
    assert is_printable(text)


@given(st.text(), st.integers(1, 50))
def test_a_line_is_one_and_short(text: str, most: int) -> None:
    line = printable_line(text, most)
    assert len(line) <= most
    assert line.splitlines() in ([line], [])


def test_real_text_of_other_scripts_stays() -> None:
    assert printable("größer, 日本語, Ωμέγα") == "größer, 日本語, Ωμέγα"


@pytest.mark.parametrize(
    ("one", "other"), [("Oz", "0z"), ("Oz", "OZ"), ("size-rules", "size_rules"), ("clone", "c1one")]
)
def test_names_that_look_alike(one: str, other: str) -> None:
    assert lookalike(one) == lookalike(other)


def test_names_that_do_not() -> None:
    names = ["O0", "O1", "O2", "O3", "Os", "Oz", "greedy", "basic", "pbqp", "fast", "fast-o0", "clone", "clone-tree"]
    assert len({lookalike(name) for name in names}) == len(names)


def test_errors_carry_no_escape_sequences() -> None:
    """What a policy said last is in its cell's detail, which is recorded, and printed."""
    assert "\x1b" not in CellError(Outcome.POLICY_ERROR, f"policy.py ended: {ESCAPES}").message
    assert "\n" not in CellError(Outcome.POLICY_ERROR, "a\nerror: forged line").message
    error = UsageError(TURNED, where=f"file\n{ESCAPES}", hint=ESCAPES)
    assert is_printable(str(error), lines=True)
    assert len(str(error).splitlines()) == 2


@pytest.mark.parametrize(
    ("name", "meant"), [("oz", "Oz"), ("Ozz", "Oz"), ("size_rules", "size-rules"), ("entirely-else", None)]
)
def test_what_is_meant_most_likely(name: str, meant: str | None) -> None:
    assert closest(name, ["O2", "Oz", "size-rules"]) == meant
