"""Learn what allocates a function, on programs of the train splits.

usage: python -m harness.learn.allocators collect --examples FILE [--suite cbench] [--suite mibench] [--split train]
       python -m harness.learn.allocators fit --examples FILE [--depth 3] [--least 0.01] --output heuristic.cpp
       python -m harness.learn.allocators oracle --examples FILE [--cost "mca.static + spills.static"]

``collect`` compiles and runs each program under each allocation, and goes on where it was interrupted: a line of FILE
for each program. ``fit`` grows a tree of it, says what it is worth on programs that were left out, and writes it as a
submission's C++. ``oracle`` says what the best choice for each function would save, which nobody can know before it has
run, and what a choice by a static cost does save (docs/regalloc.md).
"""

import argparse
import json
import math
import sys
from pathlib import Path

from harness.base.errors import CellError
from harness.base.vocabulary import Level, Split, Target
from harness.environments.benchmarks import modules_of
from harness.learn.allocators.examples import ALLOCATIONS, EXECUTED, examples_of, read_examples
from harness.learn.allocators.oracle import best, cheapest, gain
from harness.learn.allocators.tree import Leaf, gains, grown, left_out, source
from harness.learn.command import exit_code
from harness.problems.regalloc.cost import parse_cost
from harness.sandbox.bench import open_bench
from harness.suite.load import load_suite

_TRIED = (2, 4, 8, 16)
_AMONG = "default weight seeded-0 constant basic"


def main() -> None:
    """Do what the words say."""
    options = _options()
    if options.what == "collect":
        _collect(options.examples, options.suite or ["cbench"], Split(options.split))
    elif options.what == "oracle":
        _oracle(options.examples, options.cost or ["mca.static"])
    else:
        _fit(options.examples, options.depth, options.least, options.among, options.output)


def _collect(path: Path, suites: list[str], split: Split) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = path.read_text().splitlines() if path.exists() else []
    known = {json.loads(line)["program"] for line in lines}
    train = [
        program
        for suite in suites
        for program in load_suite(suite).programs
        if program.benchmark.split is split and (program.home is None or len(suites) == 1)
    ]
    bench = open_bench()
    for number, program in enumerate(train, start=1):
        if program.id in known:
            continue
        try:
            line = examples_of(program.id, modules_of(program.id, Target.X86_64, Level.O3, bench)[program.id], bench)
        except CellError as error:
            print(f"{number:3} of {len(train)}  {program.id}: {error.message}", flush=True)
            continue
        with path.open("a") as file:
            file.write(f"{line}\n")
        print(f"{number:3} of {len(train)}  {program.id}", flush=True)


def _fit(path: Path, depth: int, least: float, among: list[str], output: Path) -> None:
    examples = read_examples([path])
    tree = grown(examples, depth, least, among)
    found = gains(tree, examples)
    for program, worth in found.items():
        print(f"{program:24} {worth:.4f}")
    mean = math.exp(sum(map(math.log, found.values())) / len(found))
    print(f"{len(found)} programs: {mean:.4f}; left out of the choice: {left_out(examples, depth, least, among):.4f}")
    for place, name in enumerate(ALLOCATIONS):
        alone = gains(Leaf(place), examples).values()
        print(f"all by {name:17} {math.exp(sum(map(math.log, alone)) / len(found)):.4f}")
    output.write_text(source(tree))


def _oracle(path: Path, costs: list[str]) -> None:
    examples = read_examples([path])
    print(f"{len(set(examples.programs))} programs, {len(examples)} functions; Greedy over the choice, geometric mean")
    print(f"{'tried':>5}  {'chosen by':52}{''.join(f'{metric:>14}' for metric in EXECUTED)}")
    for tried in _TRIED:
        ways = {f"what is executed: {metric}": best(examples, metric, tried) for metric in EXECUTED[:2]}
        ways |= {cost: cheapest(examples, parse_cost(cost), tried) for cost in costs}
        for way, chosen in ways.items():
            values = "".join(f"{gain(examples, chosen, metric):14.4f}" for metric in EXECUTED)
            print(f"{tried:5}  {way:52}{values}")


def _among(text: str) -> list[str]:
    names = text.split()
    if not names or (strange := [name for name in names if name not in ALLOCATIONS]):
        what = repr(strange[0]) if names else "nothing"
        raise argparse.ArgumentTypeError(f"{what} is none of {', '.join(ALLOCATIONS)}")
    return names


def _cost(text: str) -> str:
    try:
        parse_cost(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m harness.learn.allocators")
    parser.add_argument("what", choices=["collect", "fit", "oracle"])
    parser.add_argument("--examples", type=Path, required=True, help="file of what was collected")
    parser.add_argument("--suite", action="append", help="train split of this suite; repeatable (default: cbench)")
    parser.add_argument("--split", choices=list(Split), default="train")
    parser.add_argument("--depth", type=int, default=3)
    parser.add_argument("--least", type=float, default=0.01, help="what a split must save, of one program's cycles")
    parser.add_argument(
        "--among", type=_among, default=_AMONG, help=f"allocations that a function may have (default: {_AMONG})"
    )
    parser.add_argument("--cost", type=_cost, action="append", help="a static cost; repeatable (default: mca.static)")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    if options.what == "fit" and options.output is None:
        parser.error("fit needs --output")
    return options


if __name__ == "__main__":
    sys.exit(exit_code(main))
