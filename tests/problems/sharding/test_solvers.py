"""The solvers that come with the harness, in the sandbox."""

import gzip
import os
from pathlib import Path

import pytest

from harness.policy import load_policy
from harness.problems.instances.answers import Answers
from harness.problems.instances.domain import Solution
from harness.problems.instances.files import instance_content
from harness.problems.instances.judge import judge
from harness.problems.instances.policies import SOLVER
from harness.problems.instances.solve import run_solver
from harness.problems.instances.solver import prepare_solver, solver_job
from harness.problems.instances.suite import load_instances
from harness.problems.sharding.domain import Sharding
from harness.problems.sharding.evaluate import memory_profile
from harness.problems.sharding.instance import Instance
from harness.problems.sharding.parse import parse_instance
from harness.sandbox.bench import Bench
from tests.problems.sharding.test_evaluate import DATA

DOMAIN = Sharding()

SECONDS = 5.0


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, bench: Bench) -> dict[str, Path]:
    """The suite's two smallest made instances."""
    suite = load_instances(DOMAIN, "iopddl")
    folder = tmp_path_factory.mktemp("instances")
    for listed in suite.choose(["chain-4", "chain-16"]):
        (folder / listed.entry.name).write_bytes(instance_content(listed, bench.store))
    return {path.name: path for path in folder.iterdir()}


def peak(solution: Solution) -> int:
    return memory_profile(solution.instance, solution.assignment).peak


def solve(name: str, file: Path, instance: Instance, bench: Bench, bound: int | None = None) -> Solution:
    """What the policy's solver finds."""
    policy = load_policy(name)
    solver = prepare_solver(policy.contents[SOLVER], policy.manifest.files[SOLVER], bench)
    tried = run_solver(
        solver_job(solver, file, SECONDS, sorted(os.sched_getaffinity(0))[:2], bench),
        Answers(instance.nodes, "nodes", "strategies"),
        bench.sandbox,
    )
    assert tried.finished.ok, tried.finished.reason_line()
    assert tried.finished.wall < SECONDS
    return judge(DOMAIN, tried, instance, bound, file.name)


@pytest.mark.parametrize("name", ["chain-4", pytest.param("chain-16", marks=pytest.mark.slow)])
def test_the_better_ones_are_better_and_all_are_feasible(name: str, files: dict[str, Path], bench: Bench) -> None:
    instance = parse_instance(files[name].read_bytes(), name)
    least, descent, messages = (
        solve(policy, files[name], instance, bench) for policy in ("least-usage", "greedy-descent", "layout-messages")
    )
    assert messages.cost < descent.cost < least.cost
    assert peak(least) < peak(descent) <= (instance.usage_limit or 0)
    assert peak(messages) <= (instance.usage_limit or 0)


@pytest.mark.skipif(not DATA.is_dir(), reason="the contest's instances are not beside the project")
def test_the_reference_solver_comes_near_a_proven_optimum(bench: Bench, tmp_path: Path) -> None:
    suite = load_instances(DOMAIN, "iopddl")
    (listed,) = suite.choose(["G"])
    content, entry = instance_content(listed, bench.store), listed.entry
    (tmp_path / "G.json").write_bytes(gzip.decompress(content))
    instance = parse_instance(content, "G")
    solution = solve("layout-messages", tmp_path / "G.json", instance, bench, entry.bound)
    assert entry.bound is not None and solution.cost < 1.05 * entry.bound
