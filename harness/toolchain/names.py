"""Names of C++ functions as a source writes them."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from harness.base.process import Limits, run
from harness.toolchain.llvm import Toolchain

__all__ = ["as_written"]

_AT_ONCE = 1000
"""Symbols for one call of the tool: a command line holds so many, however long."""


def as_written(symbols: Iterable[str], toolchain: Toolchain) -> Mapping[str, str]:
    """Symbol → name without parameters, or with them where several symbols would have the same; C's as they are."""
    mangled = sorted({symbol for symbol in symbols if symbol.startswith("_Z")})
    short = _demangled(mangled, ["--no-params"], toolchain)
    several = Counter(short.values())
    whole = _demangled([symbol for symbol in mangled if several[short[symbol]] > 1], [], toolchain)
    return {symbol: symbol for symbol in symbols} | short | whole


def _demangled(symbols: Sequence[str], options: Sequence[str], toolchain: Toolchain) -> dict[str, str]:
    found: dict[str, str] = {}
    for start in range(0, len(symbols), _AT_ONCE):
        some = symbols[start : start + _AT_ONCE]
        done = run([toolchain.tool("llvm-cxxfilt"), *options, *some], cwd=Path("/"), limits=Limits(wall=60))
        names = done.stdout.decode(errors="replace").splitlines()
        found.update(zip(some, names if done.ok and len(names) == len(some) else some, strict=True))
    return found
