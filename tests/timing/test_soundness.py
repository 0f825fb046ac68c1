"""When a campaign's times cannot be used: each reason by itself, and none where the machine was quiet."""

import math
from typing import Any

import pytest

from harness.record.rows import CONTROL
from harness.timing.soundness import control_effect, control_of, marks
from tests.timing.made import REFERENCE, block, blocks

CORES = 4
ANCHORS = {"p": REFERENCE, "q": REFERENCE}


def marked(found: list[Any]) -> list[str]:
    return marks(found, ANCHORS, CORES)


def test_a_quiet_campaign_has_no_marks() -> None:
    assert marked(blocks()) == []
    assert marked(blocks(1)) == []
    assert marked([]) == []


SPOILT: list[tuple[dict[str, Any], str]] = [
    ({"waited": 0.11}, "a busy neighbour: programs waited for their core in 11% of the time"),
    ({"others": 0.25}, "a busy neighbour: programs waited for their core in 25% of the time"),
    ({"waited": 0.2, "others": 0.3}, "a busy neighbour: programs waited for their core in 30% of the time"),
    ({"busy": 2.3}, "a busy neighbour: other processes kept 2.3 of 4 cores busy"),
    ({"steal": 0.06}, "the hypervisor gave the core to others in 6% of the time"),
    ({"throttled": 3}, "throttled 60 times by heat or a CPU quota"),
    ({"suspended": 0.6}, "the machine or the programs were stopped for 0.6 s"),
    ({"idle": 1.2}, "the machine or the programs were stopped for 1.2 s"),
]


@pytest.mark.parametrize(("conditions", "mark"), SPOILT)
def test_each_reason_by_itself(conditions: dict[str, Any], mark: str) -> None:
    assert marked(blocks(**conditions)) == [mark]


@pytest.mark.parametrize(
    "conditions",
    [
        {"waited": 0.099},
        {"others": 0.099},
        {"busy": 2.24},
        {"steal": 0.049},
        {"suspended": 0.5},
        {"idle": 1.1},
        {"waited": 0.099, "others": 0.099, "busy": 2.2, "steal": 0.049, "suspended": 0.5, "load": 9.0, "pressure": 0.5},
        {"frequency": None, "pressure": None},
    ],
)
def test_just_below_is_none(conditions: dict[str, Any]) -> None:
    assert marked(blocks(**conditions)) == []


def test_many_reasons_are_all_told() -> None:
    together: dict[str, Any] = {"waited": 0.2, "steal": 0.1, "throttled": 1, "suspended": 5.0, "busy": 4.0}
    found = marked(blocks(copies=(0.102, 0.1021), **together))
    assert [line.split(":")[0].split(" ")[0] for line in found] == ["the", "the", "a", "the", "throttled"]
    assert found[0].startswith("the control failed")


def test_shares_are_of_time_and_not_of_blocks() -> None:
    """A short block that was disturbed is not a tenth of the campaign."""
    short = [block(number, waited=1.0, seconds=0.01) for number in range(10)]
    assert marked([*blocks(10), *short]) == []
    assert marked([*blocks(10), *blocks(2, waited=1.0)]) != []


def test_one_suspended_block_is_enough_and_one_throttled_is_not() -> None:
    assert marked([*blocks(30), block(30, suspended=2.0)]) == ["the machine or the programs were stopped for 2.0 s"]
    assert marked([*blocks(30), block(30, idle=3.0)]) == ["the machine or the programs were stopped for 3.0 s"]
    assert marked([*blocks(19), block(19, throttled=9)]) == []
    assert marked([*blocks(18), block(18, throttled=1), block(19, throttled=4)]) == [
        "throttled 5 times by heat or a CPU quota"
    ]


def test_a_long_block_may_lose_more() -> None:
    """Half its CPU time, beside a second."""
    assert marked([block(0, reference=4.0, copy=4.0, idle=4.9)]) == []
    assert marked([block(0, reference=4.0, copy=4.0, idle=5.1)]) != []


def test_time_lost_within_turns_counts_as_well() -> None:
    lost = block(0, reference=1.0, copy=1.0, waited=0.99)
    assert "the machine or the programs were stopped for 2.1 s" in marked([lost])


@pytest.mark.parametrize(
    ("cores", "busy", "is_marked"), [(1, 0.8, True), (1, 0.7, False), (2, 0.8, True), (64, 40, False)]
)
def test_how_much_other_work_a_machine_bears(cores: int, busy: float, is_marked: bool) -> None:
    assert bool(marks(blocks(busy=busy), ANCHORS, cores)) == is_marked


def test_the_control_fails_when_its_interval_excludes_one() -> None:
    (mark,) = marked(blocks(copies=(0.1010, 0.1011)))
    assert mark.startswith("the control failed: a copy of the reference differs from it (0.98")
    assert "99 % interval" in mark
    (mark,) = marked(blocks(copies=(0.0990, 0.0991)))
    assert "(1.0" in mark
    assert marked(blocks(4, copies=(0.11,))) == [], "four pairs have no interval of 99 %"
    assert marked(blocks(20, copies=(0.1,))) == [], "equal in every pair"


def test_the_control_is_over_all_programs() -> None:
    apart = [block(at, copy=0.1 * (1 + (0.01 if at % 2 else -0.01)), name="pq"[at % 2]) for at in range(20)]
    effect = control_effect(apart, ANCHORS)
    assert effect.count == 20 and effect.low < 0 < effect.high
    assert marked(apart) == []


def test_blocks_without_a_control_are_none_of_its_pairs() -> None:
    whole = blocks(8)
    without = [one.model_copy(update={"samples": one.samples[:1]}) for one in whole[:3]]
    assert control_effect([*without, *whole[3:]], ANCHORS).count == 5
    none = control_effect(without, ANCHORS)
    assert (none.count, none.low, none.high) == (0, -math.inf, math.inf)
    assert marked(without) == []
    assert CONTROL not in {sample.object for one in without for sample in one.samples}


def test_the_control_as_it_is_recorded() -> None:
    found = control_of(control_effect(blocks(copies=(0.1,)), ANCHORS))
    assert (found.ratio, found.low, found.high, found.pairs) == (1.0, 1.0, 1.0, 20)
    few = control_of(control_effect(blocks(3), ANCHORS))
    assert few.low is few.high is None and few.pairs == 3
    assert control_of(control_effect([], ANCHORS)).pairs == 0


def with_speeds(*speeds: float) -> list[Any]:
    return [block(number, reference=0.1 * speed, copy=0.1 * speed) for number, speed in enumerate(speeds)]


def test_a_machine_whose_speed_changed() -> None:
    """Both slowed alike, so that no pair shows it."""
    assert marked(with_speeds(*[1.0] * 14, *[1.35] * 6)) == [
        "the machine's speed changed: the reference was 30% slower in 6 blocks"
    ]
    assert marked(with_speeds(*[1.0] * 15, *[1.35] * 5)) == []
    assert marked(with_speeds(*[1.0] * 10, *[1.29] * 10)) == []
    assert marked(with_speeds(*[0.6] * 3, *[1.0] * 17)) == [], "a few fast ones are no measure"


def test_speeds_are_compared_within_a_program() -> None:
    found = [
        block(at, reference=0.1 * (1 + 4 * (at % 2)), copy=0.1 * (1 + 4 * (at % 2)), name="pq"[at % 2])
        for at in range(20)
    ]
    assert marked(found) == []
