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
        assert [answer.seconds for answer in answers] == sorted(answer.seconds for answer in answers)
        vectors = [vector for _, vector in lines]
        news = [one for one, before in zip(vectors, [None, *vectors], strict=False) if one != before]
        assert [answer.assignment.tolist() for answer in answers] == news
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


def test_each_improvement_has_its_own_moment_and_what_is_printed_again_is_none() -> None:
    answers = Answers(3, "nodes", "strategies")
    for step in range(100):
        for again in (0.0, 0.4, 90.0):
            answers.feed(b"[0, 0, %d]\n" % step, step / 1000 + again)
    assert [(answer.seconds, answer.assignment.tolist()) for answer in answers] == [
        (step / 1000, [0, 0, step]) for step in range(100)
    ]


def test_gigabytes_take_no_memory() -> None:
    answers = Answers(3, "nodes", "strategies")
    for _ in range(2000):
        answers.feed(b"x" * 1_000_000, 1.0)
    assert answers.read == 2_000_000_000 and len(answers._line) < 1000
    answers.feed(b"\n", 1.0)
    for step in range(100_000):
        answers.feed(b"[0, 0, %d]\n" % step, 2.0 + step / 1000)
    kept = list(answers)
    assert 250 < len(kept) <= 1_000
    assert answers.last is not None and answers.last.assignment.tolist() == [0, 0, 99_999]
    assert kept[0].seconds == 2.0
    assert kept[-1].seconds == 2.0 + 99_999 / 1000


def test_lines_of_any_length_take_no_memory() -> None:
    """A line may have 24 bytes a place: of two million places, 48 MB."""
    answers = Answers(2_000_000, "nodes", "strategies")
    for step in range(30):
        answers.feed(b"[%d" % step + b" " * 40_000_000 + b"]\n", float(step))
    held = sum(len(line or b"") for _, line in answers._lines)
    assert held < 600 << 20
    assert answers._lines[-1][0] == 29.0


@pytest.mark.parametrize(("size", "most"), [(3, 1_000), (63_000, 500), (700_000, 45)])
def test_what_is_judged_of_a_flood_is_bounded(size: int, most: int) -> None:
    """Two assignments in turn are each news to the one before; each one kept is parsed, verified and costed."""
    answers = Answers(size, "nodes", "strategies")
    line = b"0, " * (size - 1)
    for step in range(most + 200):
        answers.feed(b"[%s%d]\n" % (line, step % 2), step / 1000)
    assert most // 4 < len(answers._lines) <= most
    assert answers.last is not None and answers.last.seconds == (most + 199) / 1000
    assert answers.last.assignment[-1] == (most + 199) % 2


def test_an_honest_history_is_kept_whole() -> None:
    """The longest of the committed results: 453 assignments to an instance of 34,932 nodes."""
    answers = Answers(34_932, "nodes", "strategies")
    line = b"0, " * 34_931
    for step in range(453):
        answers.feed(b"[%s%d]\n" % (line, step), step / 1000)
    assert [seconds for seconds, _ in answers._lines] == [step / 1000 for step in range(453)]


@given(VECTORS)
def test_answers_to_a_copy_are_turned_back(vector: list[int]) -> None:
    answers = Answers(3, "nodes", "strategies", lambda assignment: assignment[::-1])
    answers.feed(json.dumps(vector).encode() + b"\n", 1.0)
    assert [answer.assignment.tolist() for answer in answers] == [vector[::-1]]
