"""Learn to inline: ``python -m harness.learn.inliners size|imitate``."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from harness.base.errors import HarnessError
from harness.base.paths import NATIVE_SOURCES
from harness.base.vocabulary import Split, Target
from harness.learn.inliners import imitation, size_model
from harness.learn.inliners.judge import METRICS, Judge
from harness.learn.inliners.modules import programs
from harness.learn.inliners.pool import Pool
from harness.problems.inlining.features import FEATURES
from harness.sandbox.bench import open_bench

_SUITES = ("cbench", "mibench", "polybench", "spec-like")
_FOLDS = 6


def main(words: Sequence[str] | None = None) -> int:
    """The exit code."""
    parser = argparse.ArgumentParser(prog="python -m harness.learn.inliners", description=__doc__)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="workers (default: one a core)")
    parser.add_argument("--suite", action="append", choices=_SUITES, help="whose train split is learnt from; repeat it")
    verbs = parser.add_subparsers(dest="verb", required=True)
    size = verbs.add_parser("size", help="fit the model of size, and write native/inline/size_model.h")
    size.add_argument("--output", type=Path, default=NATIVE_SOURCES / "inline" / "size_model.h")
    learn = verbs.add_parser("imitate", help="iterated imitation of the best")
    learn.add_argument("--folder", type=Path, required=True, help="where the training is kept, and goes on from")
    learn.add_argument("--metric", choices=METRICS, default=METRICS[0])
    learn.add_argument("--rounds", type=int, default=5)
    learn.add_argument("--modules", type=int, default=300, help="in a round")
    learn.add_argument("--functions", type=int, default=12, help="of each that are tried")
    learn.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(words)
    suites = tuple(given.suite or _SUITES)
    try:
        return _size(given, suites) if given.verb == "size" else _imitate(given, suites)
    except (HarnessError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def _size(given: argparse.Namespace, suites: Sequence[str]) -> int:
    bench = open_bench()
    fits = {}
    for target in Target:
        with Pool(bench, given.jobs) as pool:
            seen = size_model.collect(programs(suites, Split.TRAIN, target, bench), pool)
        fits[target] = size_model.fitted(seen)
        rank = size_model.rank_correlation(seen, _FOLDS, 0)
        print(f"{target}: {len(seen.bytes):,} functions; of programs left out, rank correlation {rank:.4f}")
    given.output.write_text(size_model.header(fits))
    return 0


def _imitate(given: argparse.Namespace, suites: Sequence[str]) -> int:
    bench = open_bench()
    how = imitation.Imitation(
        FEATURES,
        given.metric,
        once_for_callee=True,
        rounds=given.rounds,
        modules=given.modules,
        functions=given.functions,
        seed=given.seed,
    )
    known = programs(suites, Split.TRAIN, Target.X86_64, bench)
    train, out = [one for place, one in enumerate(known) if place % 5], known[::5]
    with Pool(bench, given.jobs) as pool:
        validation = Judge.of(out, given.metric, pool, once_for_callee=True)
        told = {"suites": list(suites), "how": {**_words(how), "rounds": None}}
        network = imitation.learn(train, validation, how, given.folder, pool, told)
        print(f"validation: {validation.gain(network, pool):.4f}")
    (given.folder / "network.bin").write_bytes(network.as_data())
    return 0


def _words(how: imitation.Imitation) -> dict[str, object]:
    return {name: getattr(how, name) for name in how.__slots__}


if __name__ == "__main__":
    sys.exit(main())
