"""Whether sessions end where stock opt ends: random episodes on a suite's programs, each replayed by opt.

usage: python -m benchmarks.episodes --output FILE.jsonl [--episodes 10000] [--seed 0] [--target x86-64] [--jobs N]
                                     [--suite cbench] [--summary FILE.md or FILE.json]

An episode is 45 random actions of ``autophase42``, run and counted one by one; opt runs the same list on the fresh
frozen module. Episodes go round the programs in groups of ten that share a session. Large programs, an episode of which
takes as long as twenty of the others, take part in one round of eight. A line is written for each episode that has
ended, without its actions, which follow from seed and number. Interrupted, and given again with the same ``--output``,
it goes on.

At the end, a table: how many episodes ended with the instruction count that opt ends with, what differed and where, and
which sessions were lost. The exit code is 1 where fewer than 99 % are equal, or a loss went unnoticed.
"""

import argparse
import json
import os
import random
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from threading import Lock
from typing import Any

from harness.apply.compile import run_step
from harness.base.errors import CellError
from harness.base.lines import whole_lines
from harness.base.progress import Observer
from harness.base.vocabulary import Level, Target
from harness.cli.output import note, observer
from harness.environments.benchmarks import modules_of
from harness.freeze import FrozenModule, facts_of
from harness.freeze.freeze import count_instructions
from harness.problems.passes.actions import AUTOPHASE_42, ActionTable
from harness.problems.passes.listed import decisions_of, plan_of_list
from harness.problems.passes.session import Session, SessionLost
from harness.sandbox.bench import Bench, open_bench

__all__ = ["EQUAL", "Episode", "Game", "Outcome", "markdown", "play", "read", "summary"]

EPISODES = 10_000
STEPS = 45
EQUAL = 0.99
"""At least this share of episodes ends with the count that opt ends with."""
TOGETHER = 10
"""Episodes of one program, one after the other, that share a session."""
LARGE = 50_000
"""Instructions from which on a program is large. Seven of cBench's 21 are: they have 70,000 to 92,000."""
SELDOM = 8
"""In one of so many rounds large programs take part."""
_BESIDES = 4000
"""Instructions of a program that takes as long as what each episode takes whatever the program."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How an episode ended."""

    number: int
    program: str
    actions: tuple[int, ...]
    session: int | None = None
    """Instructions after the last action; None where the session was lost."""
    opt: int | None = None
    """Instructions of the module that opt writes; None where opt fails."""
    lost: str | None = None
    """What was said of a session that was lost."""
    noticed: bool = True
    """Whether a session that was lost says so to everyone who asks later."""
    failed: str | None = None
    """What was said of an opt that failed."""
    differs: str | None = None
    """From where on the counts are others."""

    @property
    def equal(self) -> bool:
        """Whether both have a count, and the same."""
        return self.session is not None and self.session == self.opt


