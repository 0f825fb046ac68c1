"""The model of size: what a function's code takes, from what its IR consists of. ``native/inline/size.cpp`` is where it
is used, and ``size_model.h`` what it has learnt.

It is linear, with no weight below zero, so that more code never counts as less. It is fitted to relative errors: with
plain ones it would be about the largest functions alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls
from scipy.stats import spearmanr

from harness.base.vocabulary import Target
from harness.learn.inliners.collector import PARTS, Collector, Compiled
from harness.learn.inliners.modules import Module
from harness.learn.inliners.pool import Pool

__all__ = ["Fit", "Sizes", "collect", "fitted", "header", "rank_correlation"]

_OFFSET = 16.0
"""Bytes that are added to a size before errors are taken relative to it."""
_COMMON = 24
"""Bytes of an unwind table that all functions share: the CIE."""
_NAMES = {Target.X86_64: "X86Size", Target.AARCH64: "AArch64Size"}


@dataclass(frozen=True, slots=True, eq=False)
class Sizes:
    """Functions, as they were compiled under LLVM's heuristic."""

    parts: NDArray[np.int64]
    """(functions, parts): ``PARTS``."""
    bytes: NDArray[np.int64]
    """(functions,): of code."""
    group: NDArray[np.str_]
    """(functions,): of the module that each is of."""
    unwind: NDArray[np.float64]
    """(modules, 3): of each how many functions there are, the sum of the logarithms of their bytes (of 2), and bytes of
    its unwind table without what all functions share."""


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """What was learnt for one target."""

    weights: NDArray[np.float64]
    """(parts,): bytes."""
    unwind: float
    """Bytes of the unwind table for a function."""
    doubling: float
    """More of them for each doubling of its code: it saves more registers."""

    def bytes(self, parts: NDArray[np.int64]) -> NDArray[np.float64]:
        """(functions,) of (functions, parts)."""
        return np.asarray(parts @ self.weights)

    def unwind_bytes(self, code: NDArray[np.float64]) -> float:
        """Of functions that have so many bytes of code: (functions,)."""
        return float(self.unwind * len(code) + self.doubling * np.log2(np.maximum(code, 1)).sum())


def collect(modules: Sequence[Module], pool: Pool) -> Sizes:
    """Compile each, and keep the functions that are there at the end."""
    kept: list[tuple[Module, Compiled]] = [
        (module, compiled)
        for module, compiled in zip(modules, pool.each("compile", modules, _compile), strict=True)
        if compiled is not None
    ]
    there = [compiled.functions >= 0 for _, compiled in kept]
    unwind = [_unwind(compiled) for _, compiled in kept]
    return Sizes(
        np.concatenate([_parts(compiled)[mask] for (_, compiled), mask in zip(kept, there, strict=True)]),
        np.concatenate([compiled.functions[mask] for (_, compiled), mask in zip(kept, there, strict=True)]),
        np.concatenate([np.full(mask.sum(), module.group) for (module, _), mask in zip(kept, there, strict=True)]),
        np.array(unwind),
    )


def _compile(collector: Collector, module: Module) -> Compiled:
    return collector.compile(module.read(), with_parts=True, closed=module.closed)


def _parts(compiled: Compiled) -> NDArray[np.int64]:
    assert compiled.parts is not None, "parts were asked for"
    return compiled.parts


def _unwind(compiled: Compiled) -> tuple[float, float, float]:
    there = compiled.functions[compiled.functions > 0]
    return len(there), float(np.log2(there).sum()), max(compiled.unwind - _COMMON, 0)


def fitted(seen: Sizes) -> Fit:
    """Least squares of relative errors."""
    scale = 1 / (seen.bytes + _OFFSET)
    weights, _ = nnls(seen.parts * scale[:, None], seen.bytes * scale)
    (unwind, doubling), _ = nnls(seen.unwind[:, :2], seen.unwind[:, 2])
    return Fit(weights, unwind, doubling)


def rank_correlation(seen: Sizes, folds: int, seed: int) -> float:
    """Spearman's, over functions of groups that a fit has not seen: every group is left out once."""
    chance = np.random.default_rng(seed)
    groups = chance.permutation(np.unique(seen.group))
    foretold = np.zeros(len(seen.bytes))
    for fold in range(folds):
        out = np.isin(seen.group, groups[fold::folds])
        fit = fitted(Sizes(seen.parts[~out], seen.bytes[~out], seen.group[~out], seen.unwind))
        foretold[out] = fit.bytes(seen.parts[out])
    return float(spearmanr(foretold, seen.bytes).statistic)


def header(fits: Mapping[Target, Fit]) -> str:
    """``native/inline/size_model.h``."""
    return _HEADER + "\n".join(_constant(_NAMES[target], fit) for target, fit in fits.items()) + _FOOTER


def _constant(name: str, fit: Fit) -> str:
    numbers = [f"{weight:.2f}," for weight in fit.weights]
    width = max(map(len, numbers))  # as clang-format has it
    rows = "\n".join(f"        {number:{width}} // {part}" for part, number in zip(PARTS, numbers, strict=True))
    beside = f"    {fit.unwind:.2f},\n    {fit.doubling:.2f},\n"
    return f"constexpr SizeModel {name} = {{\n    {{\n{rows}\n    }},\n{beside}}};\n"


_HEADER = """\
// The weights of the model of size: written by `python -m harness.learn.inliners size`.

#ifndef HARNESS_INLINE_SIZE_MODEL_H
#define HARNESS_INLINE_SIZE_MODEL_H

#include "size.h"

namespace harness {

struct SizeModel {
  std::array<double, NumSizeParts> Weights; // bytes
  double Unwind;                            // bytes of the unwind table for a function
  double UnwindOfDoubling;                  // more of them for each doubling of its code
};

"""
_FOOTER = """
} // namespace harness

#endif
"""
