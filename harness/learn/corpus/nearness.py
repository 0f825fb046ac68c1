"""How near a corpus is to the programs of the suites: distances between features, and their projection to a plane.

A module is its Autophase features divided by its instructions, and the logarithm of these: shares say what it does, and
the last how large it is. Each is scaled by its spread over the corpus.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from harness.learn.corpus.corpus import Corpus
from harness.problems.passes.session.observations import AUTOPHASE

__all__ = ["Near", "Projection", "nearness", "projected", "vectors"]

_TOTAL = AUTOPHASE.index("TotalInsts")


@dataclass(frozen=True)
class Projection:
    """Modules in a plane, by the two directions in which the corpus varies most."""

    units: NDArray[np.float64]
    """(units, 2)."""
    programs: NDArray[np.float64]
    """(programs, 2)."""
    share: tuple[float, float]
    """Of the variance, by either direction."""


@dataclass(frozen=True, slots=True)
class Near:
    """What is next to a program of a suite."""

    program: str
    distance: float
    """To the nearest unit of the corpus."""
    unit: str
    other: float
    """To the nearest other program of a suite."""


def vectors(features: NDArray[np.int64]) -> NDArray[np.float64]:
    """(n, 56): shares of instructions, and the logarithm of their number."""
    totals = np.maximum(features[:, _TOTAL : _TOTAL + 1], 1).astype(float)
    found: NDArray[np.float64] = features / totals
    found[:, _TOTAL] = np.log(totals[:, 0])
    return found


def _real(corpus: Corpus) -> NDArray[np.bool_]:
    """Which units are no generated ones; all, where there are no others."""
    real: NDArray[np.bool_] = corpus.units["split"].to_numpy() != "generated"
    return real if real.any() else np.ones_like(real)


def _scaled(corpus: Corpus) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Of units and of programs: by mean and spread of the units that are no generated ones."""
    units = vectors(corpus.units.select(AUTOPHASE).to_numpy())
    programs = vectors(np.array(list(corpus.suites.values()), dtype=np.int64).reshape(-1, len(AUTOPHASE)))
    real = units[_real(corpus)]
    mean, spread = real.mean(axis=0), real.std(axis=0)
    spread[spread == 0] = 1
    return (units - mean) / spread, (programs - mean) / spread


def projected(corpus: Corpus) -> Projection:
    """By principal components of the units that are no generated ones."""
    units, programs = _scaled(corpus)
    real = units[_real(corpus)]
    _, values, directions = np.linalg.svd(real, full_matrices=False)
    directions = directions[:2]
    # The sign of a direction is arbitrary: its largest part is positive.
    signs = np.sign(directions[np.arange(len(directions)), np.abs(directions).argmax(axis=1)])
    axes = (directions * signs[:, None]).T
    first, second = (float(value) for value in (values**2 / max((values**2).sum(), 1e-12))[:2])
    return Projection(units @ axes, programs @ axes, (first, second))


def nearness(corpus: Corpus) -> list[Near]:
    """Of each program, the nearest unit (none generated) and the nearest other program, nearest first."""
    units, programs = _scaled(corpus)
    real = _real(corpus)
    names = corpus.units["name"].to_numpy()[real]
    found = []
    for place, (program, vector) in enumerate(zip(corpus.suites, programs, strict=True)):
        to_units = np.linalg.norm(units[real] - vector, axis=1)
        to_programs = np.linalg.norm(programs - vector, axis=1)
        to_programs[place] = np.inf
        nearest = int(to_units.argmin())
        found.append(Near(program, float(to_units[nearest]), str(names[nearest]), float(to_programs.min())))
    return sorted(found, key=lambda one: one.distance)
