"""What a program would execute under a priority function, without running it: Greedy changes no block's executions.

A program is run once, under Greedy. Of its hot functions, code is then generated alone, up to LLVM's text of it, and
what is counted in each block there is taken as often as the block was executed.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from harness.apply import compile_plan, optimise, run_step
from harness.apply.plan import OPTIMISED, CompilePlan, Step, clang_generate, clang_optimise, reference_plan
from harness.base.digest import digest_of
from harness.basic_blocks import Code, Profile, generate_variants
from harness.basic_blocks.spills import spill_traffic
from harness.freeze import FrozenModule
from harness.problems.programs.asking import Asked, AskingStep
from harness.problems.programs.take import Made, profile_of
from harness.problems.regalloc.replay import BY_FUNCTION, PLUGIN, PREFIX
from harness.sandbox.bench import Bench

__all__ = ["AS_IT_WAS", "Hot", "cost_of", "hot_of", "operations"]

_SHARE = 0.95
"""Of a program's executed instructions, what its hot functions have together."""
_MOST = 8
"""Hot functions of a program."""
AS_IT_WAS = ("-disable-branch-fold", "-disable-tail-duplicate", "-disable-block-placement")
"""Of LLVM: after allocation, blocks are neither merged nor copied nor made. So each is there whatever was allocated."""
_BLOCK = re.compile(r"  bb\.\d+\S* .*\bbb_id (\d+)\b")
_NOTHING = re.compile(r"    (?:liveins|successors):|\b(?:CFI_INSTRUCTION|KILL|IMPLICIT_DEF|DBG_\w+)\b")
"""Lines of a block that become no instruction."""


@dataclass(frozen=True)
class Hot:
    """A program's hot functions."""

    frozen: FrozenModule
    bitcode: Path
    """They alone, optimised; what they call is declared."""
    executions: Mapping[str, Mapping[int, int]]
    """Function → LLVM's number of a block → how often it was executed under Greedy. What is not there was not."""
    other: int
    """Instructions that were executed elsewhere in the object."""


def hot_of(frozen: FrozenModule, bench: Bench) -> Hot:
    """Run the program under Greedy, and keep what it executes most. Raises CellError where it is not right."""
    assert frozen.program is not None, "programs of suites are run"
    plan = CompilePlan(
        clang_optimise(frozen.level, frozen.target), clang_generate(frozen.level, frozen.target, AS_IT_WAS)
    )
    made = Made(frozen.program, frozen.target, frozen, plan, compile_plan(frozen, plan, bench))
    code, profile = profile_of(made, bench)
    counted = profile.by_function["instructions"]
    hottest = sorted(code.functions, key=lambda name: (-counted.get(name, 0), name))
    chosen: list[str] = []
    for name in hottest[:_MOST]:
        if sum(counted.get(one, 0) for one in chosen) >= _SHARE * profile.inside:
            break
        chosen.append(name)
    other = profile.inside - sum(counted.get(name, 0) for name in chosen)
    return Hot(frozen, _extracted(frozen, chosen, bench), _executions(code, profile, chosen), other)


def _executions(code: Code, profile: Profile, chosen: list[str]) -> dict[str, dict[int, int]]:
    found: dict[str, dict[int, int]] = {name: {} for name in chosen}
    for block, count in zip(code.blocks, profile.executions.tolist(), strict=True):
        if block.function in found:
            found[block.function][block.id] = count
    return found


def _extracted(frozen: FrozenModule, functions: list[str], bench: Bench) -> Path:
    optimised = optimise(frozen, reference_plan(frozen.level, frozen.target), bench)
    words = (*(f"--func={name}" for name in functions), OPTIMISED, "-o", "hot.bc")
    step = Step("llvm-extract", words, OPTIMISED, "hot.bc")
    key = digest_of(["hot", 1, optimised.digest, step.identity, bench.toolchain.fingerprint.llvm])

    def make(entry: Path) -> None:
        run_step(step, optimised.bitcode, entry, bench)

    return bench.store.folder(bench.area("optimised"), key, make) / "hot.bc"


def cost_of(hot: Hot, policy: Asked, bench: Bench) -> dict[str, float]:
    """Function → what it would execute under the policy: its instructions, and its operands of spill slots once more.

    Raises CellError as ``AskingStep.ask`` does.
    """
    level, target = hot.frozen.level, hot.frozen.target

    def text(options: tuple[str, ...]) -> Step:
        return generate_variants(clang_generate(level, target, (*AS_IT_WAS, *options), PLUGIN))[1]

    results = (text(()).writes,)
    told = AskingStep(PLUGIN, PREFIX, text, hot.bitcode, results, BY_FUNCTION).ask(policy, bench)
    mir = told.results[results[0]].decode("utf-8", "replace")
    found = operations(mir)
    return {
        name: sum(count * found[name].get(block, 0) for block, count in blocks.items())
        for name, blocks in hot.executions.items()
    }


def operations(mir: str) -> dict[str, dict[int, int]]:
    """Function → number of block → instructions, and operands of spill slots once more, in LLVM's text of a module."""
    traffic = spill_traffic(mir)
    found: dict[str, dict[int, int]] = {name: {} for name in traffic}
    name, number = "", -1
    for line in mir.splitlines():
        if line.startswith("name:"):
            name, number = line.partition(":")[2].strip().strip("'\""), -1
        elif line.startswith("  bb.") and (block := _BLOCK.match(line)):
            number = int(block[1])
            operands = traffic[name][number]
            found[name][number] = operands.spills + operands.reloads
        elif number >= 0 and line.startswith("    ") and not _NOTHING.search(line):
            found[name][number] += 1
    return found
