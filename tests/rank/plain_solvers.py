"""Standings of solvers once more: from the lines of run files, in plain Python, slowly, with nothing of the harness.

What it shares with ``harness.problems.instances`` is docs/methodology.md ("Standings of solvers"). Of a suite it reads
the contest's table of costs; of ``tests.rank.plain`` it has the lines of run files and the interval.
"""

import csv
import json
import math
import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np

from tests.rank.plain import NEAR, Folder, _interval

FLOOR = "least-usage"
MARGIN = math.log(1.005)
FEWEST = 6


@dataclass
class PlainSolver:
    """A solver's row."""

    policy: str
    score: float | None
    counted: int
    """Instances that the contest counted."""
    ratio: float | None
    gap: float | None
    solved: int
    optimal: int
    below: int
    instances: int
    repeats: int
    spread: float | None
    interval: tuple[float, float] | None
    least: float
    """That cost/best can be, by the proven bounds."""
    verdict: str | None
    p: float | None
    sure: bool
    """The verdict does not hang on where a bootstrap's end lies."""
    rank: tuple[int, int] | None
    costs: dict[str, int | None]
    """Instance → the median of its runs."""


@dataclass
class _Instance:
    digest: str
    best: int
    known: int | None
    bound: int | None
    plain: int | None
    team: int | None

    @property
    def against(self) -> int:
        """What costs are divided by."""
        return max(next(one for one in (self.known, self.plain, self.best) if one is not None), 1)


@dataclass
class _Run:
    cost: int | None
    cell: str
    decisions: str | None


def best_teams(contest: Path, no_teams: Sequence[str]) -> dict[str, int]:
    """Instance → the cheapest assignment of a team."""
    found: dict[str, int] = {}
    with contest.open() as file:
        head, *rows = csv.reader(file)
    for row in rows:
        for name, cost in zip(head[1:], row[1:], strict=False):
            if row[0] not in no_teams and cost.strip().isdecimal():
                found[name] = min(int(cost), found.get(name, int(cost)))
    return found


def solver_rows(folder: Folder, question: Any, teams: Mapping[str, int]) -> dict[str, PlainSolver]:
    """Policy → its row. ``question`` has suite, track, llvm, split, origin and conditions; ``teams``: their best."""
    rows = _asked(folder, question)
    version = {row["policy"]: row["policy_digest"] for row in rows}
    made = {row["benchmark"]: row["made"] for row in rows}
    rows = [r for r in rows if version[r["policy"]] == r["policy_digest"] and made[r["benchmark"]] == r["made"]]
    runs = _runs(folder, _on_one_machine(folder, rows))
    instances = _instances(folder, question, rows, runs, teams)
    names = sorted(instances)
    found = {policy: _row(policy, mine, instances, names) for policy, mine in runs.items()}
    values = {policy: _values(mine, instances, names) for policy, mine in runs.items()}
    able = [policy for policy in sorted(runs) if _may_be_ranked(folder, question, policy, runs[policy], names)]
    first: dict[Any, str] = {}
    for policy in able:
        first.setdefault(_identity(runs[policy], names), policy)
    alike = {policy: first[_identity(runs[policy], names)] for policy in able}
    ranks = _ranks({policy: values[policy] for policy in first.values()})
    judged = all(instances[name].known is not None for name in names)
    words = _verdicts({policy: values[policy] for policy in first.values()}) if judged else {}
    for policy in able:
        row = found[policy]
        row.rank = ranks[alike[policy]]
        if judged and row.ratio is not None:
            row.verdict, row.p = words[alike[policy]]
            _hold_to_interval(row)
    return found


def _asked(folder: Folder, question: Any) -> list[dict[str, Any]]:
    """The oldest first."""
    how = dict(question.conditions)
    found = []
    for row in folder.rows:
        header = folder.headers[row["run"]]
        solving, facts = header.get("solving"), header["benchmarks"].get(row["benchmark"])
        if not solving or not facts or (header["suite"], row["track"]) != (question.suite, question.track):
            continue
        if header["llvm"] != question.llvm or question.split not in (None, facts["split"]):
            continue
        if (solving["time_scale"], solving["cores"]) != (how["time_scale"], how["cores"]):
            continue
        if question.origin in (None, facts["origin"]):
            found.append(row | {"made": facts["program_digest"]})
    return found


