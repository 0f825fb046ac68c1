"""What the machine did while a block was timed: read from the kernel before and after, and compared."""

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.record.rows import Conditions

__all__ = ["Reading", "Use", "conditions", "read_machine"]

_TICKS = os.sysconf("SC_CLK_TCK")
_STEAL, _IDLE, _IOWAIT = 7, 3, 4
_CGROUPS = Path("/sys/fs/cgroup")
_CPUS = Path("/sys/devices/system/cpu")


@dataclass(frozen=True, slots=True)
class Reading:
    """The machine's counters at one moment, in seconds where nothing else is said."""

    monotonic: float
    asleep: float
    """For which the machine was suspended since it was started."""
    clock: float
    """The time of day, less the time since the start: jumps when a machine is stopped from outside or set."""
    core_busy: float
    core_steal: float
    busy: float
    """All cores together."""
    waiting: float | None
    """In which some process waited for a core."""
    load: float
    frequency: float | None
    throttled: int


@dataclass(frozen=True, slots=True)
class Use:
    """What the block itself used."""

    cpu: float
    """CPU seconds of the timed programs."""
    wall: float
    """Seconds of their turns."""
    elapsed: float
    """Seconds from the first turn to the last."""
    own: float
    """CPU seconds of the harness and its sandboxes, the programs included."""


def read_machine(core: int) -> Reading:
    """The counters now; ``core`` is the one that programs are timed on. Costs well under a millisecond."""
    lines = {line.split()[0]: line.split()[1:] for line in Path("/proc/stat").read_text().splitlines() if line}
    core_fields = [int(field) for field in lines[f"cpu{core}"]]
    machine = [int(field) for field in lines["cpu"]]
    boot = time.clock_gettime(time.CLOCK_BOOTTIME)
    monotonic = time.monotonic()
    return Reading(
        monotonic=monotonic,
        asleep=boot - monotonic,
        clock=time.time() - boot,
        core_busy=_busy(core_fields),
        core_steal=core_fields[_STEAL] / _TICKS,
        busy=_busy(machine),
        waiting=_waiting(),
        load=os.getloadavg()[0],
        frequency=_frequency(core),
        throttled=_throttled(core),
    )


def conditions(before: Reading, after: Reading, use: Use) -> Conditions:
    """What happened between two readings, of which the block used a part."""
    seconds = max(after.monotonic - before.monotonic, 1e-9)

    def share(amount: float) -> float:
        return round(min(1.0, max(0.0, amount / seconds)), 4)

    waiting = None if before.waiting is None or after.waiting is None else share(after.waiting - before.waiting)
    stopped = max(0.0, after.asleep - before.asleep) + abs(after.clock - before.clock)
    return Conditions(
        seconds=round(seconds, 3),
        waited=round(max(0.0, use.wall - use.cpu) / use.wall, 4) if use.wall > 0 else 0.0,
        others=share(after.core_busy - before.core_busy - use.cpu),
        busy=round(max(0.0, after.busy - before.busy - use.own) / seconds, 3),
        steal=share(after.core_steal - before.core_steal),
        pressure=waiting,
        load=round(after.load, 2),
        frequency=after.frequency,
        throttled=max(0, after.throttled - before.throttled),
        idle=round(max(0.0, use.elapsed - use.wall), 3),
        suspended=round(stopped, 3),
    )


def _busy(fields: Sequence[int]) -> float:
    """Seconds that a core worked, of its line in /proc/stat. A guest's time is in its host's already."""
    return (sum(fields[:8]) - fields[_IDLE] - fields[_IOWAIT] - fields[_STEAL]) / _TICKS


def _waiting() -> float | None:
    try:
        text = Path("/proc/pressure/cpu").read_text()
    except OSError:
        return None
    some = next((line for line in text.splitlines() if line.startswith("some")), "")
    return int(some.rpartition("total=")[2]) / 1e6 if "total=" in some else None


def _frequency(core: int) -> float | None:
    text = _text(_CPUS / f"cpu{core}" / "cpufreq" / "scaling_cur_freq")
    return int(text) / 1000 if text and text.isdigit() else None


def _throttled(core: int) -> int:
    """Times that heat slowed the core, and that a quota stopped one of the harness's control groups."""
    heat = _text(_CPUS / f"cpu{core}" / "thermal_throttle" / "core_throttle_count")
    found = int(heat) if heat and heat.isdigit() else 0
    for folder in _cpu_groups():
        for line in (_text(folder / "cpu.stat") or "").splitlines():
            name, _, value = line.partition(" ")
            if name == "nr_throttled" and value.strip().isdigit():
                found += int(value)
    return found


def _cpu_groups() -> list[Path]:
    """Our control group for CPU time and those above it, as far as they can be seen."""
    folders: list[Path] = []
    for line in (_text(Path("/proc/self/cgroup")) or "").splitlines():
        number, controllers, path = line.split(":", 2)
        if number == "0":
            top = _CGROUPS
        elif "cpu" in controllers.split(","):
            top = _CGROUPS / controllers if (_CGROUPS / controllers).is_dir() else _CGROUPS / "cpu"
        else:
            continue
        parts = [part for part in path.split("/") if part]
        folders += [top.joinpath(*parts[:count]) for count in range(len(parts) + 1)]
    return [folder for folder in folders if folder.is_dir()]


def _text(path: Path) -> str | None:
    try:
        return path.read_text().strip()
    except OSError:
        return None
