"""Real campaigns of small programs: everyone in every block, failures told, the budget kept, nothing left changed."""

import hashlib
import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from harness.base.digest import digest_bytes
from harness.base.vocabulary import Target
from harness.record.rows import CONTROL, MOVED, Block, Conditions
from harness.sandbox import Finished, Job, Limits, Reason, Sandbox
from harness.sandbox.bench import Bench
from harness.sandbox.turns import NextTurns, run_in_turns
from harness.suite.model import Workload
from harness.suite.workloads import ReadyWorkload
from harness.timing import campaign as module
from harness.timing import lock
from harness.timing.campaign import Facts, Timed, run_campaign, summary
from harness.timing.conditions import Reading, Use, conditions
from harness.timing.contestants import NO_TIME, TimedProgram, try_object
from harness.timing.schedule import Plan, layout_of, padding_of
from harness.verify.verify import runner_for
from tests.programs import own_program
from tests.sandbox.jobs import own_children

# What an object does is what it was compiled with; its argument, if there is one, is how long it computes.
SOURCE = r"""
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#ifndef WORK
#define WORK 20
#endif
#ifndef TEXT
#define TEXT "done"
#endif
#ifndef ACT
#define ACT
#endif
volatile unsigned sink = 1;
static void turn(void) { for (int at = 0; at < 100000; at++) sink = sink * 1664525 + at; }
int main(int count, char **words) {
  long work = count > 1 ? atol(words[1]) : WORK;
  for (long at = 0; at < work * WORK / 20; at++) turn();
  ACT;
  puts(TEXT);
  return 0;
}
"""
PLAN = Plan(budget=60.0, least=2, most=2, precision=1e-9)
Names = dict[str, str]
"""Of objects: digest → what the test calls it."""


@pytest.fixture(autouse=True)
def own_lock(monkeypatch: pytest.MonkeyPatch) -> None:
    """A campaign outside the tests is not waited for."""
    monkeypatch.setattr(lock, "_NAME", f"\0test-campaign-{os.getpid()}")


@dataclass
class Made:
    """A program of a test, and a campaign with it."""

    program: TimedProgram
    names: Names
    bench: Bench
    typical: float = 0.02
    timed: Timed = field(default_factory=lambda: Timed([]))
    opened: list[Facts] = field(default_factory=list)
    recorded: list[tuple[Block, str]] = field(default_factory=list)
    waits: int = 0

    def run(self, plan: Plan = PLAN, recorded: Callable[[Block, str], None] | None = None) -> Facts:
        return campaign([self], plan, recorded)

    def problems(self) -> dict[str, str]:
        return {self.names[digest]: why for (_, digest), why in self.timed.problems.items()}

    def objects(self, block: Block) -> set[str]:
        """But for the reference in another layout, which some blocks have too."""
        return {self.names[sample.object] for sample in block.samples} - {MOVED}


def campaign(made: Sequence[Made], plan: Plan, recorded: Callable[[Block, str], None] | None = None) -> Facts:
    """Of several programs, which share what the first has recorded."""
    first = made[0]

    def keep(block: Block, name: str) -> None:
        first.recorded.append((block, name))
        if recorded is not None:
            recorded(block, name)

    def wait() -> None:
        first.waits += 1

    typical = {one.program.name: one.typical for one in made}
    programs = [one.program for one in made]
    return run_campaign(programs, typical, plan, first.bench, first.timed, first.opened.append, keep, wait)


Make = Callable[..., Made]


@pytest.fixture
def make(bench: Bench, tmp_path: Path) -> Make:
    """Makes a program; ``objects``: what each is compiled with."""

    def made(
        name: str = "program", workloads: Sequence[Workload] | None = None, timeout: float = 20.0, **objects: str
    ) -> Made:
        folder = tmp_path / name
        program = own_program(folder, {"main.c": SOURCE}, name=name)
        paths: dict[str, Path] = {}
        names = {CONTROL: CONTROL, MOVED: MOVED}
        for label, defines in {"reference": "", **objects}.items():
            made_object = folder / f"{label}.o"
            flags = [f"-D{define}" for define in defines.split("|") if define]
            source = str(folder / "src" / "main.c")
            command = [bench.toolchain.tool("clang"), "-O1", "-D_GNU_SOURCE", *flags, "-c", source]
            subprocess.run([*command, "-o", made_object], check=True, timeout=60)
            digest = digest_bytes(made_object.read_bytes() + label.encode())
            paths[digest], names[digest] = made_object, label
        workloads = workloads or [Workload(name="only", kind="time", timeout=timeout)]
        right = hashlib.sha256(b"done\n").hexdigest()
        ready = tuple(ReadyWorkload(workload, {}, right) for workload in workloads)
        expected = {workload.name: right for workload in workloads}
        return Made(TimedProgram(program, next(iter(paths)), paths, ready, expected), names, bench)

    return made


