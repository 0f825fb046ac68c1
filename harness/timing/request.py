"""How much of a run is timed."""

import math
from dataclasses import dataclass

from harness.timing.schedule import Plan

__all__ = ["USUAL_TIMING", "TimingRequest"]


@dataclass(frozen=True, slots=True)
class TimingRequest:
    """How much is to be timed."""

    budget: float = 60.0
    """Seconds, for each program of the run: what one does not need, the others may use."""
    precision: float = 0.005
    """Half-width of the 95 % interval of a ratio at which a program is timed no further."""
    again: bool = False
    """Also what a sound campaign in the results has timed already."""

    def plan(self, programs: int) -> Plan:
        """For so many programs."""
        return Plan(budget=programs * self.budget, precision=math.log1p(self.precision))


USUAL_TIMING = TimingRequest()
