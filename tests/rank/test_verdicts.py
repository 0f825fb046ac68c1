"""No verdict stands beside an interval that contradicts it."""

import math

import pytest

from harness.rank.verdicts import Judgement, Word, agreed

HALF = math.log(1.005)


@pytest.mark.parametrize(
    ("word", "interval", "left"),
    [
        (Word.BETTER, (0.001, 0.02), Word.BETTER),
        (Word.BETTER, (-0.001, 0.02), Word.OPEN),
        (Word.WORSE, (-0.02, -0.001), Word.WORSE),
        (Word.WORSE, (-0.02, 0.001), Word.OPEN),
        (Word.EQUIVALENT, (-0.9 * HALF, 0.9 * HALF), Word.EQUIVALENT),
        (Word.EQUIVALENT, (-0.9 * HALF, 1.1 * HALF), Word.OPEN),
        (Word.EQUIVALENT, (-1.1 * HALF, 0.9 * HALF), Word.OPEN),
        (Word.OPEN, (0.01, 0.02), Word.OPEN),
        (Word.BETTER, None, Word.OPEN),
    ],
)
def test_a_verdict_holds_as_far_as_its_interval_says_so(
    word: Word, interval: tuple[float, float] | None, left: Word
) -> None:
    place = sum(interval) / 2 if interval else 0.01
    assert agreed(Judgement(word, 0.01, 0.01), place, interval).word is left


def test_what_a_verdict_would_find_is_never_less_than_what_its_interval_would() -> None:
    narrow = agreed(Judgement(Word.OPEN, 0.5, 0.02), 0.0, (-0.001, 0.001))
    assert narrow.detectable == 0.02
    wide = agreed(Judgement(Word.OPEN, 0.5, 0.02), 0.0, (-0.1, 0.1))
    assert wide.detectable is not None and wide.detectable > 0.1
    assert agreed(Judgement(Word.OPEN, 0.5, 0.02), 0.0, None).detectable is None
