"""Where a cold run's CPU seconds go: by step and by policy, and the harness's own.

usage: .venv/bin/python -m benchmarks.steps [harness run's options]      (default: --suite cbench)

Everything that the run starts is accounted to the stage and the policy that it works for. The cache is one of its own,
made in a new folder, but for tarballs that the usual one has. Prints two tables in Markdown, those of docs/run-cost.md.
"""

import contextvars
import os
import resource
import shutil
import sys
import tempfile
import threading
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

SPENT: dict[tuple[str, str], list[float]] = defaultdict(list)
"""(step, policy) → CPU seconds of each job that was started."""
_lock = threading.Lock()
_policy: contextvars.ContextVar[str] = contextvars.ContextVar("policy", default="–")
_stage = ["start"]


def main() -> None:
    """Run, and print."""
    words = sys.argv[1:] or ["--suite", "cbench"]
    from harness.base.paths import cache_root

    tarballs = cache_root() / "tarballs"
    with tempfile.TemporaryDirectory(prefix="steps-") as folder:
        cache = Path(folder, "cache")
        cache.mkdir()
        if tarballs.is_dir():
            shutil.copytree(tarballs, cache / "tarballs")
        os.environ |= {"HARNESS_CACHE": str(cache), "HARNESS_RESULTS": str(Path(folder, "results"))}
        watch()
        from harness.cli import main as harness

        sys.argv = ["harness", "run", *words]
        before = os.times()
        code: object = 0
        try:
            harness()
        except SystemExit as ending:
            code = ending.code
        after = os.times()
    own = after.user - before.user + after.system - before.system
    show(own, sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2]))
    sys.exit(0 if code in (0, None) else 1)


def watch() -> None:
    """Wrap what starts programs, what computes a cell, and what names a stage."""
    from harness.cli import output
    from harness.problems.programs import again, cell
    from harness.sandbox import run as sandbox

    wrap(sandbox.Sandbox, "_run", accounted)
    wrap(cell.CellTask, "compute", for_policy)
    wrap(again, "_ask", for_provisional)
    for progress in (output.LineProgress, output.RichProgress):
        wrap(progress, "stage", named)


def wrap(owner: Any, name: str, how: Callable[..., Any]) -> None:
    """Put ``how`` around a function; it is given the function first."""
    inner = getattr(owner, name)

    def outer(*given: Any, **named: Any) -> Any:
        return how(inner, *given, **named)

    setattr(owner, name, outer)


def accounted(run: Callable[..., Any], sandbox: Any, job: Any, *rest: Any, **named: Any) -> Any:
    """The tool is the step within cells; elsewhere the stage is."""
    done = run(sandbox, job, *rest, **named)
    with _lock:
        SPENT[f"{_stage[0]}: {tool_of(job)}", _policy.get()].append(done[0].total_cpu)
    return done


def tool_of(job: Any) -> str:
    """What a job does, for people."""
    words = job.arguments
    name = Path(job.name or job.program).name
    if name.startswith("clang"):
        if "-emit-llvm" in words:
            return "clang, optimise" + (" with a policy" if any("inline-policy=" in word for word in words) else "")
        if "-S" in words:
            return "clang, generate for the spills"
        return "clang, generate" + (" with a block map" if "mapped.o" in words else "")
    if name == "opt":
        return "opt, count" if "-disable-output" in words else "opt, optimise"
    known = ("ld.lld", "lld", "qemu-aarch64", "llvm-dis", "llvm-mca", "llvm-objdump", "llvm-readobj", "sh")
    return name if name in known else "programs and the rest"


def for_policy(compute: Callable[..., Any], task: Any, bench: Any) -> Any:
    """A cell's policy."""
    token = _policy.set(task.cell.policy.name)
    try:
        return compute(task, bench)
    finally:
        _policy.reset(token)


def for_provisional(ask: Callable[..., Any], one: Any, **named: Any) -> Any:
    """The second asking's policy."""
    token = _policy.set(one.task.cell.policy.name)
    try:
        return ask(one, **named)
    finally:
        _policy.reset(token)


def named(stage: Callable[..., Any], progress: Any, name: str, total: float) -> None:
    """The stage that follows."""
    _stage[0] = name
    stage(progress, name, total)


def show(own: float, children: float) -> None:
    """Steps, then policies."""
    sandboxes = sum(map(sum, SPENT.values()))
    everything = own + children + sandboxes
    for title, at in (("step", 0), ("policy", 1)):
        table: dict[str, list[float]] = defaultdict(list)
        for names, spent in SPENT.items():
            table[names[at]] += spent
        print(f"\n| {title} | jobs | CPU seconds | share |\n|---|---:|---:|---:|")
        for name, spent in sorted(table.items(), key=lambda entry: -sum(entry[1])):
            if sum(spent) >= 0.004 * everything:
                print(f"| {name} | {len(spent)} | {sum(spent):.1f} | {sum(spent) / everything:.1%} |")
    print(
        f"\n{everything:.0f} CPU seconds in all: {sandboxes:.0f} in sandboxes, {own:.0f} of the harness's own process "
        f"({own / everything:.1%}), {children:.0f} of what else it started"
    )


if __name__ == "__main__":
    main()
