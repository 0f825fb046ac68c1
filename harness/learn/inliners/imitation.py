"""Iterated imitation of the best: in each round modules are compiled under the policy as it is, and again with one
function decided the other way; whatever saves bytes is what the next policy learns.

MLGO's shipped model was made like this: several policies for each module, the best decisions cloned, and again. What
differs here is that policies differ in one function, so that each question has an answer of its own: the bytes that
inlining all calls of the function saves, everything else being decided as before.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harness.learn.inliners.collector import HEURISTIC, Collector, Compiled, Exploration
from harness.learn.inliners.curve import Training
from harness.learn.inliners.fit import Decided, fit
from harness.learn.inliners.judge import Judge, size_of
from harness.learn.inliners.modules import Module
from harness.learn.inliners.network import Network, fresh
from harness.learn.inliners.pool import Pool
from harness.problems.inlining.features import FEATURES

__all__ = ["Gains", "Imitation", "gains_of", "learn"]

_LLVM = "llvm_inlines"
"""The feature: what LLVM's heuristic decides."""


@dataclass(frozen=True, slots=True)
class Imitation:
    """How to learn."""

    features: tuple[str, ...]
    metric: str
    once_for_callee: bool
    hidden: tuple[int, ...] = (40, 20)
    rounds: int = 5
    modules: int = 300
    """Modules in a round."""
    functions: int = 12
    """Of each at most so many are decided the other way."""
    trust: float = 0.1
    """What it costs to decide otherwise than the policy where nothing was tried, as a share of the mean of what it
    costs where something was."""
    steps: int = 3000
    """Of fitting, at least."""
    margins: tuple[float, ...] = (0.0, 1.0, 2.0, 4.0, 8.0)
    """How much surer than LLVM's heuristic the network must be, in logits: what serves the validation modules best is
    taken. With the largest, a network that has seen little still decides nearly as LLVM does, and is no bad policy to
    try functions under. Of a network that does not see what LLVM decides only 0 is."""
    seed: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Gains:
    """What was found about functions, one by one."""

    features: NDArray[np.int64]
    """(questions, features): of ``FEATURES``, whenever the policy was asked about a call of it; of the first call alone
    where that one decides for all."""
    saved: NDArray[np.float64]
    """(questions,): bytes that inlining saves, as a share of the module's, divided among the calls of the function that
    were decided alike; where that was not tried, more or less than nothing beyond measure, as the policy decided."""


def gains_of(
    modules: Sequence[Module], base: Network | None, how: Imitation, round_: int, pool: Pool
) -> tuple[Gains, int, float]:
    """Try functions the other way. Also how many compilations that took, and the modules' mean log of LLVM's bytes /
    the policy's. ``base``: the policy; None: LLVM's heuristic.
    """
    data = base.as_data() if base else b""

    def work(collector: Collector, module: Module) -> tuple[list[tuple[NDArray[np.int64], float]], int, float]:
        bitcode = module.read()

        def compiled(forced: dict[int, bool]) -> Compiled:
            exploration = Exploration() if base else HEURISTIC
            once = how.once_for_callee and base is not None
            return collector.compile(
                bitcode, exploration, forced=forced, all_features=True, once_for_callee=once, closed=module.closed
            )

        if base:
            collector.use(data)
        own = compiled({})
        plain = collector.compile(bitcode, HEURISTIC, closed=module.closed) if base else own
        steps = own.steps
        places = {int(callee): np.flatnonzero(steps.callees == callee) for callee in np.unique(steps.callees)}
        chance = np.random.default_rng([how.seed, round_, len(bitcode), own.digest % 2**32])
        order = chance.permutation([callee for callee in sorted(places) if callee >= 0])
        drawn, left = order[: how.functions], order[how.functions :]
        size = size_of(own, how.metric)
        found = [
            (steps.features[place], np.inf if steps.inline[place] else -np.inf)
            for callee in left.tolist()
            for place in (places[callee][:1] if how.once_for_callee else places[callee])
        ]
        tried = 0
        for callee in drawn.tolist():
            place = places[callee]
            inline = bool(steps.inline[place[0]])
            alike = place[steps.inline[place] == inline]
            as_is = size
            if how.once_for_callee and len(alike) < len(place):  # LLVM decides each call, and these otherwise
                as_is, tried = size_of(compiled({callee: inline}), how.metric), tried + 1
            other, tried = size_of(compiled({callee: not inline}), how.metric), tried + 1
            saved = (other - as_is if inline else as_is - other) / size
            asked = place[:1] if how.once_for_callee else alike
            found += [(steps.features[one], saved / len(asked)) for one in asked]
        return found, 1 + bool(base) + tried, float(np.log(size_of(plain, how.metric) / size))

    done = [one for one in pool.each("try", modules, work) if one is not None]
    if not done:
        raise ValueError(f"no module of a round could be compiled: {pool.lost[-1]}")
    rows = [row for found, _, _ in done for row in found]
    features = np.array([row[0] for row in rows], np.int64).reshape(len(rows), len(FEATURES))
    gains = Gains(features, np.array([row[1] for row in rows]))
    return gains, sum(count for _, count, _ in done), float(np.mean([log for _, _, log in done]))


def learn(
    train: Sequence[Module], validation: Judge, how: Imitation, folder: Path, pool: Pool, words: dict[str, Any]
) -> Network:
    """All rounds. A training that was killed goes on after its last round."""
    training = Training(folder, words, pool.cpu)
    places = [FEATURES.index(name) for name in how.features]
    features, saved = np.zeros((0, len(FEATURES)), np.int64), np.zeros(0)
    network: Network | None = None
    if kept := training.kept:
        features, saved, network = kept["features"], kept["saved"], Network.of_data(kept["network"].tobytes())
    for round_ in range(training.steps, how.rounds):
        chance = np.random.default_rng([how.seed, round_])
        drawn = [train[place] for place in chance.permutation(len(train))[: how.modules]]
        gains, compilations, log = gains_of(drawn, network, how, round_, pool)
        features = np.concatenate([features, gains.features])
        saved = np.concatenate([saved, gains.saved])
        start = fresh(how.features, features[:, places], how.hidden, how.seed)
        network = fit(start, _decided(features[:, places], saved, how.trust), how.seed, least=how.steps)
        network, gain, tried = _leaning(network, how, validation, pool)
        left: dict[str, NDArray[Any]] = {
            "features": features,
            "saved": saved,
            "network": np.frombuffer(network.as_data(), np.uint8),
        }
        training.advance(compilations + tried, pool.cpu, float(np.exp(log)), gain, left, network.as_data())
    assert network is not None, "a training has at least one round"
    return network


def _decided(features: NDArray[np.int64], saved: NDArray[np.float64], trust: float) -> Decided:
    told = saved != 0
    tried = told & np.isfinite(saved)
    mean = float(np.abs(saved[tried]).mean()) if tried.any() else 1.0
    weight = np.where(tried, np.abs(np.where(tried, saved, 0)), trust * mean)
    return Decided(features[told], saved[told] > 0, weight[told])


def _leaning(network: Network, how: Imitation, validation: Judge, pool: Pool) -> tuple[Network, float, int]:
    """The network with the margin that gains most; the gain, and the compilations that it took to find it."""
    margins = how.margins if _LLVM in how.features else (0.0,)
    ways = [network.leaning(_LLVM, margin) if margin else network for margin in margins]
    gains = [validation.gain(one, pool) for one in ways]
    best = int(np.argmax(gains))
    return ways[best], gains[best], len(ways) * len(validation.modules)
