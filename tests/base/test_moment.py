"""When a policy is asked again: whatever was done to the clock, or to the machine, in between."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.base.moment import Moment, anchored, remaining

SECONDS = 61.0
FIRST = Moment(clock=1_700_000_000.0, uptime=5000.0, boot="this")
moments = st.builds(Moment, st.floats(0, 4e9), st.floats(0, 1e9), st.sampled_from(["this", "other"]))


def later(seconds: float, jump: float = 0.0) -> Moment:
    """So many seconds after the first, the clock having been set by ``jump``."""
    return Moment(FIRST.clock + seconds + jump, FIRST.uptime + seconds, FIRST.boot)


@pytest.mark.parametrize(
    ("passed", "jump", "left"),
    [
        (0, 0, 61),
        (20, 0, 41),
        (61, 0, 0),
        (1000, 0, 0),
        (1, 3600, 60),  # set on by an hour: no time has passed
        (61, -3600, 0),  # set back by an hour: it shows another time all the same
        (61, -61, 61),  # set back to the first moment
        (70, -30, 21),
        (0, -61, 61),
    ],
)
def test_what_is_left(passed: float, jump: float, left: float) -> None:
    assert remaining(FIRST, later(passed, jump), SECONDS) == pytest.approx(left)


def test_another_start_of_the_machine_counts_from_now() -> None:
    """Nobody knows how long it stood still, and a clock without a battery begins in 1970."""
    now = Moment(clock=0.0, uptime=9000.0, boot="another")
    assert anchored(FIRST, now) == now and remaining(anchored(FIRST, now), now, SECONDS) == SECONDS
    assert anchored(FIRST, later(5)) == FIRST
    assert anchored(later(5), FIRST) == FIRST, "a moment that is still to come is none"


@given(moments, moments, st.floats(0, 3600))
def test_the_wait_ends_and_is_never_too_short(first: Moment, now: Moment, seconds: float) -> None:
    base = anchored(first, now)
    left = remaining(base, now, seconds)
    assert 0 <= left <= 2 * seconds + 1
    if left == 0:
        assert now.uptime - base.uptime >= seconds or seconds == 0
    done = replace(now, clock=now.clock + left + seconds, uptime=now.uptime + left + seconds)
    done = replace(done, clock=done.clock + 2 * seconds + 1, uptime=done.uptime + 2 * seconds + 1)
    assert remaining(base, done, seconds) == 0


def test_now_is_a_moment_that_can_be_kept() -> None:
    one = Moment.now()
    fields = {"clock": one.clock, "uptime": one.uptime, "boot": one.boot}
    assert Moment.from_fields(fields) == one and Moment.now().uptime >= one.uptime
    for damaged in (None, 3, {}, {**fields, "clock": "x"}, {**fields, "uptime": None}):
        assert Moment.from_fields(damaged) is None
