"""Workloads that nobody has seen: the suite's own with inputs from a secret seed.

They verify and count nothing, so that numbers of runs with and without them can be compared. What is right on them
the reference build says. The secret's digest is recorded: whoever publishes it later can show that it was this one.
"""

import hashlib
import hmac
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from harness.base.errors import UsageError
from harness.base.reading import KIB, read_bytes
from harness.suite.generators import is_seeded
from harness.suite.load import Program
from harness.suite.model import Input, Workload

__all__ = ["commitment", "read_secret", "reseeded", "takes_seeds", "with_hidden"]

_SHORTEST = 16
_MOST_BYTES = 64 * KIB
_SEED_BITS = 48


def read_secret(file: Path) -> bytes:
    """The secret in the file, without white space at its ends. Raises UsageError for one that could be guessed."""
    secret = read_bytes(file, _MOST_BYTES).strip()
    if len(secret) < _SHORTEST:
        raise UsageError(
            f"a secret of {len(secret)} bytes can be guessed; {_SHORTEST} are the least",
            where=str(file),
            hint=f"make one: head -c 32 /dev/urandom | base64 > {file}",
        )
    return secret


def commitment(secret: bytes) -> str:
    """What is recorded of the secret: a digest that binds to it and does not reveal it."""
    return hmac.digest(secret, b"hidden workloads", hashlib.sha256).hex()


def with_hidden(programs: Iterable[Program], secret: bytes) -> tuple[Program, ...]:
    """The programs with one hidden workload for each of theirs of the kind ``count`` whose inputs depend on a seed."""
    return tuple(replace(program, hidden=_hidden(program, secret)) for program in programs)


def takes_seeds(workload: Workload) -> bool:
    """Whether it has an input that a generator draws, and which another seed changes."""
    return any(item.generator is not None and is_seeded(item.generator) for item in workload.inputs)


def reseeded(workload: Workload, name: str, label: str, secret: bytes) -> Workload:
    """The workload, called ``name``, with other seeds for its generators: they follow from ``label`` and ``secret``."""
    inputs = tuple(_reseeded(item, label, secret) for item in workload.inputs)
    return workload.model_copy(update={"name": name, "inputs": inputs})


def _hidden(program: Program, secret: bytes) -> tuple[Workload, ...]:
    seen = [w for w in program.benchmark.workloads if w.kind == "count" and takes_seeds(w)]
    return tuple(
        reseeded(workload, f"hidden-{number}", f"{program.id}/{workload.name}", secret)
        for number, workload in enumerate(seen, start=1)
    )


def _reseeded(item: Input, label: str, secret: bytes) -> Input:
    if item.tree is not None:
        return item
    digest = hmac.digest(secret, f"{label}/{item.file}".encode(), hashlib.sha256)
    seed = int.from_bytes(digest[: _SEED_BITS // 8], "big")
    return item.model_copy(update={"seed": seed})
