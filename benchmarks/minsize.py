"""How much harder LLVM 22's -Oz is to beat than an -Oz whose functions do not ask for the smallest code.

usage: python -m benchmarks.minsize --output FILE.jsonl [--policy random-search-10s] [--seeds 5] [--suite cbench]
                                    [--summary FILE.md]

Modules of this harness are frozen at -Oz: functions say ``minsize``, and what no other module needs is internal.
CompilerGym's were frozen without either, and the published figures are against ``-Oz`` run on those. Here one search is
asked about both: the module frozen at -Oz, and the same program frozen at -O2, where functions say neither ``minsize``
nor ``optsize``. Each result is compared with ``default<Oz>`` on the same module, in IR instructions. A line is written
for each search that has ended. Interrupted, and given again with the same ``--output``, it goes on.
"""

import argparse
import json
import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from harness.apply import compile_plan
from harness.apply.decisions import Decisions
from harness.base.errors import CellError
from harness.base.lines import whole_lines
from harness.base.vocabulary import Level, Target
from harness.cli.output import note, observer
from harness.environments.benchmarks import modules_of
from harness.freeze import FrozenModule
from harness.policy.load import load_policy
from harness.policy.policy import Policy
from harness.problems.programs.problems import plan_of, program_problem
from harness.sandbox.bench import Bench, open_bench

LEVELS = (Level.OZ, Level.O2)
"""With ``minsize``, and without."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One search on one module. Counts are of IR instructions."""

    program: str
    level: str
    seed: int
    oz: int
    """After ``default<Oz>``."""
    found: int | None
    """After the list that the search found; None where it failed."""
    failed: str | None = None

    @property
    def ratio(self) -> float:
        """Above 1: the search has fewer. A search that failed has what -Oz has."""
        return 1.0 if self.found is None else self.oz / self.found


def main() -> None:
    """Search, and print the table."""
    options = _options()
    bench, policy = open_bench(), load_policy(options.policy)
    known = {(one.program, one.level, one.seed): one for one in read(options.output)}
    options.output.parent.mkdir(parents=True, exist_ok=True)
    modules = {level: modules_of(options.suite, Target.X86_64, level, bench) for level in LEVELS}
    asked = [(name, level, seed) for name in modules[Level.OZ] for level in LEVELS for seed in range(options.seeds)]
    left = [one for one in asked if (one[0], one[1].value, one[2]) not in known]
    progress = observer()
    progress.stage("search", len(left))
    try:
        with options.output.open("a") as file:
            for name, level, seed in left:
                trial = _tried(policy, name, modules[level][name], seed, bench)
                known[name, level.value, seed] = trial
                print(json.dumps(asdict(trial)), file=file, flush=True)
                progress.advance(1, f"{name} -{level.value} {seed}")
    except KeyboardInterrupt:
        note("interrupted: the same command goes on from here")
        sys.exit(130)
    finally:
        progress.close()
    text = "\n".join(table([known[name, level.value, seed] for name, level, seed in asked])) + "\n"
    print(text, end="")
    if options.summary is not None:
        options.summary.write_text(text)


def table(trials: Sequence[Trial]) -> Iterator[str]:
    """A line for each program: what -Oz has of either module, and its geometric mean ratio to what was found."""
    yield "| program | -Oz, minsize | -Oz, without | search, minsize | search, without |\n|---|---:|---:|---:|---:|"
    means: dict[str, list[float]] = {level.value: [] for level in LEVELS}
    harder = []
    for program in dict.fromkeys(trial.program for trial in trials):
        mine = [trial for trial in trials if trial.program == program]
        sides = {level.value: [trial for trial in mine if trial.level == level.value] for level in LEVELS}
        if not all(sides.values()):
            continue  # the search was cut off
        logs = {level: _mean_log(side) for level, side in sides.items()}
        counts = [side[0].oz for side in sides.values()]
        harder.append(math.log(counts[1] / counts[0]))
        for level, log in logs.items():
            means[level].append(log)
        ratios = " | ".join(f"{math.exp(log):.3f}" for log in logs.values())
        yield f"| {program} | {counts[0]:,} | {counts[1]:,} | {ratios} |"
    ratios = " | ".join(f"{math.exp(math.fsum(logs) / len(logs)):.3f}" for logs in means.values())
    yield f"| geometric mean | 1 | {math.exp(math.fsum(harder) / len(harder)):.3f} | {ratios} |"
    failed = [one for one in trials if one.failed is not None]
    yield from (f"- {one.program} -{one.level}, seed {one.seed}: {one.failed}" for one in failed)


def _mean_log(trials: Sequence[Trial]) -> float:
    return math.fsum(math.log(one.ratio) for one in trials) / len(trials)


def _tried(policy: Policy, name: str, frozen: FrozenModule, seed: int, bench: Bench) -> Trial:
    oz = _count(Decisions("passes", frozen.level, {"passes": ["default<Oz>"], "dropped": []}), frozen, bench)
    try:
        decided = program_problem(policy.manifest.problem).decide(policy, frozen, seed, bench)
        return Trial(name, frozen.level.value, seed, oz, _count(decided.decisions, frozen, bench))
    except CellError as error:
        return Trial(name, frozen.level.value, seed, oz, None, error.message)


def _count(decisions: Decisions, frozen: FrozenModule, bench: Bench) -> int:
    return compile_plan(frozen, plan_of(decisions, frozen.target), bench).ir_instructions


def read(searched: Path) -> list[Trial]:
    """The searches of a file that was written here."""
    found: list[dict[str, Any]] = [json.loads(line) for line in whole_lines(searched)]
    return [Trial(**one) for one in found]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.minsize", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--policy", default="random-search-10s")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--suite", default="cbench")
    parser.add_argument("--summary", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    main()
