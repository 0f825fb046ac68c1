"""What was decided of functions, as text and as values: there and back again, and every other text is refused."""

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.problems.regalloc.log import LISTED, Function, LogError, body_fault, functions_of, log_of, parse_log

WORDS = st.binary(min_size=1, max_size=6).map(
    lambda name: "".join(chr(one) if 0x20 < one < 0x7F and one != 0x25 else f"%{one:02x}" for one in name)
)
LOG = (
    "f main 1f listed\np 0 2 ffffffff\np a 7 0\ne b\nf other 0 constant\n"
    "f third 2 listed\np 1 3 0\nv 0 2 20\nv 4 7 0\ne 9 5\nend 0\n"
)


@st.composite
def functions(draw: st.DrawFn) -> list[Function]:
    """Functions of a module as the plugin writes them."""
    found = []
    for name in draw(st.lists(WORDS, max_size=5, unique=True)):
        digest = f"{draw(st.integers(0, 2**64 - 1)):x}"
        if draw(st.booleans()):
            found.append(Function(name, digest, draw(st.sampled_from(["default", "constant", "seeded-7"]))))
            continue
        questions = draw(st.integers(1, 1000))
        steps = sorted(draw(st.sets(st.integers(0, questions - 1), max_size=5)))
        word = st.integers(0, 2**32 - 1)
        given_priorities = tuple((step, draw(word), draw(word)) for step in steps)
        evictions = draw(st.integers(0, 1000))
        evicted = tuple(
            (step, draw(word), draw(st.integers(0, 32)))
            for step in sorted(
                draw(st.sets(st.integers(0, evictions - 1), max_size=5) if evictions else st.just(set()))
            )
        )
        found.append(Function(name, digest, LISTED, given_priorities, questions, evicted, evictions))
    return found


def lines(found: list[Function]) -> str:
    """The log of them."""
    text = []
    for one in found:
        text.append(f"f {one.name} {one.digest} {one.priority}")
        if one.priority == LISTED:
            text += [f"p {step:x} {register:x} {priority:x}" for step, register, priority in one.given]
            text += [f"v {step:x} {register:x} {slot:x}" for step, register, slot in one.evicted]
            text.append(f"e {one.questions:x} {one.evictions:x}" if one.evictions else f"e {one.questions:x}")
    return "".join(f"{line}\n" for line in [*text, "end 0"])


@given(functions())
def test_there_and_back_again(found: list[Function]) -> None:
    body, replaced = parse_log(lines(found))
    assert list(functions_of(body)) == found
    assert replaced == 0
    assert body_fault(body) is None
    assert log_of(body) == lines(found)


def test_it_counts_what_was_unusable() -> None:
    assert parse_log("end 1f")[1] == 31


@given(st.data())
def test_a_log_that_lacks_a_line_is_none(data: st.DataObject) -> None:
    """Of a function that is listed, or its end: whatever is left out shows."""
    text = LOG.splitlines()
    left = data.draw(st.integers(0, len(text) - 1).filter(lambda number: text[number][0] == "e"))
    with pytest.raises(LogError):
        parse_log("\n".join(text[:left] + text[left + 1 :]))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "has no end"),
        ("f main 1f listed\np 0 2 0\ne 1\n", "has no end"),
        ("end 0\nend 0\n", "line 2 comes after the end"),
        ("f main 1f listed\nf other 1f listed\n", "line 2 is no decision"),
        ("f main 1f constant\nf main 1f constant\nend 0", "line 2 is of a function that was there before"),
        ("f main 1f constant\np 0 0 0\nend 0", "line 2 is no decision"),
        ("f main 1f listed\np 1 0 0\np 1 0 0\ne 2\nend 0", "out of order"),
        ("f main 1f listed\np 1 0 0\ne 1\nend 0", "a question that was not asked"),
        ("f main 1f listed\np 0 0 100000000\ne 1\nend 0", "line 2 is no decision"),
        ("f main 1f listed\nv 1 0 0\nv 0 0 0\ne 2 2\nend 0", "its evictions are out of order"),
        ("f main 1f listed\nv 0 0 0\ne 2\nend 0", "one of its evictions is of a question that was not asked"),
        ("f main 1f listed\nv 0 0 21\ne 1 1\nend 0", "line 2 is no decision"),
        ("f main 1f constant\nv 0 0 0\nend 0", "line 2 is no decision"),
        ("f main 1G listed\ne 1\nend 0", "line 1 is no decision"),
        ("f ma in 1f listed\ne 1\nend 0", "line 1 is no decision"),
    ],
)
def test_what_the_plugin_would_not_have_written(text: str, said: str) -> None:
    with pytest.raises(LogError, match=said):
        parse_log(text)


def test_a_forged_log_costs_little() -> None:
    """A policy can write into its folder what it likes: no list is made of lines that are refused."""
    text = "\n" * 3_000_000
    tracemalloc.start()
    with pytest.raises(LogError, match="line 1 is no decision"):
        parse_log(text)
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()


def test_more_functions_than_any_module_has() -> None:
    text = "".join(f"f {number} 1 small\n" for number in range(100_001)) + "end 0\n"
    with pytest.raises(LogError, match="more than 100000 functions"):
        parse_log(text)
    given_functions = [[str(number), "1", "small", "0", []] for number in range(100_001)]
    assert body_fault({"functions": given_functions}) == "more than 100000 functions"
    assert body_fault({"functions": given_functions[:-1]}) is None


@pytest.mark.parametrize(
    "functions_given",
    [
        None,
        {},
        [[]],
        [["main", "1f", "listed", "1"]],
        [["main", "1f", "listed", "1", ["0 0 100000000"]]],
        [["main", "1f", "listed", "1", [0]]],
        [["main", "1f", "listed", 1, []]],
        [["main", "1f", "listed", "0", ["0 0 0"]]],
        [["main", "1f", "constant", "1", []]],
        [["main", "1f", "constant", "0", ["0 0 0"]]],
        [["main\nf other", "1f", "constant", "0", []]],
        [["main", "1f", "constant", "0", [], "0", []]],
        [["main", "1f", "listed", "1", [], "1"]],
        [["main", "1f", "listed", "1", [], 1, []]],
        [["main", "1f", "listed", "1", [], "1", ["0 0 21"]]],
        [["main", "1f", "listed", "1", [], "0", ["0 0 20"]]],
        [["main", "1f", "listed", "1", [], "1 1", []]],
        [["main", "1f", "constant", "0", []], ["main", "2f", "constant", "0", []]],
    ],
)
def test_what_has_no_form_is_refused(functions_given: object) -> None:
    assert body_fault({"functions": functions_given}) is not None


def test_nothing_else_is_in_it() -> None:
    assert body_fault({"functions": []}) is None
    assert body_fault({"functions": [], "more": 1}) is not None


def test_both_sorts_of_decisions_of_one_function() -> None:
    """In whatever order the plugin wrote them."""
    body, _ = parse_log("f main 1f listed\nv 0 2 20\np 0 2 7\nv 1 3 0\np 2 3 8\ne 3 2\nend 0\n")
    assert body == {"functions": [["main", "1f", "listed", "3", ["0 2 7", "2 3 8"], "2", ["0 2 20", "1 3 0"]]]}
    assert parse_log(log_of(body)) == (body, 0) and body_fault(body) is None
