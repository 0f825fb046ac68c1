"""Run time through the whole flow: programs that fail only when they are timed, equal objects, interruptions."""

import json
import math
import os
import signal
import time
from pathlib import Path

import pytest

from harness.base.machine import machine
from harness.base.progress import SilentObserver
from harness.base.vocabulary import Isolation, Outcome, Target
from harness.problems.programs.stages import generate_inputs
from harness.record import Row, RunFile
from harness.record.rows import CONTROL, MOVED
from harness.record.runfile import write_run
from harness.run.engines import InProcess
from harness.sandbox.bench import Bench
from harness.suite.workloads import inputs_exist
from harness.toolchain import Toolchain
from harness.toolchain.targets import TARGETS
from tests.drive import Answer, Sketch, User, write_policy, write_suite
from tests.programs import own_program

QUICK = ("--budget", "15", "--precision", "0.05")
TIMED = ("--track", "speed", "--target", "x86-64", "--metric", "runtime.cpu,runtime.wall,size.alloc")

WORK = """
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static unsigned words[4096];
static unsigned work(unsigned rounds) {
  unsigned sum = 1;
  for (unsigned round = 0; round < rounds; round++)
    for (unsigned at = 0; at < 4096; at++) { words[at] = words[at] * 1664525u + sum; sum ^= words[at] >> 7; }
  return sum;
}
/* Whether this is the policy `weak`: no pass has propagated constants, and yet it is not the build at -O0. */
#ifdef __OPTIMIZE__
static int weak(void) { int one = 1; return !__builtin_constant_p(one + 1); }
#else
static int weak(void) { return 0; }
#endif
int main(int count, char **arguments) {
  unsigned rounds = (unsigned)atoi(arguments[1]);
  const char *fault = count > 2 ? arguments[2] : "";
  unsigned sum = work(rounds);
  if (weak() && !strcmp(fault, "crash")) abort();
  if (weak() && !strcmp(fault, "hang")) for (volatile int forever = 1; forever;) { }
  if (weak() && !strcmp(fault, "nan")) { printf("%f\\n", (double)NAN); return 0; }
  if (weak() && !strcmp(fault, "status")) return 3;
  printf("%u\\n", sum);
  return 0;
}
"""
FAULTS = ("crash", "hang", "nan", "status")


def timed(fault: str, rounds: int) -> str:
    """A workload of the kind ``time`` in which ``weak`` fails so."""
    return f'[[benchmarks.workloads]]\nname = "long"\nkind = "time"\nargs = ["{rounds}", "{fault}"]\ntimeout = 2\n'


def suite(folder: Path, *faults: str, rounds: int = 4000) -> Path:
    """A program for each fault (``none``: it has none), and one that has nothing to be timed on."""
    sketches = [Sketch(name, WORK, args=("2",), workload=timed(name, rounds)) for name in faults]
    return write_suite(folder, *sketches, Sketch("untimed", WORK, args=("3",)))


def allocator(folder: Path, name: str) -> Path:
    """A submission that is one of LLVM's allocators under another name."""
    folder.mkdir(parents=True)
    (folder / "submission.toml").write_text(
        f'name = "{folder.name}"\nversion = "1"\nproblem = "regalloc"\nform = "allocator"\n'
        'class = "fixed"\ntrack = "speed"\n'
        'targets = ["x86-64", "aarch64"]\nauthors = ["A. Tester"]\nlicence = "MIT"\ndescription = "Made by a test."\n'
        f'[values]\nallocator = "{name}"\n'
    )
    return folder


def of(run: RunFile, policy: str, benchmark: str, metric: str = "runtime.cpu") -> Row:
    """The one row."""
    (row,) = (row for row in run.rows if (row.policy, row.benchmark, row.metric) == (policy, benchmark, metric))
    return row


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> User:
    return User.at(tmp_path_factory.mktemp("failing"))


