"""Who is timed when: fair, within the budget, and blind to who wins."""

import itertools
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.timing.schedule import (
    Plan,
    is_precise,
    layout_of,
    padding_of,
    passes_for,
    rounds,
    shortage,
    shuffled,
    turns,
)

NAMES = "abcdef"
SEEDS = st.integers(0, 1 << 64)
COSTS = st.dictionaries(st.sampled_from(NAMES), st.floats(0.1, 20), min_size=1)
PLANS = st.builds(
    lambda budget, least, more: Plan(budget, least=least, most=least + more),
    st.floats(0, 2000),
    st.integers(1, 12),
    st.integers(0, 12),
)
WIDTHS = st.lists(st.floats(-0.5, 0.5), max_size=30)


def never(name: str) -> bool:
    return False


@dataclass
class Campaign:
    """Takes the blocks that it is told to, and each as long as it was said to take, or some share of that."""

    costs: Mapping[str, float]
    plan: Plan
    done: Mapping[str, int] = field(default_factory=dict)
    is_done: Callable[[str], bool] = never
    seed: int = 0
    factor: float = 1.0
    clock: float = 0.0
    begun: list[tuple[str, int, float]] = field(default_factory=list)
    """Program, number, and when."""
    asked: list[tuple[str, int]] = field(default_factory=list)
    """Of whom it was asked whether they are done, and how many blocks they had."""

    def run(self) -> "Campaign":
        def is_done(name: str) -> bool:
            self.asked.append((name, self.blocks()[name]))
            return self.is_done(name)

        for name, number in rounds(dict(self.costs), self.done, self.plan, self.seed, is_done, lambda: self.clock):
            self.begun.append((name, number, self.clock))
            self.clock += self.costs[name] * self.factor
        return self

    def blocks(self) -> Counter[str]:
        """Of each program, those from before included."""
        return Counter(self.done) + Counter(name for name, *_ in self.begun)


@given(COSTS, PLANS, SEEDS)
def test_no_block_is_begun_that_would_not_end_within_the_budget(costs: dict[str, float], plan: Plan, seed: int) -> None:
    campaign = Campaign(costs, plan, seed=seed).run()
    assert all(at + costs[name] <= plan.budget for name, _, at in campaign.begun)
    assert campaign.clock <= plan.budget


@given(COSTS, PLANS, SEEDS)
def test_with_time_enough_everyone_gets_the_least_and_nobody_more_than_the_most(
    costs: dict[str, float], plan: Plan, seed: int
) -> None:
    for is_done, count in ((lambda _: True, plan.least), (never, plan.most)):
        campaign = Campaign(costs, replace(plan, budget=1e9), is_done=is_done, seed=seed).run()
        assert campaign.blocks() == dict.fromkeys(costs, count)


@given(COSTS, PLANS, SEEDS, st.sets(st.sampled_from(NAMES)))
def test_no_program_is_ahead_of_another_by_more_than_a_block(
    costs: dict[str, float], plan: Plan, seed: int, quick: set[str]
) -> None:
    """While both are timed: at any moment, in every prefix."""
    campaign = Campaign(costs, plan, is_done=lambda name: name in quick, seed=seed).run()
    last = {name: at for at, (name, *_) in enumerate(campaign.begun)}
    counts = dict.fromkeys(costs, 0)
    for at, (name, *_) in enumerate(campaign.begun):
        counts[name] += 1
        unfinished = [counts[other] for other in counts if last.get(other, -1) >= at]
        assert max(unfinished) - min(unfinished) <= 1


@given(COSTS, PLANS, SEEDS)
def test_blocks_are_numbered_one_after_the_other(costs: dict[str, float], plan: Plan, seed: int) -> None:
    campaign = Campaign(costs, plan, seed=seed).run()
    for name in costs:
        numbers = [number for other, number, _ in campaign.begun if other == name]
        assert numbers == list(range(len(numbers)))


