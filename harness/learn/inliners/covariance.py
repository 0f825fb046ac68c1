"""CMA-ES, the rival of plain evolution strategies: it learns, for each weight, how far to move it.

The library's separable variant, since a network has thousands of weights: one variance each, no covariances.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from cmaes import SepCMA

from harness.learn.inliners.curve import Training
from harness.learn.inliners.evolution import tried
from harness.learn.inliners.judge import Judge
from harness.learn.inliners.network import Network
from harness.learn.inliners.pool import Pool

__all__ = ["Adaptation", "learn"]


@dataclass(frozen=True, slots=True)
class Adaptation:
    """How to learn."""

    steps: int
    population: int = 100
    """Networks that are tried in a step."""
    modules: int = 4
    """That they are tried on: all on the same, since their ranks are what is learnt from."""
    spread: float = 0.05
    """Standard deviation of the first steps' networks, of weights that begin at about 0.1."""
    every: int = 5
    """Steps between two measurements of the validation modules."""
    seed: int = 0


def learn(
    start: Network,
    train: Judge,
    validation: Judge,
    how: Adaptation,
    folder: Path,
    pool: Pool,
    words: Mapping[str, Any],
) -> Network:
    """All steps. A training that was killed goes on: its networks are drawn again, and what they gained is known."""
    training = Training(folder, words, pool.cpu)
    search = SepCMA(
        mean=start.parameters().astype(np.float64),
        sigma=how.spread,
        population_size=how.population,
        seed=how.seed,
    )
    known = training.kept["gains"] if training.kept else np.zeros((0, how.population))
    for step in range(max(how.steps, len(known))):
        candidates = np.array([search.ask() for _ in range(how.population)])
        if step < len(known):
            search.tell(list(zip(candidates, -known[step], strict=True)))
            continue
        chosen = np.random.default_rng([how.seed, step]).integers(0, len(train.modules), how.modules)
        gains = tried(start, candidates, np.tile(chosen, (how.population, 1)), train, pool)
        search.tell(list(zip(candidates, -gains, strict=True)))
        known = np.concatenate([known, gains[None]])
        network = start.with_parameters(search.mean)
        value, compilations = validation.now_and_then(network, step + 1, how.every, how.steps, pool)
        compilations += how.population * how.modules
        training.advance(
            compilations, pool.cpu, float(np.exp(gains.mean())), value, {"gains": known}, network.as_data()
        )
    return start.with_parameters(search.mean)
