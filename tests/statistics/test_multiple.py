"""Holm's correction: the definition, an example worked by hand, and what it controls."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.statistics.multiple import holm

probabilities = st.lists(st.floats(0, 1), max_size=30)


def test_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]).tolist() == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.6, 0.5]).tolist() == [1.0, 1.0]
    assert holm([0.2]).tolist() == [0.2]
    assert holm([]).tolist() == []


@given(probabilities, st.floats(0.001, 1))
def test_it_rejects_what_the_sequential_procedure_rejects(p: list[float], level: float) -> None:
    rejected = set()
    for step, i in enumerate(sorted(range(len(p)), key=p.__getitem__)):
        if p[i] * (len(p) - step) > level:
            break
        rejected.add(i)
    assert {i for i, adjusted in enumerate(holm(p)) if adjusted <= level} == rejected or level == 1


@given(probabilities)
def test_it_keeps_the_order_and_never_helps(p: list[float]) -> None:
    adjusted = holm(p)
    assert (adjusted >= p).all() and (adjusted <= 1).all()
    order = np.argsort(p, kind="stable")
    assert (np.diff(adjusted[order]) >= 0).all()


@given(probabilities, st.randoms(use_true_random=False))
def test_order_is_of_no_consequence(p: list[float], random) -> None:
    order = list(range(len(p)))
    random.shuffle(order)
    assert holm([p[i] for i in order]).tolist() == holm(p)[order].tolist()


def test_one_false_alarm_in_twenty_families() -> None:
    rng = np.random.default_rng(5)
    alarms = sum(holm(rng.random(50)).min() <= 0.05 for _ in range(4000))
    assert 0.035 <= alarms / 4000 <= 0.06  # 0.0488 expected of independent tests, standard deviation 0.0034


@pytest.mark.parametrize("bad", [[math.nan], [-0.1], [1.1], [[0.1, 0.2]]])
def test_what_is_no_vector_of_probabilities_is_refused(bad: list[float]) -> None:
    with pytest.raises(ValueError, match="probabilities"):
        holm(bad)
