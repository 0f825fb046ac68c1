"""Learn priorities of live ranges, on programs of the train splits.

usage: python -m harness.learn.priorities collect --judged FILE [--suite cbench ...]
       python -m harness.learn.priorities fit     --judged FILE [--suite cbench ...] --output model.onnx

``collect`` judges weights on each program, by what its hot functions would execute: from Greedy on, each weight a step
more and a step less, and so on from the best of them. It goes on where it was interrupted: a line of FILE for each
weights on each program. ``fit`` says what that is worth on programs left out, after each round, judging what it
needs besides; and writes what the best number of rounds gives as a submission's network (docs/regalloc.md).
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from harness.learn.command import exit_code
from harness.learn.priorities.judged import Judged, train_programs
from harness.learn.priorities.network import network
from harness.learn.priorities.scorer import NAMES
from harness.learn.priorities.search import FEAR, STEPS, Gains, climbed, left_out, merit
from harness.sandbox.bench import open_bench

_SUITES = ("cbench", "mibench", "polybench", "spec-like")
_FOLDS = 6


def main() -> None:
    """Do what the words say."""
    options = _options()
    programs = train_programs(options.suite or _SUITES)
    names = list(programs)
    clusters = [program.benchmark.cluster or name for name, program in programs.items()]
    judged = Judged(options.judged, open_bench())
    if options.what == "collect":
        climbed(names, clusters, len(STEPS), lambda weights, chosen: _told(judged.gains(weights, chosen), clusters))
    else:
        _fit(names, clusters, judged, options.output)


def _told(gains: list[float], clusters: Sequence[str]) -> list[float]:
    print(_said(np.array(gains), clusters), flush=True)
    return gains


def _fit(names: Sequence[str], clusters: Sequence[str], judged: Judged, output: Path) -> None:
    rounds = range(len(STEPS) + 1)
    without = [left_out(names, clusters, count, _FOLDS, judged.gains) for count in rounds]
    for count, gains in zip(rounds, without, strict=True):
        print(f"{count} rounds, left out: {_said(gains, clusters)}")
    best = max(rounds, key=lambda count: merit(without[count], clusters))
    weights = climbed(names, clusters, best, judged.gains)
    gains = np.array(judged.gains(weights, names))
    for name, own, other in zip(names, gains, without[best], strict=True):
        print(f"{name:24} {np.exp(own):.4f}  left out: {np.exp(other):.4f}")
    print(f"{best} rounds: {_said(gains, clusters)}")
    print(", ".join(f"{name} {weight:+g}" for name, weight in zip(NAMES, weights, strict=True) if weight))
    output.write_bytes(network(weights))


def _said(gains: Gains, clusters: Sequence[str]) -> str:
    mean, felt = merit(gains, clusters, 0), merit(gains, clusters, FEAR)
    return f"{np.exp(mean):.4f} (merit {felt:+.4f}, worse on {int((gains < 0).sum())} of {len(gains)})"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m harness.learn.priorities")
    parser.add_argument("what", choices=["collect", "fit"])
    parser.add_argument("--judged", type=Path, required=True, help="file of what was judged")
    parser.add_argument("--suite", action="append", help="train split of this suite; repeatable (default: all four)")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    if options.what == "fit" and options.output is None:
        parser.error("fit needs --output")
    return options


if __name__ == "__main__":
    sys.exit(exit_code(main))
