"""Printed figures beside standings: those of the same metric and reference, with what differs, and never ranked."""

import csv

import pytest

from harness.base.vocabulary import SIZE, SPEED
from harness.rank.elsewhere import elsewhere, elsewhere_lines
from harness.rank.question import Question
from tests.drive import ROOT

FILE = ROOT / "suites" / "published.csv"


def question(suite: str, metric: str, reference: str = "Oz", track: str = SIZE) -> Question:
    return Question(suite, "x86-64", track, metric, reference, "a" * 64)


def test_of_the_suite_itself_what_was_printed_of_it() -> None:
    found = elsewhere(question("cbench", "ir.instructions"))
    assert {one.suite for one in found} == {"cBench"}
    assert {(one.who, one.ratio) for one in found} >= {("random search 1 s", 0.858), ("random search 10 s", 1.031)}
    assert {one.who for one in elsewhere(question("mibench", "ir.instructions"))} == {
        "zero-shot agent",
        "random search 1 s",
    }


def test_of_an_approach_that_was_tried_on_no_suite_here_what_was_printed_at_all() -> None:
    assert {one.approach for one in elsewhere(question("cbench", "size.text"))} == {"MLGO"}
    timed = elsewhere(question("spec-like", "runtime.cpu", "basic", SPEED))
    assert {one.approach for one in timed} == {"RL4ReAl"}


@pytest.mark.parametrize(
    ("metric", "reference"), [("size.alloc", "Oz"), ("ir.instructions", "O3"), ("runtime.cpu", "pbqp")]
)
def test_nothing_of_another_metric_or_reference(metric: str, reference: str) -> None:
    assert elsewhere_lines(question("cbench", metric, reference)) == ()


def test_every_line_says_what_differs() -> None:
    with FILE.open(newline="") as file:
        lines = list(csv.DictReader(file))
    assert lines and all(line["note"] for line in lines)
    shown = "\n".join(elsewhere_lines(question("cbench", "ir.instructions")))
    assert "random search 1 s 0.858 ± 0.020 (0.560 to 1.298)" in shown and "[LLVM 10" in shown
