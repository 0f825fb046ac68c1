"""What a trial is worth in run time: its objects against the track's reference, in turns, as the leaderboard's are.

The best of many trials is also the luckiest. So what a search has found is timed once more, apart from it and beside
what it began with, and only that counts.
"""

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from harness.apply import compile_plan
from harness.apply.plan import CompilePlan, reference_plan
from harness.apply.reference import reference_object
from harness.base.digest import digest_of
from harness.base.errors import CellError
from harness.base.machine import machine
from harness.base.vocabulary import Level, Outcome
from harness.freeze import freeze
from harness.policy import Policy
from harness.problems.programs.problems import TunableProblem
from harness.sandbox.bench import Bench
from harness.statistics.paired import MIN_PAIRS
from harness.suite.load import Program
from harness.suite.workloads import prepare
from harness.timing.campaign import Timed, run_campaign, summary
from harness.timing.contestants import NATIVE, TimedProgram, try_object
from harness.timing.schedule import Plan
from harness.timing.twin import twin_of
from harness.verify import expected_results

__all__ = ["METRIC", "Entrant", "Opponent", "Raced", "entrant", "opponent", "race", "race_anew"]

METRIC = "runtime.cpu"
"""The one timed metric that a search can go by: pairs are of CPU time."""
_LEAST, _MOST = 5, 10
"""Pairs of a program in a trial."""
_ANEW = 4
"""What is timed anew may take so many times a trial's seconds."""


@dataclass(frozen=True)
class Opponent:
    """A program with the reference's object, ready to be timed."""

    contest: TimedProgram
    typical: float
    """CPU seconds of one run."""

    @property
    def digest(self) -> str:
        """The reference's object."""
        return self.contest.reference

    @property
    def depends_on(self) -> list[object]:
        """All that times depend on besides the policy's object: those of another machine are others."""
        return [self.digest, self.contest.inputs, machine().identity]


@dataclass(frozen=True)
class Entrant:
    """A policy's object of a program: its digest, and what is timed in its place."""

    digest: str
    twin: Path


@dataclass(frozen=True)
class Raced:
    """What a race gave."""

    pairs: Mapping[tuple[str, str], tuple[float, ...]]
    """Program and object → log of reference/object, one a pair; one 0 where the object is the reference's."""
    marks: frozenset[str]
    """Why a campaign would not be used for the leaderboard; empty: it would be."""

    def worth(self, program: str, digest: str) -> float:
        """The median."""
        return statistics.median(self.pairs[program, digest])


def opponent(program: Program, level: Level, bench: Bench) -> Opponent:
    """The program's reference. Raises CellError where it cannot be timed."""
    plan = reference_plan(level, NATIVE)
    ready = prepare(program, bench.store, "time")
    if not ready:
        raise CellError(Outcome.RUN_CRASH, f"{program.id} has no workload of the kind 'time'")
    expected = expected_results(program, ready, partial(reference_object, program, Level.O0, NATIVE, bench), bench)
    made = _entrant(program, plan, level, bench)
    benchmark = program.benchmark
    runtime = bench.toolchain.runtime_fingerprint(NATIVE, benchmark.language, benchmark.link)
    contest = TimedProgram(program, made.digest, {made.digest: made.twin}, ready, expected, runtime)
    tried = try_object(contest, made.digest, bench)
    if tried.problem:
        raise CellError(Outcome.RUN_CRASH, f"the reference of {program.id} cannot be timed: {tried.problem}")
    return Opponent(contest, tried.cpu)


def entrant(policy: Policy, problem: TunableProblem, against: Opponent, level: Level, bench: Bench) -> Entrant:
    """The policy's object, right on the workloads that it will be timed on.

    Raises CellError when the policy cannot be asked, what it decided cannot be compiled, or is wrong.
    """
    program = against.contest.program
    decided = problem.decide(policy, freeze(program, NATIVE, level, bench), 0, bench)
    made = _entrant(program, problem.plan(decided.decisions, NATIVE), level, bench)
    if made.digest != against.digest:
        tried = try_object(_with(against, [made]), made.digest, bench)
        if tried.problem:
            raise CellError(Outcome.WRONG_OUTPUT, tried.problem)
    return made


