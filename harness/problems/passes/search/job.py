"""The sandbox of a ``search.py``: Python with numpy and PyGAD, the search, and what it talks with, and nothing else."""

import json
from collections.abc import Sequence
from pathlib import Path

from harness.base.digest import digest_bytes, digest_of
from harness.problems.passes.search import client, host
from harness.problems.passes.search.relay import Budget
from harness.problems.passes.session import wire, worker
from harness.sandbox import GIB, SCRATCH, Job, Limits
from harness.sandbox.pair import READ, WRITE
from harness.sandbox.shown import python_alone

__all__ = ["host_digest", "search_job"]

_PACKAGES = ("numpy", "pygad", "cloudpickle")
_START = "import sys; sys.path[:0] = sys.argv[1].split('\\n'); from {host} import run; run(*sys.argv[2:])"
_MODULES = (client, host, wire)


def search_job(search: Path, seed: int, actions: Sequence[str], budget: Budget) -> Job:
    """What runs the file ``search`` with this seed, on the actions of these names."""
    python = python_alone(_PACKAGES)
    files = {f"{SCRATCH}/search.py": search}
    for module in _MODULES:
        files[f"{SCRATCH}/{module.__name__.replace('.', '/')}.py"] = Path(str(module.__file__))
    places = "\n".join([SCRATCH, *map(str, python.packages)])
    words = (
        places,
        str(READ),
        str(WRITE),
        str(seed),
        f"{budget.seconds:g}",
        str(budget.trials),
        json.dumps(list(actions)),
    )
    return Job(
        str(python.program),
        ("-I", "-S", "-B", "-c", _START.format(host=host.__name__), *words),
        files=files,
        folders=python.shown,
        hidden=python.hidden,
        environment={"LC_ALL": "C", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
        limits=Limits(
            wall=budget.wall + budget.patience,
            cpu=budget.seconds + budget.patience,
            memory=2 * GIB,
            processes=16,
            files=10_000,
            scratch=GIB,
        ),
    )


def host_digest() -> str:
    """Of what runs around a search, and of what accounts for what it uses: all of this folder, and both ends of the
    session's pipes. A search that is accounted for otherwise has another budget.
    """
    files = [*sorted(Path(__file__).parent.glob("*.py")), *(Path(str(one.__file__)) for one in (wire, worker))]
    return digest_of([[file.name, digest_bytes(file.read_bytes())] for file in files])
