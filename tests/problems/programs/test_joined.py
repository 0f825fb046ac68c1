"""Results of one cell that were taken at several times, of a policy that may say something else each time."""

from dataclasses import replace

import pytest

from harness.apply.decisions import Decisions
from harness.base.moment import Moment
from harness.base.vocabulary import Level, Outcome
from harness.problems.inlining.sites import Site, Who, body_of
from harness.problems.programs.cell import CellResult, joined

FIRST = Moment(1e9, 10.0, "boot")
NOW = Moment(1e9 + 5, 15.0, "boot")


def result(inline: bool, metric: str, asked: Moment | None) -> CellResult:
    """Of a policy that inlined the one call, or did not."""
    body = body_of([Site("main", "helper", 0, inline, Who.POLICY)])
    made = Decisions("inlining", Level.OZ, body)
    return CellResult(
        "key", Outcome.OK, frozen_digest="f", decisions=made.content.decode(), decisions_digest=made.digest,
        object_digest="o", values={metric: 1}, asked=asked,
    )  # fmt: skip


@pytest.mark.parametrize("asked", [None, FIRST])
def test_the_same_again_adds_what_was_measured(asked: Moment | None) -> None:
    """Final stays final, and the first asking the first."""
    both = joined(result(True, "size.alloc", asked), result(True, "size.text", NOW), "cell")
    assert both == replace(result(True, "size.alloc", asked), values={"size.alloc": 1, "size.text": 1})


@pytest.mark.parametrize("asked", [None, FIRST])
def test_other_decisions_end_it(asked: Moment | None) -> None:
    """Whether or not it had been final, and at once."""
    ended = joined(result(True, "size.alloc", asked), result(False, "size.text", NOW), "cell")
    assert (ended.outcome, ended.asked, ended.values, ended.object_digest) == (Outcome.NOT_REPLAYABLE, None, {}, None)
    assert "call site 0, helper in main" in ended.detail and ended.frozen_digest == "f"
