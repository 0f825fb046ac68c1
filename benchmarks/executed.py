"""Instructions that a tool executes, counted as those of the programs are: by the emulator."""

from pathlib import Path

from harness.apply.plan import Step
from harness.base.process import Limits, run
from harness.base.vocabulary import Target
from harness.basic_blocks.counts import Counts
from harness.sandbox.bench import Bench
from harness.toolchain.native import native_plugin

__all__ = ["executed"]


def executed(step: Step, folder: Path, bench: Bench, *options: str) -> int:
    """What the step's tool executes. Its result is in the folder then. ``options``: of the emulator."""
    counter = native_plugin("count", bench.toolchain, bench.store)
    emulator = (bench.toolchain.counter(Target.X86_64), "-seed", "1", "-plugin", str(counter), *options)
    done = run([*emulator, bench.toolchain.tool(step.tool), *step.arguments], cwd=folder, limits=Limits(wall=1800))
    assert done.ok, done.reason()
    counts = Counts.parse((folder / ".counts").read_bytes())
    assert counts.incomplete is None
    (folder / ".counts").unlink()
    return counts.total["instructions"]