@dataclass
class Round:
    """Jobs that took turns."""

    jobs: list[Job]
    linked: list[str]
    """Digests of their programs."""
    ended: list[Finished]


@contextmanager
def watched(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Round]]:
    """All that take turns."""
    seen: list[Round] = []

    def watch(sandbox: Sandbox, jobs: Sequence[Job], order: NextTurns) -> tuple[list[Finished], float]:
        linked = [digest_bytes(job.files["/program"].read_bytes()) for job in jobs]
        ended, seconds = run_in_turns(sandbox, jobs, order)
        seen.append(Round(list(jobs), linked, ended))
        return ended, seconds

    with monkeypatch.context() as patch:
        patch.setattr(module, "run_in_turns", watch)
        yield seen


def test_everyone_is_in_every_block(make: Make) -> None:
    made = make(same="UNUSED=1", slower="WORK=40")
    facts = made.run(replace(PLAN, least=3, most=3))
    assert made.opened == [facts]
    assert facts["core"] == max(os.sched_getaffinity(0)) and facts["budget"] == PLAN.budget
    blocks = made.timed.blocks
    assert [block.number for block in blocks] == [0, 1, 2]
    for block in blocks:
        assert made.objects(block) == {"reference", "same", "slower", CONTROL}
        assert (block.campaign, block.benchmark, block.workload) == (facts["campaign"], "program", "only")
        assert (block.target, block.inputs, block.passes) == (Target.X86_64, made.program.inputs, 1)
        assert sorted(sample.first for sample in block.samples) == list(range(len(block.samples)))
        assert all(0 < sample.cpu <= sample.wall + 0.01 for sample in block.samples)
        assert sum(sample.wall for sample in block.samples) <= block.conditions.seconds + 0.01
        assert block.conditions.idle >= 0 and 0 <= block.conditions.others <= 1
    assert made.problems() == {}
    times = {made.names[s.object]: s.cpu for s in blocks[1].samples}
    assert times["slower"] > 1.3 * max(times["reference"], times["same"], times[CONTROL])
    done = summary(facts, blocks, {"program": made.program.reference})
    assert (done.blocks, done.control.pairs, done.campaign) == (3, 3, facts["campaign"])
    assert done.seconds == pytest.approx(sum(block.conditions.seconds for block in blocks), abs=0.001)


def test_a_ratio_is_of_the_reference_and_the_object_in_the_same_block(make: Make) -> None:
    made = make(slower="WORK=40")
    made.run()
    pairs = made.timed.pairs(made.program)
    assert {made.names[name] for name in pairs} == {"slower", CONTROL}
    for at, block in enumerate(made.timed.blocks):
        cpu = {sample.object: sample.cpu for sample in block.samples}
        for name, values in pairs.items():
            assert values[at] == math.log(cpu[made.program.reference] / cpu[name])
    slower = next(name for name in pairs if made.names[name] == "slower")
    assert all(value < 0 for value in pairs[slower])


