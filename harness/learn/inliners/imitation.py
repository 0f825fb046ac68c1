"""Iterated imitation of the best: in each round modules are compiled under the policy as it is, and again with
functions decided the other way; whatever saves bytes is what the next policy learns.

MLGO's shipped model was made like this: several policies for each module, the best decisions cloned, and again. What
differs here is that policies differ in functions that are far apart, so that each question has an answer of its own:
the bytes that inlining all calls of the function saves, everything else being decided as before.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harness.learn.inliners.collector import HEURISTIC, Collector, Compiled, Exploration
from harness.learn.inliners.curve import Training
from harness.learn.inliners.fit import Decided, fit
from harness.learn.inliners.flips import answers
from harness.learn.inliners.gains import LLVM_INLINES, MARGINS, Found, Gains, Trust, trust_of
from harness.learn.inliners.judge import METRICS, Judge, size_of
from harness.learn.inliners.modules import Module
from harness.learn.inliners.network import Network, columns_of, fresh
from harness.learn.inliners.pool import Pool
from harness.problems.inlining.features import STATIC_FEATURES

__all__ = ["Imitation", "found_of", "learn", "learnt"]

_PASSES = 40
"""Over all questions, in fitting."""

_Saved = tuple[NDArray[np.int64], NDArray[np.float64]]
"""(features,): of a question; (metrics,): the share of bytes that inlining saves."""


@dataclass(frozen=True, slots=True)
class Imitation:
    """How to learn."""

    features: tuple[str, ...]
    metric: str
    once_for_callee: bool
    hidden: tuple[int, ...] = (80, 40)
    rounds: int = 5
    modules: int = 300
    """Modules in a round."""
    functions: int = 12
    """Of each at most so many are decided the other way."""
    blind: float = 0.2
    """Of features, in fitting."""
    steps: int = 3000
    """Of fitting, at least."""
    margins: tuple[float, ...] = MARGINS
    """Of which one is chosen. With the last, a network that has seen little decides as LLVM does, and is no bad policy
    to try functions under. A network that does not see what LLVM decides has none."""
    seed: int = 0


def found_of(
    modules: Sequence[Module], base: Network | None, how: Imitation, round_: int, pool: Pool
) -> tuple[Found, int, float]:
    """Try functions the other way. Also how many compilations that took, and the modules' mean log of LLVM's bytes /
    the policy's. ``base``: the policy; None: LLVM's heuristic.
    """
    data = base.as_data() if base else b""

    def work(collector: Collector, module: Module) -> tuple[list[_Saved], int, float]:
        bitcode = module.read()

        def compiled(forced: Mapping[int, bool]) -> Compiled:
            exploration = Exploration() if base else HEURISTIC
            once = how.once_for_callee and base is not None
            asked = not forced  # of what is tried the bytes are all that is wanted
            return collector.compile(
                bitcode, exploration, forced=forced, all_features=asked, once_for_callee=once, closed=module.closed
            )

        if base:
            collector.use(data)
        own = compiled({})
        plain = collector.compile(bitcode, HEURISTIC, closed=module.closed) if base else own
        if not size_of(own, how.metric):  # nothing of it is ever called
            return [], 1 + bool(base), 0.0
        chance = np.random.default_rng([how.seed, round_, len(bitcode), own.digest % 2**32])
        tried = 0

        def again(forced: Mapping[int, bool]) -> Compiled:
            nonlocal tried
            tried += 1
            return compiled(forced)

        found: list[_Saved] = []
        for answer in answers(again, own, plain.steps, how.functions, chance, once_for_callee=how.once_for_callee):
            saved = answer.saved / np.maximum(_sizes(own), 1)
            found += [(one, saved / len(answer.asked)) for one in answer.asked]
        return found, 1 + bool(base) + tried, _log(plain, own, how.metric)

    done = {place: one for place, one in enumerate(pool.each("try", modules, work)) if one is not None}
    if not done:
        raise ValueError(f"no module of a round could be compiled: {pool.lost[-1]}")
    rows = [(row, saved, place) for place, (found, _, _) in done.items() for row, saved in found]
    found = Found(
        np.array([row for row, _, _ in rows], np.int64).reshape(len(rows), len(STATIC_FEATURES)),
        np.array([saved for _, saved, _ in rows], np.float64).reshape(len(rows), len(METRICS)),
        np.array([place for _, _, place in rows], np.int64),
    )
    return found, sum(count for _, count, _ in done.values()), float(np.mean([log for _, _, log in done.values()]))


def learn(
    train: Sequence[Module], validation: Judge, how: Imitation, folder: Path, pool: Pool, words: dict[str, Any]
) -> Network:
    """All rounds. A training that was killed goes on after its last round."""
    training = Training(folder, words, pool.cpu)
    known = Found.none()
    network: Network | None = None
    if kept := training.kept:
        known = Found.kept(kept)
        network = Network.of_data(kept["network"].tobytes())
    for round_ in range(training.steps, how.rounds):
        drawn = _drawn(len(train), round_, how)
        found, compilations, log = found_of([train[place] for place in drawn], network, how, round_, pool)
        known = known.and_then(replace(found, modules=drawn[found.modules]))
        network, _ = learnt(known.by(how.metric), how)
        gain = validation.gain(network, pool)
        left = {**known.arrays(), "network": np.frombuffer(network.as_data(), np.uint8)}
        tried = compilations + len(validation.modules)
        training.advance(tried, pool.cpu, float(np.exp(log)), gain, left, network.as_data())
    assert network is not None, "a training has at least one round"
    return network


def learnt(gains: Gains, how: Imitation) -> tuple[Network, Trust]:
    """The network that decides as was best, as far as it may be trusted."""
    margins = how.margins if LLVM_INLINES in how.features else (0.0,)
    trust = trust_of(gains, lambda part: _answers(_fitted(part, how)), how.seed, margins)
    network = _fitted(gains, how)
    return network.leaning(LLVM_INLINES, trust.margin) if trust.margin else network, trust


def _drawn(modules: int, round_: int, how: Imitation) -> NDArray[np.int64]:
    """Places of a round's modules. None comes again before all have come."""
    order = np.random.default_rng(how.seed).permutation(modules)
    return order[(round_ * how.modules + np.arange(min(how.modules, modules))) % modules]


def _sizes(compiled: Compiled) -> NDArray[np.int64]:
    return np.array([size_of(compiled, metric) for metric in METRICS], np.int64)


def _log(plain: Compiled, own: Compiled, metric: str) -> float:
    return float(np.log(size_of(plain, metric) / size_of(own, metric)))


def _fitted(gains: Gains, how: Imitation) -> Network:
    told = gains.of(gains.saved != 0)
    start = fresh(how.features, columns_of(gains.features, how.features), how.hidden, how.seed)
    if not len(told.saved):
        return start.with_parameters(np.zeros_like(start.parameters()))  # sure of nothing
    decided = Decided(columns_of(told.features, how.features), told.saved > 0, told.weights)
    return fit(start, decided, how.seed, passes=_PASSES, least=how.steps, blind=how.blind)


def _answers(network: Network) -> Callable[[NDArray[np.int64]], NDArray[np.floating]]:
    return lambda features: network.logits(columns_of(features, network.features))
