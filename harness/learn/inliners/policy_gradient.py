"""Policy gradient, as MLGO trains: decisions by chance, the reward of a module is what it saves beyond LLVM's, and each
decision of it shares the blame. No value network; PPO's bound keeps a step near the policy that decided.

Constants are those of MLGO's code (docs/learning.md) where a name of ``Gradient`` says nothing else.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harness.learn.inliners.collector import Collector, Exploration, Steps
from harness.learn.inliners.curve import Training
from harness.learn.inliners.fit import Adam
from harness.learn.inliners.judge import Judge, size_of
from harness.learn.inliners.modules import Module
from harness.learn.inliners.network import Network
from harness.learn.inliners.pool import Pool

__all__ = ["Gradient", "Played", "learn", "slopes_of"]

_SHARPEST = 30.0
"""Beyond this a logit says nothing more."""


@dataclass(frozen=True, slots=True)
class Gradient:
    """How to learn."""

    iterations: int
    modules: int = 100
    """Of an iteration."""
    steps: int = 300
    """Gradient steps of an iteration."""
    batch: int = 4096
    """Decisions of a step: MLGO's 256 sequences of 16."""
    rate: float = 3e-5
    clip: float = 0.2
    entropy: float = 0.003
    decay: float = 1e-6
    divergence: float = 0.01
    """An iteration ends where the policy has gone so far from the one that decided (Kullback and Leibler's measure)."""
    memory: float = 0.8
    """Of the moving average of a module's rewards."""
    every: int = 5
    """Iterations between two measurements of the validation modules."""
    seed: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Played:
    """Decisions of an iteration."""

    inputs: NDArray[np.float32]
    """(decisions, inputs)."""
    inline: NDArray[np.bool_]
    """(decisions,)."""
    log_odds: NDArray[np.float32]
    """(decisions,): the logit under which each was drawn."""
    advantage: NDArray[np.float64]
    """(decisions,): of its module."""


def slopes_of(logits: NDArray[np.float32], played: Played, how: Gradient) -> NDArray[np.float64]:
    """(decisions,): the derivative of the loss by each logit; the loss is PPO's, less the entropy."""
    logits = np.clip(logits.astype(np.float64), -_SHARPEST, _SHARPEST)
    odds = 1 / (1 + np.exp(-logits))
    ratio = np.exp(_log_likelihood(logits, played.inline) - _log_likelihood(played.log_odds, played.inline))
    bound = np.where(played.advantage > 0, ratio > 1 + how.clip, ratio < 1 - how.clip)
    towards = np.where(played.inline, 1 - odds, -odds)
    slopes = np.where(bound, 0.0, -played.advantage * ratio * towards)
    return np.asarray(slopes + how.entropy * logits * odds * (1 - odds))


def _log_likelihood(logits: NDArray[np.floating], inline: NDArray[np.bool_]) -> NDArray[np.float64]:
    signed = np.where(inline, logits, -logits).astype(np.float64)
    return np.asarray(-np.logaddexp(0.0, -signed))


def learn(
    start: Network,
    train: Judge,
    validation: Judge,
    how: Gradient,
    folder: Path,
    pool: Pool,
    words: Mapping[str, Any],
) -> Network:
    """All iterations, from a network that decides as LLVM does. A training that was killed goes on."""
    training = Training(folder, words, pool.cpu)
    network, adam = start, Adam(start.parameters().size, how.rate)
    usual = np.full(len(train.modules), np.nan)
    if kept := training.kept:
        network, usual = start.with_parameters(kept["parameters"]), kept["usual"]
        adam.state, adam.steps = kept["adam"], int(kept["adam_steps"])
    for iteration in range(training.steps, how.iterations):
        chance = np.random.default_rng([how.seed, iteration])
        drawn = chance.permutation(len(train.modules))[: how.modules]
        played, rewards = _play(network, train, drawn, usual, how, iteration, pool)
        network = _improved(network, played, adam, how, chance)
        value, compilations = validation.now_and_then(network, iteration + 1, how.every, how.iterations, pool)
        left = {"parameters": network.parameters(), "usual": usual, "adam": adam.state}
        left["adam_steps"] = np.array(adam.steps)
        gained = float(np.exp(rewards.mean()))
        training.advance(compilations + len(drawn), pool.cpu, gained, value, left, network.as_data())
    return network


