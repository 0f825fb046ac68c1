"""Forms of which the harness makes C; and source that decides to a program that answers questions: compiled in the
sandbox, kept in the cache.

The program is static and has ``native/host`` in it, so that its own sandbox holds this one file and nothing else.
"""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path

from harness.base.digest import digest_bytes, digest_of
from harness.base.errors import CellError
from harness.base.paths import NATIVE_SOURCES
from harness.base.remembered import remembered
from harness.base.vocabulary import Outcome
from harness.policy.forms.asked import AskedForm
from harness.policy.forms.compiled import compile_foreign, compiled
from harness.policy.forms.decider import Host
from harness.policy.forms.interface import Interface
from harness.policy.forms.parameters import Value
from harness.policy.policy import Policy
from harness.sandbox import GIB, MIB, Finished, Job, Limits
from harness.sandbox.bench import Bench
from harness.sandbox.pair import READ, WRITE
from harness.toolchain.native import native_digest

__all__ = ["TranslatedForm", "build_cpp_program", "build_program", "program_digest", "program_host"]

_SOURCE, _CPP, _PROGRAM, _INSIDE = "policy.c", "program.cpp", "policy", "/policy"
_HOST = "host"
_C = ("-std=gnu17",)
_FLAGS = ("-O2", "-ffp-contract=off", "-w", "-static")
REPLY_SECONDS = 10.0
"""For an answer that takes microseconds: only a machine that does something else for so long is late."""


class TranslatedForm(AskedForm):
    """A form whose files become C of the harness's own, which only computes."""

    @abstractmethod
    def source(self, content: bytes, name: str, interface: Interface, bench: Bench) -> str:
        """The C of a file, as ``build_program`` takes it. Raises CellError."""

    @property
    @abstractmethod
    def translator(self) -> str:
        """Digest of what makes the C."""

    def open(
        self, policy: Policy, interface: Interface, seed: int, bench: Bench, values: Mapping[str, Value] | None = None
    ) -> Host:
        """The program of the C."""
        return _translated(self, policy.contents[self.role], policy.manifest.files[self.role], interface, bench)

    def key_material(self, interface: Interface) -> list[str]:
        """The translation, and the program around it."""
        return [self.translator, program_digest(interface)]


@remembered(128)
def _translated(form: TranslatedForm, content: bytes, name: str, interface: Interface, bench: Bench) -> Host:
    return program_host(build_program(form.source(content, name, interface, bench), interface, name, bench), name)


def program_host(program: Path, name: str) -> Host:
    """The program, at the other end of the channel; ``name``: of the submission's file, for messages."""
    limits = Limits(memory=GIB, processes=1, files=10, scratch=MIB, file_size=MIB, output=MIB, open_files=16)
    job = Job(_INSIDE, (str(READ), str(WRITE)), files={_INSIDE: program}, limits=limits)
    return Host(name, job, REPLY_SECONDS, tolerated=0)


def build_program(source: str, interface: Interface, name: str, bench: Bench) -> Path:
    """The program of this C, which was made from the submission's file ``name``: it has ``policy_decide``, which takes
    a question and gives its answer, and ``policy_uses``, a byte for each feature.

    Raises CellError: ``policy-error`` when it cannot be compiled, ``policy-timeout`` when it takes too long.
    """

    def result(done: Finished) -> bytes:
        if not done.ok or _PROGRAM not in done.results:
            outcome = Outcome.POLICY_TIMEOUT if done.out_of_time else Outcome.POLICY_ERROR
            raise CellError(outcome, f"{name} as C: {done.reason_line()}", done.transient)
        return done.results[_PROGRAM]

    words = (*_C, *_FLAGS, *_sizes(interface), _SOURCE, f"{_HOST}.c")
    return _built("clang", words, {_SOURCE: source.encode()}, result, bench)


def build_cpp_program(source: str, files: Mapping[str, bytes], interface: Interface, name: str, bench: Bench) -> Path:
    """As ``build_program``, of C++ that includes ``files``, of which the submission wrote ``name``."""
    words = (*_FLAGS, *_sizes(interface), _CPP, "-x", "c", f"{_HOST}.c", "-x", "none")
    given = {_CPP: source.encode(), **files}
    return _built("clang++", words, given, lambda done: compiled(done, _PROGRAM, name), bench)


def program_digest(interface: Interface) -> str:
    """Of what is around the source in a program."""
    return digest_of([native_digest(_HOST), *_C, *_FLAGS, *_sizes(interface)])


def _sizes(interface: Interface) -> tuple[str, str]:
    """What ``native/host`` must know of the questions, as flags."""
    return f"-DPOLICY_FEATURES={len(interface.features)}", f"-DPOLICY_WORDS={interface.words}"


def _built(
    driver: str, words: tuple[str, ...], files: Mapping[str, bytes], result: Callable[[Finished], bytes], bench: Bench
) -> Path:
    host = NATIVE_SOURCES / _HOST / f"{_HOST}.c"
    contents = {name: digest_bytes(content) for name, content in files.items()}
    key = digest_of(["program", contents, native_digest(_HOST), driver, words, bench.toolchain.fingerprint.llvm])

    def make(entry: Path) -> None:
        with bench.store.scratch() as folder:
            for name, content in files.items():
                (folder / name).write_bytes(content)
            given = {host.name: host, **{name: folder / name for name in files}}
            done = compile_foreign(driver, (*words, "-o", _PROGRAM, "-lm"), given, _PROGRAM, bench)
        (entry / _PROGRAM).write_bytes(result(done))
        (entry / _PROGRAM).chmod(0o755)

    return bench.store.folder(bench.area("policies"), key, make) / _PROGRAM
