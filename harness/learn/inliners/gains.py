"""What was found about functions by deciding them the other way, and how far one may go by what was learnt of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from harness.learn.inliners.judge import METRICS
from harness.problems.inlining.features import FEATURES

__all__ = ["LLVM_INLINES", "MARGINS", "Found", "Gains", "margin_of"]

LLVM_INLINES = "llvm_inlines"
"""The feature: what LLVM's heuristic decides."""

MARGINS = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 1000.0)
"""How much surer than LLVM's heuristic what has learnt must be, in logits. With the last LLVM decides."""

_FOLDS = 5

Logits = Callable[[NDArray[np.int64]], NDArray[np.floating]]
"""(questions,) of (questions, features), of ``FEATURES``: the logits of inlining."""


@dataclass(frozen=True, slots=True, eq=False)
class Gains:
    """What was found about functions, one by one, in bytes of one metric."""

    features: NDArray[np.int64]
    """(questions, features): of ``FEATURES``, whenever the policy was asked about a call of it; of the first call alone
    where that one decides for all."""
    saved: NDArray[np.float64]
    """(questions,): bytes that inlining saves, as a share of the module's, divided among the calls of the function that
    were decided alike."""
    modules: NDArray[np.int64]
    """(questions,): the place of the module."""

    def of(self, wanted: NDArray[np.bool_]) -> Self:
        """Some of them. ``wanted``: (questions,)."""
        return type(self)(self.features[wanted], self.saved[wanted], self.modules[wanted])

    @property
    def weights(self) -> NDArray[np.float64]:
        """(questions,): what a wrong answer costs; 0 where both are right. The square root of the bytes, which differ
        by a thousand between functions: a few would decide alone.
        """
        return np.asarray(np.sqrt(np.abs(self.saved)))


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """The same in bytes of every metric: what a training keeps. The compilations are the same for all of them."""

    features: NDArray[np.int64]
    """(questions, features), as those of ``Gains``."""
    saved: NDArray[np.float64]
    """(questions, metrics), in the order of ``METRICS``."""
    modules: NDArray[np.int64]
    """(questions,)."""

    @classmethod
    def none(cls) -> Self:
        """Before anything was found."""
        return cls(np.zeros((0, len(FEATURES)), np.int64), np.zeros((0, len(METRICS))), np.zeros(0, np.int64))

    @classmethod
    def kept(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Those of ``arrays``. Raises ValueError where they are none, as of a version with other features."""
        features, saved, modules = (arrays.get(name, np.zeros(0)) for name in ("features", "saved", "modules"))
        questions = len(modules)
        if features.shape != (questions, len(FEATURES)) or saved.shape != (questions, len(METRICS)):
            raise ValueError("no findings of an imitation, or those of a version with other features")
        if [features.dtype.kind, saved.dtype.kind, modules.dtype.kind] != ["i", "f", "i"] or not np.isfinite(
            saved
        ).all():
            raise ValueError("findings of an imitation are whole numbers, and finite shares of bytes")
        return cls(features, saved, modules)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """By name."""
        return {"features": self.features, "saved": self.saved, "modules": self.modules}

    def and_then(self, more: Self) -> Self:
        """These, and others."""
        parts = zip(self.arrays().values(), more.arrays().values(), strict=True)
        return type(self)(*(np.concatenate(pair) for pair in parts))

    def within(self, modules: NDArray[np.int64]) -> Self:
        """What was found in these modules alone."""
        wanted = np.isin(self.modules, modules)
        return type(self)(*(part[wanted] for part in self.arrays().values()))

    def by(self, metric: str) -> Gains:
        """In bytes of one of ``METRICS``."""
        return Gains(self.features, self.saved[:, METRICS.index(metric)], self.modules)


def margin_of(gains: Gains, fitted: Callable[[Gains], Logits], seed: int, margins: Sequence[float] = MARGINS) -> float:
    """The margin with which what is ``fitted`` without a fifth of the modules saves most there; the last where there
    are too few modules.
    """
    if len(margins) == 1:
        return margins[0]
    modules = np.unique(gains.modules)
    if len(modules) < _FOLDS:
        return margins[-1]
    folds = np.random.default_rng(seed).permutation(len(modules))[np.searchsorted(modules, gains.modules)] % _FOLDS
    saved = np.zeros(len(margins))
    for fold in range(_FOLDS):
        beside = gains.of(folds == fold)
        logits = fitted(gains.of(folds != fold))(beside.features)
        by_llvm = beside.features[:, FEATURES.index(LLVM_INLINES)] > 0
        for place, margin in enumerate(margins):
            inline = logits + np.where(by_llvm, margin, -margin) > 0
            saved[place] += beside.saved[inline & ~by_llvm].sum() - beside.saved[~inline & by_llvm].sum()
    return margins[int(np.argmax(saved))]
