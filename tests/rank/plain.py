"""Standings of programs once more: from the lines of run files, in plain Python, slowly, with nothing of the harness.

What it shares with ``harness.rank`` is docs/methodology.md. Bootstraps and random sign vectors are its own.
"""

import json
import math
import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

MEMBERS = {
    "all": ("cbench", "mibench", "polybench", "spec-like"),
    "applications": ("cbench", "mibench", "spec-like"),
}
FLOORS = {"size": "O0", "speed": "fast-o0"}
FIRST = {"size": "Oz", "speed": "greedy"}
REFERENCES = {"size": ("Oz",), "speed": ("greedy", "basic", "pbqp")}
LEAST_CLUSTERS = 6
COUNTED = {"instructions", "instructions.libc", "loads", "stores", "accesses", "mca.cycles"} | {
    f"{name}.executed" for name in ("spills", "reloads")
}
"""Metrics of counted runs: what C library and emulator do is in them."""
MARGIN = math.log(1.005)
EXACT, DRAWS = 13, 20_000
RESAMPLES = 100_000
"""Five times the table's own: what two bootstraps differ by is then the table's, in skewed cases 5 % of the width."""
LEAST_ITEMS = 10
NEAR = 0.12
"""By what share of the interval's width the ends of two bootstraps may differ."""


