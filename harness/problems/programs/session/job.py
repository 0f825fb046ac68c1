"""A search's process: a confined Python with numpy and PyGAD, the search, and what it talks with, and nothing else."""

from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from harness.base.digest import digest_bytes, digest_of
from harness.problems.programs.session import client, host, wire
from harness.problems.programs.session.relay import Budget
from harness.sandbox import GIB, SCRATCH, Job, Limits
from harness.sandbox.pair import READ, WRITE
from harness.sandbox.shown import python_alone

__all__ = ["search_digest", "search_job"]

_PACKAGES = ("numpy", "pygad", "cloudpickle")
_START = "import sys; sys.path[:0] = sys.argv[1].split('\\n'); from {host} import run; run(*sys.argv[2:])"
_MODULES = (client, host, wire)


def search_job(
    search: Path, starts: ModuleType, modules: Sequence[ModuleType], words: Sequence[str], budget: Budget
) -> Job:
    """What runs the file ``search``. ``starts``: the module whose ``run`` takes the two descriptors and ``words``;
    ``modules``: of the harness that it needs besides.
    """
    python = python_alone(_PACKAGES)
    files = {f"{SCRATCH}/search.py": search}
    for module in (*_MODULES, starts, *modules):
        files[f"{SCRATCH}/{module.__name__.replace('.', '/')}.py"] = Path(str(module.__file__))
    places = "\n".join([SCRATCH, *map(str, python.packages)])
    return Job(
        str(python.program),
        ("-I", "-S", "-B", "-c", _START.format(host=starts.__name__), places, str(READ), str(WRITE), *words),
        files=files,
        folders=python.shown,
        hidden=python.hidden,
        environment={"LC_ALL": "C", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
        limits=Limits(
            wall=budget.wall + budget.patience,
            cpu=budget.seconds + budget.trials + budget.patience,
            memory=2 * GIB,
            processes=16,
            files=10_000,
            scratch=GIB,
        ),
    )


def search_digest(folder: Path, *modules: ModuleType) -> str:
    """Of what runs around a search, and of what accounts for what it uses: ``folder``, where a problem has it, these
    modules besides, and this folder. A search that is accounted for otherwise has another budget.
    """
    files = [*sorted(folder.glob("*.py")), *(Path(str(one.__file__)) for one in modules)]
    files += sorted(Path(__file__).parent.glob("*.py"))
    return digest_of([[file.name, digest_bytes(file.read_bytes())] for file in files])
