"""Cloning: a network that decides as LLVM's heuristic does, from what it was asked while modules were compiled."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from harness.learn.inliners.collector import HEURISTIC, Collector
from harness.learn.inliners.fit import Decided, fit
from harness.learn.inliners.modules import Module
from harness.learn.inliners.network import Network, columns_of, fresh
from harness.learn.inliners.pool import Pool
from harness.problems.inlining.features import STATIC_FEATURES

__all__ = ["MLGO_FEATURES", "Seen", "agreement", "clone", "questions_of"]

MLGO_FEATURES = (
    *("callee_basic_block_count", "callee_conditionally_executed_blocks", "callee_users"),
    *("caller_basic_block_count", "caller_conditionally_executed_blocks", "caller_users"),
    *("callsite_height", "cost_estimate", "nr_ctant_params", "node_count", "edge_count"),
)
"""The eleven of the paper."""


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """Questions under LLVM's heuristic."""

    features: NDArray[np.int64]
    """(questions, features): of ``STATIC_FEATURES``."""
    inline: NDArray[np.bool_]
    """(questions,): what LLVM decided."""


def questions_of(modules: Sequence[Module], pool: Pool) -> Seen:
    """All questions of these modules."""

    def work(collector: Collector, module: Module) -> Seen:
        steps = collector.compile(module.read(), HEURISTIC, all_features=True, closed=module.closed).steps
        return Seen(steps.features.reshape(-1, len(STATIC_FEATURES)), steps.inline)

    found = [one for one in pool.each("ask", modules, work) if one is not None]
    return Seen(np.concatenate([one.features for one in found]), np.concatenate([one.inline for one in found]))


def clone(seen: Seen, features: Sequence[str], hidden: Sequence[int], seed: int, *, passes: int = 30) -> Network:
    """A network that decides as these were decided."""
    columns = columns_of(seen.features, features)
    start = fresh(features, columns, hidden, seed)
    return fit(start, Decided(columns, seen.inline, np.ones(len(columns))), seed, passes=passes)


def agreement(network: Network, seen: Seen) -> float:
    """The share of questions that it answers as LLVM does."""
    columns = columns_of(seen.features, network.features)
    return float(((network.logits(columns) > 0) == seen.inline).mean())
