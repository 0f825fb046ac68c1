"""``harness ceiling``: better decisions for the file of a ceiling, program by program."""

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.apply.decisions import Decisions
from harness.base import writing
from harness.base.answers import Answer, Column, Table
from harness.base.errors import UsageError
from harness.base.vocabulary import SIZE, Level, Outcome, Target
from harness.environments.benchmarks import frozen_of
from harness.learn.inliners.ceiling import Budget, Ceiling, search
from harness.learn.inliners.collector import Collector
from harness.learn.inliners.judge import METRICS
from harness.learn.inliners.modules import Module, whole
from harness.learn.inliners.pool import Pool
from harness.policy import Policy
from harness.policy.load import load_policy
from harness.problems.inlining import INLINING
from harness.problems.inlining.best import BEST, DECISIONS, written
from harness.problems.inlining.problem import POLICIES
from harness.problems.inlining.sites import Site, sites_of
from harness.problems.programs.cell import Cell, run_cell
from harness.problems.verbs import Context
from harness.sandbox.bench import Bench
from harness.suite.load import Program

__all__ = ["Asked", "improve"]

_COLUMNS = (
    Column("program", "program"),
    Column("target", "target"),
    Column("gain", "gain", "{:.4f}".format, right=True),
    Column("decisions", "decisions", "{:,}".format, right=True),
    Column("trials", "trials", "{:,}".format, right=True),
)


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be searched."""

    policy: str
    programs: tuple[Program, ...]
    targets: tuple[Target, ...]
    """Empty: all that the policy has."""
    metric: str
    budget: Budget
    """Of each program and target."""
    again: bool
    """Whether to go on from what the file has, not only where it has nothing."""
    seed: int
    jobs: int | None
    begin: tuple[str, ...] = ()
    """Policies of inlining whose decisions it may begin from."""


@dataclass(frozen=True, slots=True)
class _Task:
    program: Program
    module: Module
    target: Target
    known: tuple[Site, ...]
    trials: int
    """That ``known`` took."""


def improve(context: Context, asked: Asked) -> Answer:
    """Search, and write what is found into the policy's file, each program as it ends.

    Raises UsageError for a policy that is no ceiling of inlining, and for what else was asked wrongly.
    """
    if asked.metric not in METRICS:
        raise UsageError(f"metric: {asked.metric!r} is not {' or '.join(METRICS)}")
    policy = load_policy(asked.policy)
    if (policy.manifest.problem, policy.manifest.form) != (INLINING, BEST):
        raise UsageError(
            f"is no policy of problem {INLINING!r} and form {BEST!r}",
            where=str(policy.folder),
            hint=f"harness new NAME --problem {INLINING} --form {BEST} writes one",
        )
    targets = asked.targets or policy.manifest.targets
    if strange := set(targets) - set(policy.manifest.targets):
        raise UsageError(f"{', '.join(sorted(strange))}: not a target of this policy", where=str(policy.folder))
    others = [_decider(one) for one in asked.begin]
    bench = context.bench()
    known = DECISIONS.check(policy, str(policy.folder))
    tasks = []
    programs = [*{one.home_id: one for one in reversed(asked.programs)}.values()][::-1]  # suites share some
    for target in targets:
        for program, one in zip(programs, frozen_of(programs, target, Level.OZ, bench), strict=True):
            best = known.get(program.home_id, {}).get(target)
            if best is None or asked.again:
                module = whole(program.home_id, one)
                tasks.append(_Task(program, module, target, best.found if best else (), best.trials if best else 0))

    asked_for = len(targets) * len(programs)
    skipped = asked_for - len(tasks)

    def work(collector: Collector, task: _Task) -> Ceiling:
        begin = [task.known, *(_decided(one, asked.metric, task, bench) for one in others)]
        return search(task.module, asked.metric, collector, asked.budget, begin=[*filter(None, begin)], seed=asked.seed)

    file = policy.folder / policy.manifest.files[DECISIONS.role]
    jobs = asked.jobs or len(os.sched_getaffinity(0))
    with Pool(bench, jobs, context.observer) as pool:
        records = list(_kept(tasks, pool.each("search", tasks, work, tries=1), file))
        lost = tuple(f"lost: {why}" for why in pool.lost)
    there = f"the file has {skipped} of {asked_for} already; --again goes on from there"
    return Answer((Table(records, _COLUMNS),), notes=(*lost, *([there] if skipped else [])), failed=bool(lost))


def _decider(name: str) -> Policy:
    policy = load_policy(name)
    if policy.manifest.problem != INLINING:
        raise UsageError(f"is no policy of problem {INLINING!r}, which a search could begin from", where=name)
    POLICIES.check(policy, name)
    return policy


def _decided(policy: Policy, metric: str, task: _Task, bench: Bench) -> Sequence[Site]:
    """What the policy decides; nothing where it does not decide on this program."""
    cell = Cell(task.program, task.target, SIZE, policy, policy.manifest.seeds[0])
    result = run_cell(cell, (metric,), bench)  # what a run has measured is taken from the cache
    if result.outcome is not Outcome.OK or result.decisions is None:
        return ()
    return [site for site in sites_of(Decisions.parse(result.decisions.encode(), cell.name).body) if site.chosen]


def _kept(tasks: Sequence[_Task], found: Iterator[Ceiling | None], file: Path) -> Iterator[dict[str, Any]]:
    for task, ceiling in zip(tasks, found, strict=True):
        if ceiling is None:
            continue
        trials = task.trials + ceiling.trials
        document = json.loads(file.read_text())
        document.setdefault(task.module.name, {})[task.target.value] = {**written(ceiling.sites), "trials": trials}
        with writing.written(file) as whole:
            whole.write(f"{json.dumps(document, sort_keys=True)}\n".encode())
        yield {
            "program": task.module.name,
            "target": task.target.value,
            "gain": ceiling.plain / ceiling.bytes,
            "decisions": len(ceiling.sites),
            "trials": trials,
        }
