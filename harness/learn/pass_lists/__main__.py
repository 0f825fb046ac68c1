"""Find lists of passes on programs of the train splits, and choose a few of them.

usage: python -m harness.learn.pass_lists search --state build/pass-lists [--minutes 60] [--seed 0] [--part 0/1]
                                            [--begin FILE...] [--all] [--goal size.alloc] [--target x86-64]
       python -m harness.learn.pass_lists common --state build/pass-lists [--minutes 60] [--seed 0] [--begin FILE...]
                                            [--units 0] [--beside FILE...] [--without SUITE...]
       python -m harness.learn.pass_lists choose --state build/pass-lists [--lists 8] --output portfolio.json
       python -m harness.learn.pass_lists select --state build/pass-lists [--lists 6] [--parts 12] [--begin FILE...]
                                            [--units 0] [--validation 0] --output rules.json
       python -m harness.learn.pass_lists best   --state build/best [--target x86-64] --output lists.json
       python -m harness.learn.pass_lists known  --results results [--goal size.alloc] --output known.json

``search`` looks for lists for each program, ``common`` for one list for all, ``choose`` takes those that serve best
together, and ``select`` learns which of few to take, from programs and parts of them: on programs of the train splits
alone, and on ``--units`` of the corpus, for bytes on x86-64. ``search --all`` asks programs of all splits, for either
goal, and ``best`` writes what that found as the file of a ceiling (docs/agents.md); nothing is chosen from it.
``known`` writes the best lists that results have, of whichever policy, in the same form: a search can ``--begin`` with
them.

All go on where they were interrupted. Several searches may share a state: ``--part 0/2`` and ``--part 1/2`` work on
every second program each, and take lists from each other. ``--begin``: earlier choices, or ceilings' files, whose
lists are where programs that nothing was found for yet begin. ``--beside``: other common lists, which the new one is to
help: of two lists the better one counts.
"""

import argparse
import json
import math
import random
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harness.base.documents import parse_json
from harness.base.errors import UsageError
from harness.base.vocabulary import Target
from harness.freeze import FrozenModule
from harness.learn.command import exit_code
from harness.learn.corpus.corpus import load
from harness.learn.pass_lists.choose import Table, chosen, left_out
from harness.learn.pass_lists.common import Subject, evolve_common
from harness.learn.pass_lists.evolve import Population, beginnings, evolve
from harness.learn.pass_lists.gains import examples_of, without_wrong
from harness.learn.pass_lists.known import known_lists
from harness.learn.pass_lists.programs import all_programs, modules, train_programs
from harness.learn.pass_lists.select import Examples, fitted, gains_left_out
from harness.learn.pass_lists.trials import GOALS, Actions, Trials
from harness.learn.pass_lists.units import parts_of_units
from harness.problems.passes.actions import action_table
from harness.problems.passes.llvm22 import WHOLE
from harness.sandbox.bench import Bench, open_bench

_TABLE = "llvm22"
_ALWAYS = ("clang-Oz<no-slp>", "clang-Oz")
"""Lists that every choice begins with: nobody is to lose against -Oz for want of it."""
_TIDY = ("deadargelim", "globalopt", "globaldce", "constmerge")
"""How every list ends that does not end with a whole pipeline: as LLVM's pipelines do. Without it a list that was found
on programs with few constants leaves each twice, and what is not used any more.
"""
_LARGE = 300_000
"""Bytes of bitcode above which a program has no say in ``common``: a trial takes a second."""
_MOST = 100_000
"""Lists and objects that a file of lists may have."""
_HUGE = 2_000_000
"""Bytes of bitcode above which a program is left alone: a trial takes ten seconds."""


def main() -> int:
    """Do what the words say. Returns the exit code."""
    options = _options()
    verbs = {"search": _search, "common": _common, "choose": _choose, "select": _select, "best": _best}

    def work() -> None:
        if options.what == "known":
            _write(options.output, known_lists(options.results, options.goal, action_table(_TABLE)))
        else:
            options.state.mkdir(parents=True, exist_ok=True)
            verbs[options.what](options, open_bench())

    return exit_code(work)


