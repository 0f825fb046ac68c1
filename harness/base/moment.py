"""Moments that can be compared whatever is done to the clock in between. Pure, but for ``Moment.now``."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Moment", "anchored", "remaining"]

_BOOT = Path("/proc/sys/kernel/random/boot_id")


@dataclass(frozen=True, slots=True)
class Moment:
    """One moment by two clocks."""

    clock: float
    """Seconds since 1970, by the clock that can be set; what a policy may look at."""
    uptime: float
    """Seconds since the machine was started; counts while it is suspended, and cannot be set."""
    boot: str
    """Which start of the machine that was."""

    @classmethod
    def now(cls) -> "Moment":
        """This moment."""
        return cls(time.time(), time.clock_gettime(time.CLOCK_BOOTTIME), _BOOT.read_text().strip())

    @classmethod
    def from_fields(cls, fields: Any) -> "Moment | None":
        """Out of a record; None for what is no moment."""
        try:
            return cls(float(fields["clock"]), float(fields["uptime"]), str(fields["boot"]))
        except (TypeError, KeyError, ValueError):
            return None


def anchored(first: Moment, now: Moment) -> Moment:
    """From when to count: ``first``, or ``now`` where nobody knows how long ago that was (another start)."""
    return first if first.boot == now.boot and first.uptime <= now.uptime else now


def remaining(first: Moment, now: Moment, seconds: float) -> float:
    """Seconds to wait until ``seconds`` have passed since ``first``, and the clock shows a time as far from then.

    ``first`` is anchored. A clock that was set back (or on) in between may show the first moment again: then the wait
    is as much longer.
    """
    return max(seconds - (now.uptime - first.uptime), seconds - abs(now.clock - first.clock), 0.0)
