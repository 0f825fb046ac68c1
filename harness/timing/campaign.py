"""A campaign: blocks of timed runs, one after the other, each recorded as it ends."""

import math
import os
import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from harness.base.errors import CellError, UsageError
from harness.base.vocabulary import Outcome
from harness.record.rows import MOVED, Block, Campaign, Sample
from harness.sandbox import Finished
from harness.sandbox.bench import Bench
from harness.sandbox.turns import run_in_turns
from harness.suite.workloads import ReadyWorkload
from harness.timing.conditions import Use, conditions, read_machine
from harness.timing.contestants import NATIVE, NO_TIME, TimedProgram
from harness.timing.lock import alone
from harness.timing.schedule import (
    Plan,
    Turns,
    is_precise,
    layout_of,
    padding_of,
    passes_for,
    rounds,
    shuffled,
    takes_moved,
    turns,
)
from harness.timing.soundness import control_effect, control_of, marks, moved_of
from harness.timing.spin import calibration
from harness.timing.twin import arranged
from harness.verify.execute import Runner, job_of, judge
from harness.verify.link import link_program
from harness.verify.verify import runner_for

__all__ = ["Facts", "Timed", "run_campaign", "summary"]

_OVERHEAD = 1.25
"""A block's seconds for each second of CPU time in it, before any was taken."""


@dataclass
class Timed:
    """What is known of the programs so far."""

    blocks: list[Block]
    problems: dict[tuple[str, str], str] = field(default_factory=dict)
    """Benchmark and object (or ``control``) → why it is timed no more."""

    def of(self, program: TimedProgram) -> list[Block]:
        """The program's blocks."""
        return [block for block in self.blocks if block.benchmark == program.name and block.inputs == program.inputs]

    def pairs(self, program: TimedProgram) -> dict[str, list[float]]:
        """Log-ratios to the reference, one a block, of every other object that can be timed; the control's too."""
        found: dict[str, list[float]] = {
            name: []
            for name in program.contestants
            if name != program.reference and (program.name, name) not in self.problems
        }
        for block in self.of(program):
            cpu = {sample.object: sample.cpu for sample in block.samples}
            for name, values in found.items():
                if name in cpu and program.reference in cpu:
                    values.append(math.log(cpu[program.reference] / cpu[name]))
        return found


Facts = dict[str, Any]
"""What is said of a campaign when it begins: its id, when it started, core, slice, precision, budget, calibration."""


def _unheard(*_told: object) -> None:
    """For who does not want to be told."""


def run_campaign(
    programs: Sequence[TimedProgram],
    typical: Mapping[str, float],
    plan: Plan,
    bench: Bench,
    timed: Timed,
    opened: Callable[[Facts], None] = _unheard,
    recorded: Callable[[Block, str], None] = _unheard,
    wait: Callable[[], None] = _unheard,
) -> Facts:
    """Time the programs until they are precise or the budget is spent. Returns the campaign's facts.

    ``typical``: CPU seconds of one run of each program, by name.
    ``timed`` has what an interrupted run left, and gets every block. ``opened`` is told of the campaign's facts
    when it begins, ``recorded`` each block, with the program's name, ``wait`` that another campaign holds the machine.
    """
    by_name = {program.name: program for program in programs}
    with alone(wait), _off_the_core() as core:
        facts: Facts = {
            "campaign": secrets.token_hex(8),
            "started": datetime.now(UTC).isoformat(timespec="seconds"),
            "core": core,
            "slice": plan.slice,
            "precision": plan.precision,
            "budget": plan.budget,
            "calibration": round(calibration(core, bench), 6),
        }
        opened(facts)
        campaign = str(facts["campaign"])
        began = time.monotonic()
        seconds = {
            name: _OVERHEAD * len(by_name[name].contestants) * passes_for(value) * value
            for name, value in typical.items()
        }
        schedule = rounds(
            seconds,
            {name: len(timed.of(program)) for name, program in by_name.items()},
            plan,
            int(campaign, 16),
            lambda name: is_precise(timed.pairs(by_name[name]), plan),
            lambda: time.monotonic() - began,
        )
        for name, number in schedule:
            started, failed = time.monotonic(), len(timed.problems)
            block = _take(by_name[name], number, campaign, core, plan, bench, timed.problems, typical[name])
            if block is None:
                continue
            timed.blocks.append(block)
            if len(timed.problems) == failed:  # what failed, perhaps at its time limit, is not in the next one
                seconds[name] = time.monotonic() - started
            recorded(block, name)
    return facts


def summary(
    facts: Facts, blocks: Sequence[Block], reference: Mapping[str, str], finished: datetime | None = None
) -> Campaign:
    """The campaign as it is recorded: with its control, and whether it can be used.

    Of one that was killed nobody knows when it ``finished``: not before its blocks can have been taken.
    """
    mine = [block for block in blocks if block.campaign == facts["campaign"]]
    anchors = dict(reference)
    seconds = sum(block.conditions.seconds for block in mine)
    started = datetime.fromisoformat(facts["started"])
    ended = max(started, finished) if finished else started + timedelta(seconds=seconds)
    return Campaign(
        **facts,
        finished=ended.isoformat(timespec="seconds"),
        seconds=round(seconds, 3),
        blocks=len(mine),
        control=control_of(control_effect(mine, anchors)),
        moved=moved_of(mine, anchors),
        marks=tuple(marks(mine, anchors, os.cpu_count() or 1)),
    )


