"""Asking a ``policy.py``: a Python interpreter in a sandbox of its own, at the other end of the plugin's channel.

It gets call sites' features, and there is nothing else to be had: no module, no compiler, no program but the
interpreter, of its packages numpy alone, and no process but its own.
"""

from pathlib import Path

from harness.freeze import FrozenModule
from harness.problems.inlining.ask import Answer, Asked, Host, ask
from harness.problems.inlining.price import Allowance
from harness.sandbox import GIB, SCRATCH, Job, Limits
from harness.sandbox.bench import Bench
from harness.sandbox.pair import READ, WRITE
from harness.sandbox.shown import python_alone

__all__ = ["REPLY_SECONDS", "TOLERATED", "ask_python", "python_host"]

REPLY_SECONDS = 1.0
"""For each answer; the first has ten times as long, since Python and the policy must start."""

TOLERATED = 2
"""Unusable answers that are replaced; the next one ends the policy."""

_HERE = Path(__file__).parent
_PACKAGES = ("numpy",)
"""What a policy can import besides the standard library."""
_LIMITS = Limits(memory=8 * GIB, address_space=8 * GIB, processes=16, files=10_000, scratch=GIB, file_size=GIB)


def ask_python(
    content: bytes, seed: int, frozen: FrozenModule, bench: Bench, allowance: Allowance | None = None
) -> Answer:
    """The decisions of a ``policy.py``.

    Raises CellError: ``policy-error`` when it dies or answers what is no decision more than twice,
    ``policy-timeout`` when it does not answer in time, or takes more CPU time than ``allowance``.
    """
    with bench.store.scratch() as folder:
        (folder / "policy.py").write_bytes(content)
        policy = Asked("channel", host=python_host(folder / "policy.py", seed))
        return ask(policy, frozen, bench, allowance=allowance)


def python_host(policy: Path, seed: int) -> Host:
    """The process that answers with the functions of the file ``policy``."""
    python = python_alone(_PACKAGES)
    job = Job(
        str(python.program),
        ("-I", "-S", "-B", "host.py", str(READ), str(WRITE), str(seed), *map(str, python.packages)),
        files={f"{SCRATCH}/host.py": _HERE / "host.py", f"{SCRATCH}/policy.py": policy},
        folders=python.shown,
        hidden=python.hidden,
        environment={"LC_ALL": "C", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
        limits=_LIMITS,
    )
    return Host("policy.py", job, REPLY_SECONDS, TOLERATED)
