"""C source that decides to a program that the plugin asks: compiled in the sandbox, kept in the cache.

The program is static and has ``native/host`` in it, so that its own sandbox holds this one file and nothing else.
"""

from pathlib import Path

from harness.base.digest import digest_of
from harness.base.errors import CellError
from harness.base.paths import ROOT
from harness.base.vocabulary import Outcome
from harness.policy.forms.compiled import compile_foreign
from harness.problems.inlining.ask import Host
from harness.sandbox import GIB, MIB, Job, Limits
from harness.sandbox.bench import Bench
from harness.sandbox.pair import READ, WRITE
from harness.toolchain.native import native_digest

__all__ = ["build_program", "program_host"]

_SOURCE, _PROGRAM, _INSIDE = "policy.c", "policy", "/policy"
_HOST = "host"
_FLAGS = ("-std=gnu17", "-O2", "-ffp-contract=off", "-w", "-static")
REPLY_SECONDS = 10.0
"""For an answer that takes microseconds: only a machine that does something else for so long is late."""


def program_host(program: Path, name: str) -> Host:
    """The program, at the other end of the plugin's channel; ``name``: of the submission's file, for messages."""
    limits = Limits(memory=GIB, processes=1, files=10, scratch=MIB, file_size=MIB, output=MIB, open_files=16)
    job = Job(_INSIDE, (str(READ), str(WRITE)), files={_INSIDE: program}, limits=limits)
    return Host(name, job, REPLY_SECONDS, tolerated=0)


def build_program(source: str, name: str, bench: Bench) -> Path:
    """The program of this source, which was made from the submission's file ``name``.

    Raises CellError: ``policy-error`` when it cannot be compiled, ``policy-timeout`` when it takes too long.
    """
    host = ROOT / "native" / _HOST / f"{_HOST}.c"
    key = digest_of(["program", source, native_digest(_HOST), _FLAGS, bench.toolchain.fingerprint.llvm])

    def make(entry: Path) -> None:
        with bench.store.scratch() as folder:
            (folder / _SOURCE).write_text(source)
            words = (*_FLAGS, _SOURCE, host.name, "-o", _PROGRAM, "-lm")
            done = compile_foreign("clang", words, {_SOURCE: folder / _SOURCE, host.name: host}, _PROGRAM, bench)
        if not done.ok or _PROGRAM not in done.results:
            outcome = Outcome.POLICY_TIMEOUT if done.out_of_time else Outcome.POLICY_ERROR
            raise CellError(outcome, f"{name} as C: {done.reason_line()}", done.transient)
        (entry / _PROGRAM).write_bytes(done.results[_PROGRAM])
        (entry / _PROGRAM).chmod(0o755)

    return bench.store.folder(bench.area("policies"), key, make) / _PROGRAM
