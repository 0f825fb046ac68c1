"""Evolution strategies, as MLGO trains: weights are moved by chance, in both directions, and the network goes towards
those that saved more. A whole compilation is one number, so it needs many; but a reward may be anything.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harness.learn.inliners.collector import Collector, Exploration
from harness.learn.inliners.curve import Training
from harness.learn.inliners.judge import Judge, size_of
from harness.learn.inliners.network import Network
from harness.learn.inliners.pool import Pool

__all__ = ["Evolution", "direction_of", "learn", "tried"]


@dataclass(frozen=True, slots=True)
class Evolution:
    """How to learn."""

    steps: int
    pairs: int = 50
    """Perturbations of a step, each in both directions."""
    modules: int = 4
    """That each perturbation is tried on; both directions on the same."""
    spread: float = 0.05
    """Standard deviation of a perturbation, of weights that begin at about 0.1."""
    rate: float = 0.05
    """Of learning: of the estimated gradient, in units of spread."""
    every: int = 5
    """Steps between two measurements of the validation modules."""
    seed: int = 0


def direction_of(noise: NDArray[np.float64], gains: NDArray[np.float64]) -> NDArray[np.float64]:
    """(parameters,): where to go. ``noise``: (pairs, parameters); ``gains``: (pairs, 2), of + and - of each.

    The gradient's estimate, with gains normalised to a standard deviation of 1.
    """
    difference = gains[:, 0] - gains[:, 1]
    scale = max(float(difference.std()), 1e-12)
    return np.asarray((difference / scale) @ noise / len(noise))


def learn(
    start: Network,
    train: Judge,
    validation: Judge,
    how: Evolution,
    folder: Path,
    pool: Pool,
    words: Mapping[str, Any],
) -> Network:
    """All steps. A training that was killed goes on."""
    training = Training(folder, words, pool.cpu)
    network = start.with_parameters(training.kept["parameters"]) if training.kept else start
    for step in range(training.steps, how.steps):
        chance = np.random.default_rng([how.seed, step])
        values = network.parameters().astype(np.float64)
        noise = chance.standard_normal((how.pairs, values.size))
        drawn = chance.integers(0, len(train.modules), (how.pairs, how.modules))
        moved = how.spread * np.repeat(noise, 2, axis=0)
        moved[1::2] *= -1
        gains = tried(network, values + moved, drawn.repeat(2, axis=0), train, pool).reshape(-1, 2)
        network = network.with_parameters(values + how.rate * how.spread * direction_of(noise, gains))
        value, compilations = validation.now_and_then(network, step + 1, how.every, how.steps, pool)
        compilations += gains.size * how.modules
        mean = float(np.exp(gains.mean()))
        left = {"parameters": network.parameters()}
        training.advance(compilations, pool.cpu, mean, value, left, network.as_data())
    return network


def tried(
    network: Network, candidates: NDArray[np.floating], drawn: NDArray[np.int64], train: Judge, pool: Pool
) -> NDArray[np.float64]:
    """(candidates,): the mean log of LLVM's bytes / the network's, with each row of parameters on the modules of the
    same row of ``drawn``, (candidates, modules); for one that crashes LLVM, as little as any of the others. Raises
    ValueError where all do.
    """

    def work(collector: Collector, place: int) -> float:
        collector.use(network.with_parameters(candidates[place]).as_data())
        logs = []
        for number in drawn[place].tolist():
            module = train.modules[number]
            done = collector.compile(
                module.read(), Exploration(), once_for_callee=train.once_for_callee, closed=module.closed
            )
            logs.append(np.log(train.bytes[number] / size_of(done, train.metric)))
        return float(np.mean(logs))

    gains = np.array([np.nan if gain is None else gain for gain in pool.each("move", range(len(candidates)), work)])
    if np.isnan(gains).all():
        raise ValueError(f"no module of a step could be compiled: {pool.lost[-1]}")
    return np.where(np.isnan(gains), np.nanmin(gains), gains)
