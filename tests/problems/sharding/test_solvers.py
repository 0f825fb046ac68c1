"""The solvers that come with the harness, in the sandbox."""

import gzip
import os
from pathlib import Path

import pytest

from harness.policy import load_policy
from harness.problems.sharding.files import instance_content
from harness.problems.sharding.instance import Instance
from harness.problems.sharding.judge import Solution, judge
from harness.problems.sharding.names import SOLVER
from harness.problems.sharding.parse import parse_instance
from harness.problems.sharding.solve import run_solver
from harness.problems.sharding.solver import prepare_solver, solver_job
from harness.problems.sharding.suite import load_sharding_suite
from harness.sandbox.bench import Bench
from tests.problems.sharding.test_evaluate import DATA

SECONDS = 5.0


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, bench: Bench) -> dict[str, Path]:
    """The suite's two smallest made instances."""
    suite = load_sharding_suite("iopddl")
    folder = tmp_path_factory.mktemp("instances")
    for problem in suite.choose(["chain-4", "chain-16"]):
        (folder / problem.entry.name).write_bytes(instance_content(problem, bench.store))
    return {path.name: path for path in folder.iterdir()}


def solve(name: str, file: Path, instance: Instance, bench: Bench, bound: int | None = None) -> Solution:
    """What the policy's solver finds."""
    policy = load_policy(name)
    solver = prepare_solver(policy.contents[SOLVER], policy.manifest.files[SOLVER], bench)
    tried = run_solver(
        solver_job(solver, file, SECONDS, sorted(os.sched_getaffinity(0))[:2], bench), instance.nodes, bench.sandbox
    )
    assert tried.finished.ok, tried.finished.reason_line()
    assert tried.finished.wall < SECONDS
    return judge(tried, instance, bound, file.name)


@pytest.mark.parametrize("name", ["chain-4", pytest.param("chain-16", marks=pytest.mark.slow)])
def test_the_better_ones_are_better_and_all_are_feasible(name: str, files: dict[str, Path], bench: Bench) -> None:
    instance = parse_instance(files[name].read_bytes(), name)
    least, descent, messages = (
        solve(policy, files[name], instance, bench) for policy in ("least-usage", "greedy-descent", "layout-messages")
    )
    assert messages.cost < descent.cost < least.cost
    assert least.peak < descent.peak <= (instance.usage_limit or 0)
    assert messages.peak <= (instance.usage_limit or 0)


@pytest.mark.skipif(not DATA.is_dir(), reason="the contest's instances are not beside the project")
def test_the_reference_solver_comes_near_a_proven_optimum(bench: Bench, tmp_path: Path) -> None:
    suite = load_sharding_suite("iopddl")
    (problem,) = suite.choose(["G"])
    content, entry = instance_content(problem, bench.store), problem.entry
    (tmp_path / "G.json").write_bytes(gzip.decompress(content))
    instance = parse_instance(content, "G")
    solution = solve("layout-messages", tmp_path / "G.json", instance, bench, entry.bound)
    assert entry.bound is not None and solution.cost < 1.05 * entry.bound