@pytest.fixture(scope="module")
def answer(user: User, tmp_path_factory: pytest.TempPathFactory) -> Answer:
    folder = tmp_path_factory.mktemp("made")
    weak = write_policy(folder / "weak", "mem2reg", track='"speed"')
    made = suite(folder / "faulty", "none", *FAULTS)
    return user.harness("run", "--suite", made, "--policy", weak, *TIMED, *QUICK, code=1, timeout=300)


@pytest.fixture(scope="module")
def run(user: User, answer: Answer) -> RunFile:
    (found,) = user.runs()
    return found


@pytest.mark.slow
class TestFailures:
    """A policy whose programs fail only when they are timed."""

    def test_references_are_timed_beside_it(self, run: RunFile) -> None:
        asked = {row.policy for row in run.rows if row.benchmark == "none"}
        assert asked == {"weak", "greedy", "basic", "pbqp"}

    def test_the_floor_is_timed_where_it_fails_and_nowhere_else(self, user: User, run: RunFile) -> None:
        """It never failed when it was verified, so that nobody had compiled the floor yet."""
        rows = [row for row in run.rows if row.policy == "fast-o0" and row.metric == "runtime.cpu"]
        assert {row.benchmark for row in rows} == set(FAULTS)
        assert all(row.value and row.campaign == of(run, "greedy", row.benchmark).campaign for row in rows)
        table = user.json("leaderboard", "--track", "speed", "--metric", "runtime.cpu", "--reference", "greedy")
        found = {row["policy"]: row for row in table}
        floor, weak = found["fast-o0"], found["weak"]
        assert floor["completed"] == len(FAULTS)
        highest = weak["matched"] * floor["matched"] ** len(FAULTS)
        assert weak["strict"] ** weak["benchmarks"] <= highest * (1 + 1e-9), "what failed counts no more than the floor"

    @pytest.mark.parametrize(
        ("fault", "why"),
        [("crash", "SIGABRT"), ("hang", "limit of 2 s"), ("nan", "output differs"), ("status", "exit status 3")],
    )
    def test_what_fails_has_the_reason_and_no_number(self, run: RunFile, fault: str, why: str) -> None:
        row = of(run, "weak", fault)
        assert (row.value, row.campaign, row.outcome) == (None, None, Outcome.OK)
        assert why in row.detail
        assert of(run, "weak", fault, "size.alloc").value, "its other metrics stand"
        digest = row.object_digest
        timed_objects = {s.object for block in run.blocks if block.benchmark == fault for s in block.samples}
        assert timed_objects and digest not in timed_objects

    def test_everything_else_is_timed(self, run: RunFile) -> None:
        for policy in ("greedy", "basic", "pbqp"):
            for benchmark in ("none", *FAULTS):
                row = of(run, policy, benchmark)
                assert row.value is not None and row.value > 0 and math.isfinite(row.value)
                assert row.campaign and row.workload == "long"
        assert of(run, "weak", "none").value

    def test_a_program_without_a_timed_workload_says_so(self, run: RunFile) -> None:
        row = of(run, "greedy", "untimed")
        assert row.value is None and "no workload of the kind 'time'" in row.detail

    def test_blocks_have_every_object_once_and_the_control(self, run: RunFile) -> None:
        blocks = [block for block in run.blocks if block.benchmark == "none"]
        objects = {str(of(run, policy, "none").object_digest) for policy in ("weak", "greedy", "basic", "pbqp")}
        assert len(blocks) >= 10
        assert [block.number for block in blocks] == list(range(len(blocks)))
        assert len({block.layout for block in blocks}) == len(blocks) >= 5
        for block in blocks:
            names = [sample.object for sample in block.samples]
            moved = [MOVED] if block.number % 3 == 0 else []
            assert sorted(names) == sorted([*objects, CONTROL, *moved])
            assert sorted(sample.first for sample in block.samples) == list(range(len(names)))

    def test_the_campaign_has_its_control(self, run: RunFile) -> None:
        (campaign,) = run.campaigns
        assert campaign.control.pairs == campaign.blocks == len(run.blocks)
        assert campaign.control.low is not None and campaign.control.high is not None
        assert campaign.moved is not None and 0 < campaign.moved.pairs < campaign.control.pairs

    def test_standings_count_failures_and_keep_the_rest(self, user: User, run: RunFile) -> None:
        table = user.json("leaderboard", "--track", "speed", "--metric", "runtime.cpu", "--reference", "greedy")
        rows = {row["policy"]: row for row in table}
        assert rows["weak"]["coverage"] == pytest.approx(1 / 5)
        assert rows["weak"]["rank"] is None
        assert any("coverage" in reason for reason in rows["weak"]["reasons"])
        for row in rows.values():
            assert math.isfinite(row["strict"]) and row["strict"] > 0
        assert rows["greedy"]["strict"] == 1.0

    def test_the_summary_names_what_failed(self, answer: Answer) -> None:
        assert "killed by SIGABRT" in answer.err
        assert "control" in answer.err


