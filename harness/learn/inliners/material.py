"""What a training learns from, and what it is judged on: units of the corpus, programs of suites, or both."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from harness.base.digest import digest_of
from harness.base.vocabulary import Split, Target
from harness.learn.corpus.corpus import load
from harness.learn.inliners.modules import Module, programs, units
from harness.sandbox.bench import Bench

__all__ = ["CORPUS", "Material", "material_of"]

CORPUS = "corpus"
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


def material_of(sources: Sequence[str], judged_on: Sequence[str], subset: int | None, bench: Bench) -> Material:
    """``sources``, ``judged_on``: names of suites, of which the train split is meant, and ``corpus``.

    A suite that is both: every fifth program is for validation; but no program is judged on that shares code with one
    that is learnt from, as programs of one library do, and those that suites share. ``subset``: so many of the training
    modules, drawn; smaller ones are parts of larger ones. Test splits are never touched. Raises UsageError where there
    is no corpus.
    """
    train, validation = [], []
    named = [name for name in dict.fromkeys([*sources, *judged_on]) if name != CORPUS]
    suites = programs(named, Split.TRAIN, Target.X86_64, bench) if named else []
    for name in dict.fromkeys([*sources, *judged_on]):
        both = name in sources and name in judged_on
        if name == CORPUS:
            train += units(load(), "train", _LARGEST) if name in sources else []
            validation += units(load(), "validation", _LARGEST) if name in judged_on else []
        else:
            known = [one for one in suites if one.name.startswith(f"{name}/")]
            train += [one for place, one in enumerate(known) if name in sources and (place % 5 or not both)]
            validation += [one for place, one in enumerate(known) if name in judged_on and (not place % 5 or not both)]
    groups = {one.group for one in train}
    validation = [one for one in validation if one.group not in groups]
    order = np.random.default_rng(0).permutation(len(train))[:subset]
    return Material(tuple(train[place] for place in sorted(order.tolist())), tuple(validation))