@dataclass
class Folder:
    """Everything in a folder of run files, as it stands in them."""

    headers: dict[str, dict[str, Any]] = field(default_factory=dict)
    rows: list[dict[str, Any]] = field(default_factory=list)
    """The oldest first."""
    blocks: dict[str, list[dict[str, Any]]] = field(default_factory=lambda: defaultdict(list))
    """Of each program."""
    marks: dict[tuple[str, str], list[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, folder: Path) -> "Folder":
        found = cls()
        for path in sorted(folder.glob("*.jsonl")):
            first, *lines = map(json.loads, path.read_text().splitlines())
            header = first["header"]
            found.headers[header["run"]] = header
            for line in lines:
                if "block" in line:
                    found.blocks[line["block"]["benchmark"]].append(line["block"] | {"run": header["run"]})
                elif "campaign" in line:
                    if isinstance(line["campaign"], dict):
                        campaign = line["campaign"]
                        found.marks[header["run"], campaign["campaign"]] = list(campaign.get("marks", ()))
                    elif line.get("copy") is None:
                        found.rows.append(line | {"run": header["run"]})
                elif "cell" in line and line.get("copy") is None:
                    found.rows.append(line | {"run": header["run"]})
        found.rows.sort(key=lambda row: found.age(row["run"]))
        return found

    def machine(self, run: str) -> tuple[Any, ...]:
        """What must be the same for times to be pooled."""
        host = self.headers[run]["host"]
        names = ("vendor", "family", "model", "stepping", "hypervisor", "cores") if host.get("vendor") else ("cpu",)
        return tuple(host.get(name) for name in names)

    def age(self, run: str) -> tuple[str, str]:
        return self.headers[run]["started"], run


@dataclass
class Plain:
    """A policy's row."""

    policy: str
    policy_class: str
    strict: float | None
    matched: float | None
    median: float | None
    completed: int
    programs: int
    clusters: int
    interval: tuple[float, float] | None
    verdict: str | None
    p: float | None
    sure: bool
    """The p is not so close to 5 % that random sign vectors could say either."""
    rank: tuple[int, int] | None
    doubtful_pairs: int


@dataclass
class _Side:
    policy_class: str
    objects: dict[str, tuple[str | None, ...]]
    ratios: dict[str, list[float | None]]
    """Program → log-ratio of each seed."""
    counted: dict[str, list[float]]
    unfloored: bool = False

    def means(self, spared: bool = False) -> list[float]:
        """``spared``: failures count as the side's own worst alone."""
        own = min((r for every in self.ratios.values() for r in every if r is not None), default=0.0)
        return [
            min(0.0, own) if spared and not self.done(b) else statistics.fmean(self.counted[b])
            for b in sorted(self.counted)
        ]

    def failed(self) -> bool:
        return not all(map(self.done, self.ratios))

    def done(self, program: str) -> bool:
        return None not in self.ratios[program]


def table(folder: Folder, question: Any) -> dict[str, Plain]:
    """Policy → its row. ``question`` has suite, target, track, metric, reference, llvm and split."""
    board = _Board(folder, question)
    sides = board.sides(question.reference)
    able = {policy for policy in sides if board.is_ranked(policy, sides)}
    mirrors = [other for other in REFERENCES[question.track] if other in able and other != question.reference]
    seen_from = {other: _from(board, other, question.reference) for other in mirrors}
    first = board.sides(FIRST[question.track]) or sides
    found: dict[str, Plain] = {}
    for policy_class in sorted({side.policy_class for side in sides.values()}):
        judged = {p: s for p, s in sides.items() if p in able and s.policy_class == policy_class}
        words = _verdicts(judged, board.clusters)
        ranked = {p: first[p] for p in judged if p in first}
        ranks = _ranks(ranked, board)
        for policy, side in sides.items():
            if side.policy_class != policy_class:
                continue
            word, p, sure = words.get(policy, (None, None, True))
            rank, doubtful = ranks.get(policy, (None, 0))
            row = found[policy] = _row(policy, side, board, word, p, sure, rank, doubtful)
            if row.verdict is not None and row.interval is not None:
                _hold_to_interval(row)
            if (mirrored := seen_from.get(policy)) is not None and row.verdict is not None:
                opposite = {"better": "worse", "worse": "better"}
                if opposite.get(str(mirrored.verdict), mirrored.verdict) != row.verdict:
                    row.verdict = "not resolved"
                row.sure &= mirrored.sure
                row.p = max(row.p or 0.0, mirrored.p or 0.0)
            if policy == question.reference:
                found[policy].verdict = found[policy].p = None
    return found


def _from(board: "_Board", reference: str, policy: str) -> Plain | None:
    """The row of the question's own reference in the table of another reference, before it is compared with this."""
    sides = board.sides(reference)
    if policy not in sides or not board.is_ranked(policy, sides):
        board.sides(board.question.reference)
        return None
    mine = {
        p: s for p, s in sides.items() if s.policy_class == sides[policy].policy_class and board.is_ranked(p, sides)
    }
    word, p, sure = _verdicts(mine, board.clusters)[policy]
    row = _row(policy, sides[policy], board, word, p, sure, None, 0)
    if row.interval is not None:
        _hold_to_interval(row)
    board.sides(board.question.reference)  # the programs that count are this table's again
    return row


def _hold_to_interval(row: Plain) -> None:
    """No verdict that the interval contradicts; unsure where the ends of two bootstraps may lie on either side."""
    assert row.interval is not None
    low, high = (math.log(end) for end in row.interval)
    near = NEAR * (high - low)
    half = math.log(1.005)
    margins = {"better": [low], "worse": [-high], "equivalent": [low + half, half - high]}.get(str(row.verdict), [])
    row.sure &= all(abs(margin) > near for margin in margins)
    if any(margin < 0 for margin in margins):
        row.verdict = "not resolved"


def _row(policy: str, side: _Side, board: "_Board", word: Any, p: Any, sure: bool, rank: Any, doubtful: int) -> Plain:
    names = sorted(side.counted)
    means = side.means()
    done = [statistics.fmean(side.counted[b]) for b in names if side.done(b)]
    clusters = [board.clusters[b] for b in names]
    known = bool(done) and not side.unfloored
    return Plain(
        policy,
        side.policy_class,
        math.exp(statistics.fmean(means)) if known else None,
        math.exp(statistics.fmean(done)) if done else None,
        math.exp(statistics.median(means)) if known else None,
        len(done),
        len(names),
        len(set(clusters)),
        _clipped(side, clusters) if known and len(names) > 1 else None,
        word,
        p,
        sure,
        rank,
        doubtful,
    )


def _clipped(side: _Side, clusters: Sequence[str]) -> tuple[float, float] | None:
    """The interval, whose upper end is not beyond that of the same with failures spared."""
    found = _interval(side.means(), clusters)
    if found is None or not side.failed():
        return found
    spared = _interval(side.means(spared=True), clusters)
    return found if spared is None else (found[0], min(found[1], spared[1]))


class _Board:
    def __init__(self, folder: Folder, question: Any) -> None:
        self.folder, self.question = folder, question
        self.suites = MEMBERS.get(question.suite, (question.suite,))
        self.timed = question.metric.startswith("runtime.")
        self.clusters: dict[str, str] = {}
        self.seen: dict[str, set[str]] = defaultdict(set)
        for header in folder.headers.values():
            if header["suite"] in self.suites:
                for policy, programs in (header.get("trained_on") or {}).items():
                    self.seen[policy] |= set(programs)
        self._taken = self._newest_values()
        self._shared = self._shared_values()
        self._machine = self._newest_machine() if self.timed else None

    def _newest_machine(self) -> tuple[Any, ...] | None:
        """That which timed most programs of these suites, by sound campaigns if it can be; of several the newest."""
        sound: dict[tuple[Any, ...], set[str]] = defaultdict(set)
        every: dict[tuple[Any, ...], set[str]] = defaultdict(set)
        age: dict[tuple[Any, ...], tuple[str, str]] = {}
        for benchmark, blocks in self.folder.blocks.items():
            for block in blocks:
                run = block["run"]
                if block["target"] == self.question.target and self.folder.headers[run]["suite"] in self.suites:
                    machine = self.folder.machine(run)
                    every[machine].add(benchmark)
                    if not self.folder.marks[run, block["campaign"]]:
                        sound[machine].add(benchmark)
                    age[machine] = max(age.get(machine, ("", "")), self.folder.age(run))
        return max(every, key=lambda one: (len(sound[one]), len(every[one]), age[one]), default=None)

    def _newest_values(self) -> dict[str, float]:
        """Cell → the value of the metric: of each of its parts the newest, then the median."""
        newest: dict[str, dict[tuple[Any, Any], dict[str, Any]]] = defaultdict(dict)
        made = {row.get("metric_version", 1) for row in self.folder.rows if row.get("metric") == self.question.metric}
        for row in self.folder.rows:
            is_asked = row.get("metric") == self.question.metric and row.get("metric_version", 1) == max(made)
            if is_asked and row.get("value") is not None:
                newest[row["cell"]][row.get("workload"), row.get("function")] = row
        return {cell: statistics.median(row["value"] for row in parts.values()) for cell, parts in newest.items()}

    def _kin(self, row: dict[str, Any], facts: dict[str, Any]) -> tuple[Any, ...]:
        """What cells have in common that gave the same object of a program: whatever is counted of it is equal."""
        header = self.folder.headers[row["run"]]
        runtime = header["runtime"].get(row["target"])
        made = facts["program_digest"], facts.get("workloads") or ""
        return row["benchmark"], row["target"], row["track"], row["object_digest"], *made, runtime, row["isolation"]

    def _shared_values(self) -> dict[tuple[Any, ...], float]:
        """The newest value of each object, where the metric is of objects and no clock takes it."""
        found: dict[tuple[Any, ...], float] = {}
        if self.question.metric.startswith(("runtime.", "compile.", "decide.")):
            return found
        for row in self.folder.rows:
            header = self.folder.headers[row["run"]]
            facts = header["benchmarks"].get(row["benchmark"])
            ours = header["suite"] in self.suites and header["llvm"] == self.question.llvm
            if ours and facts and row["outcome"] == "ok" and row["cell"] in self._taken:
                found[self._kin(row, facts)] = self._taken[row["cell"]]
        return found

    def _cells(self, reference: str) -> dict[tuple[str, int, str], dict[str, Any]]:
        """(policy, seed, program) → a row of the newest cell, of the policy and the program as they are now."""
        q = self.question
        rows = []
        for row in self.folder.rows:
            header = self.folder.headers[row["run"]]
            facts = header["benchmarks"].get(row["benchmark"])
            if header["suite"] not in self.suites or header["llvm"] != q.llvm or facts is None:
                continue
            if (row["target"], row["track"]) == (q.target, q.track) and q.split in (None, facts["split"]):
                made_of = facts["program_digest"], facts.get("workloads") or ""
                libc = header["runtime"].get(q.target) if q.metric.partition("@")[0] in COUNTED else None
                rows.append(row | {"made": (*made_of, libc)})
                self.clusters[row["benchmark"]] = facts.get("cluster") or row["benchmark"]
        version = {row["policy"]: row["policy_digest"] for row in rows}
        newest = {
            (row["policy"], row["seed"], row["benchmark"]): row for row in rows
            if row["policy_digest"] == version[row["policy"]]
        }  # fmt: skip
        made = {
            benchmark: row["made"]
            for (policy, _, benchmark), row in sorted(newest.items(), key=lambda e: self.folder.age(e[1]["run"]))
            if policy == reference
        }
        return {
            key: row
            for key, row in newest.items()
            if made.get(key[2]) == row["made"] and row["outcome"] != "unsupported"
        }

    def sides(self, reference: str) -> dict[str, _Side]:
        cells = self._cells(reference)
        bad = {
            (row["benchmark"], row["target"], row["object_digest"]) for row in self.folder.rows
            if row.get("fresh") and row["outcome"] in ("wrong-output", "run-crash")
        }  # fmt: skip
        programs = sorted({benchmark for _, _, benchmark in cells})

        def sound(policy: str, seed: int, benchmark: str) -> dict[str, Any] | None:
            row = cells.get((policy, seed, benchmark))
            if row is None or row["outcome"] != "ok" or (benchmark, row["target"], row["object_digest"]) in bad:
                return None
            return row

        def value(policy: str, seed: int, benchmark: str) -> float | None:
            row = sound(policy, seed, benchmark)
            if row is None:
                return None
            facts = self.folder.headers[row["run"]]["benchmarks"][benchmark]
            return self._taken.get(row["cell"], self._shared.get(self._kin(row, facts)))

        seeds: dict[tuple[str, str], list[int]] = {}
        for (policy, seed, _), row in cells.items():
            seeds.setdefault((policy, row["class"]), []).append(seed)
        entrants = {names: sorted(set(every)) for names, every in seeds.items()}
        own = next((every for (policy, _), every in entrants.items() if policy == reference), [])
        base = {}
        for benchmark in programs:
            known = [v for seed in own if (v := value(reference, seed, benchmark)) is not None]
            if known:
                base[benchmark] = statistics.median(known)
        self.counted = sorted(base)
        found: dict[str, _Side] = {}
        for (policy, policy_class), every in entrants.items():
            objects, ratios = {}, {}
            for benchmark in self.counted:
                mine = [cells.get((policy, seed, benchmark)) for seed in every]
                objects[benchmark] = tuple(row.get("object_digest") if row else None for row in mine)
                against = cells[reference, own[0], benchmark].get("object_digest")
                ratios[benchmark] = [
                    0.0  # whatever was measured of it
                    if one == against and sound(policy, seed, benchmark)
                    else self._ratio(benchmark, value(policy, seed, benchmark), base[benchmark], one, against)
                    for seed, one in zip(every, objects[benchmark], strict=True)
                ]
            found[policy] = _Side(policy_class, objects, ratios, {})
        lowest = found.get(FLOORS[self.question.track])
        for policy, side in ((names[0], found[names[0]]) for names in entrants):
            own_worst = min((r for every in side.ratios.values() for r in every if r is not None), default=0.0)
            for benchmark, every in side.ratios.items():
                below = [r for r in lowest.ratios[benchmark] if r is not None] if lowest else []
                worst = min(0.0, own_worst, *below)
                side.unfloored |= None in every and not below and policy != FLOORS[self.question.track]
                side.counted[benchmark] = (
                    [r for r in every if r is not None] if None not in every else [worst] * len(every)
                )
        return found if self.counted else {}

    def _ratio(
        self, benchmark: str, value: float | None, base: float, mine: str | None, against: str | None
    ) -> float | None:
        if value is None:
            return None
        return self.pairs(benchmark, mine, against) if self.timed else math.log(base / value)

    def pairs(self, benchmark: str, mine: str | None, against: str | None) -> float | None:
        """How much faster ``mine`` is: Hodges and Lehmann's estimate over the layouts' means; None of too few."""
        q = self.question
        met = []
        for block in self.folder.blocks[benchmark]:
            times = {s["object"]: s["cpu"] for s in block["samples"]}
            header = self.folder.headers[block["run"]]
            here = block["target"] == q.target and header["suite"] in self.suites
            if here and self._machine == self.folder.machine(block["run"]) and mine in times and against in times:
                marks = self.folder.marks[block["run"], block["campaign"]]
                met.append((bool(marks), block, math.log(times[str(against)] / times[str(mine)])))
        met = [one for one in met if one[0] == any_sound(met)]
        layouts: dict[tuple[str, int], list[float]] = defaultdict(list)
        for _, block, log_ratio in met:
            layouts[block["campaign"], block["layout"]].append(log_ratio)
        items = [statistics.fmean(values) for values in layouts.values()]
        if len(items) < LEAST_ITEMS:
            return None
        return statistics.median((a + b) / 2 for i, a in enumerate(items) for b in items[i:])

    def is_ranked(self, policy: str, sides: Mapping[str, _Side]) -> bool:
        side = sides[policy]
        done = sum(side.done(b) for b in self.counted)
        whole = done >= 0.8 * len(self.counted) - 1e-9 and not side.unfloored
        return whole and not self.seen[policy] & set(self.counted)


def any_sound(met: Sequence[tuple[bool, Any, float]]) -> bool:
    """The mark that is used: none, where some campaign has none."""
    return all(marked for marked, _, _ in met) if met else False


# --- the tests


def _by_cluster(values: Sequence[float], clusters: Sequence[str]) -> tuple[list[float], list[int]]:
    sums: dict[str, list[float]] = {}
    for value, cluster in zip(values, clusters, strict=True):
        sums.setdefault(cluster, []).append(value)
    return [math.fsum(found) for found in sums.values()], [len(found) for found in sums.values()]


def _signs(count: int) -> Any:
    if count <= EXACT:
        return np.array([[1 - 2 * (number >> place & 1) for place in range(count)] for number in range(2**count)])
    drawn = np.random.default_rng(count).choice([-1, 1], (DRAWS, count))
    drawn[0] = 1
    return drawn


def _t(sums: Any, sizes: Sequence[int]) -> Any:
    """t of each line of sums (r, clusters): mean over its error, which takes every cluster for one."""
    n, clusters = np.array(sizes), len(sizes)
    mean = sums.sum(axis=1) / n.sum()
    left = sums - mean[:, None] * n
    error = np.sqrt(clusters / (clusters - 1) * (left**2).sum(axis=1)) / n.sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.where(error > 1e-13 * np.abs(sums).max(initial=0), mean / error, np.inf * np.sign(mean))
    return np.nan_to_num(found, nan=0.0, posinf=np.inf, neginf=-np.inf)


def _verdicts(sides: Mapping[str, _Side], clusters: Mapping[str, str]) -> dict[str, tuple[str, float, bool]]:
    first: dict[Any, str] = {}
    for policy, side in sides.items():
        first.setdefault(_identity(side), policy)
    if not first:
        return {}
    names = [clusters[b] for b in sorted(next(iter(sides.values())).counted)]
    if len(set(names)) < LEAST_CLUSTERS:
        return dict.fromkeys(sides, ("not resolved", 1.0, True))
    found = _judged({policy: sides[policy].means() for policy in first.values()}, names)
    spared = _judged({policy: sides[policy].means(sides[policy].failed()) for policy in first.values()}, names)
    for policy in found:
        word, _, sure = found[policy]
        if sides[policy].failed():
            if word != "worse" and spared[policy][0] == "worse":
                found[policy] = (*spared[policy][:2], spared[policy][2] and sure)
            elif word == "equivalent":
                found[policy] = ("not resolved", *found[policy][1:])
    return {policy: found[first[_identity(side)]] for policy, side in sides.items()}


def _judged(means: Mapping[str, Sequence[float]], names: Sequence[str]) -> dict[str, tuple[str, float, bool]]:
    lines = {policy: _by_cluster(values, names) for policy, values in means.items()}
    sizes = next(iter(lines.values()))[1]
    signs = _signs(len(sizes))
    flipped = {policy: np.abs(_t(signs * np.array(sums), sizes)) for policy, (sums, _) in lines.items()}
    order = sorted(lines, key=lambda policy: -flipped[policy][0])
    p, before = {}, 0.0
    for place, policy in enumerate(order):
        largest = np.max([flipped[other] for other in order[place:]], axis=0)
        before = max(before, float(np.mean(largest >= flipped[policy][0] * (1 - 1e-9))))
        p[policy] = 1.0 if flipped[policy][0] == 0 else before
    same = {policy: _equivalence(*lines[policy], signs) for policy in lines}
    adjusted, highest = {}, 0.0
    for place, policy in enumerate(sorted(same, key=lambda policy: same[policy])):
        highest = max(highest, same[policy] * (len(same) - place))
        adjusted[policy] = highest
    found = {}
    for policy in lines:
        word = "not resolved"
        if p[policy] <= 0.05:
            word = "better" if math.fsum(lines[policy][0]) > 0 else "worse"
        elif adjusted[policy] <= 0.05:
            word = "equivalent"
        doubt = 0.0 if len(sizes) <= EXACT else 5 * math.sqrt(0.05 * 0.95 / DRAWS)
        factor = len(lines)
        sure = abs(p[policy] - 0.05) > doubt and (p[policy] <= 0.05 or abs(adjusted[policy] - 0.05) > factor * doubt)
        found[policy] = (word, p[policy], sure)
    return found


def _equivalence(sums: Sequence[float], sizes: Sequence[int], signs: Any) -> float:
    total = sum(sizes)
    mean = math.fsum(sums) / total
    if all(abs(s - mean * n) < 1e-15 for s, n in zip(sums, sizes, strict=True)):
        return 0.0 if abs(mean) < MARGIN else 1.0
    worst = 0.0
    for side in (1, -1):
        moved = np.array(sums) - side * MARGIN * np.array(sizes)
        drawn = side * _t(np.concatenate([signs, -signs]) * moved, sizes)
        worst = max(worst, float(np.mean(drawn <= drawn[0] + abs(drawn[0]) * 1e-9)))
    return worst


def _identity(side: _Side) -> Any:
    objects = (tuple(sorted({str(one) for one in side.objects[b]})) for b in sorted(side.objects))
    return (*objects, *side.means())


def _ranks(sides: Mapping[str, _Side], board: _Board) -> dict[str, tuple[tuple[int, int], int]]:
    """Policy → its range of ranks, and how many of its pairs random sign vectors leave open."""
    first: dict[Any, str] = {}
    for policy, side in sides.items():
        first.setdefault(_identity(side), policy)
    names = list(first.values())
    above, below, doubtful = (dict.fromkeys(names, 0) for _ in range(3))
    for one, other in combinations(names, 2):
        strict = _told(_differences(sides[one], sides[other], board), board, len(sides[one].counted))
        if strict is None:
            continue
        if not strict[1] <= 0.05:
            for spared, sign in ((one, -1), (other, 1)):
                if sides[spared].failed():
                    answer = _differences(sides[one], sides[other], board, sides[spared])
                    told = _told(answer, board, len(sides[one].counted))
                    if told and told[1] <= 0.05 and told[0] * sign > 0:
                        strict = told
        mean, p, few = strict
        if not few and abs(p - 0.05) < 5 * math.sqrt(0.05 * 0.95 / DRAWS):
            doubtful[one] += 1
            doubtful[other] += 1
        elif p <= 0.05:
            better, worse = (one, other) if mean > 0 else (other, one)
            above[worse] += 1
            below[better] += 1
    return {
        policy: ((1 + above[name], len(names) - below[name]), doubtful[name])
        for policy, side in sides.items()
        for name in (first[_identity(side)],)
    }


def _told(found: Mapping[str, float], board: _Board, programs: int) -> tuple[float, float, bool] | None:
    """Mean, p, and whether every sign vector was tried; None of too few programs or clusters."""
    if len(found) < 0.8 * programs:
        return None
    sums, sizes = _by_cluster(list(found.values()), [board.clusters[b] for b in found])
    if len(sizes) < 2:
        return None
    drawn = np.abs(_t(_signs(len(sizes)) * np.array(sums), sizes))
    p = float(np.mean(drawn >= drawn[0] * (1 - 1e-9))) if drawn[0] > 0 else 1.0
    return math.fsum(found.values()), p, len(sizes) <= EXACT


def _differences(one: _Side, other: _Side, board: _Board, spared: _Side | None = None) -> dict[str, float]:
    """``spared``: the one of the two whose failures count as its own worst alone."""
    found = {}
    ours, theirs = one.means(spared is one), other.means(spared is other)
    for place, benchmark in enumerate(sorted(one.counted)):
        mean = ours[place] - theirs[place]
        if board.timed and one.done(benchmark) and other.done(benchmark):
            mine, its = one.objects[benchmark], other.objects[benchmark]
            turns = range(math.lcm(len(mine), len(its)))
            every = [_duel(board, benchmark, mine[n % len(mine)], its[n % len(its)]) for n in turns]
            if None in every:
                continue
            mean = statistics.fmean(value for value in every if value is not None)
        found[benchmark] = mean
    return found


def _duel(board: _Board, benchmark: str, mine: str | None, theirs: str | None) -> float | None:
    return 0.0 if mine == theirs else board.pairs(benchmark, mine, theirs)


def _interval(values: Sequence[float], clusters: Sequence[str]) -> tuple[float, float] | None:
    """95 %, as ratios: what flips do not reject, and a smoothed bootstrap-t of clusters; whichever is wider."""
    listed, sizes = _by_cluster(values, clusters)
    if len(sizes) < 6:
        return None
    if max(values) == min(values):
        return math.exp(values[0]), math.exp(values[0])
    sums, n, count = np.array(listed), np.array(sizes), len(sizes)
    mean = float(sums.sum() / n.sum())
    left = sums - mean * n
    error = math.sqrt(count / (count - 1) * float((left**2).sum())) / float(n.sum())
    signs = _signs(count)

    def chance(at: float) -> float:
        drawn = np.abs(_t(signs * (sums - at * n), sizes))
        return float(np.mean(drawn >= drawn[0] * (1 - 1e-9)))

    ends = []
    for way in (-1, 1):
        inside, outside = 0.0, 1.0
        while chance(mean + way * outside * error) > 0.05:
            inside, outside = outside, 2 * outside
        for _ in range(18):
            middle = (inside + outside) / 2
            inside, outside = (middle, outside) if chance(mean + way * middle * error) > 0.05 else (inside, middle)
        ends.append(mean + way * outside * error)
    rng = np.random.default_rng(5)
    chosen = rng.integers(0, count, (RESAMPLES, count))
    drawn = left[chosen] + 0.5 * np.std(left, ddof=1) / math.sqrt(count) * rng.standard_normal(chosen.shape)
    weights = n[chosen]
    shift = drawn.sum(axis=1) / weights.sum(axis=1)
    rest = drawn - weights * shift[:, None]
    errors = np.sqrt(count / (count - 1) * (rest**2).sum(axis=1)) / weights.sum(axis=1)
    low, high = np.quantile(shift / errors, [0.025, 0.975])
    return math.exp(min(ends[0], mean - float(high) * error)), math.exp(max(ends[1], mean - float(low) * error))


def tables(folder: Folder, questions: Iterable[Any]) -> list[tuple[Any, dict[str, Plain]]]:
    """Of every question that has an answer."""
    return [(question, found) for question in questions if (found := table(folder, question))]