class TestEqualObjects:
    """Two policies that give one object."""

    def test_they_are_timed_once_and_their_ratio_is_exactly_one(self, tmp_path: Path) -> None:
        user = User.at(tmp_path)
        made = suite(tmp_path / "equal", "none")
        again = allocator(tmp_path / "again", "greedy")
        user.harness("run", "--suite", made, "--policy", f"{again},basic", *TIMED, *QUICK, code=0, timeout=200)
        (run,) = user.runs()
        greedy, copy = of(run, "greedy", "none"), of(run, "again", "none")
        assert greedy.object_digest == copy.object_digest
        assert greedy.value == copy.value
        for block in run.blocks:
            assert [sample.object for sample in block.samples].count(str(greedy.object_digest)) == 1
        table = user.json("leaderboard", "--track", "speed", "--metric", "runtime.cpu", "--reference", "greedy")
        row = next(row for row in table if row["policy"] == "again")
        assert row["matched"] == 1.0
        (compared, *_) = (row for row in user.json("compare", "again", "greedy", "--track", "speed", "--metric",
                          "runtime.cpu") if row["benchmark"] == "none")  # fmt: skip
        assert compared["ratio"] == 1.0 and compared["same_object"]


@pytest.mark.slow
class TestInterruptions:
    """Killed while it times, and asked for again."""

    def test_finished_blocks_survive_and_the_rest_is_timed(self, tmp_path: Path) -> None:
        user = User.at(tmp_path)
        made = suite(tmp_path / "killed", "none")
        words = ("run", "--suite", made, "--policy", "basic", *TIMED, "--budget", "20", "--precision", "0.001")
        with user.start(*words) as process:
            before = wait_for_blocks(user, 4)
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        user.harness(*words, code=0, timeout=200)
        (run,) = user.runs()
        kept = {(block.campaign, block.number): block.layout for block in run.blocks}
        assert before.items() <= kept.items()
        assert len({block.number for block in run.blocks}) == len(run.blocks), "no block was taken twice"
        assert {campaign.campaign for campaign in run.campaigns} == {block.campaign for block in run.blocks}
        assert len(run.campaigns) == 2
        assert sum(campaign.blocks for campaign in run.campaigns) == len(run.blocks)

    @pytest.mark.slow
    def test_what_is_timed_is_not_timed_again_unless_asked(self, tmp_path: Path) -> None:
        user = User.at(tmp_path)
        made = suite(tmp_path / "twice", "none")
        words = ("run", "--suite", made, "--policy", "basic", *TIMED, *QUICK)
        user.harness(*words, code=0, timeout=200)
        (first,) = user.runs()
        usable = not first.campaigns[0].marks
        answer = user.harness(*words, code=0, timeout=200)
        if usable:
            assert "nothing new" in answer.err
            assert len(user.runs()) == 1
        else:  # the machine was too busy: it is timed again
            assert len(user.runs()) == 2
        time.sleep(1.1)  # a run's name has its second
        user.harness(*words, "--time-again", code=0, timeout=200)
        newest = user.runs()[-1]
        assert newest.campaigns[0].campaign != first.campaigns[0].campaign


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one core is all that there is")
def test_blocks_of_another_machine_are_not_gone_on_with(tmp_path: Path) -> None:
    """Killed, and asked for again where there are fewer cores, as on a virtual machine that was made anew."""
    user, made, every = User.at(tmp_path), suite(tmp_path / "moved", "none"), os.sched_getaffinity(0)
    words = ("run", "--suite", made, "--policy", "basic", *TIMED, "--budget", "15", "--precision", "0.02")
    with user.start(*words) as process:
        before = wait_for_blocks(user, 2)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    os.sched_setaffinity(0, {max(every)})
    try:
        with user.start(*words) as process:  # a process of its own: it has the cores of who starts it
            process.communicate(timeout=200)
        assert process.returncode == 0
    finally:
        os.sched_setaffinity(0, every)
    (run,) = user.runs()
    assert run.header.host.cores == 1
    assert run.blocks and len(run.campaigns) == 1
    assert {campaign for campaign, _ in before}.isdisjoint(block.campaign for block in run.blocks)


