"""Decisions by chance, all of them legal: LLVM's verifier of machine code finds nothing, what is decided can be
followed, and the program does what it should."""

from dataclasses import replace

import pytest

from harness.apply import CompilePlan, compile_plan
from harness.base.digest import digest_bytes
from harness.base.progress import SilentObserver
from harness.base.vocabulary import Level, Target
from harness.freeze import FrozenModule, freeze
from harness.problems.programs.stages import fetch_sources
from harness.problems.programs.take import Made, require_right
from harness.problems.regalloc.ask import ask
from harness.problems.regalloc.log import functions_of
from harness.problems.regalloc.problem import QUESTIONS
from harness.run.engines import local_engine
from harness.sandbox.bench import Bench
from harness.suite.load import Program, load_suite
from harness.suite.together import ALL_SUITES, members
from tests.problems.regalloc.made import Modules, by_chance, plain, plan_of_body

SEEDS = range(1, 6)
PROGRAMS = [one for suite in members(ALL_SUITES) for one in load_suite(suite).own_programs]
ON_TARGETS = pytest.mark.parametrize("target", list(Target))
BY_QUESTION = pytest.mark.parametrize("question", QUESTIONS)


def checked(question: str, seed: int, frozen: FrozenModule, bench: Bench) -> str:
    """Digest of the object that decisions by chance give, once it is right."""
    answer = ask(by_chance(question, seed, bench), frozen, bench)
    plan = plan_of_body(answer.body, frozen)
    compiled = compile_plan(frozen, plan, bench)
    assert compiled.digest == digest_bytes(answer.object)
    assert compile_plan(frozen, verified(plan), bench).digest == compiled.digest
    assert frozen.program is not None
    require_right(Made(frozen.program, frozen.target, frozen, plan, compiled), bench)
    return compiled.digest


def verified(plan: CompilePlan) -> CompilePlan:
    """The plan, with LLVM's verifier after each pass over machine code: what it finds ends the compiler."""
    words = ("-mllvm", "-verify-machineinstrs", *plan.generate.arguments)
    return replace(plan, generate=replace(plan.generate, arguments=words))


@pytest.mark.parametrize("name", ["pressure", "catches"])
@ON_TARGETS
@BY_QUESTION
def test_chance_gives_right_programs(question: str, target: Target, name: str, modules: Modules, bench: Bench) -> None:
    frozen = modules.frozen(name, target)
    found = {checked(question, seed, frozen, bench) for seed in SEEDS}
    assert len(found) >= 3 and plain(frozen, bench) not in found


@BY_QUESTION
def test_chance_decides_much(question: str, modules: Modules, bench: Bench) -> None:
    """Most answers are not Greedy's own: else the test above would say little."""
    frozen = modules.frozen()
    functions = list(functions_of(ask(by_chance(question, 1, bench), frozen, bench).body))
    if question == "function":
        assert len({one.priority for one in functions}) > 3
    else:
        crowded = next(one for one in functions if one.name == "crowded")
        given, questions = (
            (crowded.evicted, crowded.evictions) if question == "eviction" else (crowded.given, crowded.questions)
        )
        assert len(given) > questions / 2 > 20


@pytest.mark.slow
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda one: one.id)
@ON_TARGETS
@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: f"seed-{seed}")
def test_chance_on_every_program(seed: int, target: Target, program: Program, bench: Bench) -> None:
    fetch_sources([program], bench, local_engine(1), SilentObserver())
    frozen = freeze(program, target, Level.O3, bench)
    for question in QUESTIONS:
        checked(question, seed, frozen, bench)
