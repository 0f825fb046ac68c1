"""Fit a network to decisions: weighted cross entropy, by Adam. No chance but of the seed."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from harness.learn.inliners.network import INPUTS, Network

__all__ = ["Adam", "Decided", "fit"]

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Decided:
    """Questions with the answers that are to be learnt."""

    features: NDArray[np.int64]
    """(questions, features)."""
    inline: NDArray[np.bool_]
    """(questions,)."""
    weight: NDArray[np.float64]
    """(questions,): what a wrong answer costs."""


class Adam:
    """Kingma and Ba's, with the constants of their paper."""

    def __init__(self, size: int, rate: float) -> None:
        """``rate``: of learning."""
        self.rate = rate
        self.state = np.zeros((2, size))
        self.steps = 0

    def step(self, gradient: NDArray[np.floating]) -> NDArray[np.float64]:
        """What to take away from the parameters."""
        self.steps += 1
        self.state[0] = 0.9 * self.state[0] + 0.1 * gradient
        self.state[1] = 0.999 * self.state[1] + 0.001 * np.square(gradient)
        mean = self.state[0] / (1 - 0.9**self.steps)
        square = self.state[1] / (1 - 0.999**self.steps)
        return np.asarray(self.rate * mean / (np.sqrt(square) + 1e-8))


def fit(
    start: Network,
    decided: Decided,
    seed: int,
    *,
    passes: int = 30,
    least: int = 0,
    batch: int = 256,
    rate: float = 1e-3,
    blind: float = 0,
) -> Network:
    """The network after so many passes over all questions, and ``least`` steps: a small table needs more passes.

    ``blind``: the share of features that are hidden, others for each question of each step (dropout); the rate of
    learning falls to nothing then. So what is learnt holds where nothing was seen of it.
    """
    chance = np.random.default_rng(seed)
    adam = Adam(start.parameters().size, rate)
    network = start
    inputs = start.inputs(decided.features)
    weight = (decided.weight / decided.weight.mean()).astype(np.float32)
    passes = max(passes, -(-least // -(-len(inputs) // batch)))
    for number in range(passes):
        adam.rate = rate * (1 - number / passes) if blind else rate
        order = chance.permutation(len(inputs))
        for first in range(0, len(order), batch):
            rows = order[first : first + batch]
            shown = inputs[rows]
            if blind:
                seen = chance.random((len(rows), len(start.features))) >= blind
                shown = shown * np.repeat(seen, INPUTS, axis=1) / np.float32(1 - blind)
            outputs = network.outputs(shown)
            odds = 1 / (1 + np.exp(-outputs[-1][:, 0]))
            slopes = (odds - decided.inline[rows]) * weight[rows] / len(rows)
            values = network.parameters().astype(np.float64)
            gradient = network.gradient(outputs, slopes.astype(np.float32))
            network = network.with_parameters(values - adam.step(gradient))
    return network