@pytest.mark.slow
class TestStrangers:
    """A folder of results from elsewhere, as a fresh checkout has it."""

    def test_times_of_another_machine_are_never_ones_own(self, tmp_path: Path) -> None:
        """Its CPU has the same name. What is counted is taken from the cache; what is timed, here."""
        made = suite(tmp_path / "made", "none")
        words = ("run", "--suite", made, "--policy", "basic", *TIMED, *QUICK)
        first = User.at(tmp_path / "there")
        first.harness(*words, code=0, timeout=200)
        (run,) = first.runs()
        fields = run.header.model_dump(mode="json", by_alias=True, exclude={"run"})
        assert run.header.host.identity == machine().identity
        fields["host"]["model"] = "another"
        here = User(first.cache, tmp_path / "here")
        here.results.mkdir()
        write_run(here.results, fields, run.rows, run.campaigns, run.blocks)
        time.sleep(1.1)  # a run's name has its second
        assert here.harness(*words, code=0, timeout=200).computed == 0
        taken = here.runs()[-1]
        assert len(taken.blocks) >= 10
        assert {c.campaign for c in taken.campaigns}.isdisjoint(c.campaign for c in run.campaigns)
        assert all(campaign.calibration for campaign in taken.campaigns)


def test_times_taken_without_the_sandbox_are_not_taken_over(tmp_path: Path) -> None:
    """A sandboxed run's rows say that nothing foreign ran without it: it times by itself."""
    made = suite(tmp_path / "made", "none")
    words = ("run", "--suite", made, "--policy", "basic", *TIMED, *QUICK)
    first = User.at(tmp_path / "there")
    first.harness(*words, code=0, timeout=200)
    (run,) = first.runs()
    fields = run.header.model_dump(mode="json", by_alias=True, exclude={"run"})
    rows = [row.model_copy(update={"isolation": Isolation.TRUSTED}) for row in run.rows]
    sound = [campaign.model_copy(update={"marks": ()}) for campaign in run.campaigns]
    here = User(first.cache, tmp_path / "here")
    here.results.mkdir()
    write_run(here.results, fields, rows, sound, run.blocks)
    time.sleep(1.1)  # a run's name has its second
    here.harness(*words, code=0, timeout=200)
    taken = here.runs()[-1]
    assert len(taken.blocks) >= 10
    assert {c.campaign for c in taken.campaigns}.isdisjoint(c.campaign for c in run.campaigns)
    assert all(row.isolation is Isolation.SANDBOX for row in taken.rows)


