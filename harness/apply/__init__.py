"""Step 3, apply: stock LLVM compiles the frozen module from the decisions alone."""

from harness.apply.compile import Compiled, compile_plan, optimise, run_step, step_job
from harness.apply.plan import CompilePlan, Step, clang_generate, clang_optimise

__all__ = [
    "CompilePlan",
    "Compiled",
    "Step",
    "clang_generate",
    "clang_optimise",
    "compile_plan",
    "optimise",
    "run_step",
    "step_job",
]
