"""A job that is given cores stays on them and pays for all that it uses, whatever it tries."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from harness.base.errors import CellError
from harness.base.vocabulary import Outcome
from harness.problems.instances.answers import Answers
from harness.problems.instances.judge import judge
from harness.problems.instances.policies import SOLVER_CPP
from harness.problems.instances.solve import Attempt, run_solver
from harness.problems.instances.solver import prepare_solver, solver_job
from harness.problems.sharding.domain import Sharding
from harness.problems.sharding.generate import generate
from harness.problems.sharding.parse import parse_instance
from harness.sandbox import Finished, Left, Limits, Reason, Sandbox, grace
from harness.sandbox.bench import Bench
from harness.sandbox.cgroups import find_controller
from tests.attacks.host import SMALL, attack

DOMAIN = Sharding()

Program = Callable[[str], Path]
CORES = sorted(os.sched_getaffinity(0))
WALL = 0.8
GREEDY = b"""
#include <cstdio>
#include <sched.h>
#include <thread>
int main() {
  cpu_set_t all;
  for (int core = 0; core < CPU_SETSIZE; core++) CPU_SET(core, &all);
  sched_setaffinity(0, sizeof all, &all);
  std::puts("[0, 0, 0]");
  std::fflush(stdout);
  auto spin = [] { for (volatile long count = 0;; count = count + 1) {} };
  std::thread first(spin), second(spin);
  spin();
}
"""
needs_two_cores = pytest.mark.skipif(len(CORES) < 2, reason="there is one core only")


def counts_cpu() -> bool:
    """Whether a control group counts the CPU time of a sandbox here."""
    controller = find_controller()
    return controller is not None and (controller.version == 2 or "cpuacct" in controller.parents)


def finished(wall: float, limit: float) -> Finished:
    """A solver that was ended so late."""
    measured = {"wall": wall, "cpu": wall, "total_cpu": wall, "peak_memory": 1, "preemptions": 0}
    rest = {"stdout": b"", "stderr": b"", "results": {}, "refused": {}, "left": Left(0, 0, 1)}
    return Finished("/solver", Reason.WALL, 0, Limits(wall=limit), **measured, **rest)  # type: ignore[arg-type]


needs_counting = pytest.mark.skipif(not counts_cpu(), reason="no control group counts CPU time here")


@needs_two_cores
@pytest.mark.parametrize("way", ["affinity", "thread", "child"])
@pytest.mark.parametrize("cores", [CORES[:1], CORES[-1:]])
def test_a_job_cannot_leave_its_cores(sandbox: Sandbox, program: Program, way: str, cores: list[int]) -> None:
    """Whoever of its processes and threads asks for more: all of them together do what these cores can do."""
    limits = replace(SMALL, wall=10, cpu=10, processes=40)
    done = sandbox.run(replace(attack(program("cores"), way, f"{WALL}", limits=limits), cores=tuple(cores)))
    assert done.ok and done.stdout == b"1\n"
    assert done.wall < 2 * WALL, "the machine is too busy for this test"
    assert done.total_cpu <= 1.1 * done.wall + 0.1


@needs_two_cores
def test_a_solver_on_one_core_has_one(bench: Bench, tmp_path: Path) -> None:
    """From the submitted source on: `--cores 1` is what is measured."""
    (tmp_path / "instance.json").write_bytes(generate("made", 1, 2))
    solver = prepare_solver(GREEDY, SOLVER_CPP, bench)
    job = solver_job(solver, tmp_path / "instance.json", WALL, CORES[:1], bench)
    finished = run_solver(job, Answers(3, "nodes", "strategies"), bench.sandbox).finished
    assert finished.out_of_time
    assert finished.total_cpu <= 1.1 * finished.wall + 0.1


def test_the_limit_of_cpu_time_of_a_solver_scales(bench: Bench, tmp_path: Path) -> None:
    """A tenth of a second at a time scale of 0.01: what its cores can do in its wall time, and hardly more."""
    solver = prepare_solver(GREEDY, SOLVER_CPP, bench)
    for seconds, most in ((0.6, 0.7), (60.0, 61.2)):
        job = solver_job(solver, tmp_path / "instance.json", seconds, CORES[:1], bench).bounded()
        assert job.limits.cpu is not None and seconds <= job.limits.cpu <= most + 1e-9


@needs_counting
@pytest.mark.parametrize("cores", [(), tuple(CORES[:1])])
def test_children_that_nobody_waits_for_count(sandbox: Sandbox, program: Program, cores: tuple[int, ...]) -> None:
    """Their parent ignores their end, and each is over before the guard looks again."""
    job = replace(attack(program("cores"), "lost", "20", limits=replace(SMALL, wall=20, cpu=0.5)), cores=cores)
    done = sandbox.run(job)
    assert done.reason is Reason.CPU
    assert 0.5 <= done.total_cpu < 1.5


@needs_counting
def test_what_ended_before_the_guard_looked_counts(sandbox: Sandbox, program: Program) -> None:
    """A limit that was exceeded between the last look and the end."""
    job = attack(program("cores"), "affinity", "0.09", limits=replace(SMALL, cpu=0.02))
    assert sandbox.run(job).reason is Reason.CPU


def test_nobody_goes_before_the_guard(sandbox: Sandbox, program: Program) -> None:
    """Priorities that this machine's limits may allow to its users are not the job's."""
    done = sandbox.run(replace(attack(program("cores"), "priority", limits=SMALL), cores=tuple(CORES[:1])))
    assert done.stdout == b"1 1\n"


@pytest.mark.parametrize("number", [241, 0x40000000 + 203])
def test_the_old_ways_to_call_are_closed(sandbox: Sandbox, program: Program, number: int) -> None:
    """The same call by the numbers of 32-bit programs and of x32."""
    done = sandbox.run(replace(attack(program("oldaffinity"), str(number), limits=SMALL), cores=tuple(CORES[:1])))
    assert done.reason is Reason.SIGNAL or done.stdout == b"1\n"


@pytest.mark.parametrize("seconds", [0.6, 6.0, 60.0])
def test_an_answer_after_the_grace_does_not_count(seconds: float, bench: Bench) -> None:
    """Whatever kept the guard from ending the solver in time."""
    problem = parse_instance(generate("made", 1, 2), "made")
    answers = Answers(problem.nodes, "nodes", "strategies")
    answers.feed(str([0] * problem.nodes).encode() + b"\n", 0.1)
    for late, outcome in ((0.9, Outcome.INFEASIBLE), (1.1, Outcome.POLICY_TIMEOUT)):
        attempt = Attempt(finished(seconds + late * grace(seconds), seconds), answers)
        with pytest.raises(CellError) as raised:
            judge(DOMAIN, attempt, problem, None, "made")
        assert raised.value.outcome is outcome and raised.value.transient == (late > 1)
