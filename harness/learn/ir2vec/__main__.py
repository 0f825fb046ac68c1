"""Learn the vocabulary of IR2Vec from all programs of the train splits.

usage: python -m harness.learn.ir2vec --output native/session/ir2vec.json [--seed 0] [--dimension 75] [--epochs 1000]
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np

from harness.base.vocabulary import Level, Split, Target
from harness.environments.benchmarks import modules_of
from harness.learn.command import exit_code
from harness.learn.ir2vec.transe import Training, mean_rank, train
from harness.learn.ir2vec.triplets import Triplets, entities_of, triplets_of
from harness.learn.ir2vec.vocabulary import vocabulary_text
from harness.sandbox.bench import open_bench
from harness.suite.load import load_suite, suite_names

_LEVELS = (Level.OZ, Level.O3)


def main() -> None:
    """Collect triplets, learn, write, and say what it took."""
    options = _options()
    training = Training(dimension=options.dimension, epochs=options.epochs, seed=options.seed)
    bench = open_bench()
    programs = [
        program.id for name in suite_names() for program in load_suite(name).programs
        if program.benchmark.split is Split.TRAIN
    ]  # fmt: skip
    entities = entities_of(bench)
    rows = []
    for target in Target:
        for level in _LEVELS:
            for name, module in modules_of(programs, target, level, bench).items():
                rows.append(triplets_of(module, entities, bench))
                print(f"{target.value} {level.value} {name}: {len(rows[-1])} triplets", flush=True)
    triplets = Triplets(entities, np.unique(np.concatenate(rows), axis=0))
    before = time.process_time()
    vectors = train(triplets, training)
    after = time.process_time()
    made = {
        "by": "python -m harness.learn.ir2vec",
        "llvm": bench.toolchain.version,
        "seed": training.seed,
        "epochs": training.epochs,
        "triplets": len(triplets.rows),
        "targets": [target.value for target in Target],
        "frozen at": [level.value for level in _LEVELS],
        "programs": programs,
    }
    options.output.write_text(vocabulary_text(made, entities, vectors.entities))
    print(f"{len(triplets.rows)} triplets of {int(vectors.entities.any(axis=1).sum())} entities")
    print(f"mean rank {mean_rank(triplets, vectors):.2f}")
    print(f"{after - before:.0f} CPU seconds to learn")


def _options() -> argparse.Namespace:
    usual = Training()
    parser = argparse.ArgumentParser(prog="python -m harness.learn.ir2vec", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=usual.seed)
    parser.add_argument("--dimension", type=int, default=usual.dimension)
    parser.add_argument("--epochs", type=int, default=usual.epochs)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(exit_code(main))
