"""What a training learns from, and what it is judged on: units of the corpus, programs of suites, or both."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from harness.base.digest import digest_of
from harness.base.vocabulary import Split, Target
from harness.learn.corpus.corpus import load
from harness.learn.inliners.modules import Module, programs, units
from harness.sandbox.bench import Bench

__all__ = ["CORPUS", "LANGUAGES", "UNITS", "Material", "material_of"]

CORPUS = "corpus"
_GENERATED = "generated"
LANGUAGES = {"corpus-c": "c", "corpus-c++": "c++"}
"""Sources that are parts of the corpus, and what the corpus calls the language."""
UNITS = (CORPUS, *LANGUAGES, _GENERATED)
"""Sources that are no suites: units of the corpus, those in one language, and what generators wrote."""
_LARGEST = 20_000
"""IR instructions of a unit; the few larger ones take as long as all others."""


@dataclass(frozen=True, slots=True)
class Material:
    """Modules, apart."""

    train: tuple[Module, ...]
    validation: tuple[Module, ...]

    def words(self) -> dict[str, object]:
        """What tells it from others."""
        return {
            "train": len(self.train),
            "validation": len(self.validation),
            "digest": digest_of([[module.digest for module in part] for part in (self.train, self.validation)]),
        }


def material_of(
    sources: Sequence[str], judged_on: Sequence[str], subset: int | None, bench: Bench, corpus: Path | None = None
) -> Material:
    """``sources``, ``judged_on``: names of suites, of which the train split is meant, and ``UNITS``. ``corpus``: its
    folder, if it is not the one in the cache.

    A suite that is both: every fifth program is for validation, and so with what is generated; but no program is judged
    on that shares code with one that is learnt from, as programs of one library do, and those that suites share.
    ``subset``: so many of the training modules, drawn; smaller ones are parts of larger ones. Test splits are never
    touched, and what several sources have is there once. Raises UsageError where there is no corpus.
    """
    train, validation = [], []
    named = [*dict.fromkeys([*sources, *judged_on])]
    suites = [name for name in named if name not in UNITS]
    known = programs(suites, Split.TRAIN, Target.X86_64, bench) if suites else []
    for name in named:
        both = name in sources and name in judged_on
        if name in UNITS and name != _GENERATED:
            train += _units(name, "train", corpus) if name in sources else []
            validation += _units(name, "validation", corpus) if name in judged_on else []
            continue
        mine = (
            _units(name, name, corpus) if name in UNITS else [one for one in known if one.name.startswith(f"{name}/")]
        )
        train += [one for place, one in enumerate(mine) if name in sources and (place % 5 or not both)]
        validation += [one for place, one in enumerate(mine) if name in judged_on and (not place % 5 or not both)]
    groups = {one.group for one in train}
    train = [*{one.name: one for one in train}.values()]
    validation = [*{one.name: one for one in validation if one.group not in groups}.values()]
    order = np.random.default_rng(0).permutation(len(train))[:subset]
    return Material(tuple(train[place] for place in sorted(order.tolist())), tuple(validation))


def _units(name: str, split: str, corpus: Path | None) -> list[Module]:
    language = {"language": LANGUAGES[name]} if name in LANGUAGES else {}
    return units(load(corpus), split, _LARGEST, **language)
