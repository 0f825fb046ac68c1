"""How much can be known of a decision before code is generated: what those would find who saw what becomes of it.

Every function is decided the other way, one at a time, as in an imitation. One foreteller knows the module's IR at the
end of all passes, both ways, and estimates its bytes by the model of size; another knows the bytes of all functions'
code, and estimates the unwind table alone. A policy knows less than either when it is asked.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from harness.learn.inliners import size_model
from harness.learn.inliners.collector import HEURISTIC, Collector, Compiled
from harness.learn.inliners.flips import flips
from harness.learn.inliners.gains import FOLDS, folds_of, otherwise
from harness.learn.inliners.modules import Module
from harness.learn.inliners.pool import Pool

__all__ = ["FORETELLERS", "Foresight", "foresight"]

FORETELLERS = (
    "who knows the IR after all passes, both ways, and takes its bytes from the model of size",
    "who knows the bytes of all functions' code, both ways",
)

_MARGINS = (0, 2, 4, 8, 12, 16, 24, 32, 48, 64, 1 << 40)
"""Bytes that must be foretold before LLVM's decision is not followed. With the last it always is."""


@dataclass(frozen=True, slots=True, eq=False)
class Foresight:
    """What was found about functions, one by one."""

    saved: NDArray[np.float64]
    """(questions,): bytes that inlining saves, ``size.alloc``, as a share of the module's."""
    foretold: NDArray[np.float64]
    """(questions, foretellers): bytes that it was expected to save, by ``FORETELLERS``."""
    by_llvm: NDArray[np.bool_]
    """(questions,): what LLVM's heuristic decides."""
    modules: NDArray[np.int64]
    """(questions,): the place of the module."""

    @property
    def possible(self) -> float:
        """What deciding each function rightly would save, as a share of a module's bytes, averaged over modules."""
        return otherwise(self.saved, self.by_llvm, self.saved > 0) / max(len(np.unique(self.modules)), 1)

    def found(self, foreteller: int, seed: int = 0) -> float:
        """What following the foreteller would save, in the same measure. The margin is chosen by other modules.

        Raises ValueError where there are too few modules.
        """
        modules = len(np.unique(self.modules))
        if modules < FOLDS:
            raise ValueError(f"at least {FOLDS} modules must have something to decide, and {modules} have")
        saved = 0.0
        for beside in folds_of(self.modules, seed):
            best = max(_MARGINS, key=lambda margin: self._saved(foreteller, margin, ~beside))
            saved += self._saved(foreteller, best, beside)
        return saved / modules

    def _saved(self, foreteller: int, margin: int, wanted: NDArray[np.bool_]) -> float:
        foretold = self.foretold[wanted, foreteller]
        inline = foretold > np.where(self.by_llvm[wanted], -margin, margin)
        return otherwise(self.saved[wanted], self.by_llvm[wanted], inline)


def foresight(modules: Sequence[Module], most: int, seed: int, pool: Pool) -> tuple[Foresight, int]:
    """Of at most so many functions of each module. Also how many compilations that took. The model of size is fitted to
    these modules themselves, under LLVM's heuristic.
    """
    fit = size_model.fitted(size_model.collect(modules, pool))

    def weigh(done: Compiled) -> NDArray[np.float64]:
        known = done.functions[done.functions >= 0].astype(np.float64)
        assert done.parts is not None, "parts are asked for"
        estimated = fit.bytes(done.parts[done.functions >= 0])
        return np.array([done.alloc, *(bytes_.sum() + fit.unwind_bytes(bytes_) for bytes_ in (estimated, known))])

    def work(collector: Collector, module: Module) -> tuple[list[tuple[NDArray[np.float64], bool]], int]:
        bitcode, tried = module.read(), 0

        def compiled(forced: Mapping[int, bool]) -> Compiled:
            nonlocal tried
            tried += 1
            return collector.compile(bitcode, HEURISTIC, forced=forced, with_parts=True, closed=module.closed)

        own = compiled({})
        if not own.alloc:  # nothing of it is ever called
            return [], tried
        chance = np.random.default_rng([seed, own.digest % 2**32])
        found = []
        for flip in flips(compiled, own, most, chance, once_for_callee=True):
            alloc, *foretold = flip.saved(weigh)
            found.append((np.array([alloc / own.alloc, *foretold]), flip.inline))
        return found, tried

    done = [one or ([], 0) for one in pool.each("try", modules, work)]
    rows = [(numbers, inline, place) for place, (found, _) in enumerate(done) for numbers, inline in found]
    numbers = np.array([row for row, _, _ in rows]).reshape(len(rows), 1 + len(FORETELLERS))
    inline, places = np.array([one for _, one, _ in rows], bool), np.array([place for _, _, place in rows], np.int64)
    return Foresight(numbers[:, 0], numbers[:, 1:], inline, places), sum(tried for _, tried in done)
