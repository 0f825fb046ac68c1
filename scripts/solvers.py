"""Print the tables of docs/sharding.md from recorded results: what a solver reached on each of the contest's instances.

usage: .venv/bin/python scripts/solvers.py reached|chance SOLVER [RESULTS]

reached: within the contest's time limits. chance: of several runs in a tenth of them, how far they differ, and what the
median costs beside the whole time's.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from harness.base.paths import default_results

WHOLE, TENTH = 1.0, 0.1
RUNS = 2
"""From which on they are several."""


def main() -> None:
    """The table that is asked for."""
    tables = {"reached": reached, "chance": chance}
    if len(sys.argv) < 3 or sys.argv[1] not in tables:
        sys.exit(__doc__)
    results = Path(sys.argv[3]) if len(sys.argv) > 3 else default_results()
    tables[sys.argv[1]](sys.argv[2], results)


def lines(solver: str, scale: float, results: Path) -> list[dict[str, Any]]:
    """Of each instance, as ``harness leaderboard --instances --json`` prints it."""
    program = str(Path(sys.executable).with_name("harness"))
    words = ["leaderboard", "--suite", "iopddl", "--split", "all", "--origin", "contest", "--no-published"]
    words += ["--instances", "--json", "--time-scale", str(scale), "--results", str(results)]
    done = subprocess.run([program, *words], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr.strip())
    found = [one for one in json.loads(done.stdout) if one["policy"] == solver]
    return found or sys.exit(f"error: nothing is recorded of {solver} at time scale {scale:g}")


def reached(solver: str, results: Path) -> None:
    """A row for each instance."""
    print("| instance | seconds | cost | best known | best known / cost | gap | found at |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for one in lines(solver, WHOLE, results):
        figures = [f"{one['limit']:g}", whole(one["cost"]), whole(one["best"]), ratio(one["best"], one["cost"])]
        figures += [gap(one), "–" if one["seconds"] is None else f"{one['seconds']:.1f}"]
        print(f"| {one['benchmark']} | {' | '.join(figures)} |")


def chance(solver: str, results: Path) -> None:
    """The same, of those that were solved several times."""
    given = {one["benchmark"]: one for one in lines(solver, WHOLE, results)}
    print("| instance | seconds | runs | lowest | median | highest | spread | median / cost in the whole time |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for one in lines(solver, TENTH, results):
        if one["repeats"] < RUNS:
            continue
        costs = [whole(one[name]) for name in ("lowest", "cost", "highest")]
        spread = "–" if one["spread"] is None else f"{one['spread']:.2%}".replace("%", " %")
        more = ratio(one["cost"], given.get(one["benchmark"], {}).get("cost"))
        print(f"| {one['benchmark']} | {one['limit']:g} | {one['repeats']} | {' | '.join(costs)} | {spread} | {more} |")


def whole(number: int | None) -> str:
    """With commas."""
    return "–" if number is None else f"{number:,}"


def ratio(over: int | None, under: int | None) -> str:
    """Of two costs."""
    return "–" if over is None or not under else f"{over / under:.4f}"


def gap(one: dict[str, Any]) -> str:
    """Above the proven bound."""
    if one["optimal"]:
        return "optimal"
    return "–" if one["gap"] is None else "< 0.01 %" if one["gap"] < 0.0001 else f"{one['gap']:.2%}".replace("%", " %")


if __name__ == "__main__":
    main()
