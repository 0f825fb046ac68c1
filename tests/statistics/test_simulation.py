"""What verdicts and intervals are worth, simulated in short: ``make verdict-simulation`` does it at length."""

import math
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from benchmarks.simulation import (
    Board,
    Population,
    committed_boards,
    coverage,
    false_verdicts,
    flipped,
    made,
    populations,
    power,
    report,
    simulate,
)
from harness.base.progress import SilentObserver
from tests.drive import ROOT

RESULTS = ROOT / "results"


def at_most(share: float, count: int) -> float:
    """What a share of so many tries may be by chance, once in a thousand."""
    return share + 3.1 * math.sqrt(share * (1 - share) / count)


@pytest.mark.parametrize("kind", ["normal", "t3"])
def test_boards_of_equals_seldom_have_a_verdict(kind: str) -> None:
    def draw(rng: np.random.Generator) -> tuple[np.ndarray, list[str]]:
        return made(rng, 5, 10, kind), [str(number) for number in range(10)]

    found = false_verdicts(draw, 400, np.random.default_rng(1))
    assert found["now"] <= at_most(0.05, 400)
    assert found["now"] > 0.01, "else it could say nothing"


@pytest.mark.slow
def test_committed_boards_of_equals_seldom_have_a_verdict() -> None:
    boards = committed_boards(RESULTS)
    assert len(boards) > 10

    def draw(rng: np.random.Generator) -> tuple[np.ndarray, list[str]]:
        values, clusters = flipped(boards[int(rng.integers(len(boards)))], rng)
        return values, list(clusters)

    found = false_verdicts(draw, 120, np.random.default_rng(2))
    assert found["now"] <= at_most(0.05, 120)


@pytest.mark.slow
def test_intervals_hold_the_mean_of_committed_shapes() -> None:
    """All but the shapes of which one program is far out: of those a sample may miss it, and the row says so."""
    usual = [one for one in populations(committed_boards(RESULTS)) if one.shape != "one far out"]
    assert len(usual) > 20
    held = [coverage(one, 40, np.random.default_rng(number))["now"] for number, one in enumerate(usual[::4])]
    assert float(np.mean(held)) >= 0.92
    assert min(held) >= 0.75


def test_clusters_are_drawn_as_a_whole() -> None:
    """Twenty copies of five programs are five: an interval that took them for a hundred would be far too narrow."""
    five = np.random.default_rng(3).normal(0, 1, 7)
    copies = Population("made", np.repeat(five, 6), tuple(str(at) for at in range(7) for _ in range(6)))
    found = coverage(copies, 150, np.random.default_rng(4))
    assert found["now"] > 0.85 > found["before"] + 0.2


def test_a_gain_is_found_more_often_than_before() -> None:
    """Policies that nobody asked about do not weaken the one."""
    found = power(10, 0.01, 0.01, 150, np.random.default_rng(5))
    assert found["now"] > found["before"] + 0.1
    assert power(10, 0.03, 0.01, 50, np.random.default_rng(6))["now"] > 0.9


def test_what_was_simulated_is_not_simulated_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    board = Board("made", np.random.default_rng(7).normal(0, 1, (2, 8)), tuple("abcdefgh"))
    monkeypatch.setattr("benchmarks.simulation.PROGRAMS", (6, 7))
    monkeypatch.setattr("benchmarks.simulation.EXACT_UP_TO", 20)
    again = partial(simulate, [board], 0.02, tmp_path / "known.jsonl", SilentObserver())
    first = again()
    file = tmp_path / "known.jsonl"
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join(lines[:3]) + lines[3][:20])  # killed while it wrote
    assert again() == first
    assert "".join(lines[:3]) in file.read_text()
    assert "| 6 | 1% | 1% |" in "\n".join(report(first))
