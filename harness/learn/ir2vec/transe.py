"""TransE (Bordes et al., 2013): entities and relations as vectors, so that first + relation is near second.

A triplet is moved together, and one that is not there apart, until the squared distances differ by a margin. All chance
comes from one seed.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from harness.learn.ir2vec.triplets import Triplets

__all__ = ["Training", "Vectors", "mean_rank", "train"]


@dataclass(frozen=True, slots=True)
class Training:
    """How it is learned."""

    dimension: int = 75
    epochs: int = 1000
    rate: float = 0.01
    margin: float = 1.0
    batch: int = 128
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Vectors:
    """What is learned."""

    entities: NDArray[np.float64]
    """(entities, dimension): each of length 1, or 0 where no triplet has the entity."""
    relations: NDArray[np.float64]
    """(relations, dimension)."""


def train(triplets: Triplets, training: Training) -> Vectors:
    """Learn vectors of every entity that some triplet has."""
    chance = np.random.default_rng(training.seed)
    rows = triplets.rows
    count, kinds = len(triplets.entities), int(rows[:, 2].max()) + 1
    seen = np.unique(rows[:, :2])
    bound = 6 / np.sqrt(training.dimension)
    entities = chance.uniform(-bound, bound, (count, training.dimension))
    relations = _unit(chance.uniform(-bound, bound, (kinds, training.dimension)))
    there = np.zeros((count, count, kinds), dtype=bool)
    there[tuple(rows.T)] = True
    for _ in range(training.epochs):
        entities = _unit(entities)
        shuffled = rows[chance.permutation(len(rows))]
        for start in range(0, len(rows), training.batch):
            first, second, how = shuffled[start : start + training.batch].T
            other, is_first = chance.choice(seen, len(first)), chance.random(len(first)) < 0.5
            wrong_first, wrong_second = np.where(is_first, other, first), np.where(is_first, second, other)
            right = entities[first] + relations[how] - entities[second]
            wrong = entities[wrong_first] + relations[how] - entities[wrong_second]
            is_near = training.margin + (right**2).sum(axis=1) - (wrong**2).sum(axis=1) > 0
            moved = is_near & ~there[wrong_first, wrong_second, how]
            step = 2 * training.rate * moved[:, None]
            np.add.at(entities, first, -step * right)
            np.add.at(entities, second, step * right)
            np.add.at(entities, wrong_first, step * wrong)
            np.add.at(entities, wrong_second, -step * wrong)
            np.add.at(relations, how, step * (wrong - right))
    known = np.zeros((count, 1))
    known[seen] = 1
    return Vectors(_unit(entities) * known, relations)


def mean_rank(triplets: Triplets, vectors: Vectors) -> float:
    """Where the second entity of a triplet stands from 1 on, by nearness, among those that make no triplet there."""
    first, second, how = triplets.rows.T
    there = np.zeros((len(triplets.entities), len(triplets.entities), int(how.max()) + 1), dtype=bool)
    there[first, second, how] = True
    known = np.asarray(vectors.entities.any(axis=1))
    target = vectors.entities[first] + vectors.relations[how]
    far = ((target[:, None, :] - vectors.entities[None, :, :]) ** 2).sum(axis=2)
    own = far[np.arange(len(first)), second]
    others = known[None, :] & ~there[first, :, how]
    return float(1 + ((far < own[:, None]) & others).sum(axis=1).mean())


def _unit(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    lengths: NDArray[np.float64] = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / lengths
