"""What hyperfine, pyperf, pytest-benchmark and the harness conclude of the same executables in the same time.

Identical binaries, and binaries that do one and three per cent more work. In each round the harness takes a campaign;
every other tool then gets the seconds that this took, in random order.

usage: make verdicts      or: python -m benchmarks.verdicts --rounds 20
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np

from benchmarks.verdicts.tools import TOOLS
from harness.base.text import duration
from harness.checks.noise import spin_program
from harness.sandbox.bench import Bench, open_bench
from harness.statistics import SEQUENTIAL, Verdict, paired_effect, verdict
from harness.timing.campaign import Timed, run_campaign, summary
from harness.timing.contestants import TimedProgram, try_object
from harness.timing.schedule import Plan

KINDS = {"identical": 1.0, "1 % slower": 1.01, "3 % slower": 1.03}
OURS = "harness"


def main() -> None:
    """Print the table."""
    options = _options()
    bench = open_bench()
    called: Counter[tuple[str, str, str]] = Counter()
    spent = []
    with bench.store.scratch() as folder:
        program, names = spin_program(KINDS, options.seconds, folder, bench)
        executables = {name: _executable(program.objects[digest], bench) for name, digest in names.items()}
        each = try_object(program, program.reference, bench).cpu
        load = os.getloadavg()[0]
        done = 0
        try:
            for number in range(options.rounds):
                said: Counter[tuple[str, str, str]] = Counter()
                for kind in KINDS:
                    started = time.monotonic()
                    said[OURS, kind, _ours(program, names[kind], bench)] += 1
                    seconds = time.monotonic() - started
                    spent.append(seconds)
                    pair = executables["reference"], executables[kind]
                    for tool in random.sample(list(TOOLS), len(TOOLS)):
                        said[tool, kind, TOOLS[tool](pair, seconds, each, folder)] += 1
                    print(f"round {number + 1} of {options.rounds}, {kind}: {seconds:.0f} s each", file=sys.stderr)
                called += said
                done = number + 1
        except KeyboardInterrupt:
            print("interrupted: whole rounds count", file=sys.stderr)
    if done:
        print(f"\n{done} rounds of {duration(sum(spent) / len(spent))} each, a program of {each:.2f} s, ", end="")
        print(f"load {load:.1f} at the beginning and {os.getloadavg()[0]:.1f} at the end\n")
        _print(called, done)


def _ours(program: TimedProgram, digest: str, bench: Bench) -> str:
    """The harness's own verdict, by the rule and with the budget that policies are judged with."""
    objects = {name: program.objects[name] for name in (program.reference, digest)}
    two = TimedProgram(program.program, program.reference, objects, program.ready, program.expected)
    timed = Timed([])
    took = {two.name: try_object(two, two.reference, bench).cpu}
    facts = run_campaign([two], took, Plan(budget=60.0), bench, timed, _ignore, _ignore, _ignore)
    if summary(facts, timed.blocks, {two.name: two.reference}).marks:
        return "neither"
    found = verdict(paired_effect(np.array(timed.pairs(two)[digest]), confidence=SEQUENTIAL))
    return {Verdict.WORSE: "slower", Verdict.BETTER: "faster"}.get(found, "neither")


def _executable(made: Path, bench: Bench) -> Path:
    program = made.with_suffix("")
    subprocess.run([bench.toolchain.tool("clang"), "-static", str(made), "-o", str(program)], check=True)
    return program


def _print(called: Counter[tuple[str, str, str]], rounds: int) -> None:
    print("| tool | identical: called different | 1 % slower: called slower | 3 % slower: called slower | wrong way |")
    print("|---|---|---|---|---|")
    for tool in (OURS, *TOOLS):
        different = called[tool, "identical", "slower"] + called[tool, "identical", "faster"]
        found = [called[tool, kind, "slower"] for kind in KINDS if kind != "identical"]
        wrong = sum(called[tool, kind, "faster"] for kind in KINDS if kind != "identical")
        print(f"| {tool} | {different} of {rounds} | {found[0]} of {rounds} | {found[1]} of {rounds} | {wrong} |")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.verdicts", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=0.15, help="CPU time of the program")
    options = parser.parse_args()
    if not shutil.which("hyperfine"):
        parser.error("hyperfine is not installed: apt-get install hyperfine, or run `make verdicts`")
    return options


def _ignore(*_told: object) -> None:
    return None


if __name__ == "__main__":
    main()
