"""What counts of a solver's output, however it comes."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.problems.instances.answers import Answers

VECTORS = st.lists(st.integers(-5, 2**63 - 1), min_size=3, max_size=3)
REMARKS = st.sampled_from([b"", b"iteration 3", b" cost [1, 2, 3]", b"\xff\x00", b"}{"])


def fed(output: bytes, cuts: list[int], *, ended: bool) -> Answers:
    """The output, read in pieces that end at the cuts, one a second."""
    answers = Answers(3, "nodes", "strategies")
    places = [0, *sorted(cut % (len(output) + 1) for cut in cuts), len(output)]
    for second, (start, stop) in enumerate(pairwise(places)):
        answers.feed(output[start:stop], float(second))
    if ended:
        answers.close(float(len(places)))
    return answers


@given(st.lists(st.tuples(REMARKS, VECTORS), max_size=6), st.lists(st.integers(0, 10**6), max_size=12), REMARKS)
def test_the_last_complete_assignment_counts(
    lines: list[tuple[bytes, list[int]]], cuts: list[int], remark: bytes
) -> None:
    output = b"".join(b"%s\n%s\n" % (remark, json.dumps(vector).encode()) for remark, vector in lines)
    unfinished = b"[1, 1, 1"
    answers = fed(output + remark + b"\n" + unfinished, cuts, ended=False)
    assert answers.read == len(output + remark + unfinished) + 1
    if lines:
        assert answers.last is not None and answers.fault is None
        assert answers.last.assignment.tolist() == lines[-1][1]
        assert [answer.seconds for answer in answers.kept] == sorted(answer.seconds for answer in answers.kept)
    else:
        assert answers.last is None


def test_without_an_end_of_line_it_counts_where_the_solver_ended_by_itself() -> None:
    assert fed(b"[0, 1, 2]", [4], ended=False).last is None
    last = fed(b"[0, 1, 2]", [4], ended=True).last
    assert last is not None and last.assignment.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"[0, 1]", "it has 2 strategies for 3 nodes"),
        (b"[0, 1, 2, 3]", "it has 4 strategies for 3 nodes"),
        (b"[0, 1, 2", "it is no list of integers"),
        (b"[0, 1.5, 2]", "it is no list of integers"),
        (b"[0, true, 2]", "it is no list of integers"),
        (b"[0, [1], 2]", "it is no list of integers"),
        (b"[" * 200, "it is no list of integers"),
        (b"[0, 1, 99999999999999999999]", "a number in it exceeds 64 bits"),
        (b"[0, 1, 2" + b" " * 400 + b"]", "it is too long for 3 nodes"),
        (b"[0, 1, 2]" + b"x" * 100_000, "it is too long for 3 nodes"),
    ],
)
def test_a_malformed_last_one_is_named_and_nothing_counts(line: bytes, why: str) -> None:
    answers = fed(b"[0, 0, 0]\n" + line + b"\nremark\n", [], ended=True)
    assert answers.last is None and answers.fault == f"the last assignment printed is malformed: {why}"
    answers.feed(b"[1, 1, 1]\n", 100.0)
    assert answers.last is not None and answers.last.assignment.tolist() == [1, 1, 1]


def test_gigabytes_take_no_memory_and_fast_answers_are_thinned() -> None:
    answers = Answers(3, "nodes", "strategies")
    for _ in range(2000):
        answers.feed(b"x" * 1_000_000, 1.0)
    assert answers.read == 2_000_000_000 and len(answers._line) < 1000
    answers.feed(b"\n", 1.0)
    for step in range(10_000):
        answers.feed(b"[0, 0, %d]\n" % step, 2.0 + step / 1000)
    assert 15 < len(answers.kept) < 30
    assert answers.last is not None and answers.last.assignment.tolist() == [0, 0, 9999]
    assert answers.kept[0].seconds == 2.0
