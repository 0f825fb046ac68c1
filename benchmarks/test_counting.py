"""What counting and modelling cost: a counted run beside plain ones, llvm-mca on a whole program.

``make bench`` runs it.
"""

import statistics
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.apply import compile_plan, optimise
from harness.base.vocabulary import SPEED, Target
from harness.basic_blocks import Code, analyse, profile
from harness.basic_blocks.throughput import Model, block_costs
from harness.freeze import freeze
from harness.policy import load_policy, problem_of
from harness.problems.programs.cell import Cell
from harness.sandbox.bench import Bench, open_bench
from harness.suite.load import choose, load_suite
from harness.suite.workloads import prepare
from harness.toolchain import TARGETS
from harness.verify import link_program
from harness.verify.execute import observe
from harness.verify.verify import counting_runner, runner_for

COUNTED_TO_EMULATED = 6.0
"""A counted run takes at most so many times an emulated one's CPU time."""
MODELLED_SECONDS = 3.0
MODELLED_BLOCKS = 2500
KEPT_TO_MODELLED = 0.25
"""Costs that are kept take at most this share of the time that modelling them took."""


@pytest.fixture(scope="module")
def bench() -> Bench:
    return open_bench()


class Bzip2:
    """cbench/bzip2 under greedy: 2,700 blocks, 90 to 150 million instructions a workload."""

    def __init__(self, target: Target, folder: Path, bench: Bench) -> None:
        program = choose(load_suite("cbench"), ["bzip2"])[0]
        cell = Cell(program, target, SPEED, load_policy("greedy"), 0)
        frozen = freeze(program, target, cell.level, bench)
        kind = problem_of(cell.policy.manifest.problem)
        decisions = kind.decide(cell.policy, frozen, 0, bench).decisions
        self.plan = kind.plan(decisions, target)
        self.compiled = compile_plan(frozen, self.plan, bench)
        self.optimised = lambda: optimise(frozen, self.plan, bench).bitcode
        self.ready = prepare(program, bench.store)
        self.executable = folder / "bzip2"
        self.link = lambda linked, output: link_program(program.benchmark, target, linked, output, bench)
        self.link(self.compiled.object, self.executable)

    def code(self, bench: Bench) -> Code:
        found = analyse(self.compiled, self.plan, self.optimised, self.link, ["benchmark"], bench)
        assert isinstance(found, Code)
        return found


@pytest.mark.parametrize("target", Target)
def test_counted_runs(target: Target, benchmark: Any, tmp_path: Path, bench: Bench) -> None:
    """All count workloads of bzip2: counted, emulated without counting, and natively where that can be."""
    bzip2 = Bzip2(target, tmp_path, bench)
    counting = counting_runner(target, bench)
    ways = {"counted": counting, "emulated": replace(counting, plugin=None)}
    if runner_for(target, bench.toolchain).emulator is None:
        ways["native"] = runner_for(target, bench.toolchain)
    seconds: dict[str, list[float]] = {name: [] for name in ways}

    def each_once() -> None:
        for name, runner in ways.items():
            began = time.perf_counter()
            for item in bzip2.ready:
                observe(bzip2.executable, item, runner, bench.sandbox)
            seconds[name].append(time.perf_counter() - began)

    benchmark.pedantic(each_once, rounds=5, warmup_rounds=1)
    medians = {name: statistics.median(values) for name, values in seconds.items()}
    ratio = medians["counted"] / medians["emulated"]
    benchmark.extra_info["counted to emulated"] = round(ratio, 2)
    shown = ", ".join(f"{name} {value:.2f} s" for name, value in medians.items())
    print(f"\n{target.value}: {shown}; counted is {ratio:.1f} times emulated")
    assert ratio <= COUNTED_TO_EMULATED


@pytest.mark.parametrize("target", Target)
def test_modelling(target: Target, benchmark: Any, tmp_path: Path, bench: Bench) -> None:
    """llvm-mca on all blocks of bzip2, from nothing and from what is kept."""
    code = Bzip2(target, tmp_path, bench).code(bench)
    assert len(code.blocks) >= MODELLED_BLOCKS
    model = Model(target, TARGETS[target].model)
    cold: list[float] = []
    warm: list[float] = []

    def from_nothing() -> None:
        empty = Bench(bench.toolchain, tmp_path / f"cache{len(cold)}")
        for times in (cold, warm):
            began = time.perf_counter()
            block_costs(code.texts, model, empty)
            times.append(time.perf_counter() - began)

    benchmark.pedantic(from_nothing, rounds=5, warmup_rounds=1)
    modelled, kept = statistics.median(cold), statistics.median(warm)
    benchmark.extra_info["kept to modelled"] = round(kept / modelled, 3)
    print(
        f"\n{target.value}: {len(code.blocks)} blocks, {len(code.texts)} different: modelled in {modelled:.2f} s, "
        f"{kept * 1000:.0f} ms when kept"
    )
    assert modelled <= MODELLED_SECONDS
    assert kept <= KEPT_TO_MODELLED * modelled


def test_laying_counts_over_blocks(benchmark: Any, tmp_path: Path, bench: Bench) -> None:
    """The harness's own share of a counted cell, against the counted runs themselves."""
    from harness.basic_blocks import Counts

    bzip2 = Bzip2(Target.X86_64, tmp_path, bench)
    stored = bzip2.code(bench).dump()
    runner = counting_runner(Target.X86_64, bench)
    began = time.perf_counter()
    raw = [observe(bzip2.executable, item, runner, bench.sandbox).counts for item in bzip2.ready]
    runs = time.perf_counter() - began
    found = benchmark(lambda: profile(Code.load(stored), [Counts.parse(content or b"") for content in raw]))
    assert found.inside > 10_000_000
    share = benchmark.stats.stats.median / runs
    benchmark.extra_info["share of the runs"] = round(share, 3)
    print(f"\nreading blocks and counts and laying them over each other: {share:.1%} of the counted runs' time")
    assert share <= 0.10
