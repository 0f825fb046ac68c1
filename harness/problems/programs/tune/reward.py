"""What a trial is worth: a metric of a program under a policy with certain values.

Where one look at the object tells the metric, the policy is asked once and its object is neither replayed nor run. Else
it is decided, replayed and run, as what is measured for the leaderboard is.
"""

from collections.abc import Mapping

from harness.apply import compile_plan
from harness.apply.plan import reference_plan
from harness.base.digest import digest_of
from harness.base.errors import CellError
from harness.base.vocabulary import Level, Outcome, Target
from harness.freeze import freeze
from harness.measure import find_metric, seen, seen_in
from harness.policy import Policy
from harness.problems.programs.problems import TunableProblem
from harness.problems.programs.take import Made, take_metrics
from harness.sandbox.bench import Bench
from harness.suite.load import Program
from harness.suite.workloads import prepare, workloads_digest
from harness.toolchain.native import native_digest

__all__ = ["measure", "reference_value", "taken_on"]


def measure(
    policy: Policy, problem: TunableProblem, program: Program, target: Target, metric: str, level: Level, bench: Bench
) -> float:
    """The program's metric under the policy; from the cache where the same was asked before.

    Raises CellError when the policy cannot be asked, what it decided cannot be compiled, or the metric not be taken.
    """
    frozen = freeze(program, target, level, bench)
    tools = [*problem.parts(policy), bench.toolchain.fingerprint.llvm, *taken_on(program, target, metric, bench)]
    key = digest_of(["trial", 2, _versions(metric), frozen.digest, policy.digest, tools])
    known: Mapping[str, float] | None = bench.store.get(bench.area("trials"), key)
    if known is None:
        if metric in seen():
            known = seen_in(problem.tried(policy, frozen, bench), target, bench)
        else:
            plan = problem.plan(problem.decide(policy, frozen, 0, bench).decisions, target)
            made = Made(program, target, frozen, plan, compile_plan(frozen, plan, bench))
            known = {metric: _taken(made, metric, bench)}
        bench.store.put(bench.area("trials"), key, dict(known))
    return known[metric]


def reference_value(program: Program, target: Target, metric: str, level: Level, bench: Bench) -> float:
    """The program's metric under the track's reference. Raises CellError where it cannot be taken."""
    frozen = freeze(program, target, level, bench)
    plan = reference_plan(level, target)
    compiled = compile_plan(frozen, plan, bench)
    if metric in seen():
        return seen_in(compiled.object, target, bench)[metric]
    return _taken(Made(program, target, frozen, plan, compiled), metric, bench)


def taken_on(program: Program, target: Target, metric: str, bench: Bench) -> list[object]:
    """What the metric depends on besides the object: workloads, what the program is linked with, and what counts.

    Nothing of one that a look at the object tells.
    """
    if metric in seen():
        return []
    benchmark = program.benchmark
    return [
        workloads_digest(prepare(program, bench.store)),
        [benchmark.link, benchmark.language],
        bench.toolchain.runtime_fingerprint(target, benchmark.language, benchmark.link),
        native_digest("count"),
    ]


def _taken(made: Made, metric: str, bench: Bench) -> float:
    taken = take_metrics(made, [metric], bench)
    if metric not in taken.values:
        raise CellError(Outcome.RUN_CRASH, f"{metric}: {taken.missing[metric]}")
    return taken.values[metric]


def _versions(metric: str) -> dict[str, int]:
    """Of the metrics that the trial is kept by."""
    return {name: find_metric(name).version for name in (seen() if metric in seen() else (metric,))}