def race(entrants: Sequence[tuple[Opponent, Entrant]], seconds: float, study: str, bench: Bench) -> Raced:
    """Time the objects of a trial, up to so many seconds a program; those that the study has timed before are known.

    Raises CellError when one fails meanwhile.
    """
    area = bench.area("trials")
    keys = {
        (one.contest.program.id, mine.digest): digest_of(["raced", study, seconds, one.depends_on, mine.digest])
        for one, mine in entrants
    }
    known = {place: found for place, key in keys.items() if (found := bench.store.get(area, key)) is not None}
    new = [(one, [mine]) for one, mine in entrants if (one.contest.program.id, mine.digest) not in known]
    raced = _race(new, Plan(seconds * len(new), least=_LEAST, most=_MOST), bench)
    for place, pairs in raced.pairs.items():
        bench.store.put(area, keys[place], list(pairs))
    return Raced({place: tuple(pairs) for place, pairs in known.items()} | dict(raced.pairs), raced.marks)


def race_anew(
    entrants: Sequence[tuple[Opponent, Entrant, Entrant]], seconds: float, study: str, bench: Bench
) -> Mapping[str, list[float]]:
    """Program → log of first/best, one a pair: both timed in the same turns. Of one search they are timed once.

    Raises CellError when one fails meanwhile.
    """
    objects = [[one.contest.program.id, first.digest, best.digest] for one, first, best in entrants]
    area, key = bench.area("trials"), digest_of(["raced anew", study, seconds, objects])
    known: dict[str, Any] | None = bench.store.get(area, key)
    if known is None:
        budget = _ANEW * seconds * len(entrants)
        raced = _race([(one, [first, best]) for one, first, best in entrants], Plan(budget, least=MIN_PAIRS), bench)
        known = {
            one.contest.program.id: _differences(raced, one.contest.program.id, first, best)
            for one, first, best in entrants
        }
        bench.store.put(area, key, known)
    return known


def _differences(raced: Raced, program: str, first: Entrant, best: Entrant) -> list[float]:
    if first.digest == best.digest:
        return [0.0]
    before, after = raced.pairs[program, first.digest], raced.pairs[program, best.digest]
    length = max(len(before), len(after))  # of the reference's own object there is one pair, of no difference
    wide = [pairs * length if len(pairs) == 1 else pairs for pairs in (before, after)]
    return [mine - theirs for theirs, mine in zip(*wide, strict=False)]


def _race(entrants: Sequence[tuple[Opponent, Sequence[Entrant]]], plan: Plan, bench: Bench) -> Raced:
    pairs: dict[tuple[str, str], tuple[float, ...]] = {}
    contests: dict[str, list[tuple[TimedProgram, float]]] = {}
    for one, mine in entrants:
        others = [each for each in mine if each.digest != one.digest]
        pairs |= {(one.contest.program.id, each.digest): (0.0,) for each in mine if each.digest == one.digest}
        if others:
            contests.setdefault(one.contest.program.suite, []).append((_with(one, others), one.typical))
    marks: set[str] = set()
    for some in contests.values():  # in a campaign names are programs': those of two suites may be the same
        share = len(some) / sum(map(len, contests.values()))
        timed = Timed([])
        programs = [program for program, _ in some]
        typical = {program.name: cpu for program, cpu in some}
        own = replace(plan, budget=plan.budget * share)
        facts = run_campaign(programs, typical, own, bench, timed)
        marks |= set(summary(facts, timed.blocks, {program.name: program.reference for program in programs}).marks)
        pairs |= {place: found for program in programs for place, found in _pairs(program, timed)}
    return Raced(pairs, frozenset(marks))


def _pairs(program: TimedProgram, timed: Timed) -> Iterable[tuple[tuple[str, str], tuple[float, ...]]]:
    found = timed.pairs(program)
    for digest in program.objects:
        if digest == program.reference:
            continue
        if not (mine := found.get(digest)):
            why = timed.problems.get((program.name, digest), "it takes longer than the seconds that a trial has")
            raise CellError(Outcome.RUN_TIMEOUT, f"{program.program.id} cannot be timed: {why}")
        yield (program.program.id, digest), tuple(value for value in mine if math.isfinite(value))


def _with(against: Opponent, others: Sequence[Entrant]) -> TimedProgram:
    objects = {**against.contest.objects, **{each.digest: each.twin for each in others}}
    return replace(against.contest, objects=objects)


def _entrant(program: Program, plan: CompilePlan, level: Level, bench: Bench) -> Entrant:
    frozen = freeze(program, NATIVE, level, bench)
    compiled = compile_plan(frozen, plan, bench)
    return Entrant(compiled.digest, twin_of(compiled.object, frozen, plan, bench))