def _search(options: argparse.Namespace, bench: Bench) -> None:
    part, parts = map(int, options.part.split("/"))
    programs = all_programs() if options.all else train_programs()
    names = [program.id for program in programs if program.id in (options.only or [program.id])][part::parts]
    found = modules(names, options.target, bench, None if options.all else _HUGE)
    table, chance = action_table(_TABLE), random.Random(options.seed + part)
    until = time.monotonic() + 60 * options.minutes
    while time.monotonic() < until:
        for name, frozen in found.items():
            own = options.state / f"{name.replace('/', '.')}.json"
            with Trials(name, frozen, table, bench, options.goal) as trials:
                lists, tried = _earlier(options, name)
                first = [*beginnings(table), *lists]
                population = Population.read(own) or Population(own, trials.reference(), trials=tried)
                files = [file for file in sorted(options.state.glob("*.json")) if file != own]
                others = [one for file in files if (one := Population.read(file)) is not None and one.members]
                evolve(population, trials, others, first, len(table.actions), options.round, chance)
            gain = population.reference / population.best[0]
            print(f"{name}: {gain:.4f} after {population.trials} trials, {population.seconds:.0f} s", flush=True)


def _earlier(options: argparse.Namespace, program: str) -> tuple[dict[Actions, frozenset[str]], int]:
    """The lists of earlier choices, and what ceilings' files have for this program, each with the programs that it was
    found on; and the trials that the latter took.
    """
    table, trials = action_table(_TABLE), 0
    lists: dict[Actions, frozenset[str]] = {}
    pipelines = table.pipelines(())
    for path in options.begin:
        found = parse_json(path.read_bytes(), str(path), containers=_MOST)
        try:
            homes = frozenset(map(str, found.get("trained on", ())))
            lists |= {tuple(map(table.actions.index, one)): homes for one in found.get("lists", ())}
            if best := found.get(program, {}).get(options.target.value):
                lists.setdefault(tuple(map(pipelines.index, best["passes"])), frozenset({program}))
                trials += int(best["trials"])
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            hint = "give what choose, select, best or known wrote"
            raise UsageError(f"neither a choice nor a ceiling: {error}", where=str(path), hint=hint) from None
    return lists, trials


def _common(options: argparse.Namespace, bench: Bench) -> None:
    table = action_table(_TABLE)
    wanted = [one.id for one in train_programs() if one.id.partition("/")[0] not in options.without]
    pool = list(dict.fromkeys([*_pool(options, wanted), *beginnings(table)]))
    others = [_read_common(path)[0] for path in options.beside]
    units = _units(options, "train", options.units, bench)
    programs = modules(wanted, Target.X86_64, bench, _LARGE)
    with ExitStack() as stack:
        subjects = []
        for name, frozen in [*programs.items(), *units.items()]:
            trials = stack.enter_context(Trials(name, frozen, table, bench))
            share = 1 / len(programs) if name in programs else 1 / len(units)
            reference = trials.reference()
            sizes = [size for actions in others if (size := trials.size(actions))]
            best = max((math.log(reference / size) for size in sizes), default=-math.inf)
            subjects.append(Subject(trials, reference, share, best))
        print(f"{len(programs)} programs, {len(units)} units, {len(pool)} lists to begin with", flush=True)
        path = options.state / f"common-{options.seed}.list"
        evolve_common(path, subjects, pool, len(table.actions), 60 * options.minutes, random.Random(options.seed))


def _read_common(path: Path) -> tuple[Actions, frozenset[str]]:
    """The list, and what it was found on."""
    found = parse_json(path.read_bytes(), str(path), containers=_MOST)
    known = range(len(action_table(_TABLE).actions))
    actions = found.get("actions") if isinstance(found, dict) else None
    if not isinstance(actions, list) or not all(isinstance(one, int) and one in known for one in actions):
        raise UsageError("not a list that common wrote", where=str(path))
    return tuple(actions), frozenset(map(str, found.get("gains") or ()))


def _units(options: argparse.Namespace, split: str, most: int, bench: Bench) -> Mapping[str, FrozenModule]:
    """Parts of the corpus, if some are wanted."""
    if not most:
        return {}
    return parts_of_units(load(options.corpus), split, most, options.state / "units", bench)


