"""A small network that says whether to inline: as numpy computes it, as ``native/collect`` reads it, and as a model
that a submission brings.

A feature goes through buckets, as MLGO's do: x is the share of its thresholds that are below it, and x, √x and x² are
inputs.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Self

import numpy as np
from numpy.typing import NDArray

from harness.problems.inlining.features import STATIC_FEATURES

__all__ = ["INPUTS", "Layer", "Network", "columns_of", "fresh", "thresholds_of"]

Floats = NDArray[np.float32]

INPUTS = 3
"""Of each feature."""
_BUCKETS = 100
"""At most, of each feature."""


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """A matrix and what is added."""

    weights: Floats
    """(outputs, inputs)."""
    bias: Floats
    """(outputs,)."""


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """Buckets, layers with ReLU between them, and one output: the logit of inlining."""

    features: tuple[str, ...]
    """Names, of ``STATIC_FEATURES``."""
    thresholds: tuple[Floats, ...]
    """Of each feature, ascending."""
    layers: tuple[Layer, ...]

    def inputs(self, features: NDArray[np.int64]) -> Floats:
        """(rows, inputs) of (rows, features)."""
        columns = []
        for values, limits in zip(features.T, self.thresholds, strict=True):
            share = np.searchsorted(limits, values.astype(np.float32)).astype(np.float32) / np.float32(len(limits))
            columns += [share, np.sqrt(share), share * share]
        return np.stack(columns, axis=1) if columns else np.zeros((len(features), 0), np.float32)

    def logits(self, features: NDArray[np.int64]) -> Floats:
        """(rows,): of inlining."""
        return self.outputs(self.inputs(features))[-1][:, 0]

    def outputs(self, inputs: Floats) -> list[Floats]:
        """What each layer makes of (rows, inputs), the inputs first and the logits last."""
        values = [inputs]
        for number, layer in enumerate(self.layers):
            total = values[-1] @ layer.weights.T + layer.bias
            values.append(total if number + 1 == len(self.layers) else np.maximum(total, 0))
        return values

    def gradient(self, outputs: Sequence[Floats], slopes: Floats) -> Floats:
        """(parameters,): of the sum over rows of slope × logit. ``outputs``: of the same rows. ``slopes``: (rows,)."""
        parts: list[Floats] = []
        above = slopes[:, None]
        for number in range(len(self.layers) - 1, -1, -1):
            parts += [above.sum(axis=0), (above.T @ outputs[number]).ravel()]
            if number:
                above = (above @ self.layers[number].weights) * (outputs[number] > 0)
        return np.concatenate(parts[::-1])

    def parameters(self) -> Floats:
        """(parameters,): of each layer the weights, then what is added."""
        return np.concatenate([part for layer in self.layers for part in (layer.weights.ravel(), layer.bias)])

    def with_parameters(self, values: NDArray[np.floating]) -> Self:
        """The same with others."""
        left = values.astype(np.float32)
        layers = []
        for layer in self.layers:
            size = layer.weights.size
            weights, bias, left = left[:size], left[size : size + layer.bias.size], left[size + layer.bias.size :]
            layers.append(Layer(weights.reshape(layer.weights.shape), bias))
        return replace(self, layers=tuple(layers))

    def leaning(self, name: str, margin: float) -> Self:
        """The same with ``margin`` more for a logit where the feature ``name``, 0 or 1, is 1, and as much less where it
        is 0: such a decision is otherwise only where the network is surer than that.

        One unit more in each hidden layer carries the feature. Raises ValueError where it is none of the network's.
        """
        if name not in self.features:
            raise ValueError(f"the network does not see {name}")
        at = self.features.index(name)
        values = np.zeros((2, len(self.features)), np.int64)
        values[1, at] = 1
        low, high = self.inputs(values)[:, INPUTS * at].tolist()
        if low == high:
            raise ValueError(f"the network's buckets do not tell 0 from 1 in {name}")
        carried = np.zeros(self.layers[0].weights.shape[1], np.float32)
        carried[INPUTS * at] = 1
        layers = []
        for number, layer in enumerate(self.layers):
            weights = layer.weights if number == 0 else np.pad(layer.weights, ((0, 0), (0, 1)))
            if number + 1 < len(self.layers):
                row = carried if number == 0 else np.eye(1, weights.shape[1], weights.shape[1] - 1, np.float32)[0]
                layers.append(Layer(np.vstack([weights, row]), np.append(layer.bias, np.float32(0))))
            else:
                slope = np.float32(2 * margin / (high - low))
                last = weights + slope * (carried if number == 0 else np.eye(1, weights.shape[1], weights.shape[1] - 1))
                layers.append(Layer(last.astype(np.float32), layer.bias - np.float32(margin + slope * low)))
        return replace(self, layers=tuple(layers))

    def as_data(self) -> bytes:
        """As ``native/collect/network.h`` says."""
        parts = [struct.pack("<H", len(self.features))]
        for name, limits in zip(self.features, self.thresholds, strict=True):
            parts += [struct.pack("<HH", STATIC_FEATURES.index(name), len(limits)), limits.astype("<f4").tobytes()]
        parts.append(struct.pack("<H", len(self.layers)))
        for layer in self.layers:
            rows = np.concatenate([layer.weights, layer.bias[:, None]], axis=1)
            parts += [struct.pack("<H", len(rows)), rows.astype("<f4").tobytes()]
        return b"".join(parts)

    @classmethod
    def of_data(cls, data: bytes) -> Self:
        """The network of ``as_data``. Raises ValueError for what is none."""
        try:
            return cls._read(memoryview(data))
        except (struct.error, IndexError) as error:
            raise ValueError(f"this is no network: {error}") from None

    @classmethod
    def _read(cls, data: memoryview) -> Self:
        at = 0

        def numbers(count: int) -> tuple[int, ...]:
            nonlocal at
            found = struct.unpack_from(f"<{count}H", data, at)
            at += 2 * count
            return found

        def floats(count: int) -> Floats:
            nonlocal at
            found = np.array(struct.unpack_from(f"<{count}f", data, at), np.float32)
            at += 4 * count
            return found

        features, thresholds, layers = [], [], []
        for _ in range(*numbers(1)):
            index, limits = numbers(2)
            features.append(STATIC_FEATURES[index])
            thresholds.append(floats(limits))
        width = INPUTS * len(features)
        for _ in range(*numbers(1)):
            (rows,) = numbers(1)
            whole = floats(rows * (width + 1)).reshape(rows, width + 1)
            layers.append(Layer(whole[:, :-1].copy(), whole[:, -1].copy()))
            width = rows
        if at != len(data) or not layers or width != 1:
            raise ValueError("this is no network: it has another length, or other layers")
        return cls(tuple(features), tuple(thresholds), tuple(layers))


def columns_of(features: NDArray[np.int64], names: Sequence[str]) -> NDArray[np.int64]:
    """(rows, names) of (rows, ``STATIC_FEATURES``): those that a network asks for."""
    return features[:, [STATIC_FEATURES.index(name) for name in names]]


def thresholds_of(values: NDArray[np.int64]) -> Floats:
    """Quantiles of what was seen of a feature, each once: at least one."""
    found = np.unique(np.quantile(values, np.linspace(0, 1, _BUCKETS), method="inverted_cdf"))
    return found.astype(np.float32)


def fresh(features: Sequence[str], seen: NDArray[np.int64], hidden: Sequence[int], seed: int) -> Network:
    """One that has learnt nothing. ``seen``: (rows, features), of which the buckets are made. ``hidden``: widths."""
    chance = np.random.default_rng(seed)
    widths = [INPUTS * len(features), *hidden, 1]
    layers = [
        Layer(
            (chance.standard_normal((outputs, inputs)) * np.sqrt(2 / max(inputs, 1))).astype(np.float32),
            np.zeros(outputs, np.float32),
        )
        for inputs, outputs in pairwise(widths)
    ]
    return Network(tuple(features), tuple(thresholds_of(column) for column in seen.T), tuple(layers))
