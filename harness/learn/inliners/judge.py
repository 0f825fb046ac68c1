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
from harness.toolchain.native import native_digest

__all__ = ["METRICS", "Judge", "size_of"]

METRICS = ("size.alloc", "size.text")
_CERTAIN = Exploration()


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

        Sizes of the same modules are kept in the cache.
        """

        def compile_one(collector: Collector, module: Module) -> list[int]:
            done = collector.compile(module.read(), HEURISTIC, closed=module.closed)
            return [size_of(done, one) for one in METRICS]

        known = [[module.digest, module.closed] for module in modules]
        key = digest_of(["judged", 1, known, native_digest(PROGRAM), pool.bench.toolchain.fingerprint.llvm])
        sizes = pool.bench.store.get("judged", key)
        if sizes is None:
            sizes = list(pool.each("judge", modules, compile_one))
            pool.bench.store.put("judged", key, sizes)
        of = METRICS.index(metric)
        kept = [(module, size[of]) for module, size in zip(modules, sizes, strict=True) if size and size[of]]
        return cls(tuple(module for module, _ in kept), np.array([size for _, size in kept]), metric, once_for_callee)

    def ratios(self, network: Network, pool: Pool) -> NDArray[np.float64]:
        """(modules,): bytes under LLVM's heuristic / under the network; 1 where it crashes LLVM."""
        data = network.as_data()

        def compile_one(collector: Collector, module: Module) -> int:
            collector.use(data)
            done = collector.compile(
                module.read(), _CERTAIN, once_for_callee=self.once_for_callee, closed=module.closed
            )
            return size_of(done, self.metric)

        sizes: Iterator[int | None] = pool.each("judge", self.modules, compile_one)
        return np.array([own / (size or own) for own, size in zip(self.bytes, sizes, strict=True)])

    def gain(self, network: Network, pool: Pool) -> float:
        """The geometric mean of them."""
        return float(np.exp(np.log(self.ratios(network, pool)).mean()))

    def now_and_then(self, network: Network, step: int, every: int, steps: int, pool: Pool) -> tuple[float | None, int]:
        """The gain after every so many steps and after the last of them, and the compilations that it took."""
        if step % every and step != steps:
            return None, 0
        return self.gain(network, pool), len(self.modules)
