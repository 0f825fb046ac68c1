"""What timing in turns costs beyond the programs' own CPU time, and how much steadier it is than one after another."""

import math
from collections.abc import Callable

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from harness.base.vocabulary import Target
from harness.checks.noise import IDENTICAL, spin_program
from harness.sandbox import Job
from harness.sandbox.bench import Bench, open_bench
from harness.sandbox.turns import run_in_turns
from harness.timing.campaign import Timed, run_campaign
from harness.timing.contestants import TimedProgram, try_object
from harness.timing.schedule import Plan, turns
from harness.verify.execute import Runner, job_of
from harness.verify.link import linked

SECONDS = 0.3
BLOCKS = 10
CORE = 1


@pytest.fixture(scope="module")
def bench() -> Bench:
    return open_bench()


@pytest.fixture(scope="module")
def program(bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> TimedProgram:
    return spin_program({IDENTICAL: 1.0}, SECONDS, tmp_path_factory.mktemp("spin"), bench)[0]


def test_a_campaign_costs_little_more_than_its_programs(
    benchmark: BenchmarkFixture, program: TimedProgram, bench: Bench
) -> None:
    """Ratio: seconds of the campaign to CPU seconds of what it timed; linking and sandboxes are the rest."""
    took = {program.name: try_object(program, program.reference, bench).cpu}
    plan = Plan(budget=600, precision=1e-9, most=BLOCKS)
    timed = Timed([])

    def campaign() -> None:
        run_campaign([program], took, plan, bench, timed, ignore, ignore, ignore)

    benchmark.pedantic(campaign, rounds=1)
    cpu = sum(sample.cpu for block in timed.blocks for sample in block.samples)
    ratio = float(benchmark.stats.stats.total) / cpu
    benchmark.extra_info["seconds for each CPU second"] = round(ratio, 3)
    assert len(timed.blocks) == BLOCKS
    assert ratio < 1.5


def test_turns_are_steadier_than_one_after_the_other(
    benchmark: BenchmarkFixture, program: TimedProgram, bench: Bench
) -> None:
    """Ratio of the spreads of pairs of one binary: one after the other, to in turns."""
    item = program.ready[0]
    with linked(program.program.benchmark, Target.X86_64, program.objects[program.reference], bench) as executable:
        job = job_of(executable, item, Runner(core=CORE))
        after = spread(lambda: [bench.sandbox.run(job).cpu for _ in range(2)])
        between = benchmark.pedantic(lambda: spread(lambda: in_turns(job, bench)), rounds=1)
    benchmark.extra_info["one after the other"] = f"{after:.2%}"
    benchmark.extra_info["in turns"] = f"{between:.2%}"
    benchmark.extra_info["times steadier"] = round(after / between, 1)


def in_turns(job: Job, bench: Bench) -> list[float]:
    """CPU seconds of two runs of the job in turns."""
    ended, _ = run_in_turns(bench.sandbox, [job, job], turns(0, 0.005))
    return [one.cpu for one in ended]


def spread(pair: Callable[[], list[float]], pairs: int = 30) -> float:
    """Standard deviation of the log-ratio."""
    ratios = []
    for _ in range(pairs):
        first, second = pair()
        ratios.append(math.log(first / second))
    mean = sum(ratios) / pairs
    return math.sqrt(sum((ratio - mean) ** 2 for ratio in ratios) / (pairs - 1))


def ignore(*_told: object) -> None:
    """Nobody watches."""
