"""What the standings' verdicts and intervals are worth: simulated on the shapes of the committed boards.

usage: make verdict-simulation
       python -m benchmarks.simulation [--share 1.0] [--output FILE] [--jobs N] [--results DIR]

Three tables, as Markdown, each for the rule that judges now and for the one before it (sign flips of sums, Holm's
correction over all pairs of a board; a bootstrap-t of programs):

* how often a board of policies that are all the reference's equal has any verdict at all;
* how often a 95 % interval holds the mean of the population that programs were drawn from: each population is a
  committed board's own programs, drawn with replacement, clusters as a whole;
* how often a policy that is truly better is called so.

Interrupted, and given again with the same ``--output``, it goes on: a line is written for each setting that is done.
"""

import argparse
import json
import math
import os
import signal
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from multiprocessing import Pool
from pathlib import Path

import numpy as np
from numpy.random import Generator

from benchmarks.ranking import rank_intervals
from harness.base.lines import whole_lines
from harness.base.paths import default_results
from harness.base.progress import Observer
from harness.cli.output import note, observer
from harness.policy.tracks import facts_of
from harness.rank.entries import entries
from harness.rank.question import ALL, floor, questions
from harness.rank.sides import distinct, sides_of
from harness.record import open_index
from harness.statistics import Table, family, suite_effect
from harness.statistics.flips import EXACT_UP_TO, LEVEL
from harness.statistics.student import t_quantile
from harness.statistics.values import Floats

__all__ = [
    "Board",
    "Population",
    "committed_boards",
    "coverage",
    "false_verdicts",
    "main",
    "populations",
    "power",
    "read",
]

PROGRAMS = (10, 21, 45)
GAINS = (0.01, 0.03)
SPREADS = (0.01, 0.03, 0.1)
"""Of log-ratios over programs: a board of equals has 1 %, one of speed 3 %, one of levels 10 %."""
CLASS = 5
"""Policies of a made board."""
BOARDS, DRAWN, TRIES = 500, 150, 150
"""Boards without a difference, intervals of a population, boards with one."""
_REPLICATES = 1999
_CORRELATION = 0.5
"""Of policies over programs: what one gains, others gain in part."""
_FAR = 0.3
"""Share of all squared deviations of one cluster from which on a population counts as one with an outlier."""


@dataclass(frozen=True)
class Board:
    """Policies' log-ratios on programs (policies, programs), and each program's cluster."""

    name: str
    values: Floats
    clusters: tuple[str, ...]


@dataclass(frozen=True)
class Population:
    """One policy's log-ratios (programs,)."""

    name: str
    values: Floats
    clusters: tuple[str, ...]

    @property
    def shape(self) -> str:
        """``one far out``, ``mostly ties``, ``skewed`` or ``usual``."""
        away = self.values - self.values.mean()
        squares = away**2
        if squares.max() > _FAR * squares.sum():
            return "one far out"
        if 2 * np.count_nonzero(self.values == 0) >= self.values.size:
            return "mostly ties"
        skewness = float((away**3).mean() / squares.mean() ** 1.5)
        return "skewed" if abs(skewness) > 1 else "usual"


def committed_boards(results: Path) -> list[Board]:
    """The distinct policies of every recorded board of programs that completed all of them."""
    boards = []
    with open_index(results, warn=False) as index:
        for question in questions(index, split=ALL):
            if not facts_of(question.track).compiled or question.suite in ("all", "applications"):
                continue
            counted = (entry for entry in entries(index, question) if entry.reference is not None)
            found = distinct(sides_of(counted, floor(question)))
            whole = [side for side in found if all(one.completed for one in side.results.values())]
            sides = [side for side in whole if side.policy != question.reference]
            if sides and len(set(sides[0].clusters)) > 5:
                name = f"{question.suite} {question.target} {question.metric} against {question.reference}"
                boards.append(Board(name, np.array([side.means for side in sides]), sides[0].clusters))
    return boards


