"""Step 3, apply: stock LLVM compiles the frozen module from the decisions alone."""

from harness.apply.again import require_repeatable
from harness.apply.compile import Compiled, compile_plan, optimise, run_step, step_job
from harness.apply.plan import Again, CompilePlan, Step, clang_generate, clang_optimise

__all__ = [
    "Again",
    "CompilePlan",
    "Compiled",
    "Step",
    "clang_generate",
    "clang_optimise",
    "compile_plan",
    "optimise",
    "require_repeatable",
    "run_step",
    "step_job",
]
