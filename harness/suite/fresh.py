"""Fresh workloads: one of a program's own workloads with inputs that nobody has seen, from a seed drawn by the run.

What is chosen follows from the seed, the program and the number of the attempt alone, so that anyone who knows the
seed, which the run's header records, makes the same input again::

    from harness.suite.fresh import fresh_workload
    fresh_workload(program, seed, attempt, store).files

A program whose workloads have no generated input, or only generators that give the same bytes for every seed, has no
fresh workload.
"""

import hashlib
import hmac

from harness.base.digest import digest_file
from harness.base.store import Store
from harness.suite.hidden import reseeded, takes_seeds
from harness.suite.load import Program
from harness.suite.model import Workload
from harness.suite.workloads import ReadyWorkload, prepare_one, remove_inputs

__all__ = ["ATTEMPTS", "fresh_workload", "takes_fresh_inputs"]

ATTEMPTS = 3
"""Inputs that are tried of a program whose first ones turn out to be unfit."""


def takes_fresh_inputs(program: Program) -> bool:
    """Whether some count workload of the program has a generated input."""
    return bool(_candidates(program))


def fresh_workload(program: Program, seed: str, attempt: int, store: Store) -> ReadyWorkload | None:
    """The fresh workload of an attempt (1 to ``ATTEMPTS``), with its inputs generated; None where there is none.

    One of the count workloads that end well, in turn; of those that end with an error only where no other has an
    input that changes with the seed. Raises UsageError when the source tree lacks an input.
    """
    secret = hmac.digest(bytes.fromhex(seed), f"fresh/{attempt}".encode(), hashlib.sha256)
    for workload in _in_turn(program, seed, attempt):
        fresh = reseeded(workload, f"fresh-{workload.name}", f"{program.id}/{workload.name}", secret)
        ready = prepare_one(program, fresh, store)
        known = prepare_one(program, workload, store)
        if any(digest_file(path) != digest_file(known.files[name]) for name, path in ready.files.items()):
            return ready
        remove_inputs(fresh, store)
    return None


def _in_turn(program: Program, seed: str, attempt: int) -> list[Workload]:
    """The candidates, beginning with another one for each seed and attempt; those that end with an error last."""
    candidates = _candidates(program)
    if not candidates:
        return []
    first = int.from_bytes(hmac.digest(bytes.fromhex(seed), program.id.encode(), hashlib.sha256), "big") + attempt - 1
    good = [workload for workload in candidates if workload.exit == 0] or candidates
    turned = good[first % len(good) :] + good[: first % len(good)]
    return turned + [workload for workload in candidates if workload not in turned]


def _candidates(program: Program) -> list[Workload]:
    return [w for w in program.benchmark.workloads if w.kind == "count" and takes_seeds(w)]
