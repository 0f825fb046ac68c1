"""The words of the project, as types: one meaning each in code, files, command line and pages.

``docs/glossary.md`` explains them in prose. This module holds no behaviour.
"""

from enum import StrEnum

__all__ = ["SIZE", "SPEED", "Isolation", "Level", "Origin", "Outcome", "PolicyClass", "Split", "Target"]


class Target(StrEnum):
    """The machine that programs are compiled for."""

    X86_64 = "x86-64"
    """Runs natively."""
    AARCH64 = "aarch64"
    """Runs under QEMU user mode."""


class Level(StrEnum):
    """A clang optimisation level: ``Oz`` stands for ``-Oz``."""

    O0 = "O0"
    O1 = "O1"
    O2 = "O2"
    O3 = "O3"
    OS = "Os"
    OZ = "Oz"


SIZE, SPEED = "size", "speed"
"""The tracks of programs: small code, frozen at -Oz and compared with ``Oz``; and fast code, frozen at -O3 and compared
with ``greedy``, ``basic`` and ``pbqp``. Problems whose benchmarks are no programs declare tracks of their own."""


class PolicyClass(StrEnum):
    """How a policy decides. Standings never mix classes silently."""

    FIXED = "fixed"
    """The same for all programs."""
    ZERO_SHOT = "zero-shot"
    """From the program alone, without a reward."""
    SEARCH = "search"
    """Tries things on the program that it is scored on, in a stated budget."""


class Split(StrEnum):
    """Whether policies may be trained on a benchmark."""

    TRAIN = "train"
    TEST = "test"


class Origin(StrEnum):
    """Where a program's sources, or an instance, come from."""

    DEBIAN = "debian"
    """The orig tarball of a Debian source package, pinned by its sha256."""
    OWN = "own"
    """Written for the project, in the suite's folder."""
    LOCAL = "local"
    """A path on the user's disk."""
    CONTEST = "contest"
    """The file of a contest's problem, as its organisers published it."""


class Isolation(StrEnum):
    """What stood between the machine and the code that is not the harness's own."""

    SANDBOX = "sandbox"
    """Namespaces, dropped rights, a filter of system calls, limits on everything."""
    TRUSTED = "trusted"
    """Nothing but limits on time and memory: the user asked for it with ``--trust``."""


class Outcome(StrEnum):
    """How a cell ended. Only an ``ok`` cell has measurements."""

    OK = "ok"
    """Every workload's output equals the reference's; all metrics were measured."""
    POLICY_ERROR = "policy-error"
    """The policy decided nothing usable: an unknown or refused pass, an unreadable file, a crash."""
    POLICY_TIMEOUT = "policy-timeout"
    """The policy did not decide in time."""
    COMPILE_ERROR = "compile-error"
    """The compiler failed or crashed on the decisions."""
    COMPILE_TIMEOUT = "compile-timeout"
    """The compiler did not finish in time."""
    WRONG_OUTPUT = "wrong-output"
    """The program ran and printed something else than the reference."""
    RUN_CRASH = "run-crash"
    """The program was killed by a signal that the reference does not get, or at a limit other than time."""
    RUN_TIMEOUT = "run-timeout"
    """The program did not finish in time."""
    INFEASIBLE = "infeasible"
    """A sharding solver's assignment is none of the instance, or takes more memory than there is."""
    NOT_REPLAYABLE = "not-replayable"
    """The decisions do not give the object that was measured."""
    UNSUPPORTED = "unsupported"
    """The policy does not claim this target, or the program does not exist for it."""
