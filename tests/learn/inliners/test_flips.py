"""Functions decided the other way, many in one compilation, against each in one of its own."""

from collections.abc import Mapping

import numpy as np
import pytest

from harness.learn.inliners.collector import HEURISTIC, Collector, Compiled
from harness.learn.inliners.flips import answers, flips
from harness.learn.inliners.judge import METRICS, size_of
from harness.learn.inliners.modules import Module
from harness.learn.inliners.pool import Pool


def bytes_of(done: Compiled) -> np.ndarray:
    return np.array([size_of(done, metric) for metric in METRICS])


@pytest.fixture(scope="module")
def compared(small: list[Module], bench: object) -> tuple[np.ndarray, np.ndarray, int]:
    """(questions, metrics): bytes that inlining saves, alone and together; and the compilations of the second."""
    alone, together, compilations = [], [], 0
    with Collector(bench) as collector:  # type: ignore[arg-type]
        for module in small:
            bitcode = module.read()
            tried: list[Mapping[int, bool]] = []

            def compiled(forced: Mapping[int, bool], bitcode: bytes = bitcode, tried: list = tried) -> Compiled:
                tried.append(forced)
                return collector.compile(bitcode, HEURISTIC, forced=forced, all_features=not forced)

            own = compiled({})
            each = [*flips(compiled, own, 1000, np.random.default_rng(0), once_for_callee=True)]
            tried.clear()
            many = [*answers(compiled, own, own.steps, 1000, np.random.default_rng(1), once_for_callee=True)]
            compilations += len(tried)
            by = {one.asked.tobytes(): one.saved(bytes_of) for one in each}
            assert len(each) == len(many) and set(by) == {one.asked.tobytes() for one in many}
            if len(by) == len(each):  # no two questions look alike
                alone += [by[one.asked.tobytes()] for one in many]
                together += [one.saved for one in many]
    return np.array(alone), np.array(together), compilations


def test_far_apart_functions_answer_in_one_compilation(compared: tuple[np.ndarray, np.ndarray, int]) -> None:
    alone, together, compilations = compared
    assert compilations < 0.8 * len(alone)
    for metric in range(len(METRICS)):
        one, other = alone[:, metric], together[:, metric]
        agreed = np.abs(one)[(one > 0) == (other > 0)].sum() / np.abs(one).sum()
        assert agreed > 0.97 and np.corrcoef(one, other)[0, 1] > 0.97


def test_one_function_is_answered_exactly(small: list[Module], pool: Pool) -> None:
    module = next(one for one in small if one.name == "cbench/dijkstra")
    with Collector(pool.bench) as collector:

        def compiled(forced: Mapping[int, bool]) -> Compiled:
            return collector.compile(module.read(), HEURISTIC, forced=forced, all_features=not forced)

        own = compiled({})
        for seed in range(4):
            (flip,) = flips(compiled, own, 1, np.random.default_rng(seed), once_for_callee=True)
            (answer,) = answers(compiled, own, own.steps, 1, np.random.default_rng(seed), once_for_callee=True)
            assert answer.asked.tolist() == flip.asked.tolist()
            assert answer.saved.tolist() == flip.saved(bytes_of).tolist()
