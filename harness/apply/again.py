"""The same again: an object counts only if the same decisions give it in other processes too.

Some passes go by where things lie in the compiler's memory, and the system places them anew in each process: what they
give cannot be rebuilt by anybody.
"""

from pathlib import Path

from harness.apply.compile import Compiled, Optimised, compile_plan, optimise, run_step
from harness.apply.plan import OBJECT, OPTIMISED, CompilePlan
from harness.base.digest import digest_file, digest_of
from harness.base.errors import CellError
from harness.base.vocabulary import Outcome
from harness.freeze import FrozenModule
from harness.sandbox.bench import Bench

__all__ = ["require_repeatable"]


def require_repeatable(frozen: FrozenModule, plan: CompilePlan, bench: Bench) -> None:
    """Run the plan's first step as often again as it asks for, each time in a process of its own, whose memory is laid
    out otherwise.

    Raises CellError: ``not-replayable`` where another object comes out; else as ``compile_plan``.
    """
    again = plan.optimise.again
    if again is None:
        return
    first = compile_plan(frozen, plan, bench)
    module = optimise(frozen, plan, bench)
    facts = [frozen.digest, plan.identity, module.digest, first.digest, bench.toolchain.fingerprint.llvm]
    area, key = bench.area("again"), digest_of(["again", 1, *facts])
    for number in range(bench.store.get(area, key) or 0, again.times):
        with bench.store.scratch() as folder:
            run_step(plan.optimise, frozen.bitcode, folder, bench, _elsewhere(number))
            if not _is_same(folder, plan, module, first, bench):
                raise CellError(Outcome.NOT_REPLAYABLE, again.otherwise)
        bench.store.put(area, key, number + 1)


def _elsewhere(number: int) -> dict[str, str]:
    """What is added to the environment of a process: of every other one nothing. In the rest the C library's allocator
    is told which objects get pages of their own, and how many to keep: what depends on addresses shows sooner.
    """
    if number % 2:
        return {}
    return {
        "GLIBC_TUNABLES": f"glibc.malloc.mmap_threshold={300 * (number + 2)}:glibc.malloc.tcache_count={number % 3}"
    }


def _is_same(folder: Path, plan: CompilePlan, module: Optimised, first: Compiled, bench: Bench) -> bool:
    """Whether the module in the folder gives the first object. Its file may differ all the same: it also holds names,
    and orders, that no object has.
    """
    if digest_file(folder / OPTIMISED) == module.digest:
        return True
    run_step(plan.generate, folder / OPTIMISED, folder, bench)
    return digest_file(folder / OBJECT) == first.digest
