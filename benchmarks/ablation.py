"""What each part of the reference solver gives: the suite ``iopddl`` solved by variants that lack one part each.

usage: make ablation      or: python -m benchmarks.ablation --time-scale 0.1 [--benchmark A,B] [--results DIR]

Interrupted, and given again with the same results folder, it goes on. The table is Markdown: of each variant the sum of
best known / cost, and how much more it costs than the whole solver, on each instance and as a geometric mean.
"""

import argparse
import math
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from harness.base.paths import SUBMISSIONS
from harness.base.vocabulary import Origin
from harness.cli.output import note, observer
from harness.policy import Policy
from harness.policy.load import load_policy
from harness.problems.instances.request import make_solve_request
from harness.problems.instances.standings import SolverTable, solver_standings
from harness.problems.sharding.domain import Sharding
from harness.rank.question import ALL, questions
from harness.record import open_index
from harness.run.engines import local_engine
from harness.run.run import execute_run
from harness.sandbox.bench import open_bench

DOMAIN = Sharding()

SOLVER = "layout-messages"
PARTS = ("presolve", "pricing", "messages", "sampling", "annealing", "chains", "restarts")
SWITCH = "argc == 4 ? parseSwitches(argv[3]) : Switches()"


def main() -> None:
    """Solve, and print the table."""
    options = _options()
    with tempfile.TemporaryDirectory() as scratch:
        policies = [load_policy(SOLVER), *_variants(Path(scratch))]
        request = make_solve_request(DOMAIN, "iopddl", options.benchmark, policies, options.time_scale, options.cores)
        results = options.results or Path(scratch) / "results"
        progress = observer()
        try:
            execute_run(request, open_bench(), local_engine(1), results, progress, sys.argv[1:])
        except KeyboardInterrupt:
            note("interrupted: with --results the same command goes on from here")
            sys.exit(130)
        finally:
            progress.close()
        with open_index(results) as index:
            (question,) = questions(
                index,
                suite="iopddl",
                origin=Origin.CONTEST.value,
                split=ALL,
                time_scale=options.time_scale,
                cores=options.cores,
            )
            table = solver_standings(DOMAIN, index, question, published=False)
    print("\n".join(_markdown(table)))


def _variants(folder: Path) -> Iterator[Policy]:
    """The solver without one of its parts."""
    for part in PARTS:
        copy = folder / f"without-{part}"
        shutil.copytree(SUBMISSIONS / SOLVER, copy)
        source, manifest = copy / "solver.cpp", copy / "submission.toml"
        text = source.read_text()
        if SWITCH not in text:
            sys.exit(f"{source}: it no longer reads its switches as this script expects")
        source.write_text(text.replace(SWITCH, f'parseSwitches("--without={part}")'))
        manifest.write_text(manifest.read_text().replace(f'name = "{SOLVER}"', f'name = "{copy.name}"', 1))
        yield load_policy(str(copy))


def _markdown(table: SolverTable) -> Iterator[str]:
    costs = {(figure.policy, figure.benchmark): figure.cost for figure in table.figures}
    names = sorted({figure.benchmark for figure in table.figures})
    shares = [(figure.policy, figure.share) for figure in table.figures]
    sums = {row.policy: math.fsum(share for policy, share in shares if policy == row.policy) for row in table.standings}
    yield f"| variant | best known / cost | mean | {' | '.join(names)} |"
    yield f"|---|---:|---:|{'---:|' * len(names)}"
    for row in table.standings:
        ratios = [_ratio(costs[row.policy, name], costs[SOLVER, name]) for name in names]
        known = [ratio for ratio in ratios if ratio is not None]
        mean = math.exp(math.fsum(map(math.log, known)) / len(known)) if known else math.nan
        cells = " | ".join("–" if ratio is None else f"{ratio:.4f}" for ratio in ratios)
        yield f"| {row.policy} | {sums[row.policy]:.2f} | {mean:.4f} | {cells} |"


def _ratio(cost: int | None, whole: int | None) -> float | None:
    return None if not cost or not whole else cost / whole


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="What each part of the reference solver gives.")
    parser.add_argument("--time-scale", type=float, default=0.1)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--benchmark", type=lambda text: text.split(","), default=list("ABCDGKLMNPQRSTUV"))
    parser.add_argument("--results", type=Path, help="keep the run here")
    return parser.parse_args()


if __name__ == "__main__":
    main()