@contextmanager
def _off_the_core() -> Iterator[int]:
    """The core to time on: this thread, and those that it starts, stay off it meanwhile, if there is another."""
    allowed = os.sched_getaffinity(0)
    core = max(allowed)  # the first takes most interrupts
    others = allowed - {core}
    try:
        if others:
            os.sched_setaffinity(0, others)
        yield core
    finally:
        os.sched_setaffinity(0, allowed)


def _take(
    program: TimedProgram,
    number: int,
    campaign: str,
    core: int,
    plan: Plan,
    bench: Bench,
    problems: dict[tuple[str, str], str],
    typical: float,
) -> Block | None:
    """One block; None when nothing is left to compare. Objects that fail go to ``problems``, and are timed no more."""
    able = {name: path for name, path in program.contestants.items() if (program.name, name) not in problems}
    if program.reference not in able or len(able) < 2:
        return None  # before anything is linked
    layout = layout_of(campaign, program.name, number)
    layouts = dict.fromkeys(able, layout)
    if takes_moved(number) and (program.name, MOVED) not in problems:
        able[MOVED] = able[program.reference]
        layouts[MOVED] = layout_of(campaign, program.name, number, MOVED)
    names = shuffled(able, layout)  # who is set up first may matter too
    padding = (("PADDING", "x" * padding_of(layout)),)
    runner = replace(runner_for(NATIVE, bench.toolchain), core=core, environment=padding)
    passes = passes_for(typical)
    order = _Order(turns(layout, plan.slice))
    totals = {name: _Total() for name in names}
    cpu = wall = elapsed = sandboxes = 0.0
    with bench.store.scratch() as folder:
        if unlinked := _link(program, [(able[name], layouts[name]) for name in names], folder, bench):
            problems.update({(program.name, names[at]): why for at, why in unlinked.items()})
            return None
        before, process = read_machine(core), time.process_time()
        for item in [item for _ in range(passes) for item in program.ready]:
            running = [name for name in names if (program.name, name) not in problems]
            if program.reference not in running or len(running) < 2:
                return None
            jobs = [job_of(folder / str(names.index(name)), item, runner) for name in running]
            ended, seconds = run_in_turns(bench.sandbox, jobs, order)
            elapsed += seconds
            cpu += sum(one.cpu for one in ended)  # of those that failed too: they kept the core busy
            wall += sum(one.wall for one in ended)
            sandboxes += sum(one.total_cpu for one in ended)
            for name, one in zip(running, ended, strict=True):
                if problem := totals[name].add(one, item, runner, program.expected[item.workload.name]):
                    problems[(program.name, name)] = problem
        after, own = read_machine(core), time.process_time() - process + sandboxes
    samples = tuple(
        totals[name].sample(name, passes, order.first.index(at))
        for at, name in enumerate(names)
        if (program.name, name) not in problems
    )
    if (program.name, program.reference) in problems or len(samples) < 2:
        return None
    return Block(
        campaign=campaign,
        benchmark=program.name,
        target=NATIVE,
        workload=program.workload,
        inputs=program.inputs,
        number=number,
        layout=layout,
        passes=passes,
        samples=samples,
        conditions=conditions(before, after, Use(cpu, wall, elapsed, own)),
    )


class _Order:
    """Gives turns, and remembers in which order everyone had the first."""

    def __init__(self, order: Turns) -> None:
        self.first: list[int] = []
        self._order = order

    def __call__(self, alive: Sequence[int]) -> list[tuple[int, float]]:
        given = self._order(alive)
        self.first = self.first or [number for number, _ in given]
        return given


@dataclass
class _Total:
    """What an object took in a block, all passes and workloads together."""

    cpu: float = 0.0
    wall: float = 0.0
    preemptions: int = 0

    def add(self, ended: Finished, item: ReadyWorkload, runner: Runner, expected: str) -> str:
        """Count a run in; or say why it does not count."""
        try:
            done = judge(ended, item, runner)
        except CellError as error:
            return f"{error.outcome.value}: {error.message}"
        if done.digest != expected:
            return f"{Outcome.WRONG_OUTPUT.value}: workload {item.workload.name}: output differs from the reference's"
        if not (math.isfinite(ended.cpu) and ended.cpu > 0):
            return NO_TIME
        self.cpu += ended.cpu
        self.wall += ended.wall
        self.preemptions += ended.preemptions
        return ""

    def sample(self, name: str, passes: int, first: int) -> Sample:
        """As it is recorded: for one pass."""
        return Sample(
            object=name,
            cpu=round(self.cpu / passes, 9),
            wall=round(self.wall / passes, 6),
            preemptions=self.preemptions,
            first=first,
        )


def _link(program: TimedProgram, objects: Sequence[tuple[Path, int]], folder: Path, bench: Bench) -> dict[int, str]:
    """Every object in its layout, as a file of its own: the copy of the reference is another file.

    Returns why those that cannot be linked so cannot.
    """
    benchmark = program.program.benchmark

    def link(at: int, one: tuple[Path, int]) -> str:
        (twin, layout), placed = one, folder / f"{at}.o"
        try:
            order = arranged(twin, layout, placed)
            link_program(benchmark, NATIVE, placed, folder / str(at), bench, layout, order)
        except CellError as error:
            return f"{error.outcome.value}: {error.message}"
        except UsageError as error:
            return f"{Outcome.COMPILE_ERROR.value}: cannot be linked: {error.message}"
        return ""

    with ThreadPoolExecutor(2) as pool:
        return {at: why for at, why in enumerate(pool.map(link, range(len(objects)), objects)) if why}
