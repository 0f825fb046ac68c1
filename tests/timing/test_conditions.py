"""What the machine did during a block: differences of its counters, less what the block used itself."""

import multiprocessing
import os
import time
from dataclasses import replace
from pathlib import Path

import pytest

from harness.timing import conditions as module
from harness.timing.conditions import Use, conditions, read_machine
from tests.timing.made import reading

CORE = max(os.sched_getaffinity(0))
USE = Use(cpu=3.0, wall=4.0, elapsed=5.0, own=3.5)


def test_shares_and_differences() -> None:
    after = reading(
        monotonic=10.0, core_busy=5.0, core_steal=0.5, busy=8.5, waiting=2.0, throttled=3, load=1.234, frequency=2500.0
    )
    found = conditions(reading(), after, USE)
    assert found.model_dump() == {
        "seconds": 10.0,
        "waited": 0.25,
        "others": 0.2,
        "busy": 0.5,
        "steal": 0.05,
        "pressure": 0.2,
        "load": 1.23,
        "frequency": 2500.0,
        "throttled": 3,
        "idle": 1.0,
        "suspended": 0.0,
    }


def test_counters_that_say_less_than_was_used_show_no_others() -> None:
    """They count in hundredths of a second."""
    found = conditions(reading(), reading(monotonic=10.0, core_busy=2.9, busy=3.0, core_steal=-0.01), USE)
    assert (found.others, found.busy, found.steal) == (0.0, 0.0, 0.0)
    assert conditions(reading(), reading(monotonic=5.0), replace(USE, wall=2.9, elapsed=2.8)).waited == 0.0
    assert conditions(reading(), reading(monotonic=5.0), replace(USE, wall=2.9, elapsed=2.8)).idle == 0.0
    assert conditions(reading(), reading(monotonic=1.0, core_busy=99.0), USE).others == 1.0


def test_nothing_at_all() -> None:
    found = conditions(reading(), reading(), Use(0.0, 0.0, 0.0, 0.0))
    assert set(found.model_dump(exclude={"load", "frequency"}).values()) == {0}


@pytest.mark.parametrize(
    ("later", "seconds"),
    [({"asleep": 3.0}, 3.0), ({"clock": 2.0}, 2.0), ({"clock": -2.0}, 2.0), ({"asleep": 1.0, "clock": 1.0}, 2.0)],
)
def test_a_machine_that_stood_still_or_whose_clock_was_set(later: dict[str, float], seconds: float) -> None:
    found = conditions(reading(), reading(monotonic=10.0, **later), USE)
    assert found.suspended == pytest.approx(seconds, abs=1e-3)


def test_a_kernel_that_does_not_say() -> None:
    before, after = reading(), reading(monotonic=10.0, waiting=1.0)
    assert conditions(before, replace(after, waiting=None, frequency=None), USE).pressure is None
    assert conditions(replace(before, waiting=None), after, USE).pressure is None
    assert conditions(before, replace(after, frequency=None), USE).frequency is None


def test_a_core_that_is_idle_or_taken_away_does_not_work() -> None:
    """Fields of /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal, guest, guest_nice."""
    ticks = os.sysconf("SC_CLK_TCK")
    fields = [1, 20, 300, 4000, 50000, 600000, 7000000, 80000000, 1, 20]
    assert module._busy([field * ticks for field in fields]) == 7600321


def _spin(seconds: float) -> None:
    os.sched_setaffinity(0, {CORE})
    while time.process_time() < seconds:
        pass


def test_a_busy_loop_on_the_core_is_seen() -> None:
    before, own = read_machine(CORE), time.process_time()
    child = multiprocessing.get_context("fork").Process(target=_spin, args=(0.5,))
    child.start()
    child.join()
    after, own = read_machine(CORE), time.process_time() - own
    assert child.exitcode == 0
    assert after.core_busy - before.core_busy >= 0.4
    assert after.busy - before.busy >= after.core_busy - before.core_busy - 0.05
    assert after.monotonic - before.monotonic >= 0.4
    found = conditions(before, after, Use(0.0, 0.0, 0.0, own))
    assert found.others >= 0.4 / (after.monotonic - before.monotonic) - 0.01
    assert found.busy > 0
    known = conditions(before, after, Use(0.5, 0.6, 0.6, own + 0.5))
    assert known.others <= found.others - 0.45 / (after.monotonic - before.monotonic) or known.others == 0


def test_readings_of_this_machine_make_sense() -> None:
    first = read_machine(CORE)
    time.sleep(0.05)
    second = read_machine(CORE)
    found = conditions(first, second, Use(0.0, 0.0, 0.0, 0.0))
    assert 0.05 <= found.seconds < 30
    assert found.suspended < 0.1
    assert found.load >= 0
    for name in ("core_busy", "core_steal", "busy", "throttled", "monotonic"):
        assert getattr(second, name) >= getattr(first, name)
    cores = os.cpu_count() or 1
    assert 0 <= found.busy <= cores * (1 + 2 / os.sysconf("SC_CLK_TCK") / found.seconds)  # a tick off, at either end


def test_reading_costs_little() -> None:
    """The best of many: whatever else the machine does."""
    took = []
    for _ in range(50):
        started = time.thread_time()
        read_machine(CORE)
        took.append(time.thread_time() - started)
    assert min(took) < 0.005


def test_a_machine_without_any_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_waiting", lambda: None)
    monkeypatch.setattr(module, "_text", lambda _: None)
    found = read_machine(CORE)
    assert (found.waiting, found.frequency, found.throttled) == (None, None, 0)


@pytest.mark.parametrize(
    ("groups", "folders"),
    [
        ("0::/\n", [""]),
        ("0::/a/b\n", ["", "a", "a/b"]),
        ("4:cpu,cpuacct:/x\n1:name=systemd:/y\n0::/\n", ["cpu,cpuacct", "cpu,cpuacct/x", ""]),
        ("3:memory:/x\n", []),
        ("", []),
    ],
)
def test_quotas_are_looked_for_in_all_groups_above(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, groups: str, folders: list[str]
) -> None:
    """Heat and quotas are counted together."""
    for name in ("a/b", "cpu,cpuacct/x"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("", "a", "a/b", "cpu,cpuacct", "cpu,cpuacct/x"):
        (tmp_path / name / "cpu.stat").write_text("usage_usec 5\nnr_periods 9\nnr_throttled 2\nthrottled_usec 77\n")
    real = module._text
    answers = {"/proc/self/cgroup": groups, "core_throttle_count": "40"}

    def text(path: Path) -> str | None:
        return answers.get(str(path)) or answers.get(path.name) or real(path)

    monkeypatch.setattr(module, "_CGROUPS", tmp_path)
    monkeypatch.setattr(module, "_text", text if groups else lambda path: answers.get(path.name))
    assert module._cpu_groups() == [tmp_path / folder for folder in folders]
    assert read_machine(CORE).throttled == 40 + 2 * len(folders)
