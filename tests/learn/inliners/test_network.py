"""The network: what it computes, and how it learns."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.learn.inliners.evolution import direction_of
from harness.learn.inliners.fit import Decided, fit
from harness.learn.inliners.network import Network, fresh, thresholds_of
from harness.learn.inliners.policy_gradient import Gradient, Played, slopes_of

NAMES = ("cost_estimate", "callee_users")


def made(seed: int = 0, hidden: tuple[int, ...] = (5, 4)) -> tuple[Network, np.ndarray]:
    rows = np.random.default_rng(seed).integers(-50, 500, (200, 2))
    return fresh(NAMES, rows, hidden, seed), rows


@pytest.mark.parametrize("hidden", [(), (5,), (5, 4)])
def test_the_gradient_is_that_of_small_steps(hidden: tuple[int, ...]) -> None:
    network, rows = made(3, hidden)
    inputs = network.inputs(rows[:20])
    slopes = np.random.default_rng(1).standard_normal(20).astype(np.float32)
    found = network.gradient(network.outputs(inputs), slopes)
    values = network.parameters().astype(np.float64)
    for place in np.random.default_rng(2).choice(values.size, min(values.size, 15), replace=False):
        step = np.zeros_like(values)
        step[place] = 1e-2
        high, low = (
            float(slopes @ network.with_parameters(values + sign * step).outputs(inputs)[-1][:, 0]) for sign in (1, -1)
        )
        assert found[place] == pytest.approx((high - low) / 2e-2, abs=2e-2, rel=2e-2)


def test_parameters_can_be_taken_and_given_back() -> None:
    network, rows = made()
    other, _ = made(5)
    assert (other.with_parameters(network.parameters()).parameters() == network.parameters()).all()
    assert (network.with_parameters(network.parameters()).logits(rows) == network.logits(rows)).all()


@given(st.lists(st.integers(-(2**40), 2**40), min_size=1, max_size=300))
def test_thresholds_ascend_and_are_few(values: list[int]) -> None:
    found = thresholds_of(np.array(values))
    assert 1 <= len(found) <= 100 and (np.diff(found) > 0).all()
    assert found[0] == np.float32(min(values)) and found[-1] == np.float32(max(values))


def test_buckets_are_between_0_and_1_and_ascend() -> None:
    network, _ = made()
    rows = np.stack([np.arange(-1000, 1000), np.zeros(2000, int)], axis=1)
    inputs = network.inputs(rows)
    assert inputs.min() >= 0 and inputs.max() <= 1
    assert (np.diff(inputs[:, 0]) >= 0).all()
    np.testing.assert_allclose(inputs[:, 1] ** 2, inputs[:, 0], atol=1e-6)


@pytest.mark.parametrize("hidden", [(), (5,), (5, 4)])
def test_a_network_may_lean_towards_a_feature(hidden: tuple[int, ...]) -> None:
    random = np.random.default_rng(4)
    rows = np.stack([random.integers(-50, 500, 200), random.integers(0, 2, 200)], axis=1)
    network = fresh(("cost_estimate", "llvm_inlines"), rows, hidden, 4)
    leaning = network.leaning("llvm_inlines", 3.0)
    expected = network.logits(rows) + np.where(rows[:, 1] == 1, 3.0, -3.0)
    np.testing.assert_allclose(leaning.logits(rows), expected, atol=1e-4)
    assert Network.of_data(leaning.as_data()).as_data() == leaning.as_data()
    with pytest.raises(ValueError, match="does not see callee_users"):
        network.leaning("callee_users", 1.0)
    blind = fresh(("cost_estimate", "llvm_inlines"), np.array([[1, 5]]), hidden, 4)
    with pytest.raises(ValueError, match="do not tell"):
        blind.leaning("llvm_inlines", 1.0)


def test_what_can_be_learnt_is_learnt_and_heavier_questions_count_more() -> None:
    network, rows = made()
    right = fit(network, Decided(rows, rows[:, 0] > 100, np.ones(200)), 0, passes=200, rate=1e-2)
    assert ((right.logits(rows) > 0) == (rows[:, 0] > 100)).mean() > 0.95
    # Two answers to the same question: the heavier one is given.
    same = np.tile(rows[:1], (100, 1))
    said = np.arange(100) < 30
    for weight, expected in [(10.0, True), (0.1, False)]:
        learnt = fit(network, Decided(same, said, np.where(said, weight, 1.0)), 0, passes=100, rate=1e-2)
        assert bool(learnt.logits(same[:1])[0] > 0) is expected


def test_the_same_seed_learns_the_same() -> None:
    network, rows = made()
    decided = Decided(rows, rows[:, 1] > 100, np.ones(200))
    first, second, other = (fit(network, decided, seed, passes=3).parameters() for seed in (0, 0, 1))
    assert (first == second).all() and (first != other).any()


@given(st.floats(-8, 8), st.booleans(), st.floats(-3, 3).filter(lambda one: abs(one) > 0.1))
@settings(max_examples=60)
def test_slopes_are_those_of_the_loss(logit: float, inline: bool, advantage: float) -> None:
    """PPO's: the ratio of likelihoods times the advantage, where it is not beyond the bound; less the entropy."""
    how = Gradient(1)
    drawn = 0.3

    def likelihood(value: float) -> float:
        return 1 / (1 + np.exp(-value if inline else value))

    def loss(value: float) -> float:
        ratio = likelihood(value) / likelihood(drawn)
        bounded = min(max(ratio, 1 - how.clip), 1 + how.clip)
        odds = 1 / (1 + np.exp(-value))
        entropy = -(odds * np.log(odds) + (1 - odds) * np.log(1 - odds))
        return float(-min(ratio * advantage, bounded * advantage) - how.entropy * entropy)

    played = Played(np.zeros((1, 0), np.float32), np.array([inline]), np.float32([drawn]), np.array([advantage]))
    found = slopes_of(np.float32([logit]), played, how)[0]
    low, high = loss(np.float64(np.float32(logit)) - 1e-5), loss(np.float64(np.float32(logit)) + 1e-5)
    ratio = likelihood(logit) / likelihood(drawn)
    if min(abs(ratio - 1 - how.clip), abs(ratio - 1 + how.clip)) > 1e-3:
        assert found == pytest.approx((high - low) / 2e-5, abs=1e-4)


def test_evolution_goes_where_more_is_gained() -> None:
    random = np.random.default_rng(0)
    best = random.standard_normal(30)
    place = np.zeros(30)
    for _ in range(200):
        noise = random.standard_normal((50, 30))
        gains = np.array([[-((place + sign * 0.05 * one - best) ** 2).sum() for sign in (1, -1)] for one in noise])
        place = place + 0.05 * direction_of(noise, gains)
    assert np.abs(place - best).max() < 0.3
