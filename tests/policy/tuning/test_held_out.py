"""Cross-validation over programs: what a search is worth on those that had no part in the choice."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from harness.policy.forms.parameters import Hyperparameter
from harness.policy.tuning.held_out import held_out, stopped_at
from harness.policy.tuning.study import Study


@dataclass(frozen=True)
class Made:
    """A trial: what it is worth on each program, as a ratio."""

    ratios: tuple[float, ...]
    by_program: Mapping[str, float] = field(init=False)

    def __post_init__(self) -> None:
        named = {f"p{at:02}": math.log(ratio) for at, ratio in enumerate(self.ratios)}
        object.__setattr__(self, "by_program", named)


FIRST = Made((1.0,) * 6)
LEARNT = [Made(tuple(1.06 if at == program else 0.99 for at in range(6))) for program in range(6)]
"""Each wins much on one program, and loses on all others: the mean is above 1."""
SOUND = Made((1.01,) * 6)


def test_what_is_good_everywhere_is_worth_as_much_elsewhere() -> None:
    assert held_out([FIRST, SOUND]) == pytest.approx(1.01)


def test_what_wins_by_one_program_alone_loses_on_others() -> None:
    trials = [FIRST, *LEARNT]
    best = max(trials, key=lambda one: sum(one.by_program.values()))
    assert sum(best.by_program.values()) > 0, "it looks like a gain"
    found = held_out(trials)
    assert found is not None and found < 1


def test_it_is_against_the_first_values_and_by_the_earliest_of_equals() -> None:
    assert held_out([Made((0.5,) * 4), Made((0.6,) * 4)]) == pytest.approx(1.2)
    tied = [FIRST, Made((1.1, 1, 1, 1, 1, 1)), Made((1, 1, 1, 1, 1, 1.1))]
    one = held_out(tied)
    assert one is not None and one == pytest.approx(1.0, abs=0.02)


def test_nothing_is_said_of_few_programs_or_without_a_first_trial() -> None:
    assert held_out([Made((1.0,) * 3), Made((1.1,) * 3)]) is None
    assert held_out([]) is None
    assert held_out([Made(()), SOUND]) is None


def test_trials_that_failed_are_nobodys_choice() -> None:
    assert held_out([FIRST, Made(()), SOUND]) == held_out([FIRST, SOUND])


def test_more_programs_than_folds_each_count_once() -> None:
    first, better = Made((1.0,) * 23), Made((1.02,) * 23)
    assert held_out([first, better]) == pytest.approx(1.02)


def test_a_search_stops_when_what_is_left_out_gains_nothing_any_more() -> None:
    begun = [FIRST] * 12
    assert not stopped_at([*begun, *[SOUND] * 4], 5, 12), "too early"
    assert not stopped_at([*begun, SOUND, SOUND, SOUND, SOUND, SOUND], 5, 12), "these five gained"
    assert stopped_at([*begun, SOUND, *LEARNT[:5]], 5, 12)
    assert not stopped_at([*begun, SOUND, *LEARNT[:5]], 0, 12), "asked not to"
    assert not stopped_at([Made((1.0, 1.0))] * 40, 5, 12), "two programs say nothing"


def test_the_study_keeps_what_each_program_gave(tmp_path: Path) -> None:
    parameters = (Hyperparameter("limit", is_int=True, low=0, high=9, default=5, line=1),)
    study = Study(tmp_path / "study.log", parameters, 1)
    trial, _ = study.next({"limit": 5})
    study.tell(trial, 1.5, {"a/b": 0.4, "a/c": 0.1})
    trial, _ = study.next()
    study.tell(trial, 0.5)
    again = Study(tmp_path / "study.log", parameters, 1).trials
    assert [dict(one.by_program) for one in again] == [{"a/b": 0.4, "a/c": 0.1}, {}]
