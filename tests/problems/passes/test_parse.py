"""passes.txt: every way of writing a pass list gives the same tokens, and no text breaks the parser."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.problems.passes.parse import SequenceError, Token, parse_passes

NAMES = st.text("az09-", max_size=6).map("p{}".format)
PARAMS = st.text("a-;=0", min_size=1, max_size=6).map("<{}>".format)
LEAVES = st.builds("{}{}".format, NAMES, st.just("") | PARAMS)
BLANKS = st.sampled_from(["", " ", " \t"])


def nested(children: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """``name(a, b<c>)``, with blanks where people put them."""
    lists = st.lists(st.tuples(BLANKS, children, BLANKS).map("".join), min_size=1, max_size=3).map(",".join)
    return st.builds("{}({})".format, LEAVES, lists)


PASSES = st.recursive(LEAVES, nested, max_leaves=6)
SEPARATORS = st.sampled_from([" ", ",", ", ", " ,\t", "\n", "\r\n", " # a remark, (not) a pass\n", ",\n\n#\n"])


@given(st.lists(st.tuples(PASSES, SEPARATORS), max_size=8), st.booleans())
def test_a_written_list_is_read_back(parts: list[tuple[str, str]], dashes: bool) -> None:
    text, expected, line = "", [], 1
    for written, separator in parts:
        text += ("-" if dashes else "") + written + separator
        expected.append(Token("".join(written.split()), line))
        line += separator.count("\n")
    assert parse_passes(text) == expected


@given(st.text() | st.text("(<>),# \n\r'\"-=.abco"))
def test_any_text_is_tokens_or_a_sequence_error(text: str) -> None:
    try:
        tokens = parse_passes(text)
    except SequenceError as error:
        assert str(error).startswith("line ")
        return
    lines = text.count("\n") + text.count("\r") + 1
    for token in tokens:
        assert token.text and token.text.isascii() and token.text.isprintable()
        assert not set(token.text) & set(" '\"#")
        assert token.text.count("(") == token.text.count(")") and token.text.count("<") == token.text.count(">")
        assert 1 <= token.line <= lines


@pytest.mark.parametrize(
    ("line", "passes"),
    [
        ("opt -mem2reg -sroa input.bc -o output.bc", ["mem2reg", "sroa"]),
        ("opt -o out.bc -S --gvn in.ll", ["gvn"]),
        ("opt -passes='default<Oz>,globaldce' -S a.ll -o b.ll", ["default<Oz>", "globaldce"]),
        ('opt --passes="function(sroa, early-cse<memssa>)" x.bc', ["function(sroa,early-cse<memssa>)"]),
        ("-licm,-gvn", ["licm", "gvn"]),
        ("opt -S x.bc -o y", []),
    ],
)
def test_pasted_command_lines_are_read_for_their_passes(line: str, passes: list[str]) -> None:
    assert [token.text for token in parse_passes(f"\n{line}\nsccp")] == [*passes, "sccp"]
    assert {token.line for token in parse_passes(f"\n{line}")} <= {2}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sroa\nfunction(sroa", "line 2: '(' is never closed"),
        ("early-cse<memssa", "line 1: '<' is never closed"),
        ("sroa)", "line 1: ')' closes nothing"),
        ("a\n\nfunction(early-cse<memssa)>", "line 3: ')' closes nothing"),
        ("function(sroa\n)", "line 1: '(' is never closed"),
        ("sroa\nfunction(gvn\0)", "line 2: the character '\\x00' has no place in a pass list"),
        ("\ufeffsroa", "line 1: the character '\\ufeff' has no place in a pass list"),
        ("mem2reg, grün", "line 1: the character 'ü' has no place in a pass list"),
    ],
)
def test_broken_lists_are_refused_with_their_line(text: str, message: str) -> None:
    with pytest.raises(SequenceError) as raised:
        parse_passes(text)
    assert str(raised.value) == message


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_comment_ends_with_its_line_only(end: str) -> None:
    text = f"# vertical tab\vform feed\fnext line\x85paragraph\u2029 not a pass{end}sroa # über{end}gvn"
    assert parse_passes(text) == [Token("sroa", 2), Token("gvn", 3)]
