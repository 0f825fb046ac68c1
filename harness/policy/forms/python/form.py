"""The form ``policy.py``: a Python interpreter in a sandbox of its own, at the other end of a channel.

It gets features, and there is nothing else to be had: no module, no compiler, no program but the interpreter, of its
packages numpy alone, and no process but its own.
"""

from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from harness.base.digest import digest_bytes
from harness.policy.forms.asked import AskedForm
from harness.policy.forms.decider import Decider, Host
from harness.policy.forms.interface import Interface
from harness.policy.forms.parameters import Value
from harness.policy.policy import Policy
from harness.policy.python_check import check_python
from harness.sandbox import GIB, SCRATCH, Job, Limits
from harness.sandbox.bench import Bench
from harness.sandbox.pair import READ, WRITE
from harness.sandbox.shown import python_alone

__all__ = ["FORM", "REPLY_SECONDS", "TOLERATED", "PythonForm", "python_host"]

REPLY_SECONDS = 1.0
"""For each answer; the first has ten times as long, since Python and the policy must start."""

TOLERATED = 2
"""Unusable answers that are replaced; the next one ends the policy."""

_HOST = Path(__file__).with_name("host.py")
_PACKAGES = ("numpy",)
"""What a policy can import besides the standard library."""
_LIMITS = Limits(memory=8 * GIB, address_space=8 * GIB, processes=16, files=10_000, scratch=GIB, file_size=GIB)


class PythonForm(AskedForm):
    """It takes every tensor, and can give every answer. It keeps a state in variables of its own."""

    def check(self, policy: Policy, interface: Interface, where: str) -> None:
        """It is Python, and defines ``decide``."""
        name, content = policy.file(self.role)
        check_python(content, name)

    def open(
        self, policy: Policy, interface: Interface, seed: int, bench: Bench, values: Mapping[str, Value] | None = None
    ) -> Decider:
        """An interpreter that answers with the file's ``decide``."""
        name, content = policy.file(self.role)

        def make(entry: Path) -> None:
            (entry / self.file).write_bytes(content)

        kept = bench.store.folder(bench.area("policies"), digest_bytes(content), make)
        return python_host(kept / self.file, PurePosixPath(name).name, seed, interface)

    def key_material(self, interface: Interface) -> list[str]:
        """What runs around it."""
        return [digest_bytes(_HOST.read_bytes())]


def python_host(policy: Path, name: str, seed: int, interface: Interface) -> Host:
    """The process that answers with the functions of the file ``policy``, which people know by this name."""
    python = python_alone(_PACKAGES)
    words = (str(READ), str(WRITE), str(seed), interface.text(), *map(str, python.packages))
    job = Job(
        str(python.program),
        ("-I", "-S", "-B", "host.py", *words),
        files={f"{SCRATCH}/host.py": _HOST, f"{SCRATCH}/policy.py": policy},
        folders=python.shown,
        hidden=python.hidden,
        environment={"LC_ALL": "C", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
        limits=_LIMITS,
    )
    return Host(name, job, REPLY_SECONDS, TOLERATED)


FORM = PythonForm("policy", "policy.py", pure=False, fields=frozenset({"seeds"}))