def test_layout_environment_and_order_are_others_in_each_block(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    made = make(same="UNUSED=1")
    monkeypatch.setattr(module, "takes_moved", lambda _: False)
    with watched(monkeypatch) as seen:
        facts = made.run(replace(PLAN, least=4, most=4))
    layouts = [block.layout for block in made.timed.blocks]
    assert layouts == [layout_of(str(facts["campaign"]), "program", number) for number in range(4)]
    assert len(set(layouts)) == 4
    for layout, one in zip(layouts, seen, strict=True):
        assert {job.environment["PADDING"] for job in one.jobs} == {"x" * padding_of(layout)}
        assert {job.cores for job in one.jobs} == {(facts["core"],)}
        assert len({job.files["/program"] for job in one.jobs}) == 3, "the copy is another file"
        assert len(set(one.linked)) == 1, "with the same bytes"
    assert len({one.linked[0] for one in seen}) == 4


@pytest.mark.slow
def test_in_every_third_block_the_reference_is_in_another_layout_too(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which is what layout alone does, told beside what is measured where nothing moved."""
    made = make(same="UNUSED=1")
    with watched(monkeypatch) as seen:
        facts = made.run(replace(PLAN, least=7, most=7))
    blocks = made.timed.blocks
    assert [MOVED in {sample.object for sample in block.samples} for block in blocks] == [
        True, False, False, True, False, False, True
    ]  # fmt: skip
    for one in seen:
        assert sorted(one.linked.count(linked) for linked in set(one.linked)) == ([1, 3] if len(one.jobs) == 4 else [3])
    assert MOVED not in made.timed.pairs(made.program)
    found = summary(facts, blocks, {"program": made.program.reference}).moved
    assert found is not None
    assert found.pairs == 3
    assert 0 <= found.moved < 0.5 and 0 <= found.still < 0.5


@pytest.mark.slow
def test_short_programs_get_several_passes(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    made = make(same="UNUSED=1")
    made.typical = 0.004
    with watched(monkeypatch) as seen:
        made.run(replace(PLAN, least=1, most=1))
    assert len(seen) == 5
    (block,) = made.timed.blocks
    assert block.passes == 5
    for at, sample in enumerate(block.samples):
        assert sample.cpu == pytest.approx(sum(one.ended[at].cpu for one in seen) / 5)
        assert sample.wall == pytest.approx(sum(one.ended[at].wall for one in seen) / 5, abs=1e-5)
        assert sample.preemptions == sum(one.ended[at].preemptions for one in seen)


@pytest.mark.slow
def test_all_workloads_count_together(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    each = {"a": "5", "b": "25"}
    workloads = [Workload(name=name, kind="time", timeout=20, args=(count,)) for name, count in each.items()]
    made = make(workloads=workloads, same="UNUSED=1")
    with watched(monkeypatch) as seen:
        made.run(replace(PLAN, least=1, most=1))
    assert [one.jobs[0].arguments for one in seen] == [("5",), ("25",)]
    (block,) = made.timed.blocks
    assert block.workload == "a+b"
    alone = try_object(made.program, made.program.reference, made.bench)
    assert alone.problem == "" and alone.cpu > 0


FAILING = {
    "crash": ("ACT=abort()", "run-crash: workload only: killed by SIGABRT"),
    "other": ('TEXT="gone"', "wrong-output: workload only: output differs from the reference's"),
    "status": ("ACT=exit(3)", "wrong-output: workload only: exit status 3, not 0"),
    "hangs": ("ACT=for(;;)", "run-timeout: workload only: stopped at its limit of 0.7 s"),
    "stops": ("ACT=for(;;)raise(SIGSTOP)", "run-timeout: workload only: stopped at its limit of 0.7 s"),
    "sleeps": ("ACT=sleep(50)", "run-timeout: workload only: stopped at its limit of 0.7 s"),
    "killed": ("ACT=raise(SIGKILL)", "run-crash: workload only: killed by SIGKILL"),
}


@pytest.mark.slow
def test_what_fails_is_told_and_the_others_go_on(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """And is not in the first block either; what it did is nobody's disturbance."""
    uses: list[Use] = []

    def note(before: Reading, after: Reading, use: Use) -> Conditions:
        uses.append(use)
        return conditions(before, after, use)

    monkeypatch.setattr(module, "conditions", note)
    made = make(timeout=0.7, same="UNUSED=1", **{name: defines for name, (defines, _) in FAILING.items()})
    with watched(monkeypatch) as seen:
        made.run(replace(PLAN, least=3, most=3))
    assert made.problems() == {name: why for name, (_, why) in FAILING.items()}
    assert [made.objects(block) for block in made.timed.blocks] == [{"reference", "same", CONTROL}] * 3
    assert all(sample.cpu > 0 for block in made.timed.blocks for sample in block.samples)
    pairs = made.timed.pairs(made.program)
    assert {made.names[name] for name in pairs} == {"same", CONTROL}
    assert all(len(values) == 3 for values in pairs.values())
    assert uses[0].wall > 3 * 0.7, "those that hung had turns too"
    for use, one in zip(uses, seen, strict=True):
        assert use.cpu == pytest.approx(sum(ended.cpu for ended in one.ended))
        assert use.wall == pytest.approx(sum(ended.wall for ended in one.ended))


@pytest.mark.slow
def test_what_hangs_does_so_once_and_not_in_every_pass(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    made = make(timeout=0.4, same="UNUSED=1", hangs="ACT=for(;;)")
    made.typical = 0.003
    with watched(monkeypatch) as seen:
        made.run(replace(PLAN, least=1, most=1))
    assert [len(one.jobs) for one in seen] == [5, *[4] * 6]
    assert set(made.problems()) == {"hangs"}
    assert [made.objects(block) for block in made.timed.blocks] == [{"reference", "same", CONTROL}]


def test_time_lost_to_one_that_hung_is_not_expected_again(make: Make) -> None:
    """The budget has room for one time-out, and for many blocks without."""
    made = make(timeout=1.5, same="UNUSED=1", hangs="ACT=for(;;)")
    made.run(replace(PLAN, budget=3.0, least=2, most=2))
    assert len(made.timed.blocks) == 2


@pytest.mark.slow
@pytest.mark.parametrize("defines", ["ACT=abort()", 'TEXT="gone"'])
def test_without_its_reference_a_program_is_timed_no_more(make: Make, defines: str) -> None:
    made, other = make(same="UNUSED=1"), make("other", same="UNUSED=1")
    reference = made.program.reference
    failing = make("failing", failing=defines)
    path = next(path for digest, path in failing.program.objects.items() if failing.names[digest] == "failing")
    made.program = replace(made.program, objects={**made.program.objects, reference: path})
    campaign([made, other], replace(PLAN, least=12, most=14, budget=30))
    assert {(name, made.names[digest]) for name, digest in made.timed.problems} >= {("program", "reference")}
    assert {block.benchmark for block in made.timed.blocks} == {"other"}
    assert len(made.timed.blocks) == 14


def test_what_cannot_be_linked_is_told_and_the_others_go_on(make: Make) -> None:
    made = make(same="UNUSED=1", alone="UNUSED=2")
    broken = next(path for digest, path in made.program.objects.items() if made.names[digest] == "alone")
    broken.write_bytes(b"no object")
    made.run(replace(PLAN, least=3, most=3))
    assert list(made.problems()) == ["alone"]
    assert made.problems()["alone"].startswith("compile-error: cannot be linked: ")
    assert [made.objects(block) for block in made.timed.blocks] == [{"reference", "same", CONTROL}] * 2


def test_no_time_at_all_is_a_problem_and_no_ratio(make: Make) -> None:
    made = make()
    item = made.program.ready[0]
    runner = runner_for(Target.X86_64, made.bench.toolchain)
    ended = made.bench.sandbox.run(Job("/usr/bin/echo", ("done",), system=True))
    right = made.program.expected["only"]
    total = module._Total()
    assert total.add(ended, item, runner, right) == ""
    assert (total.cpu, total.wall) == (ended.cpu, ended.wall)
    for cpu in (0.0, -1e-6, math.nan, math.inf):
        assert total.add(replace(ended, cpu=cpu), item, runner, right) == NO_TIME
    assert total.cpu == ended.cpu


@pytest.mark.slow
def test_an_object_that_sleeps_holds_nobody_up(make: Make) -> None:
    made = make(same="UNUSED=1", sleeps="WORK=0|ACT=usleep(60000)")
    made.run()
    assert made.problems() == {}
    for block in made.timed.blocks:
        cpu = {made.names[sample.object]: sample.cpu for sample in block.samples}
        assert cpu["sleeps"] < cpu["same"]
        assert cpu["same"] < 8 * cpu["reference"]


@pytest.mark.slow
def test_the_budget_is_kept(make: Make) -> None:
    """But for the block that was begun."""
    programs = [make(name, same="UNUSED=1") for name in ("one", "two")]
    longest = 0.0
    last = began = time.monotonic()

    def recorded(_block: Block, _name: str) -> None:
        nonlocal longest, last
        now = time.monotonic()
        longest, last = max(longest, now - last), now

    campaign(programs, replace(PLAN, budget=2.0, most=1000), recorded)
    assert time.monotonic() - began <= 2.0 + longest + 0.5
    assert {block.benchmark for block in programs[0].timed.blocks} == {"one", "two"}


def test_no_budget_no_block(make: Make) -> None:
    made = make(same="UNUSED=1")
    made.run(replace(PLAN, budget=0.0))
    assert made.timed.blocks == [] and len(made.opened) == 1
    done = summary(made.opened[0], [], {})
    assert (done.blocks, done.marks, done.control.pairs) == (0, (), 0)


def test_blocks_are_recorded_one_by_one(make: Make) -> None:
    made = make(same="UNUSED=1")
    counts: list[int] = []

    def recorded(block: Block, name: str) -> None:
        assert name == "program" and made.timed.blocks[-1] is block
        counts.append(len(made.timed.blocks))
        if len(counts) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        made.run(replace(PLAN, least=5, most=5), recorded=recorded)
    assert counts == [1, 2]


def test_an_interrupted_campaign_is_taken_up_by_another(make: Make) -> None:
    made = make(same="UNUSED=1")
    made.run(replace(PLAN, least=2, most=2))
    made.run(replace(PLAN, least=3, most=3))
    assert [block.number for block in made.timed.blocks] == [0, 1, 2]
    first, second = (str(facts["campaign"]) for facts in made.opened)
    assert [block.campaign for block in made.timed.blocks] == [first, first, second] and first != second
    assert all(len(values) == 3 for values in made.timed.pairs(made.program).values())
    reference = {"program": made.program.reference}
    assert [summary(facts, made.timed.blocks, reference).blocks for facts in made.opened] == [2, 1]


def test_it_waits_while_another_harness_times(make: Make) -> None:
    script = "import socket, sys\nholder = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)\nholder.bind(sys.argv[1])\n"
    script = script.replace("sys.argv[1]", repr(lock._NAME)) + "print(flush=True)\nsys.stdin.read()\n"
    made = make(same="UNUSED=1")
    with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        thread = threading.Thread(target=made.run, args=(replace(PLAN, least=1, most=1),))
        thread.start()
        deadline = time.monotonic() + 30
        while made.waits < 1 and time.monotonic() < deadline:
            time.sleep(0.01)
        assert made.waits >= 1 and made.opened == [] and made.timed.blocks == []
        other.send_signal(signal.SIGKILL)
    thread.join(60)
    assert len(made.timed.blocks) == 1


@pytest.mark.parametrize("fails", [False, True])
def test_the_machine_is_left_as_it_was(make: Make, fails: bool) -> None:
    made = make(same="UNUSED=1")
    before = os.sched_getaffinity(0)
    meanwhile: list[set[int]] = []
    made.run(replace(PLAN, least=1, most=1))
    descriptors, processes = os.listdir("/proc/self/fd"), own_children()

    def recorded(_block: Block, _name: str) -> None:
        meanwhile.append(os.sched_getaffinity(0))
        if fails:
            raise RuntimeError("stop")

    if fails:
        with pytest.raises(RuntimeError):
            made.run(recorded=recorded)
    else:
        made.run(replace(PLAN, least=3, most=3), recorded=recorded)
    core = made.opened[-1]["core"]
    assert meanwhile and (len(before) == 1 or all(core not in cores for cores in meanwhile))
    assert os.sched_getaffinity(0) == before
    assert (os.listdir("/proc/self/fd"), own_children()) == (descriptors, processes)
    job = Job("/usr/bin/nproc", system=True, limits=Limits(wall=20))
    assert made.bench.sandbox.run(job).stdout == b"%d\n" % len(before)


def test_it_holds_the_machine_no_longer_than_it_lasts(make: Make) -> None:
    made = make(same="UNUSED=1")
    with pytest.raises(RuntimeError):
        made.run(recorded=lambda *_: (_ for _ in ()).throw(RuntimeError("stop")))
    made.run(replace(PLAN, least=1, most=1))
    assert made.waits == 0


def test_one_that_was_killed_from_outside_is_lost_alone(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    made = make(same="UNUSED=1", unlucky='TEXT="done\\n"')
    (unlucky,) = {name for name in made.names if made.names[name] == "unlucky"}

    def kill(sandbox: Sandbox, jobs: Sequence[Job], order: NextTurns) -> tuple[list[Finished], float]:
        ended, seconds = run_in_turns(sandbox, jobs, order)
        return [
            replace(one, reason=Reason.SIGNAL, value=signal.SIGKILL) if one.stdout == b"done\n\n" else one
            for one in ended
        ], seconds

    monkeypatch.setattr(module, "run_in_turns", kill)
    made.run()
    assert made.timed.problems == {("program", unlucky): "run-crash: workload only: killed by SIGKILL"}
    assert [made.objects(block) for block in made.timed.blocks] == [{"reference", "same", CONTROL}] * 2