@given(COSTS, PLANS, SEEDS, st.dictionaries(st.sampled_from(NAMES), st.integers(0, 30)))
def test_blocks_that_a_program_has_already_count(
    costs: dict[str, float], plan: Plan, seed: int, done: dict[str, int]
) -> None:
    done = {name: count for name, count in done.items() if name in costs}
    for is_done, wanted in ((lambda _: True, plan.least), (never, plan.most)):
        campaign = Campaign(costs, replace(plan, budget=1e9), done, is_done, seed).run()
        for name in costs:
            numbers = [number for other, number, _ in campaign.begun if other == name]
            assert numbers == list(range(done.get(name, 0), max(wanted, done.get(name, 0))))


@given(COSTS, PLANS, SEEDS)
def test_nobody_is_asked_whether_it_is_done_before_the_least(costs: dict[str, float], plan: Plan, seed: int) -> None:
    campaign = Campaign(costs, plan, seed=seed).run()
    assert all(plan.least <= count < plan.most for _, count in campaign.asked)
    decided = Campaign(costs, replace(plan, budget=1e9), is_done=lambda _: True, seed=seed).run()
    assert sorted(decided.asked) == ([(name, plan.least) for name in sorted(costs)] if plan.most > plan.least else [])


@given(COSTS, st.floats(1, 500), SEEDS, st.floats(0.2, 5))
def test_blocks_that_take_another_time_than_expected(
    costs: dict[str, float], budget: float, seed: int, factor: float
) -> None:
    """The budget is overrun by less than the last block."""
    campaign = Campaign(costs, Plan(budget), seed=seed, factor=factor).run()
    assert campaign.clock <= budget + max(costs.values()) * max(0.0, factor - 1) + 1e-6


@given(st.dictionaries(st.text(), st.floats(0.01, 100), min_size=1), st.floats(0.1, 1e5))
def test_a_budget_that_is_called_enough_is_enough_and_no_more_is_asked_for(
    expected: dict[str, float], budget: float
) -> None:
    plan = Plan(budget=budget)
    said = shortage(expected, plan)
    if not said:
        assert plan.least * sum(expected.values()) <= budget
        return
    pairs, each = (int(found) for found in re.findall(r"about (\d+) pairs.*--budget (\d+)", said)[0])
    assert pairs < plan.least and plan.budget < each * len(expected)
    assert not shortage(expected, Plan(budget=each * len(expected) * (1 + 1e-9)))
    assert shortage(expected, Plan(budget=(each - 1) * len(expected) * (1 - 1e-9))) or each == 1


def test_one_that_is_too_long_does_not_stop_the_others() -> None:
    campaign = Campaign({"long": 50.0, "short": 1.0}, Plan(20, least=5, most=8)).run()
    assert campaign.blocks() == {"short": 8}


def test_the_order_changes_from_round_to_round() -> None:
    campaign = Campaign(dict.fromkeys("abc", 1.0), Plan(1e9, least=60, most=60), seed=3).run()
    names = [name for name, *_ in campaign.begun]
    assert {tuple(names[at : at + 3]) for at in range(0, 180, 3)} == set(itertools.permutations("abc"))
    again = Campaign(dict.fromkeys("abc", 1.0), Plan(1e9, least=60, most=60), seed=3).run()
    assert again.begun == campaign.begun


@given(SEEDS, st.floats(1e-4, 1), st.lists(st.integers(0, 20), min_size=1, max_size=8, unique=True))
def test_everyone_alive_has_one_turn_a_round(seed: int, mean: float, alive: list[int]) -> None:
    next_turns = turns(seed, mean)
    for count in range(len(alive), 0, -1):
        given_now = next_turns(alive[:count])
        assert sorted(number for number, _ in given_now) == sorted(alive[:count])
        assert all(0.5 * mean <= seconds <= 1.5 * mean for _, seconds in given_now)


