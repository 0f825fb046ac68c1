"""Memory over time of a solution: the instance and the assignment give it, nothing of it is stored."""

import numpy as np

from harness.base.formats import quantity
from harness.base.views import Axis, Level, Series, Steps
from harness.problems.instances.domain import Assignment
from harness.problems.sharding.evaluate import memory_profile
from harness.problems.sharding.instance import Instance

__all__ = ["memory_chart"]

_MIB = 1 << 20


def memory_chart(name: str, instance: Instance, assignment: Assignment, policy: str, most: int = 2000) -> Steps:
    """Bytes in use; where there are more moments than ``most``, neighbours are joined and the highest stands."""
    profile = memory_profile(instance, assignment)
    starts = np.arange(0, len(profile.times), max(1, -(-len(profile.times) // most)))
    usage = (np.maximum.reduceat(profile.usage, starts) if len(starts) else profile.usage).tolist()
    times = profile.times[starts].tolist()
    limit = instance.usage_limit
    series = Series(
        policy,
        x=tuple(times),
        y=tuple(used / _MIB for used in usage),
        hover=tuple(f"at {time:,}: {quantity(used)} bytes" for time, used in zip(times, usage, strict=True)),
        colour="submission",
    )
    levels = () if limit is None else (Level(limit / _MIB, "limit", "worse", "solid", 1.5),)
    title = f"Memory over time on {name}"
    return Steps("memory", title, (series,), Axis("time of the instance"), Axis("MiB in use"), levels)