def _pool(options: argparse.Namespace, programs: Sequence[str]) -> list[Actions]:
    """What searches found for these programs, and what earlier files have of them."""
    found = [
        actions
        for name, population in _populations(options).items()
        if name in programs
        for _, actions in population.members[: options.members]
    ]
    earlier = [actions for name in programs for actions in _earlier(options, name)[0]]
    return list(dict.fromkeys([*found, *earlier]))


def _choose(options: argparse.Namespace, bench: Bench) -> None:
    lists, examples, clusters = _examples(options, 0, bench)
    first = range(len(_ALWAYS))
    examples = without_wrong(
        examples, lists, lambda one: chosen(_table(one, lists), options.lists, first=first).lists, _check(bench)
    )
    table = _table(examples, lists)
    choice = chosen(table, options.lists, first=first)
    unseen = left_out(table, options.lists, clusters, first)
    actions = action_table(_TABLE).actions
    trials = sum(one.trials for one in _populations(options).values())
    gains = [round(math.exp(mean), 4) for mean in (*choice.means, float(unseen.mean()))]
    content = {
        "actions": _TABLE,
        "lists": [[actions[number] for number in table.lists[position]] for position in choice.lists],
        "gain": gains[:-1],
        "gain left out": gains[-1],
        "trained on": list(table.programs),
        "trials": trials,
    }
    options.output.write_text(json.dumps(content, indent=1) + "\n")
    print(f"one list {gains[0]}, {options.lists} lists {gains[-2]}, on programs left out {gains[-1]}")


def _table(examples: Examples, lists: tuple[Actions, ...]) -> Table:
    whole = [name for name, is_whole in zip(examples.programs, examples.whole, strict=True) if is_whole]
    return Table(tuple(whole), lists, examples.gains[examples.whole].T, examples.homes)


def _check(bench: Bench) -> Callable[[str, Actions], bool]:
    """Whether a program's outputs are right after a list."""

    def is_right(name: str, actions: Actions) -> bool:
        frozen = modules([name], Target.X86_64, bench)[name]
        with Trials(name, frozen, action_table(_TABLE), bench) as trials:
            return trials.is_right(actions)

    return is_right


def _select(options: argparse.Namespace, bench: Bench) -> None:
    units = _units(options, "train", options.units, bench)
    kept, examples, clusters = _examples(options, options.parts, bench, units)
    always = range(len(_ALWAYS))
    everything = np.ones(len(examples.programs), bool), np.ones(len(kept), bool)
    examples = without_wrong(
        examples, kept, lambda one: fitted(one, options.lists, always, *everything).lists, _check(bench)
    )
    unseen = gains_left_out(examples, options.lists, always, clusters)
    selector = fitted(examples, options.lists, always, *everything)
    called = action_table(_TABLE).actions
    trained_on = list(dict.fromkeys(name for name in examples.programs if name not in units))
    content = {
        "actions": _TABLE,
        "lists": [[called[number] for number in kept[position]] for position in selector.lists],
        **{name: _rounded(getattr(selector, name)) for name in ("middle", "scale", "center", "means", "caution")},
        "weights": [_rounded(row) for row in selector.weights],
        "gain left out": round(math.exp(np.mean(list(unseen.values()))), 4),
        "trained on": trained_on,
        "modules": len(examples.programs),
        "units": len(units),
    }
    options.output.write_text(json.dumps(content, indent=1) + "\n")
    for program, gain in unseen.items():
        print(f"{program}: {math.exp(gain):.4f} left out")
    print(f"{len(selector.lists)} lists, {content['modules']} modules; on programs left out {content['gain left out']}")
    if others := _units(options, "validation", options.validation, bench):
        shown = examples_of({}, dict.fromkeys(kept, frozenset[str]()), 0, options.state, bench, others)
        gains = [shown.gains[row, selector.pick(features)] for row, features in enumerate(shown.features)]
        print(
            f"on {len(gains)} units for validation {math.exp(np.mean(gains)):.4f}, the worst {math.exp(min(gains)):.4f}"
        )


def _rounded(values: NDArray[np.float64]) -> list[float]:
    return [float(f"{value:.5g}") for value in values]


def _numbers(*names: str) -> Actions:
    return tuple(map(action_table(_TABLE).actions.index, names))