@dataclass(frozen=True, slots=True)
class Game:
    """What all episodes share."""

    modules: Mapping[str, FrozenModule]
    """By names of programs."""
    seed: int
    bench: Bench
    table: ActionTable = AUTOPHASE_42
    steps: int = STEPS

    def program(self, number: int) -> str:
        """That this episode is played on."""
        every = list(self.modules)
        small = [name for name in every if self.modules[name].instructions < LARGE]
        rounds = [*every, *small * (SELDOM - 1)]
        return rounds[number // TOGETHER % len(rounds)]

    def actions(self, number: int) -> tuple[int, ...]:
        """Of this episode, whatever else is played."""
        return _drawn(self.seed, number, len(self.table.actions), self.steps)


def _drawn(seed: int, number: int, known: int, steps: int) -> tuple[int, ...]:
    """An episode's actions, of so many that are known."""
    chance = random.Random(f"{seed} {number}")
    return tuple(chance.randrange(known) for _ in range(steps))


@dataclass(frozen=True, slots=True)
class Episode:
    """What a session counted on the way."""

    counts: tuple[int, ...]
    lost: str | None
    noticed: bool


def play(
    game: Game, numbers: Sequence[int], watch: Observer, jobs: int = 1, tell: Callable[[Outcome], None] | None = None
) -> list[Outcome]:
    """Play these episodes, ``jobs`` groups at a time. ``tell`` hears of each as it ends, one at a time."""
    found: list[Outcome] = []
    alone = Lock()

    def ended(outcome: Outcome) -> None:
        with alone:
            found.append(outcome)
            watch.advance(_weight(game, outcome.number), outcome.program)
            if tell is not None:
                tell(outcome)

    groups = [list(group) for _, group in groupby(sorted(numbers), key=lambda number: number // TOGETHER)]
    watch.stage("play", sum(_weight(game, number) for number in numbers))
    with ThreadPoolExecutor(jobs) as pool:
        playing = [pool.submit(_group, game, group, ended) for group in groups]
        try:
            for one in as_completed(playing):
                one.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)  # the groups that are played now come to their ends
            raise
    return sorted(found, key=lambda outcome: outcome.number)


def _weight(game: Game, number: int) -> float:
    return _BESIDES + game.modules[game.program(number)].instructions


def _group(game: Game, numbers: Sequence[int], ended: Callable[[Outcome], None]) -> None:
    """Episodes of one program, in one session as long as it is not lost."""
    frozen = game.modules[game.program(numbers[0])]
    pipelines = game.table.pipelines(facts_of(frozen.bitcode, game.bench))
    session: Session | None = None
    try:
        for number in numbers:
            session = session or Session(frozen.bitcode, pipelines, game.bench, level=frozen.level)
            played = _played(session, game.actions(number))
            if played.lost is not None:
                session.close()
                session = None
            ended(_compared(game, number, frozen, pipelines, played))
    finally:
        if session is not None:
            session.close()


def _played(session: Session, actions: Sequence[int]) -> Episode:
    counts: list[int] = []
    try:
        line = session.line()
        counts += (line.apply(action) for action in actions)
        line.drop()
    except SessionLost as lost:
        return Episode(tuple(counts), f"step {len(counts) + 1}, {lost.message}", _says_so(session))
    return Episode(tuple(counts), None, True)


def _says_so(session: Session) -> bool:
    try:
        session.line()
    except SessionLost:
        return True
    return False


def _compared(game: Game, number: int, frozen: FrozenModule, pipelines: Sequence[str], played: Episode) -> Outcome:
    actions = game.actions(number)
    count = played.counts[-1] if played.lost is None else None
    by_opt, failed, differs = None, None, None
    try:
        by_opt = _by_opt(frozen, actions, pipelines, game.bench)
    except CellError as error:
        failed = error.message
    if count is not None and by_opt is not None and count != by_opt:
        differs = _where(frozen, actions, pipelines, played.counts, game.bench)
    return Outcome(number, game.program(number), actions, count, by_opt, played.lost, played.noticed, failed, differs)


def _by_opt(frozen: FrozenModule, actions: Sequence[int], pipelines: Sequence[str], bench: Bench) -> int:
    """As a list is compiled to be measured, and as ir.instructions is counted. Raises CellError where opt fails."""
    step = plan_of_list(decisions_of(actions, pipelines, frozen), frozen.target).optimise
    with bench.store.scratch() as folder:
        run_step(step, frozen.bitcode, folder, bench)
        return count_instructions(folder / step.writes, bench)


def _where(
    frozen: FrozenModule, actions: Sequence[int], pipelines: Sequence[str], counts: Sequence[int], bench: Bench
) -> str:
    """The first step after which opt, given the list up to there, counts otherwise."""
    for step, count in enumerate(counts, start=1):
        try:
            by_opt = _by_opt(frozen, actions[:step], pipelines, bench)
        except CellError as error:
            return f"up to step {step} opt fails: {error.message}"
        if by_opt != count:
            return f"from step {step} on, {pipelines[actions[step - 1]] or 'nothing'}: {count}, opt {by_opt}"
    return "in the whole list alone"


# --- the report


def summary(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Figures of each program and of all, and every episode that is not equal."""
    programs = sorted({outcome.program for outcome in outcomes})
    return {
        "programs": {name: _figures([one for one in outcomes if one.program == name]) for name in programs},
        "all": _figures(outcomes),
        "unequal": [asdict(one) for one in outcomes if not one.equal],
    }


def _figures(outcomes: Sequence[Outcome]) -> dict[str, int | float]:
    lost = [one for one in outcomes if one.lost is not None]
    return {
        "episodes": len(outcomes),
        "equal": sum(one.equal for one in outcomes),
        "share": round(sum(one.equal for one in outcomes) / max(len(outcomes), 1), 5),
        "differing": sum(one.differs is not None for one in outcomes),
        "lost": len(lost),
        "unnoticed": sum(not one.noticed for one in lost),
        "opt failed": sum(one.failed is not None for one in outcomes),
    }


def markdown(found: Mapping[str, Any]) -> Iterator[str]:
    """The table, and what is not equal."""
    yield "| program | episodes | equal | differing | lost | opt failed |\n|---|---:|---:|---:|---:|---:|"
    for name, one in [*found["programs"].items(), ("all", found["all"])]:
        share = f"{one['equal']:,} ({one['share']:.2%})"
        yield f"| {name} | {one['episodes']:,} | {share} | {one['differing']} | {one['lost']} | {one['opt failed']} |"
    lost, unnoticed = found["all"]["lost"], found["all"]["unnoticed"]
    yield f"\nSessions lost: {lost}, of which {unnoticed} went unnoticed."
    for one in found["unequal"]:
        words = (one["differs"], one["lost"] and f"lost: {one['lost']}", one["failed"] and f"opt: {one['failed']}")
        yield f"- episode {one['number']}, {one['program']}: {'; '.join(filter(None, words))}"


# --- the command


def read(played: Path) -> list[Outcome]:
    """The episodes of a file that was written here, by their numbers."""
    setting, *lines = map(json.loads, whole_lines(played))
    known = len(AUTOPHASE_42.actions)
    found = [Outcome(actions=_drawn(setting["seed"], one["number"], known, STEPS), **one) for one in lines]
    return sorted(found, key=lambda outcome: outcome.number)


def _known(output: Path, setting: Mapping[str, Any]) -> list[Outcome]:
    """What was played before with the same setting, which is the file's first line.

    Raises ValueError for a file of another setting.
    """
    lines = whole_lines(output)
    if lines and json.loads(lines[0]) != setting:
        raise ValueError(f"{output} is of other episodes: {lines[0]}")
    if not lines:
        output.write_text(json.dumps(setting) + "\n")
    return read(output)


def _line(outcome: Outcome) -> str:
    """What does not follow from seed and number."""
    usual = asdict(Outcome(outcome.number, outcome.program, outcome.actions))
    said = {name: value for name, value in asdict(outcome).items() if value != usual[name]}
    return json.dumps({"number": outcome.number, "program": outcome.program} | said)


def main() -> None:
    """Play, and print the table."""
    options = _options()
    bench = open_bench()
    setting = {"suite": options.suite, "target": options.target.value, "seed": options.seed, "large": [LARGE, SELDOM]}
    game = Game(modules_of(options.suite, options.target, Level.OZ, bench), options.seed, bench)
    options.output.parent.mkdir(parents=True, exist_ok=True)
    try:
        known = [one for one in _known(options.output, setting) if one.number < options.episodes]
    except ValueError as error:
        sys.exit(f"error: {error}")
    played = {one.number for one in known}
    progress = observer()
    try:
        with options.output.open("a") as file:

            def tell(outcome: Outcome) -> None:
                print(_line(outcome), file=file, flush=True)

            left = [number for number in range(options.episodes) if number not in played]
            new = play(game, left, progress, options.jobs, tell)
    except KeyboardInterrupt:
        note("interrupted: the same command goes on from here")
        sys.exit(130)
    finally:
        progress.close()
    found = summary(sorted([*known, *new], key=lambda outcome: outcome.number))
    text = "\n".join(markdown(found)) + "\n"
    print(text, end="")
    if options.summary is not None:
        options.summary.write_text(json.dumps(found, indent=1) + "\n" if options.summary.suffix == ".json" else text)
    sys.exit(1 if found["all"]["share"] < EQUAL or found["all"]["unnoticed"] else 0)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.episodes", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--episodes", type=int, default=EPISODES)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--target", type=Target, choices=list(Target), default=Target.X86_64)
    parser.add_argument("--suite", default="cbench", help="all of its programs are played on")
    parser.add_argument("--output", type=Path, required=True, help="a line for each episode; a file to go on from")
    parser.add_argument("--summary", type=Path, help="where the table goes, too; figures where it ends in .json")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="groups of episodes at a time")
    return parser.parse_args()


if __name__ == "__main__":
    main()
