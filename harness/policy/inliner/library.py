"""C source that decides to a shared library that the plugin loads: compiled in the sandbox, kept in the cache."""

import os
from pathlib import Path

from harness.bench import Bench
from harness.digest import digest_of
from harness.errors import CellError
from harness.sandbox import GIB, MIB, SCRATCH, Job, Limits
from harness.vocabulary import Outcome

__all__ = ["build_library"]

_SOURCE, _LIBRARY = "policy.c", "policy.so"
_FLAGS = ("-std=gnu17", "-O2", "-fPIC", "-fvisibility=default", "-ffp-contract=off", "-w", "-shared")
_LIMITS = Limits(wall=60, memory=4 * GIB, address_space=8 * GIB, processes=16, scratch=GIB, file_size=512 * MIB)


def build_library(source: str, name: str, bench: Bench) -> Path:
    """The library of this source, which was made from the submission's file ``name``.

    Raises CellError: ``policy-error`` when it cannot be compiled, ``policy-timeout`` when it takes too long.
    """
    key = digest_of(["library", source, _FLAGS, bench.toolchain.fingerprint.llvm])

    def make(entry: Path) -> None:
        with bench.store.scratch() as folder:
            (folder / _SOURCE).write_text(source)
            job = Job(
                os.path.realpath(bench.toolchain.tool("clang")),
                (*_FLAGS, _SOURCE, "-o", _LIBRARY, "-lm"),
                files={f"{SCRATCH}/{_SOURCE}": folder / _SOURCE},
                system=True,
                folders=bench.toolchain.folders,
                environment={"PATH": "/usr/bin:/bin", "LC_ALL": "C"},
                results=(_LIBRARY,),
                limits=_LIMITS,
            )
            done = bench.sandbox.run(job)
        if not done.ok or _LIBRARY not in done.results:
            outcome = Outcome.POLICY_TIMEOUT if done.out_of_time else Outcome.POLICY_ERROR
            raise CellError(outcome, f"{name} as C: {done.reason_line()}", done.transient)
        (entry / _LIBRARY).write_bytes(done.results[_LIBRARY])

    return bench.store.folder(bench.area("policies"), key, make) / _LIBRARY
