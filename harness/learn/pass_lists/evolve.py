"""A population of lists for each program, changed at random, from which better ones move to other programs."""

import json
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from harness.base.writing import written
from harness.learn.pass_lists.trials import Actions, Trials
from harness.problems.passes.actions import ActionTable

__all__ = ["Population", "beginnings", "changed", "evolve"]

MEMBERS = 8
LONGEST = 45
_SIMPLE = (
    "sroa early-cse simplifycfg instcombine globalopt ipsccp deadargelim function-attrs inline sroa instcombine gvn "
    "dse simplifycfg adce globaldce",
    "mem2reg simplifycfg instcombine newgvn simplifycfg dse adce globalopt globaldce constmerge",
    "ipsccp globalopt mem2reg inline sroa early-cse instcombine reassociate gvn simplifycfg tailcallelim dse "
    "instcombine simplifycfg adce globaldce",
    "sroa simplifycfg instcombine inline early-cse<memssa> simplifycfg<hoist-common-insts> gvn-hoist gvn-sink "
    "simplifycfg<sink-common-insts> instcombine dse adce mergefunc globaldce",
    *("mem2reg function-attrs default<Oz> mergefunc", "default<Oz>", "lto<Oz>", "default<Oz> lto<Oz>"),
    *("default<O1> lto<Oz>", "lto<Oz> default<Oz>", "default<Os> lto<Os>", "default<O1> mergefunc"),
    "function-simplification<O1> globaldce",
    *("clang-Oz", "clang-Oz<no-slp>", "clang-Oz<no-slp> mergefunc", "clang-Oz lto<Oz>"),
)
"""Lists that every population begins with, each pass by the name that opt has for it."""


@dataclass
class Population:
    """What was found for one program. Kept as a file after each round."""

    path: Path
    reference: int
    """size.alloc of clang -Oz."""
    members: list[tuple[int, Actions]] = field(default_factory=list)
    """Sizes and lists, the smallest first. Its outputs were right; those of the others were not looked at."""
    trials: int = 0
    seconds: float = 0.0

    @classmethod
    def read(cls, path: Path) -> "Population | None":
        """What a file holds; None where there is none."""
        if not path.exists():
            return None
        found = json.loads(path.read_text())
        members = [(size, tuple(actions)) for size, actions in found["members"]]
        return cls(path, found["reference"], members, found["trials"], found["seconds"])

    def write(self) -> None:
        """Keep it."""
        content = {
            "reference": self.reference,
            "members": self.members,
            "trials": self.trials,
            "seconds": round(self.seconds, 1),
        }
        with written(self.path) as file:
            file.write(json.dumps(content).encode())

    @property
    def best(self) -> tuple[int, Actions]:
        """The smallest size, and its list."""
        return self.members[0]


def beginnings(table: ActionTable) -> list[Actions]:
    """Lists to begin with, by the numbers of the table's actions."""
    return [tuple(_number(word, table) for word in text.split()) for text in _SIMPLE]


def _number(word: str, table: ActionTable) -> int:
    nested = (word, f"function({word})", f"cgscc({word})", f"function({word}<no-verify-fixpoint>)")
    return next(table.actions.index(pipeline) for pipeline in nested if pipeline in table.actions)


def evolve(
    population: Population,
    trials: Trials,
    others: Sequence[Population],
    first: Sequence[Actions],
    known: int,
    seconds: float,
    chance: random.Random,
) -> None:
    """Work on one program for so long, and keep what was found.

    ``first``: lists that an empty population begins with. ``known``: how many actions there are.

    A member's changed copy takes its place if its object is no larger. Passes that lists of other programs have are
    tried more often, and whole lists of theirs come in.
    """
    started, before = time.monotonic(), trials.done
    weights = [1.0] * known
    for other in others:
        for action in other.best[1]:
            weights[action] += 1.0
    if not population.members:
        for actions in first:
            _enter(population, actions, trials)
    if others and chance.random() < 0.7:
        _enter(population, chance.choice(others).best[1], trials)
    while time.monotonic() - started < seconds:
        members = population.members
        place = min(chance.randrange(len(members)), chance.randrange(len(members)))
        size, actions = members[place]
        candidate = changed(actions, [one for _, one in members], [one.best[1] for one in others], weights, chance)
        if not candidate or len(candidate) > LONGEST or any(candidate == one for _, one in members):
            continue
        now = trials.size(candidate)
        if now is None or now > size or (now == size and len(candidate) > len(actions)):
            continue
        if not _leads(members, now, candidate) or trials.is_right(candidate):
            members[place] = (now, candidate)
            members.sort(key=lambda member: (member[0], len(member[1])))
    population.trials += trials.done - before
    population.seconds += time.monotonic() - started
    population.write()


def _enter(population: Population, actions: Actions, trials: Trials) -> None:
    """Take the list in, in place of the worst where there is no room, if it is better than that."""
    size, members = trials.size(actions), population.members
    full = len(members) >= MEMBERS
    if size is None or (full and size >= members[-1][0]) or (size, actions) in members:
        return
    if _leads(members, size, actions) and not trials.is_right(actions):
        return
    population.members = sorted([*members[: MEMBERS - 1], (size, actions)], key=lambda one: (one[0], len(one[1])))


def _leads(members: Sequence[tuple[int, Actions]], size: int, actions: Actions) -> bool:
    """Whether it could be the first."""
    return not members or (size, len(actions)) <= (members[0][0], len(members[0][1]))


def changed(
    actions: Actions,
    members: Sequence[Actions],
    others: Sequence[Actions],
    weights: Sequence[float],
    chance: random.Random,
) -> Actions:
    """Another list: with a part of one of the others, with a member's end, with passes put in, left out or moved."""
    made, what = list(actions), chance.random()

    def draw() -> int:
        return chance.choices(range(len(weights)), weights)[0]

    if what < 0.12 and others:
        other = chance.choice(others)
        begin = chance.randrange(len(other))
        at = chance.randrange(len(made) + 1)
        made[at:at] = other[begin : begin + 1 + chance.randrange(4)]
    elif what < 0.20:
        other = chance.choice(members)
        made = [*made[: chance.randrange(len(made) + 1)], *other[chance.randrange(len(other) + 1) :]]
    elif what < 0.58 or not made:
        for _ in range(chance.choice((1, 1, 1, 2, 3))):
            made.insert(chance.randrange(len(made) + 1), draw())
    elif what < 0.80:
        del made[chance.randrange(len(made))]
    elif what < 0.92:
        made[chance.randrange(len(made))] = draw()
    else:
        moved = made.pop(chance.randrange(len(made)))
        made.insert(chance.randrange(len(made) + 1), moved)
    return tuple(made)
