"""What a network is worth: the bytes of modules under LLVM's heuristic and under it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from harness.base.digest import digest_of
from harness.learn.inliners.collector import HEURISTIC, PROGRAM, Collector, Compiled, Exploration
from harness.learn.inliners.modules import Module
from harness.learn.inliners.network import Network
from harness.learn.inliners.pool import Pool
from harness.problems.inlining.replay import RULES
from harness.toolchain.native import native_digest

__all__ = ["METRICS", "Judge", "size_of"]

METRICS = ("size.alloc", "size.text")
_KIND = "judged"
_CERTAIN = Exploration()
_FAILED = 0.5
"""What a module counts that LLVM does not compile under a network: a run fails there, and standings then take the bytes
of -O0, about twice those of -Oz."""


def size_of(compiled: Compiled, metric: str) -> int:
    """Bytes by one of ``METRICS``."""
    return compiled.alloc if metric == METRICS[0] else compiled.text


@dataclass(frozen=True)
class Judge:
    """Compiles modules under LLVM's heuristic once, and under networks as often as it is asked."""

    modules: tuple[Module, ...]
    """Those that LLVM compiles."""
    bytes: NDArray[np.int64]
    """(modules,): under LLVM's heuristic."""
    metric: str
    once_for_callee: bool

    @classmethod
    def of(cls, modules: Sequence[Module], metric: str, pool: Pool, *, once_for_callee: bool) -> "Judge":
        """Compile all under LLVM's heuristic; a module that LLVM does not compile is left out.

        The sizes of each are kept in the cache as soon as they are known.
        """
        store, basis = pool.bench.store, [native_digest(PROGRAM), *RULES, pool.bench.toolchain.fingerprint.llvm]
        keys = [digest_of([_KIND, 2, module.digest, module.closed, *basis]) for module in modules]
        known: dict[str, list[int]] = {key: sizes for key in keys if (sizes := store.get(_KIND, key)) is not None}
        new = {key: module for key, module in zip(keys, modules, strict=True) if key not in known}

        def compile_one(collector: Collector, key: str) -> list[int]:
            module = new[key]
            done = collector.compile(module.read(), HEURISTIC, closed=module.closed)
            sizes = [size_of(done, one) for one in METRICS]
            store.put(_KIND, key, sizes)
            return sizes

        found = zip(new, pool.each("judge", list(new), compile_one), strict=True)
        known |= {key: sizes for key, sizes in found if sizes is not None}
        of = METRICS.index(metric)
        kept = [(module, known[key][of]) for key, module in zip(keys, modules, strict=True) if key in known]
        kept = [(module, size) for module, size in kept if size]
        return cls(tuple(module for module, _ in kept), np.array([size for _, size in kept]), metric, once_for_callee)

    def words(self) -> dict[str, object]:
        """What tells its modules from those of others."""
        return {"modules": len(self.modules), "digest": digest_of([module.digest for module in self.modules])}

    def ratios(self, network: Network, pool: Pool) -> NDArray[np.float64]:
        """(modules,): bytes under LLVM's heuristic / under the network; ½ where its decisions crash LLVM."""
        data = network.as_data()

        def compile_one(collector: Collector, module: Module) -> int:
            collector.use(data)
            done = collector.compile(
                module.read(), _CERTAIN, once_for_callee=self.once_for_callee, closed=module.closed
            )
            return size_of(done, self.metric)

        sizes: Iterator[int | None] = pool.each("judge", self.modules, compile_one)
        return np.array([own / size if size else _FAILED for own, size in zip(self.bytes, sizes, strict=True)])

    def gain(self, network: Network, pool: Pool) -> float:
        """The geometric mean of them."""
        return float(np.exp(np.log(self.ratios(network, pool)).mean()))

    def now_and_then(self, network: Network, step: int, every: int, steps: int, pool: Pool) -> tuple[float | None, int]:
        """The gain after every so many steps and after the last of them, and the compilations that it took."""
        if step % every and step != steps:
            return None, 0
        return self.gain(network, pool), len(self.modules)