def _on_one_machine(folder: Folder, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Of each policy on each instance, the rows of one machine: of whose the table has most, then the newest."""
    cells: dict[Any, set[Any]] = defaultdict(set)
    newest: dict[Any, str] = {}
    for row in rows:
        machine = folder.machine(row["run"])
        cells[machine].add((row["policy"], row["benchmark"], row["seed"]))
        newest[machine] = folder.headers[row["run"]]["started"]
    order = sorted(cells, key=lambda one: (len(cells[one]), newest[one]), reverse=True)
    chosen: dict[tuple[str, str], Any] = {}
    for row in rows:
        key, machine = (row["policy"], row["benchmark"]), folder.machine(row["run"])
        chosen[key] = min(chosen.get(key, machine), machine, key=order.index)
    return [row for row in rows if chosen[row["policy"], row["benchmark"]] == folder.machine(row["run"])]


def _runs(folder: Folder, rows: Sequence[dict[str, Any]]) -> dict[str, dict[str, list[_Run]]]:
    """Policy → instance → its runs, the cheapest first."""
    costs = {row["cell"]: row["value"] for row in folder.rows if row.get("metric") == "cost"}
    newest = {(row["policy"], row["benchmark"], row["seed"]): row for row in rows}
    found: dict[str, dict[str, list[_Run]]] = defaultdict(lambda: defaultdict(list))
    for (policy, benchmark, _), row in newest.items():
        cost = costs.get(row["cell"]) if row["outcome"] == "ok" else None
        found[policy][benchmark].append(_Run(cost, row["cell"], row.get("decisions_digest")))
    for mine in found.values():
        for every in mine.values():
            every.sort(key=lambda run: (run.cost is None, run.cost or 0, run.cell))
    return {policy: found[policy] for policy in sorted(found)}


def _median(runs: Sequence[_Run]) -> _Run:
    """Of two the worse; a failed one is worse than any cost."""
    return runs[len(runs) // 2]


def _instances(
    folder: Folder,
    question: Any,
    rows: Sequence[dict[str, Any]],
    runs: Mapping[str, Mapping[str, list[_Run]]],
    teams: Mapping[str, int],
) -> dict[str, _Instance]:
    found = {}
    for row in rows:
        header, name = folder.headers[row["run"]], row["benchmark"]
        facts = header["solving"]["instances"][name]
        costs = [run.cost for mine in runs.values() for run in mine.get(name, ()) if run.cost is not None]
        said = [facts["plain"]] if facts.get("plain") is not None else _plain(folder, question, name, row["made"])
        about = header["benchmarks"][name]
        counts = about["split"] == "test" and about["origin"] == "contest"
        best = facts.get("best")
        found[name] = _Instance(
            row["made"],
            best if best is not None else min(costs, default=1),
            best,
            facts.get("bound"),
            max(said, default=None),
            teams.get(name) if counts else None,
        )
    return found


def _plain(folder: Folder, question: Any, name: str, made: str) -> list[int]:
    """What the plain solver gave, where the header does not say it."""
    return [
        row["value"] for row in folder.rows
        if (row["policy"], row["benchmark"], row.get("metric")) == (FLOOR, name, "cost")
        and folder.headers[row["run"]]["suite"] == question.suite
        and folder.headers[row["run"]]["benchmarks"][name]["program_digest"] == made
    ]  # fmt: skip


def _row(
    policy: str, mine: Mapping[str, list[_Run]], instances: Mapping[str, _Instance], names: Sequence[str]
) -> PlainSolver:
    cost = {name: _median(mine[name]).cost if name in mine else None for name in names}
    points, gaps, spreads, solved = [], [], [], []
    for name in names:
        one, reached = instances[name], cost[name]
        if one.team is not None:
            points.append(0.0 if reached is None else min(1.0, one.team / max(reached, 1)))
        if reached is None:
            continue
        solved.append(name)
        if one.bound:
            gaps.append(math.log(reached) - math.log(one.bound))
    for own in mine.values():
        costs = [run.cost for run in own if run.cost is not None]
        if len(costs) > 1:
            spreads.append((max(costs) - min(costs)) / max(min(costs), 1))
    logs = [
        value + math.log(max(instances[name].best, 1) / instances[name].against)
        for name, value in zip(names, _values(mine, instances, names), strict=True)
    ]
    every = [instances[name] for name in names]
    least = math.exp(statistics.fmean(math.log(max(one.bound or 1, 1) / max(one.best, 1)) for one in every))
    complete = len(mine) == len(names) and bool(solved)
    return PlainSolver(
        policy,
        sum(points) if points else None,
        len(points),
        math.exp(-statistics.fmean(logs)) if solved else None,
        math.exp(statistics.fmean(gaps)) - 1 if gaps else None,
        len(solved),
        sum(cost[name] == instances[name].bound for name in solved),
        sum((cost[name] or 0) < instances[name].best for name in solved),
        len(names),
        min(len(own) for own in mine.values()),
        statistics.median(spreads) if spreads else None,
        _ends(logs, least) if complete else None,
        least,
        None,
        None,
        True,
        None,
        cost,
    )


def _ends(logs: Sequence[float], least: float) -> tuple[float, float] | None:
    """Of cost/best."""
    found = _interval([-value for value in logs], [str(number) for number in range(len(logs))])
    return None if found is None else (max(found[0], min(least, math.exp(-statistics.fmean(logs)))), found[1])


def _values(mine: Mapping[str, list[_Run]], instances: Mapping[str, _Instance], names: Sequence[str]) -> list[float]:
    """Log of reference / cost; a failure counts as the worst of reference, plain assignment and its own worst."""
    logs = {}
    for name in names:
        cost = _median(mine[name]).cost if name in mine else None
        logs[name] = None if cost is None else math.log(instances[name].against / max(cost, 1))
    own = min((value for value in logs.values() if value is not None), default=0.0)
    found = []
    for name in names:
        value, plain = logs[name], instances[name].plain
        worst = [0.0, own] + ([] if plain is None else [math.log(instances[name].against / max(plain, 1))])
        found.append(min(worst) if value is None else value)
    return found


def _identity(mine: Mapping[str, list[_Run]], names: Sequence[str]) -> Any:
    """The assignments that count."""
    return tuple(_median(mine[name]).decisions if name in mine else None for name in names)


def _may_be_ranked(
    folder: Folder, question: Any, policy: str, mine: Mapping[str, list[_Run]], names: Sequence[str]
) -> bool:
    own = [header for header in folder.headers.values() if header["suite"] == question.suite]
    seen = {name for header in own for name in (header.get("trained_on") or {}).get(policy, ())}
    newest = max(own, key=lambda header: header["started"])
    return len(mine) >= newest.get("min_coverage", 0.8) * len(names) - 1e-9 and not seen & set(names)


# --- the tests, by all 2^n sign vectors


def _signs(count: int) -> Any:
    assert count <= 16
    return np.array(list(product((1.0, -1.0), repeat=count)))


def _t(values: Any) -> Any:
    """Of each line."""
    count = values.shape[1]
    mean = values.sum(axis=1) / count
    error = np.sqrt(((values - mean[:, None]) ** 2).sum(axis=1) / (count - 1) / count)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.where(error > 1e-13 * np.abs(values).max(initial=0), mean / error, np.inf * np.sign(mean))
    return np.nan_to_num(found, nan=0.0, posinf=np.inf, neginf=-np.inf)


def _ranks(values: Mapping[str, Sequence[float]]) -> dict[str, tuple[int, int]]:
    above, below = dict.fromkeys(values, 0), dict.fromkeys(values, 0)
    for one, other in combinations(values, 2):
        differences = np.array(values[one]) - np.array(values[other])
        if len(differences) < 2:
            continue
        drawn = np.abs(_t(_signs(len(differences)) * differences))
        if drawn[0] > 0 and float(np.mean(drawn >= drawn[0] * (1 - 1e-9))) <= 0.05:
            better, worse = (one, other) if differences.sum() > 0 else (other, one)
            above[worse] += 1
            below[better] += 1
    return {policy: (1 + above[policy], len(values) - below[policy]) for policy in values}


def _verdicts(values: Mapping[str, Sequence[float]]) -> dict[str, tuple[str, float]]:
    """Step-down by the largest |t| of those that are left; equivalent by two one-sided tests, after Holm."""
    if not values:
        return {}
    count = len(next(iter(values.values())))
    if count < FEWEST:
        return dict.fromkeys(values, ("not resolved", math.nan))
    signs = _signs(count)
    flipped = {policy: np.abs(_t(signs * np.array(mine))) for policy, mine in values.items()}
    order = sorted(values, key=lambda policy: -flipped[policy][0])
    p, before = {}, 0.0
    for place, policy in enumerate(order):
        largest = np.max([flipped[other] for other in order[place:]], axis=0)
        before = max(before, float(np.mean(largest >= flipped[policy][0] * (1 - 1e-9))))
        p[policy] = 1.0 if flipped[policy][0] == 0 else before
    alike = {policy: _equivalence(np.array(mine), signs) for policy, mine in values.items()}
    adjusted, highest = {}, 0.0
    for place, policy in enumerate(sorted(alike, key=lambda policy: alike[policy])):
        highest = max(highest, alike[policy] * (len(alike) - place))
        adjusted[policy] = highest
    found = {}
    for policy, mine in values.items():
        word = "equivalent" if adjusted[policy] <= 0.05 else "not resolved"
        if p[policy] <= 0.05:
            word = "better" if math.fsum(mine) > 0 else "worse"
        found[policy] = word, p[policy]
    return found


def _equivalence(values: Any, signs: Any) -> float:
    mean = float(values.mean())
    if float(np.abs(values - mean).max()) < 1e-15:
        return 0.0 if abs(mean) < MARGIN else 1.0
    worst = 0.0
    for side in (1, -1):
        drawn = side * _t(signs * (values - side * MARGIN))
        worst = max(worst, float(np.mean(drawn <= drawn[0] + abs(drawn[0]) * 1e-9)))
    return worst


def _hold_to_interval(row: PlainSolver) -> None:
    """No verdict that the interval contradicts."""
    if row.interval is None:
        row.verdict = "not resolved"
        return
    low, high = (math.log(end) for end in row.interval)
    margins = {
        "better": [-high],
        "worse": [low],
        "equivalent": [low + MARGIN, MARGIN - high],
    }.get(str(row.verdict), [])
    row.sure = all(abs(margin) > NEAR * (high - low) for margin in margins)
    if any(margin < 0 for margin in margins):
        row.verdict = "not resolved"


def read(folder: Path) -> Folder:
    """All run files, with the copies of none."""
    return Folder.of(folder)


def no_teams(definition: Path) -> list[str]:
    """Whoever the suite says is no team: the line ``no_teams = […]`` of its definition."""
    line = next(line for line in definition.read_text().splitlines() if line.startswith("no_teams"))
    found = json.loads(line.partition("=")[2])
    assert isinstance(found, list)
    return found
