"""What was found about functions by deciding them the other way, and how far one may go by what was learnt of it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from harness.learn.inliners.judge import METRICS
from harness.problems.inlining.features import STATIC_FEATURES

__all__ = ["FOLDS", "LLVM_INLINES", "MARGINS", "Found", "Gains", "Trust", "folds_of", "otherwise", "trust_of"]

LLVM_INLINES = "llvm_inlines"
"""The feature: what LLVM's heuristic decides."""

MARGINS = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 1000.0)
"""How much surer than LLVM's heuristic what has learnt must be, in logits. With the last LLVM decides."""

FOLDS = 5
"""Parts that modules are dealt into; each is left out once."""

Logits = Callable[[NDArray[np.int64]], NDArray[np.floating]]
"""(questions,) of (questions, features), of ``STATIC_FEATURES``: the logits of inlining."""


@dataclass(frozen=True, slots=True, eq=False)
class Gains:
    """What was found about functions, one by one, in bytes of one metric."""

    features: NDArray[np.int64]
    """(questions, features): of ``STATIC_FEATURES``, whenever the policy was asked about a call of it; of the first
    call alone where that one decides for all."""
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
        return cls(np.zeros((0, len(STATIC_FEATURES)), np.int64), np.zeros((0, len(METRICS))), np.zeros(0, np.int64))

    @classmethod
    def kept(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Those of ``arrays``. Raises ValueError where they are none, as of a version with other features."""
        features, saved, modules = (arrays.get(name, np.zeros(0)) for name in ("features", "saved", "modules"))
        questions = len(modules)
        if features.shape != (questions, len(STATIC_FEATURES)) or saved.shape != (questions, len(METRICS)):
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

    def beside(self, others: Self) -> Self:
        """These, and those of a training that has other modules."""
        past = self.modules.max() + 1 if len(self.modules) else 0
        return self.and_then(type(self)(others.features, others.saved, others.modules + past))

    def within(self, modules: NDArray[np.int64]) -> Self:
        """What was found in these modules alone."""
        wanted = np.isin(self.modules, modules)
        return type(self)(*(part[wanted] for part in self.arrays().values()))

    def by(self, metric: str) -> Gains:
        """In bytes of one of ``METRICS``."""
        return Gains(self.features, self.saved[:, METRICS.index(metric)], self.modules)


@dataclass(frozen=True, slots=True)
class Trust:
    """How far what was learnt may be followed, by what it would have saved in modules that were left out."""

    margin: float
    """How much surer than LLVM's heuristic it must be, in logits: the one that saves most there."""
    saved: float
    """What functions save that are decided so, one by one, as a share of their modules' bytes, all modules together."""
    possible: float
    """The same if each were decided as was better."""

    def __str__(self) -> str:
        """As a sentence."""
        if not self.possible:
            return "nothing is decided better than LLVM decides it"
        share = self.saved / self.possible
        return f"{share:.0%} of what deciding each function rightly saves in modules left out, margin {self.margin:g}"


def trust_of(gains: Gains, fitted: Callable[[Gains], Logits], seed: int, margins: Sequence[float] = MARGINS) -> Trust:
    """Of what is ``fitted`` without a fifth of the modules, every fifth in turn; where there are too few modules, with
    the last margin.
    """
    by_llvm = gains.features[:, STATIC_FEATURES.index(LLVM_INLINES)] > 0
    possible = float(otherwise(gains.saved, by_llvm, gains.saved > 0))
    modules = np.unique(gains.modules)
    if len(modules) < FOLDS:
        return Trust(margins[-1], 0.0, possible)
    saved = np.zeros(len(margins))
    for beside in folds_of(gains.modules, seed):
        logits = fitted(gains.of(~beside))(gains.features[beside])
        for place, margin in enumerate(margins):
            inline = logits + np.where(by_llvm[beside], margin, -margin) > 0
            saved[place] += otherwise(gains.saved[beside], by_llvm[beside], inline)
    best = int(np.argmax(saved))
    return Trust(margins[best], float(saved[best]), possible)


def folds_of(modules: NDArray[np.int64], seed: int) -> Iterator[NDArray[np.bool_]]:
    """Of questions about ``modules``, (questions,): which of them are left out, ``FOLDS`` times, modules as a whole."""
    known = np.unique(modules)
    dealt = np.random.default_rng(seed).permutation(len(known))[np.searchsorted(known, modules)] % FOLDS
    return (dealt == fold for fold in range(FOLDS))


def otherwise(saved: NDArray[np.float64], by_llvm: NDArray[np.bool_], inline: NDArray[np.bool_]) -> float:
    """What is saved where ``inline`` and LLVM's heuristic differ. All (questions,); ``saved``: by inlining."""
    return float(saved[inline & ~by_llvm].sum() - saved[~inline & by_llvm].sum())
