"""What ``clang -Oz`` runs, as an action: the object is clang's, byte for byte."""

import pytest

from harness.apply import compile_plan
from harness.apply.plan import CompilePlan, reference_plan
from harness.base.vocabulary import Level, Target
from harness.environments.benchmarks import modules_of
from harness.freeze import FrozenModule
from harness.policy.load import load_policy
from harness.problems.passes.actions import action_table
from harness.problems.passes.listed import decisions_of, plan_of_list
from harness.problems.programs.problems import plan_of, program_problem
from harness.sandbox.bench import Bench

FEW = ["cbench/crc32", "cbench/sha", "polybench/jacobi-1d", "mibench/rsynth", "spec-like/mcf"]
"""Of them rsynth has tables of addresses, which only code that can be moved makes relative."""


def of_list(action: str, frozen: FrozenModule) -> CompilePlan:
    table = action_table("llvm22")
    pipelines = table.pipelines(())
    return plan_of_list(decisions_of([table.actions.index(action)], pipelines, frozen), frozen.target)


def require_same(action: str, clangs: CompilePlan, frozen: FrozenModule, bench: Bench) -> None:
    ours, theirs = (compile_plan(frozen, plan, bench) for plan in (of_list(action, frozen), clangs))
    assert ours.digest == theirs.digest, f"{frozen.program and frozen.program.id}: {action}"


@pytest.mark.parametrize("target", Target)
def test_few_programs(target: Target, bench: Bench) -> None:
    no_slp = load_policy("oz-no-slp")
    for frozen in modules_of(FEW, target, Level.OZ, bench).values():
        require_same("clang-Oz", reference_plan(frozen.level, target), frozen, bench)
        decided = program_problem(no_slp.manifest.problem).decide(no_slp, frozen, 0, bench)
        require_same("clang-Oz<no-slp>", plan_of(decided.decisions, target), frozen, bench)


@pytest.mark.slow
@pytest.mark.parametrize("suite", ["cbench", "mibench", "polybench", "spec-like"])
def test_all_programs(suite: str, bench: Bench) -> None:
    for target in Target:
        for frozen in modules_of(suite, target, Level.OZ, bench).values():
            require_same("clang-Oz", reference_plan(frozen.level, target), frozen, bench)