@pytest.mark.slow
class TestModels:
    """Modelled cycles beside a clock."""

    def test_they_are_of_the_timed_cpu_too(self, toolchain: Toolchain, tmp_path: Path) -> None:
        usual, here = TARGETS[Target.X86_64].model, toolchain.host_cpu
        assert here
        user, made = User.at(tmp_path), suite(tmp_path / "made", "none")
        words = ("--track", "speed", "--policy", "basic", "--metric", "runtime.cpu,mca.cycles", *QUICK)
        user.harness("run", "--suite", made, *words, code=0, timeout=200)
        (run,) = user.runs()
        assert run.header.host.llvm == here
        taken = {(row.target.value, row.metric) for row in run.rows if row.value is not None and row.metric}
        assert {("x86-64", f"mca.cycles@{here}"), ("x86-64", "mca.cycles"), ("aarch64", "mca.cycles")} <= taken
        assert ("aarch64", f"mca.cycles@{here}") not in {(row.target.value, row.metric) for row in run.rows}
        asked = ("leaderboard", "--target", "x86-64", "--reference", "greedy")
        rows = {row["policy"]: row["modelled"] for row in user.json(*asked)}
        assert set(rows["basic"]) == {usual, here}
        assert rows["greedy"] == {usual: 1.0, here: 1.0}
        assert f"modelled cycles of {here}: " in user.harness(*asked, code=0).out


class TestRequests:
    """What can be asked for."""

    def test_run_time_of_an_emulated_target_is_refused(self, tmp_path: Path) -> None:
        user = User.at(tmp_path)
        made = suite(tmp_path / "emulated", "none")
        answer = user.harness("run", "--suite", made, "--target", "aarch64", "--metric", "runtime.cpu")
        answer.refused(2, "runtime.cpu", "cannot be measured on aarch64", "--target x86-64")

    def test_without_a_timed_metric_nothing_is_timed(self, tmp_path: Path) -> None:
        user = User.at(tmp_path)
        made = suite(tmp_path / "sizes", "none")
        words = ("--track", "speed", "--target", "x86-64", "--metric", "size.alloc", "--policy", "greedy")
        user.harness("run", "--suite", made, *words, code=0)
        (run,) = user.runs()
        assert (run.blocks, run.campaigns) == ((), ())
        assert {row.policy for row in run.rows} == {"greedy"}


def wait_for_blocks(user: User, least: int) -> dict[tuple[str, int], int]:
    """The blocks of the unfinished run, once there are so many."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        found: dict[tuple[str, int], int] = {}
        for journal in user.results.glob(".*.journal"):
            for line in journal.read_bytes().splitlines(keepends=True):
                entry = json.loads(line)["entry"] if line.endswith(b"\n") else {}
                if "block" in entry:
                    found[entry["block"]["campaign"], entry["block"]["number"]] = entry["block"]["layout"]
        if len(found) >= least:
            return found
        time.sleep(0.05)
    raise AssertionError("no blocks were taken")


def test_inputs_of_timed_workloads_are_a_stage_of_their_own(tmp_path: Path, toolchain: Toolchain) -> None:
    """With progress, and on all workers: they are large."""
    inputs = ({"file": "words", "generator": "words", "seed": 1, "params": {"count": 50}},)
    workloads = ({"name": "short"}, {"name": "long", "kind": "time", "inputs": inputs})
    program = own_program(tmp_path, {"main.c": WORK}, workloads=workloads)
    bench = Bench(toolchain, tmp_path / "cache")
    told: list[str] = []

    class Watching(SilentObserver):
        def stage(self, name: str, total: float) -> None:
            told.append(f"{name} {total:g}")

    generate_inputs([program], bench, InProcess(), Watching())
    assert (told, inputs_exist(program, bench.store, "time")) == ([], False)
    generate_inputs([program], bench, InProcess(), Watching(), "time")
    assert (told, inputs_exist(program, bench.store, "time")) == (["inputs 1"], True)