def _tidied(actions: Actions) -> Actions:
    ends_whole = action_table(_TABLE).actions[actions[-1]] in WHOLE
    return actions if ends_whole else (*actions, *_numbers(*_TIDY))


def _best(options: argparse.Namespace, _: Bench) -> None:
    """Beside what the file has for other targets."""
    pipelines = action_table(_TABLE).pipelines(())
    lists = json.loads(options.output.read_text()) if options.output.exists() else {}
    for program in all_programs():
        population = Population.read(options.state / f"{program.id.replace('/', '.')}.json")
        if population is not None and population.members:
            passes = [pipelines[number] for number in population.best[1]]
            lists.setdefault(program.id, {})[options.target.value] = {"passes": passes, "trials": population.trials}
    _write(options.output, lists)


def _write(output: Path, lists: Mapping[str, Mapping[str, Any]]) -> None:
    output.write_text(json.dumps(lists, indent=1, sort_keys=True) + "\n")


def _populations(options: argparse.Namespace) -> dict[str, Population]:
    """Program → what was found for it."""
    found = {}
    for program in train_programs():
        population = Population.read(options.state / f"{program.id.replace('/', '.')}.json")
        if population is not None and population.members:
            found[program.id] = population
    return found


def _examples(
    options: argparse.Namespace, parts: int, bench: Bench, units: Mapping[str, FrozenModule] = MappingProxyType({})
) -> tuple[tuple[Actions, ...], Examples, dict[str, str]]:
    """Lists that are always there, common ones, earlier ones and the best of each population; all of them on every
    program and unit; program → cluster.
    """
    common = [_read_common(path) for path in sorted(options.state.glob("common-*.list"))]
    programs = [one.id for one in train_programs()]
    earlier = [one for name in programs for one in _earlier(options, name)[0].items()]
    homes: dict[Actions, set[str]] = {_numbers(name): set() for name in _ALWAYS}
    for actions, found_on in (*common, *earlier):
        homes.setdefault(actions, set()).update(found_on)
    for name, population in _populations(options).items():
        for _, actions in population.members[: options.members]:
            homes.setdefault(_tidied(actions), set()).add(name)
    lists = {actions: frozenset(names) for actions, names in homes.items()}
    found = modules(programs, Target.X86_64, bench, _HUGE)
    clusters = {one.id: one.benchmark.cluster or one.id for one in train_programs()}
    return tuple(lists), examples_of(found, lists, parts, options.state, bench, units), clusters


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m harness.learn.pass_lists")
    parser.add_argument("what", choices=["search", "common", "choose", "select", "best", "known"])
    parser.add_argument("--state", type=Path, help="folder for what was found")
    parser.add_argument("--results", type=Path, default=Path("results"), help="folder of run files")
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--round", type=float, default=15.0, help="seconds on a program before the next has its turn")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--all", action="store_true", help="programs of all splits: for ceilings")
    parser.add_argument("--only", nargs="*", help="of these programs alone those named here")
    parser.add_argument("--goal", choices=GOALS, default="size.alloc")
    parser.add_argument("--target", type=Target, default=Target.X86_64)
    parser.add_argument("--part", default="0/1")
    parser.add_argument("--begin", type=Path, nargs="*", default=[], help="earlier choices, and ceilings' files")
    parser.add_argument("--beside", type=Path, nargs="*", default=[], help="lists that another common one is to help")
    parser.add_argument("--units", type=int, default=0, help="units of the corpus to learn from")
    parser.add_argument("--validation", type=int, default=0, help="of its units for validation, to judge a selector by")
    parser.add_argument("--corpus", type=Path, help="its folder (default: in the cache)")
    parser.add_argument("--without", nargs="*", default=[], help="suites whose programs have no say in common")
    parser.add_argument("--lists", type=int, default=8)
    parser.add_argument("--parts", type=int, default=12, help="parts of each program that select learns from")
    parser.add_argument("--members", type=int, default=3, help="lists of each program that may be chosen")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    if options.what != "known" and options.state is None:
        parser.error(f"{options.what} needs --state")
    if options.what in ("choose", "select", "best", "known") and options.output is None:
        parser.error(f"{options.what} needs --output")
    return options


if __name__ == "__main__":
    sys.exit(main())
