"""What the harness costs beside another commit of itself: a cold run and a warm repeat, in CPU seconds of everything.

Both sides run the same command in turn, each with its own code and suites, from caches that hold the tarballs alone.

usage: python -m benchmarks.against COMMIT [--rounds 3] [--from DIR] [-- OPTIONS OF harness run]
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parent.parent
WORDS = (
    "--suite cbench --benchmark bitcount,crc32,dijkstra,gsm,jpeg-c,qsort,rijndael,sha,stringsearch,susan"
    " --policy Oz,O3,oz-tail --jobs 1"
)
SIDES = ("base", "now")
TIMES = ("cold", "warm")


def main() -> None:
    """Print a line a round, and the medians' ratios."""
    options = _options()
    words = options.words or WORDS.split()
    spent: dict[tuple[str, str], list[float]] = {(time, side): [] for time in TIMES for side in SIDES}
    with _checkout(options.commit) as base:
        for number in range(options.rounds):
            for side in SIDES if number % 2 == 0 else reversed(SIDES):
                with tempfile.TemporaryDirectory() as scratch:
                    for time, seconds in _run(base if side == "base" else ROOT, words, options, Path(scratch)):
                        spent[time, side].append(seconds)
            for time in TIMES:
                then, now = (spent[time, side][-1] for side in SIDES)
                print(f"{time}  {then:8.2f} s  {now:8.2f} s  {now / then - 1:+.1%}", flush=True)
    for time in TIMES:
        then, now = (statistics.median(spent[time, side]) for side in SIDES)
        print(f"{time}, median of {options.rounds}: {then:.2f} s before, {now:.2f} s now, {now / then - 1:+.1%}")


def _run(root: Path, words: list[str], options: argparse.Namespace, scratch: Path) -> Iterator[tuple[str, float]]:
    """The run from nothing, and its repeats: CPU seconds of each, a repeat's by the median."""
    places = {"PYTHONPATH": str(root), "HARNESS_CACHE": str(scratch / "cache"), "HARNESS_RESULTS": str(scratch / "res")}

    def harness(*command: str) -> float:
        before = _spent()
        given = [sys.executable, "-c", "from harness.cli import main; main()", *command]
        done = subprocess.run(
            given, cwd=root, env={**os.environ, **places}, capture_output=True, text=True, check=False
        )
        if done.returncode:
            sys.exit(f"{' '.join(command)} in {root}: exit code {done.returncode}\n{done.stderr}")
        return _spent() - before

    suite = words[words.index("--suite") + 1]
    harness("fetch", suite, *(["--from", str(options.offered)] if options.offered else []))
    yield "cold", harness("run", *words)
    yield "warm", statistics.median(harness("run", *words) for _ in range(options.repeats))


def _spent() -> float:
    """CPU seconds of every process that this one has waited for, and of those that they waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@contextmanager
def _checkout(commit: str) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "base"
        git = ("git", "-C", str(ROOT), "worktree")
        subprocess.run([*git, "add", "--quiet", "--detach", str(folder), commit], check=True)
        try:
            yield folder
        finally:
            subprocess.run([*git, "remove", "--force", str(folder)], check=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.against", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("commit", help="what to compare with")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--repeats", type=int, default=5, help="warm repeats in each round")
    parser.add_argument("--from", dest="offered", type=Path, help="a folder that has the suite's tarballs")
    parser.add_argument("words", nargs="*", help="options of `harness run`, after --")
    return parser.parse_args()


if __name__ == "__main__":
    main()
