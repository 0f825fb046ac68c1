"""Compile plans share what is the same, and nothing else."""

from dataclasses import replace

import pytest

from harness.apply import CompilePlan, Step, compile_plan, optimise
from harness.apply.plan import reference_plan
from harness.base.errors import CellError
from harness.base.vocabulary import Level, Target
from harness.freeze import FrozenModule, freeze
from harness.sandbox.bench import Bench
from tests.programs import own_program

SOURCE = "int main(int argc, char **argv) { int s = 0; for (int n = 0; n < argc; n++) s += argv[n][0]; return s; }"


@pytest.fixture(scope="module")
def frozen(bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> FrozenModule:
    program = own_program(tmp_path_factory.mktemp("sum"), {"main.c": SOURCE})
    return freeze(program, Target.X86_64, Level.OZ, bench)


@pytest.fixture
def plan() -> CompilePlan:
    return reference_plan(Level.OZ, Target.X86_64)


def spelt(step: Step, *words: str) -> Step:
    """The same command with these words before the others."""
    return replace(step, arguments=(*words, *step.arguments))


def test_plans_with_one_module_share_its_object(frozen: FrozenModule, plan: CompilePlan, bench: Bench) -> None:
    other = replace(plan, optimise=spelt(plan.optimise, "-Wno-everything"))
    assert optimise(frozen, plan, bench).bitcode != optimise(frozen, other, bench).bitcode
    one, two = compile_plan(frozen, plan, bench), compile_plan(frozen, other, bench)
    assert (one.object, one.digest, one.ir_instructions) == (two.object, two.digest, two.ir_instructions)


def test_another_module_has_an_object_of_its_own(frozen: FrozenModule, plan: CompilePlan, bench: Bench) -> None:
    other = replace(plan, optimise=reference_plan(Level.O0, Target.X86_64).optimise)
    one, two = compile_plan(frozen, plan, bench), compile_plan(frozen, other, bench)
    assert one.object != two.object and one.digest != two.digest and one.ir_instructions < two.ir_instructions


def test_another_generate_step_has_an_object_of_its_own(frozen: FrozenModule, plan: CompilePlan, bench: Bench) -> None:
    other = replace(plan, generate=spelt(plan.generate, "-mllvm", "-regalloc=basic"))
    assert compile_plan(frozen, plan, bench).object != compile_plan(frozen, other, bench).object


def test_what_cannot_be_generated_is_kept_from_nobody(frozen: FrozenModule, plan: CompilePlan, bench: Bench) -> None:
    """A failure is of the plan that met it: the next plan with the same module is compiled all the same."""
    broken = replace(plan, generate=spelt(plan.generate, "-no-such-option"))
    with pytest.raises(CellError, match="no-such-option"):
        compile_plan(frozen, broken, bench)
    assert compile_plan(frozen, plan, bench).object.exists()