def populations(boards: Sequence[Board]) -> list[Population]:
    """Every policy of the boards that differs anywhere."""
    return [
        Population(f"{board.name}, {number}", line, board.clusters)
        for board in boards
        for number, line in enumerate(board.values)
        if np.ptp(line) > 0
    ]


# --- the two rules


def verdicts_now(values: Floats, clusters: Sequence[str]) -> Floats:
    """Of each policy (policies, programs): 1 better, -1 worse than the reference, 0 not told."""
    table = Table.of(values, clusters)
    said = [
        bool(chance.below(LEVEL)) and _leaves_out_zero(line, clusters)
        for chance, line in zip(family(table).chances, values, strict=True)
    ]
    return np.where(said, np.sign(table.means), 0.0)


def _leaves_out_zero(values: Floats, clusters: Sequence[str]) -> bool:
    """Whether the interval does, which no verdict may contradict (``harness.rank.verdicts.agreed``)."""
    low, high = interval_now(values, clusters, 0)
    return low > 0 or high < 0


def verdicts_before(values: Floats, _clusters: Sequence[str]) -> Floats:
    """The same, as it was: the reference is one of the board's policies, and all pairs share one correction."""
    _, adjusted = rank_intervals(np.vstack([np.zeros(values.shape[1]), values]))
    return np.where(adjusted[0, 1:] <= LEVEL, np.sign(values.mean(axis=1)), 0.0)


def interval_now(values: Floats, clusters: Sequence[str], seed: int) -> tuple[float, float]:
    """95 %, for programs like these."""
    return suite_effect([[[value]] for value in values.tolist()], seed=seed, clusters=clusters).like_these or (
        -math.inf,
        math.inf,
    )


def interval_before(values: Floats, _clusters: Sequence[str], seed: int) -> tuple[float, float]:
    """As it was: Student's t and a smoothed bootstrap-t of programs, whichever is wider."""
    count, mean, spread = values.size, float(values.mean()), float(values.std(ddof=1))
    if spread == 0:
        return mean, mean
    error = spread / math.sqrt(count)
    rng = np.random.default_rng(seed)
    drawn = (values - mean)[rng.integers(0, count, (_REPLICATES, count))]
    drawn += 0.5 * error * rng.standard_normal(drawn.shape)
    t = drawn.mean(axis=1) / (drawn.std(axis=1, ddof=1) / math.sqrt(count))
    low, high = np.quantile(t, [0.025, 0.975])
    reach = t_quantile(0.975, count - 1) * error
    return min(mean - float(high) * error, mean - reach), max(mean - float(low) * error, mean + reach)


Shares = dict[str, float]
"""Of each rule."""
Report = dict[tuple[str, ...], Shares]
"""Of each setting."""
Way = Callable[[Board, Generator], tuple[Floats, Sequence[str]]]
RULES = {"now": (verdicts_now, interval_now), "before": (verdicts_before, interval_before)}


# --- what is simulated


def false_verdicts(draw: Callable[[Generator], tuple[Floats, Sequence[str]]], boards: int, rng: Generator) -> Shares:
    """Rule → the share of boards without any difference that have a verdict all the same."""
    wrong = dict.fromkeys(RULES, 0)
    for _ in range(boards):
        values, clusters = draw(rng)
        for rule, (judge, _) in RULES.items():
            wrong[rule] += bool(np.any(judge(values, clusters)))
    return {rule: count / boards for rule, count in wrong.items()}


def coverage(population: Population, drawn: int, rng: Generator) -> Shares:
    """Rule → the share of intervals, of as many clusters drawn from the population as it has, that hold its mean."""
    truth, held = float(population.values.mean()), dict.fromkeys(RULES, 0)
    for number in range(drawn):
        values, clusters = _resampled(population.values[np.newaxis], population.clusters, rng)
        for rule, (_, interval) in RULES.items():
            low, high = interval(values[0], clusters, number)
            held[rule] += low - 1e-12 <= truth <= high + 1e-12
    return {rule: count / drawn for rule, count in held.items()}


