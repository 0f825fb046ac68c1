"""The best decisions that are known: found by a search, kept in a file, and compiled as the file says."""

import json
from pathlib import Path

import pytest

from harness.apply import compile_plan
from harness.apply.plan import reference_plan
from harness.base.errors import CellError, UsageError
from harness.base.vocabulary import Level, Target
from harness.environments.benchmarks import modules_of
from harness.freeze import FrozenModule
from harness.learn.inliners.ceiling import Budget, search
from harness.learn.inliners.collector import Collector
from harness.learn.inliners.modules import Module
from harness.policy.load import load_policy
from harness.problems.inlining.best import written
from harness.problems.programs.problems import program_problem
from harness.sandbox.bench import Bench
from harness.toolchain.elf import allocated_bytes

PROGRAM = "cbench/qsort"
MANIFEST = """
name = "known"
version = "1"
problem = "inlining"
form = "best"
class = "search"
track = "size"
targets = ["x86-64", "aarch64"]
authors = ["A. Tester"]
licence = "MIT"
description = "Made by a test."
trained_on = ["cbench/qsort"]
budget = 60
deterministic = true
ceiling = true

[files]
decisions = "decisions.json"
"""


def frozen_for(target: Target, bench: Bench) -> FrozenModule:
    return modules_of([PROGRAM], target, Level.OZ, bench)[PROGRAM]


def policy_with(folder: Path, known: object, manifest: str = MANIFEST) -> str:
    folder = folder / "known"
    folder.mkdir()
    (folder / "submission.toml").write_text(manifest)
    (folder / "decisions.json").write_text(known if isinstance(known, str) else json.dumps(known))
    return str(folder)


@pytest.mark.parametrize("target", list(Target))
def test_what_a_search_finds_is_what_the_file_gives(target: Target, bench: Bench, tmp_path: Path) -> None:
    frozen = frozen_for(target, bench)
    plain = allocated_bytes(compile_plan(frozen, reference_plan(Level.OZ, target), bench).object)
    with Collector(bench) as collector:
        module = Module(PROGRAM, PROGRAM, frozen.bitcode.read_bytes, frozen.digest)
        found = search(module, "size.alloc", collector, Budget(60, 600))
    assert found.plain == plain and found.bytes < plain and found.sites
    policy = load_policy(policy_with(tmp_path, {PROGRAM: {target.value: {**written(found.sites), "trials": 60}}}))
    problem = program_problem("inlining")
    decided = problem.decide(policy, frozen, 0, bench)
    assert decided.trials == 60
    object_ = compile_plan(frozen, problem.plan(decided.decisions, target), bench).object
    assert allocated_bytes(object_) == found.bytes


def test_without_decisions_llvm_decides(bench: Bench, tmp_path: Path) -> None:
    frozen = frozen_for(Target.X86_64, bench)
    known = {PROGRAM: {"x86-64": {"functions": [], "sites": [], "trials": 1}}}
    problem = program_problem("inlining")
    decided = problem.decide(load_policy(policy_with(tmp_path, known)), frozen, 0, bench)
    own = compile_plan(frozen, problem.plan(decided.decisions, Target.X86_64), bench)
    assert own.digest == compile_plan(frozen, reference_plan(Level.OZ, Target.X86_64), bench).digest


def test_a_program_without_decisions_is_said(bench: Bench, tmp_path: Path) -> None:
    policy = load_policy(policy_with(tmp_path, {}))
    with pytest.raises(CellError, match=r"^decisions\.json has no decisions for cbench/qsort on x86-64"):
        program_problem("inlining").decide(policy, frozen_for(Target.X86_64, bench), 0, bench)


@pytest.mark.parametrize(
    "entry",
    [
        {"functions": ["a"], "sites": [[0, 1, 0, 1]], "trials": 1},
        {"functions": ["a"], "sites": [[0, 0, 0, 2]], "trials": 1},
        {"functions": ["a b"], "sites": [], "trials": 1},
        {"functions": ["a"], "sites": [[0, 0, 0, 1, "p"]], "trials": 1},
        {"functions": ["a"], "sites": [], "trials": 0},
        {"functions": ["a"], "trials": 1},
        {"functions": "a", "sites": [], "trials": 1},
        [],
    ],
)
def test_what_is_of_another_form_is_refused(entry: object, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="must be"):
        load_policy(policy_with(tmp_path, {PROGRAM: {"x86-64": entry}}))


def test_it_is_a_ceiling_or_nothing(tmp_path: Path) -> None:
    ranked = MANIFEST.replace('class = "search"', 'class = "zero-shot"')
    for line in ("ceiling = true", "deterministic = true", "budget = 60"):
        ranked = ranked.replace(f"{line}\n", "")
    with pytest.raises(UsageError, match="says ceiling = true"):
        load_policy(policy_with(tmp_path, {}, ranked))
