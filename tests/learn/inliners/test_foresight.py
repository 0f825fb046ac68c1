"""What is known of a decision by who sees what becomes of it."""

import numpy as np
import pytest

from harness.learn.inliners.collector import Collector
from harness.learn.inliners.foresight import FORETELLERS, Foresight, foresight
from harness.learn.inliners.modules import Module
from harness.learn.inliners.pool import Pool
from tests.learn.inliners.test_collector import as_bitcode
from tests.learn.inliners.test_training import EMPTY


def test_each_function_is_tried_and_foretold(small: list[Module], pool: Pool) -> None:
    module = next(one for one in small if one.name == "cbench/patricia")
    known, compilations = foresight([module], 1000, 0, pool)
    with Collector(pool.bench) as collector:
        own = collector.compile(module.read())
        callees = np.unique(own.steps.callees[own.steps.callees >= 0]).tolist()
        ways = [[collector.compile(module.read(), forced={one: way}) for way in (False, True)] for one in callees]
    saved = [(apart.alloc - inlined.alloc) / own.alloc for apart, inlined in ways]
    assert sorted(known.saved) == pytest.approx(sorted(saved)) and known.saved.any()
    assert len(callees) < compilations <= 1 + 2 * len(callees)
    right = sum(max(one, 0) if not llvm else max(-one, 0) for one, llvm in zip(known.saved, known.by_llvm, strict=True))
    assert known.possible == pytest.approx(right)
    for foreteller in range(len(FORETELLERS)):  # in bytes, and not far from the truth
        foretold = known.foretold[:, foreteller]
        assert np.corrcoef(foretold, known.saved)[0, 1] > 0.7
        assert np.median(np.abs(foretold - known.saved * own.alloc)) < 64


def test_a_module_without_bytes_is_left_out(small: list[Module], pool: Pool) -> None:
    bitcode = as_bitcode(EMPTY, pool.bench.toolchain)
    empty = Module("empty", "empty", lambda: bitcode, "0" * 64, closed=True)
    known, _ = foresight([empty, small[1]], 3, 0, pool)
    assert set(known.modules) == {1}


def known_of(foretold: list[float]) -> Foresight:
    """Fifty modules with two functions each, which LLVM inlines: that is right of the first and wrong of the second."""
    saved = np.tile([0.02, -0.03], 50)
    told = np.tile(foretold, 50)[:, None]
    return Foresight(saved, told, np.ones(100, bool), np.repeat(np.arange(50), 2))


@pytest.mark.parametrize(
    ("foretold", "found"),
    [([50, -70], 0.03), ([-10, -70], 0.03), ([50, 70], 0.0), ([-70, 70], 0.0), ([-70, -10], 0.01)],
)
def test_a_foreteller_is_followed_beyond_a_margin(foretold: list[float], found: float) -> None:
    """The margin that is best on other modules, LLVM's own decision where there is none."""
    known = known_of(foretold)
    assert known.possible == pytest.approx(0.03)
    assert known.found(0) == pytest.approx(found)


def test_few_modules_say_nothing() -> None:
    with pytest.raises(ValueError, match="at least"):
        Foresight(np.ones(2), np.ones((2, 1)), np.ones(2, bool), np.arange(2)).found(0)
