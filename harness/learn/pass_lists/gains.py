"""What lists gain on programs and on parts of them, measured once and kept."""

import json
import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from types import MappingProxyType

import numpy as np

from harness.base.lines import whole_lines
from harness.freeze import FrozenModule
from harness.learn.pass_lists.parts import parts_of
from harness.learn.pass_lists.select import Examples
from harness.learn.pass_lists.trials import Actions, Trials
from harness.problems.passes.actions import action_table
from harness.sandbox.bench import Bench

__all__ = ["examples_of", "without_wrong"]

_TABLE = "llvm22"
_WHOLE, _UNIT = -1, -2
"""In the place of a part's number."""
_INSTRUCTIONS = 51
"""Of Autophase: all instructions."""


def examples_of(
    modules: Mapping[str, FrozenModule],
    lists: Mapping[Actions, frozenset[str]],
    parts: int,
    state: Path,
    bench: Bench,
    units: Mapping[str, FrozenModule] = MappingProxyType({}),
) -> Examples:
    """Every list on every module, on at most so many ``parts`` of each, and on ``units`` of the corpus.

    ``lists``: with the programs on which each was found. ``state``: the folder that keeps parts and sizes; what was
    measured before is taken from there.
    """
    known, kept = _known(state / "parts.jsonl"), state / "parts.jsonl"
    programs, places, features, gains = [], [], [], []
    with kept.open("a") as file:
        beside = ((name, _UNIT, module) for name, module in units.items())
        for name, place, module in chain(_subjects(modules, parts, state, bench), beside):
            sizes, seen = known.get((name, place, module.digest), ({}, []))
            missing = [actions for actions in lists if actions not in sizes]
            if missing:
                with Trials(name, module, action_table(_TABLE), bench) as trials:
                    seen = seen or trials.autophase()
                    sizes = {(): trials.reference(), **sizes}
                    sizes |= {actions: trials.size(actions) for actions in missing}
                line = {"program": name, "part": place, "digest": module.digest, "features": seen}
                line["sizes"] = list(map(list, sizes.items()))
                file.write(json.dumps(line) + "\n")
                file.flush()
            programs.append(name)
            places.append(place)
            features.append(np.array(seen, float) / max(seen[_INSTRUCTIONS], 1))
            gains.append([_gain(sizes[actions], sizes[()]) for actions in lists])
    return Examples(
        tuple(programs),
        np.array([place == _WHOLE for place in places]),
        np.array(features),
        np.array(gains),
        tuple(lists.values()),
        np.array([place == _UNIT for place in places]),
    )


def without_wrong(
    examples: Examples,
    lists: Sequence[Actions],
    take: Callable[[Examples], Sequence[int]],
    is_right: Callable[[str, Actions], bool],
) -> Examples:
    """The same, with a gain of -inf where a list would be taken that makes a program give wrong outputs.

    ``lists``: the examples'. ``take``: which of them would be taken, as positions. ``is_right``: of a program's name
    and a list. Sizes alone say nothing of that, and a program that does less is smaller.
    """
    looked_at: set[int] = set()
    while left := [place for place in take(examples) if place not in looked_at]:
        looked_at.update(left)
        gains = examples.gains.copy()
        for row in np.flatnonzero(examples.whole):
            for place in left:
                if np.isfinite(gains[row, place]) and not is_right(examples.programs[row], lists[place]):
                    gains[row, place] = -np.inf
        examples = replace(examples, gains=gains)
    return examples


def _subjects(
    modules: Mapping[str, FrozenModule], parts: int, state: Path, bench: Bench
) -> Iterator[tuple[str, int, FrozenModule]]:
    for name, module in modules.items():
        yield name, _WHOLE, module
        folder = state / "parts" / name.replace("/", ".")
        for at, part in enumerate(parts_of(module, parts, random.Random(name), folder, bench)):
            yield name, at, part


def _known(path: Path) -> dict[tuple[str, int, str], tuple[dict[Actions, int | None], list[int]]]:
    """The newest of each module; of one that is another now, nothing."""
    found = {}
    for one in map(json.loads, whole_lines(path)):
        sizes = {tuple(actions): size for actions, size in one["sizes"]}
        found[one["program"], one["part"], one.get("digest", "")] = (sizes, one["features"])
    return found


def _gain(size: int | None, reference: int | None) -> float:
    return -math.inf if size is None or reference is None else math.log(reference / size)