def _play(
    network: Network,
    train: Judge,
    drawn: NDArray[np.int64],
    usual: NDArray[np.float64],
    how: Gradient,
    iteration: int,
    pool: Pool,
) -> tuple[Played, NDArray[np.float64]]:
    """Compile modules under decisions by chance. ``usual``: what each module's rewards usually are, not a number where
    there were none; it goes along.
    """
    data = network.as_data()

    def work(collector: Collector, place: int) -> tuple[int, Steps, int]:
        module: Module = train.modules[place]
        collector.use(data)
        exploration = Exploration(1.0, _seed_of(how.seed, iteration, place))
        done = collector.compile(
            module.read(), exploration, once_for_callee=train.once_for_callee, closed=module.closed
        )
        return place, done.steps, size_of(done, train.metric)

    done: Sequence[tuple[int, Steps, int]] = [one for one in pool.each("play", drawn.tolist(), work) if one is not None]
    if not done:
        raise ValueError(f"no module of an iteration could be compiled: {pool.lost[-1]}")
    rewards = np.array([np.log(train.bytes[place] / size) for place, _, size in done])
    places = np.array([place for place, _, _ in done])
    before = np.where(np.isnan(usual[places]), rewards.mean(), usual[places])
    advantages = rewards - before
    usual[places] = how.memory * before + (1 - how.memory) * rewards
    advantages /= max(float(advantages.std()), 1e-6)
    # A module that asks nothing has no row, and says nothing of how many columns there are.
    features = np.concatenate([steps.features.reshape(-1, len(network.features)) for _, steps, _ in done])
    counts = [len(steps.inline) for _, steps, _ in done]
    return Played(
        network.inputs(features),
        np.concatenate([steps.inline for _, steps, _ in done]),
        np.concatenate([steps.logits for _, steps, _ in done]),
        np.repeat(advantages, counts),
    ), rewards


def _improved(network: Network, played: Played, adam: Adam, how: Gradient, chance: np.random.Generator) -> Network:
    total = len(played.inline)
    for _ in range(how.steps if total else 0):
        rows = chance.integers(0, total, min(how.batch, total))
        part = Played(played.inputs[rows], played.inline[rows], played.log_odds[rows], played.advantage[rows])
        outputs = network.outputs(part.inputs)
        slopes = slopes_of(outputs[-1][:, 0], part, how) / len(rows)
        values = network.parameters().astype(np.float64)
        gradient = network.gradient(outputs, slopes.astype(np.float32)) + how.decay * values
        network = network.with_parameters(values - adam.step(gradient))
        if _divergence(outputs[-1][:, 0], part.log_odds) > how.divergence:
            break
    return network


def _divergence(new: NDArray[np.float32], old: NDArray[np.float32]) -> float:
    """How far the new policy is from the old, in nats for each decision."""
    odds = 1 / (1 + np.exp(-np.clip(old.astype(np.float64), -_SHARPEST, _SHARPEST)))
    yes = np.logaddexp(0.0, -new.astype(np.float64)) - np.logaddexp(0.0, -old.astype(np.float64))
    no = np.logaddexp(0.0, new.astype(np.float64)) - np.logaddexp(0.0, old.astype(np.float64))
    return float((odds * yes + (1 - odds) * no).mean())


def _seed_of(*numbers: int) -> int:
    """A seed of 64 bits for each list of numbers."""
    return int(np.random.SeedSequence(numbers).generate_state(1, np.uint64)[0])
