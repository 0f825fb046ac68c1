"""A submission tried on a few small benchmarks: once as it will be measured, then under other conditions.

Other conditions are another folder, host name, environment and clock, and memory without a randomised layout. Each
run has a cache and results of its own, so that nothing is remembered between them.
"""

import math
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from harness.base.engine import Engine
from harness.base.progress import Observer
from harness.base.reading import read_bytes
from harness.base.vocabulary import Outcome, PolicyClass
from harness.checks.submission.findings import Code, Finding
from harness.checks.submission.ratios import gains_of
from harness.measure import find_metric
from harness.policy import Policy, is_asked_again
from harness.policy.forms.registry import all_forms
from harness.policy.limits import most_bytes
from harness.policy.problems import form_of
from harness.policy.tracks import facts_of
from harness.problems.protocol import Asked, Benchmarks, Replaying, Trial
from harness.rank.memorised import LEAST_GAIN, OnCopies
from harness.record import Row, read_run
from harness.run.run import execute_run
from harness.sandbox.bench import Bench
from harness.sandbox.conditions import USUAL_CONDITIONS, Conditions, clock_library

__all__ = ["Tried", "as_tried", "repeats", "seconds_allowed", "tried"]

_DAY = 86_400
_OTHERS = {
    "in another folder, environment and year": Conditions(
        hostname="elsewhere",
        environment=(
            ("HOME", "/nowhere"),
            ("LANG", "tr_TR.UTF-8"),
            ("TZ", "Pacific/Kiritimati"),
            ("USER", "somebody"),
            ("PYTHONHASHSEED", "7"),
        ),
        ahead=400 * _DAY,
    ),
    "where addresses are not random, half a day later": Conditions(fixed_addresses=True, ahead=_DAY // 2),
}
"""What is different → conditions."""
_PATIENCE = 120.0
"""Seconds to build what there is to build, the harness's own among it, and half as many for every two benchmarks."""
_BUDGET = 30.0
"""CPU seconds of a search, at most: its author sets the budget, and nobody waits for an hour here."""
_TRIALS = 20
"""Beyond its budget, of a search without chance."""
_A_TRIAL = 1.0
"""Seconds that one of these may take: a whole program is compiled."""
_MUCH = 2.0
"""A solver is told where it costs so many times less than the plain assignment, and its copy so many times more."""

Cell = tuple[str, str, int, int]
"""Benchmark, target, seed and copy."""


@dataclass(frozen=True)
class Tried:
    """What came of it."""

    findings: tuple[Finding, ...]
    rows: tuple[Row, ...]
    """Of the first run, the reference's among them."""
    runs: int
    """Under how many conditions."""


def tried(policy: Policy, trial: Trial, sort: Benchmarks, bench: Bench, engine: Engine, observer: Observer) -> Tried:
    """Run it; of a search, under its first seed and with a part of its budget (``as_tried``).

    Raises what a run raises that the policy is not to blame for.
    """
    policy = as_tried(policy)
    with bench.store.scratch() as folder:
        running = _Running(trial, sort, bench, engine, observer, folder)
        started = time.monotonic()
        first = running.run(replace(trial, benchmarks=trial.benchmarks[:1], reference=None), policy)
        slow = list(_slowness(started, policy, 1))
        if slow or _bad(first, policy):
            return Tried((*_outcomes(first, policy), *slow), tuple(first), 1)
        rows = running.run(trial, policy)
        findings = [*_outcomes(rows, policy), *running.not_replayed(policy)]
        others = _OTHERS if repeats(policy) else {}
        runs = 1
        for what, conditions in others.items():
            if not findings:
                findings += _slowness(started, policy, len(trial.benchmarks))
            if not findings:
                runs += 1
                there = _elsewhere(policy, folder) if conditions.environment else policy
                again = running.run(replace(trial, reference=None), there, conditions)
                findings += _differing(_of(rows, policy), again, what)
        if not findings and _looks(policy) and trial.on_copies is not None:
            findings += running.memorised(policy, rows) if trial.reference else running.looked_up(policy)
        if others and is_asked_again(policy) and clock_library() is None:
            do = "apt-get install libfaketime, and validate again"
            findings.append(Finding(Code.CLOCK_NOT_MOVED, "clock", "libfaketime is not installed here", do))
        return Tried(tuple(findings), tuple(rows), runs)


def repeats(policy: Policy) -> bool:
    """Whether it does the same whenever it is asked: a search by chance does not, and is replayed alone."""
    manifest = policy.manifest
    return manifest.policy_class is not PolicyClass.SEARCH or manifest.deterministic or is_asked_again(policy)


def _looks(policy: Policy) -> bool:
    """Whether it may look at the program without saying that it searches: a list that calls itself fixed does not."""
    is_asked = policy.manifest.form in all_forms()
    policy_class = policy.manifest.policy_class
    return policy_class is PolicyClass.ZERO_SHOT or (policy_class is PolicyClass.FIXED and is_asked)


def _slowness(started: float, policy: Policy, benchmarks: int) -> Iterator[Finding]:
    """What is wrong with having taken so long since ``started`` for so many benchmarks."""
    seconds, most = time.monotonic() - started, seconds_allowed(policy, benchmarks)
    if seconds > most:
        what = f"{seconds:.0f} s for {benchmarks} small benchmark{'s' * (benchmarks != 1)}; {most:.0f} s are allowed"
        do = "decide, or compile, faster: a suite would take hours; or validate again when the machine is less busy"
        yield Finding(Code.TOO_SLOW, policy.name, what, do)


def seconds_allowed(policy: Policy, benchmarks: int) -> float:
    """That trying it on so many small benchmarks may take: a search may use what its manifest says."""
    manifest, searching = policy.manifest, 0.0
    if form_of(policy, policy.name).by_chance:
        trials = manifest.values.get("trials", 0)
        searching = (manifest.budget or 0) + (_A_TRIAL * trials if isinstance(trials, int) else 0)
    return _PATIENCE * (1 + benchmarks / 4) + searching * len(manifest.targets) * benchmarks


def as_tried(policy: Policy) -> Policy:
    """A search that runs here: its first seed, and at most so much of its budget. Other policies: themselves.

    Trials that it would have whatever they take are none of it, but for a few where they decide when it ends.
    """
    manifest = policy.manifest
    if not form_of(policy, policy.name).by_chance or manifest.budget is None:
        return policy
    values, most = dict(manifest.values), _TRIALS if manifest.deterministic else 0
    if isinstance(trials := values.get("trials"), int):
        values["trials"] = min(trials, most)
    fewer = {"seeds": manifest.seeds[:1], "budget": min(manifest.budget, _BUDGET), "values": values}
    return replace(policy, manifest=manifest.model_copy(update=fewer))


def _elsewhere(policy: Policy, folder: Path) -> Policy:
    """The same, with its files read from a copy of its folder."""
    copy = folder / "another place" / policy.name
    shutil.copytree(policy.folder, copy, symlinks=True)
    contents = {role: read_bytes(copy / policy.manifest.files[role], most_bytes(role)) for role in policy.contents}
    return replace(policy, folder=copy, contents=contents)


@dataclass(frozen=True)
class _Running:
    trial: Trial
    sort: Benchmarks
    bench: Bench
    engine: Engine
    observer: Observer
    folder: Path

    def run(self, trial: Trial, policy: Policy, conditions: Conditions = USUAL_CONDITIONS) -> list[Row]:
        """Rows of a run with nothing remembered; the first run of all is the small part of the second."""
        place = self._place(conditions)
        cache, builds = place / "cache", self.bench.builds or self.bench.cache
        bench = replace(self.bench, cache=cache, builds=builds, conditions=conditions, asked_again_after=0.0)
        policies: list[str | Policy] = [policy, *([trial.reference] if trial.reference else [])]
        request = self.sort.request(Asked(trial.suite, trial.benchmarks, policies, trial.options))
        report = execute_run(request, bench, self.engine, place / "results", self.observer, ("validate", policy.name))
        return list(report.rows)

    def _place(self, conditions: Conditions) -> Path:
        return self.folder / (
            "usual" if conditions == USUAL_CONDITIONS else conditions.hostname + str(conditions.ahead)
        )

    def memorised(self, policy: Policy, rows: Sequence[Row]) -> Iterator[Finding]:
        """Gains that disappear on copies of the programs with other names, another order and other features."""
        ranking = facts_of(policy.manifest.track).metric
        gained = {
            benchmark
            for (metric, _, _), gains in gains_of(rows, policy.name, self.trial.reference).items()
            for benchmark, gain in gains.items()
            if metric == ranking and gain >= LEAST_GAIN
        }
        names = tuple(name for name in self.trial.benchmarks if name in gained)
        if not names:
            return
        options = {**self.trial.options, **(self.trial.on_copies or {}), "metric": [ranking]}
        again = self.run(replace(self.trial, benchmarks=names, options=options), policy)
        ratios: dict[tuple[str, str], dict[int, float | None]] = {}
        for row in again:  # a copy that the reference manages, and the policy does not, unless it has a gain below
            if row.policy == self.trial.reference and row.outcome is Outcome.OK:
                ratios.setdefault((row.benchmark, row.target.value), {})[row.copy_] = None
        for (_, target, copy), gains in gains_of(again, policy.name, self.trial.reference).items():
            for benchmark, gain in gains.items():
                ratios[benchmark, target][copy] = math.exp(gain)
        for (benchmark, target), by_copy in ratios.items():
            own = by_copy.get(0)
            others = tuple(ratio for copy, ratio in by_copy.items() if copy)
            if own is not None and others and OnCopies(policy.name, benchmark, own, others).memorised:
                left = ", ".join("failed" if one is None else f"{one:.4f}" for one in others)
                what = f"a gain of {own:.4f} is gone on copies with other names and features: {left}"
                do = "decide from what code does, not what it is"
                yield Finding(Code.MEMORISED, f"{benchmark} on {target}", what, do)

    def looked_up(self, policy: Policy) -> Iterator[Finding]:
        """What costs at most half of the plain assignment on an instance, and at least twice as much on its copy, which
        has other numbers and no name."""
        ranking = facts_of(policy.manifest.track).metric
        again = self.run(replace(self.trial, options={**self.trial.options, **(self.trial.on_copies or {})}), policy)
        costs = {(row.benchmark, row.copy_): row.value for row in again if row.metric == ranking and row.value}
        failed = {row.benchmark for row in again if row.copy_ and row.outcome is not Outcome.OK}
        for benchmark, plain in self._plain_costs().items():
            cost, copied = costs.get((benchmark, 0)), costs.get((benchmark, 1))
            if cost is None or plain is None or _MUCH * cost > plain:
                continue
            if benchmark in failed or (copied is not None and copied >= _MUCH * cost):
                left = "nothing" if copied is None else f"{copied:.0f}"
                what = f"a cost of {cost:.0f} is gone on copies with other numbers: {left}"
                yield Finding(Code.MEMORISED, benchmark, what, "solve what is asked, not what it is called")

    def _plain_costs(self) -> dict[str, int | None]:
        """Of the instances that were solved under usual conditions."""
        solving = [read_run(file).header.solving for file in self._place(USUAL_CONDITIONS).glob("results/*.jsonl")]
        return {name: facts.plain for one in solving if one is not None for name, facts in one.instances.items()}

    def not_replayed(self, policy: Policy) -> Iterator[Finding]:
        """What does not come out alike from its decisions alone, by the harness that records them."""
        for file in sorted((self._place(USUAL_CONDITIONS) / "results").glob("*.jsonl")):
            run = read_run(file)
            if not any(row.object_digest and row.policy == policy.name for row in run.rows):
                continue
            answer = self.sort.replay(Replaying(run, policies=[policy.name]), self.bench, self.engine, self.observer)
            for record in answer.tables[0].records if answer.failed else ():
                if record.get("outcome", Outcome.OK) != Outcome.OK.value:
                    where = f"{record.get('benchmark')} on {record.get('target')}"
                    yield Finding(Code.NOT_REPLAYED, where, str(record.get("detail", "another object")))


def _of(rows: Sequence[Row], policy: Policy) -> list[Row]:
    return [row for row in rows if row.policy == policy.name]


def _bad(rows: Sequence[Row], policy: Policy) -> bool:
    """Whether nothing came of it. A target that it is not for says nothing, and a ceiling need not know the program."""
    return not any(row.outcome is Outcome.OK or _is_unknown(row, policy) for row in _of(rows, policy))


def _is_unknown(row: Row, policy: Policy) -> bool:
    return policy.manifest.ceiling and row.outcome is Outcome.POLICY_ERROR


def _outcomes(rows: Sequence[Row], policy: Policy) -> Iterator[Finding]:
    mine = _of(rows, policy)
    for row in mine:
        if row.outcome in (Outcome.OK, Outcome.UNSUPPORTED):
            continue
        if _is_unknown(row, policy):
            yield Finding(Code.UNKNOWN_PROGRAM, _place_of(row), row.detail)
            continue
        yield Finding(
            Code.FAILED_CELL, _place_of(row), f"{row.outcome.value}: {row.detail}", _REMEDIES.get(row.outcome, "")
        )
    if not any(row.outcome is Outcome.OK for row in mine):
        targets = ", ".join(target.value for target in policy.manifest.targets)
        yield Finding(Code.NOTHING_MEASURED, policy.name, f"no benchmark was measured on {targets}")


_REMEDIES = {
    Outcome.POLICY_TIMEOUT: "decide faster: docs/adding-a-policy.md has the limits",
    Outcome.WRONG_OUTPUT: "the compiled program is wrong: leave out the pass, or the decision, that breaks it",
    Outcome.NOT_REPLAYABLE: "decide from the module alone, not from time, addresses or chance; so must passes",
}


def _place_of(row: Row) -> str:
    seed = f", seed {row.seed}" if row.seed else ""
    return f"{row.benchmark} on {row.target.value}{seed}"


def _differing(first: Sequence[Row], second: Sequence[Row], what: str) -> Iterator[Finding]:
    """Cells that came out otherwise."""
    one, other = _cells(first), _cells(second)
    for cell in sorted(one.keys() | other.keys()):
        before, after = one.get(cell), other.get(cell)
        benchmark, target, *_ = cell
        where = f"{benchmark} on {target}"
        if before is None or after is None or before.decided != after.decided:
            do = "decide from what is asked alone: not from time, place, environment, addresses or chance"
            detail = "" if after is None or not after.detail else f" ({after.detail})"
            yield Finding(Code.OTHER_DECISIONS, where, f"{what} it decides otherwise{detail}", do)
        elif before.values != after.values:
            names = [name for name in before.values if before.values[name] != after.values.get(name)]
            yield Finding(Code.OTHER_VALUES, where, f"{what} the same decisions give another {', '.join(names)}")


@dataclass(frozen=True)
class _Outcome:
    decided: tuple[str, str | None]
    """Outcome and digest of the decisions."""
    values: Mapping[str, Any]
    """Metric → value, of those that repeat; and the object."""
    detail: str


def _cells(rows: Sequence[Row]) -> dict[Cell, _Outcome]:
    found: dict[Cell, list[Row]] = {}
    for row in rows:
        found.setdefault((row.benchmark, row.target.value, row.seed, row.copy_), []).append(row)
    return {
        cell: _Outcome(
            (mine[0].outcome.value, mine[0].decisions_digest),
            {"object": mine[0].object_digest}
            | {row.metric: row.value for row in mine if row.metric and find_metric(row.metric).deterministic},
            mine[0].detail,
        )
        for cell, mine in found.items()
    }