def test_all_orders_and_lengths_occur_in_turns() -> None:
    next_turns = turns(11, 1.0)
    many = [next_turns((0, 1, 2)) for _ in range(300)]
    orders = Counter(tuple(number for number, _ in one) for one in many)
    assert set(orders) == set(itertools.permutations((0, 1, 2)))
    assert min(orders.values()) > 300 / 6 / 2
    for job in range(3):
        lengths = [seconds for one in many for number, seconds in one if number == job]
        assert min(lengths) < 0.55 and max(lengths) > 1.45
        assert sum(lengths) / len(lengths) == pytest.approx(1, abs=0.06)
    assert [turns(11, 1.0)((0, 1, 2))] == many[:1] != [turns(12, 1.0)((0, 1, 2))]


@pytest.mark.parametrize(
    ("seconds", "passes"),
    [(1.0, 1), (0.02, 1), (0.0199, 2), (0.01, 2), (0.0099, 3), (0.001, 20), (0.0004, 50), (1e-9, 50), (0.0, 1)],
)
def test_short_programs_are_run_several_times(seconds: float, passes: int) -> None:
    assert passes_for(seconds) == passes


@given(st.floats(1e-6, 10))
def test_a_block_is_long_enough_or_has_the_most_passes(seconds: float) -> None:
    passes = passes_for(seconds)
    assert 1 <= passes <= 50
    assert passes == 50 or passes * seconds >= 0.02 - 1e-12
    assert passes == 1 or (passes - 1) * seconds < 0.02


def test_each_block_has_a_layout_of_its_own() -> None:
    names = [(campaign, name, number) for campaign in ("1f", "20") for name in ("a", "b") for number in range(100)]
    layouts = [layout_of(*one) for one in names]
    assert len(set(layouts)) == len(names)
    assert layouts == [layout_of(*one) for one in names]
    assert all(0 <= layout < 1 << 32 for layout in layouts)
    assert len({padding_of(layout) for layout in layouts}) > 300
    assert all(0 <= padding_of(layout) < 4096 for layout in layouts)


@given(st.lists(st.text(max_size=3), unique=True), SEEDS)
def test_shuffled_names_depend_on_the_seed_alone(names: list[str], seed: int) -> None:
    found = shuffled(names, seed)
    assert sorted(found) == sorted(names)
    assert shuffled(reversed(names), seed) == found


def test_all_orders_of_names_occur() -> None:
    assert {tuple(shuffled("abc", seed)) for seed in range(100)} == set(itertools.permutations("abc"))


PLAN = Plan(1.0, precision=0.005, least=10)


@given(st.dictionaries(st.text(max_size=2), WIDTHS, max_size=4), st.floats(0.001, 0.2))
def test_when_to_stop_does_not_depend_on_who_wins(pairs: dict[str, list[float]], precision: float) -> None:
    plan = replace(PLAN, precision=precision)
    negated = {name: [-value for value in values] for name, values in pairs.items()}
    assert is_precise(pairs, plan) == is_precise(negated, plan)
    turned = {name: negated[name] if at % 2 else values for at, (name, values) in enumerate(pairs.items())}
    assert is_precise(pairs, plan) == is_precise(turned, plan)


def test_all_of_them_must_be_precise() -> None:
    narrow = [0.001 * (at % 3 - 1) for at in range(10)]
    wide = [0.1 * (at % 3 - 1) for at in range(10)]
    assert is_precise({"a": narrow, "b": narrow}, PLAN)
    assert not is_precise({"a": narrow, "b": wide}, PLAN)
    assert not is_precise({"a": narrow, "b": narrow[:9]}, PLAN)
    assert not is_precise({"a": narrow, "b": []}, PLAN)
    assert is_precise({}, PLAN)


def test_a_large_effect_need_be_known_less_well() -> None:
    spread = [0.02 * (at % 3 - 1) for at in range(12)]
    assert not is_precise({"a": spread}, PLAN)
    assert not is_precise({"a": [0.05 + value for value in spread]}, PLAN)
    for effect in (0.4, -0.4):
        assert is_precise({"a": [effect + value for value in spread]}, PLAN)
    assert is_precise({"a": spread}, replace(PLAN, precision=math.inf))
