"""Units of the corpus to learn from: of each, the function that reaches most, with all that it reaches.

Such a part is to a unit what ``main`` is to a program: everything but its root is internal, so that passes over whole
modules have as much to do as in the programs that are ranked. It is compiled and measured, and never run.
"""

import random
from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import chain, islice, zip_longest
from pathlib import Path

from harness.base.digest import digest_bytes
from harness.base.vocabulary import Level, Target
from harness.freeze import FrozenModule
from harness.freeze.freeze import count_instructions
from harness.learn.corpus.corpus import Corpus, Module, parts
from harness.sandbox.bench import Bench

__all__ = ["parts_of_units"]

_SMALLEST, _LARGEST = 6_000, 300_000
"""Bytes of bitcode: a few functions; a trial takes a second."""
_TRUST = 20
"""Times as large as what is wanted a unit may be, to be looked at at all."""


def parts_of_units(
    corpus: Corpus, split: str, most: int, folder: Path, bench: Bench, smallest: int = _SMALLEST
) -> Mapping[str, FrozenModule]:
    """At most so many parts, by the names of their units, kept in ``folder``; of every package about as many.

    ``smallest``: bytes of bitcode below which a part is left out.
    """
    folder.mkdir(parents=True, exist_ok=True)
    found = (_part(unit, folder, bench, smallest) for unit in _mixed(corpus, split, smallest))
    return dict(islice(filter(None, found), most))


def _mixed(corpus: Corpus, split: str, smallest: int) -> Iterator[Module]:
    """Units in an order by chance, the same each time, one package after the other."""
    packages: dict[str, list[Module]] = defaultdict(list)
    for unit in corpus.modules(split):
        if smallest <= unit.facts["size"] <= _TRUST * _LARGEST:
            packages[unit.facts["source"]].append(unit)
    for name, units in packages.items():
        random.Random(name).shuffle(units)
    return filter(None, chain.from_iterable(zip_longest(*packages.values())))


def _part(unit: Module, folder: Path, bench: Bench, smallest: int) -> tuple[str, FrozenModule] | None:
    """The unit's name and its largest part that is neither too small nor too large."""
    fitting = [part for part in parts(unit, bench) if smallest <= len(part) <= _LARGEST]
    if not fitting:
        return None
    content = max(fitting, key=len)
    digest = digest_bytes(content)
    file = folder / f"{digest}.bc"
    file.write_bytes(content)
    return unit.name, FrozenModule(file, digest, count_instructions(file, bench), Target.X86_64, Level.OZ)