def power(programs: int, gain: float, spread: float, boards: int, rng: Generator) -> Shares:
    """Rule → how often the one policy of a class of five that gains so much is called better."""
    found = dict.fromkeys(RULES, 0)
    clusters = [str(number) for number in range(programs)]
    for _ in range(boards):
        values = made(rng, CLASS, programs, "t3") * spread
        values[0] += math.log1p(gain)
        for rule, (judge, _) in RULES.items():
            found[rule] += bool(judge(values, clusters)[0] > 0)
    return {rule: count / boards for rule, count in found.items()}


def made(rng: Generator, policies: int, programs: int, kind: str) -> Floats:
    """Log-ratios (policies, programs) of mean 0 and variance 1, whose policies are correlated."""
    shapes: dict[str, Callable[[tuple[int, int]], Floats]] = {
        "normal": rng.standard_normal,
        "t3": lambda size: rng.standard_t(3, size) / math.sqrt(3),
        "skewed": lambda size: rng.exponential(1, size) - 1,
    }
    common, own = shapes[kind]((1, programs)), shapes[kind]((policies, programs))
    return math.sqrt(_CORRELATION) * common + math.sqrt(1 - _CORRELATION) * own


def flipped(board: Board, rng: Generator) -> tuple[Floats, Sequence[str]]:
    """The board with the signs of whole clusters drawn anew: nobody is better, and all else is as it was."""
    names = dict.fromkeys(board.clusters)
    signs = dict(zip(names, rng.choice([-1.0, 1.0], len(names)), strict=True))
    return board.values * np.array([signs[name] for name in board.clusters]), board.clusters


def centred(board: Board, rng: Generator) -> tuple[Floats, Sequence[str]]:
    """Clusters drawn from the board, of which each policy's mean was taken: nobody is better, the skew stays."""
    return _resampled(board.values - board.values.mean(axis=1, keepdims=True), board.clusters, rng)


def _resampled(values: Floats, clusters: Sequence[str], rng: Generator) -> tuple[Floats, list[str]]:
    """As many clusters as there are, drawn with replacement; a cluster that is drawn twice is two."""
    names = list(dict.fromkeys(clusters))
    places = [[at for at, cluster in enumerate(clusters) if cluster == name] for name in names]
    chosen = rng.integers(0, len(names), len(names)).tolist()
    columns = [at for name in chosen for at in places[name]]
    return values[:, columns], [str(number) for number, name in enumerate(chosen) for _ in places[name]]


# --- the report


@dataclass(frozen=True)
class Setting:
    """One line of the report, or one population of a line."""

    name: tuple[str, ...]
    cost: float
    """Seconds, about."""
    run: Callable[[Generator], Shares]


def _settings(boards: Sequence[Board], share: float) -> Iterator[Setting]:
    count, drawn, tries = (max(20, round(number * share)) for number in (BOARDS, DRAWN, TRIES))
    for kind, programs in product(("normal", "t3", "skewed"), PROGRAMS):
        name = ("false verdicts", f"{kind}, {programs} programs")
        yield Setting(name, count * _cost(programs), partial(false_verdicts, partial(_equals, kind, programs), count))
    for label, way in (("signs drawn anew", flipped), ("centred, clusters drawn anew", centred)):
        name, few = ("false verdicts", f"committed boards, {label}"), max(20, count // 3)
        yield Setting(name, few * 4 * _cost(PROGRAMS[1]), partial(false_verdicts, partial(_any_of, boards, way), few))
    for one in populations(boards):
        yield Setting(("coverage", one.shape, one.name), drawn * 0.03, partial(coverage, one, drawn))
    for programs, gain, spread in product(PROGRAMS, GAINS, SPREADS):
        what = ("power", str(programs), f"{gain:.0%}", f"{spread:.0%}")
        yield Setting(what, tries * _cost(programs), partial(power, programs, gain, spread, tries))


def _cost(programs: int) -> float:
    return 0.01 if programs <= EXACT_UP_TO else 0.3


def _equals(kind: str, programs: int, rng: Generator) -> tuple[Floats, Sequence[str]]:
    return made(rng, CLASS, programs, kind), [str(number) for number in range(programs)]


def _any_of(boards: Sequence[Board], way: Way, rng: Generator) -> tuple[Floats, Sequence[str]]:
    return way(boards[int(rng.integers(len(boards)))], rng)


def simulate(boards: Sequence[Board], share: float, output: Path | None, watch: Observer, jobs: int = 1) -> Report:
    """Setting → rule → share. What stands in ``output`` already is not simulated again; ``jobs`` at a time."""
    known: Report = {}
    if output is not None:
        lines = map(json.loads, whole_lines(output))
        known = {tuple(one["setting"]): one["found"] for one in lines if one["share"] == share}
    settings = list(_settings(boards, share))
    left = [one for one in settings if one.name not in known]
    watch.stage("simulate", sum(one.cost for one in left))
    with Pool(jobs, signal.signal, (signal.SIGINT, signal.SIG_IGN)) as pool:  # an interrupt ends them from here
        for one, shares in pool.imap_unordered(_simulated, left):
            known[one.name] = shares
            watch.advance(one.cost, " ".join(one.name)[:50])
            if output is not None:
                output.parent.mkdir(parents=True, exist_ok=True)
                with output.open("a") as file:
                    file.write(_line(one.name, share, shares))
    found = {one.name: known[one.name] for one in settings}
    if output is not None:
        lines = [_line(name, share, shares) for name, shares in found.items()]
        output.write_text("".join(lines))  # in the report's order
    return found


def read(path: Path) -> Report:
    """What a simulation that has ended wrote."""
    return {tuple(one["setting"]): one["found"] for one in map(json.loads, path.read_text().splitlines())}


def _line(name: tuple[str, ...], share: float, shares: Shares) -> str:
    return json.dumps({"setting": name, "share": share, "found": shares}) + "\n"


def _simulated(one: Setting) -> tuple[Setting, Shares]:
    """Its draws follow from its name."""
    return one, one.run(np.random.default_rng(zlib.crc32(" ".join(one.name).encode())))


def report(found: Report) -> Iterator[str]:
    """Markdown."""
    yield "| boards without a difference | now | before |\n|---|---:|---:|"
    for (what, *rest), shares in found.items():
        if what == "false verdicts":
            yield f"| {rest[0]} | {shares['now']:.1%} | {shares['before']:.1%} |"
    yield "\n| intervals on | populations | now: least | now: median | before: least | before: median |"
    yield "|---|---:|---:|---:|---:|---:|"
    for shape in ("usual", "skewed", "mostly ties", "one far out"):
        mine = [shares for (what, kind, *_), shares in found.items() if (what, kind) == ("coverage", shape)]
        if mine:
            columns = [[one[rule] for one in mine] for rule in RULES]
            figures = " | ".join(f"{min(column):.1%} | {float(np.median(column)):.1%}" for column in columns)
            yield f"| {shape} | {len(mine)} | {figures} |"
    yield "\n| programs | gain | spread | now | before |\n|---:|---:|---:|---:|---:|"
    for (what, *rest), shares in found.items():
        if what == "power":
            yield f"| {' | '.join(rest)} | {shares['now']:.1%} | {shares['before']:.1%} |"


def main() -> None:
    """Simulate, and print the tables."""
    parser = argparse.ArgumentParser(description="What verdicts and intervals are worth.")
    parser.add_argument("--share", type=float, default=1.0, help=f"of {BOARDS} boards and {DRAWN} intervals a setting")
    parser.add_argument("--output", type=Path, help="a file to go on from")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="settings at a time")
    parser.add_argument("--results", type=Path, default=default_results(), help="whose boards give the shapes")
    options = parser.parse_args()
    progress = observer()
    try:
        found = simulate(committed_boards(options.results), options.share, options.output, progress, options.jobs)
    except KeyboardInterrupt:
        note("interrupted: with --output the same command goes on from here")
        sys.exit(130)
    finally:
        progress.close()
    print("\n".join(report(found)))


if __name__ == "__main__":
    main()
