"""One job in the sandbox that makes many modules, each under limits of its own, and takes the facts of each.

Whatever a compiler does with one unit, the others are made. What the job says is checked as it is read.
"""

import re
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.base.errors import UsageError
from harness.base.process import WAITING
from harness.learn.corpus.facts import ModuleFacts, facts_of
from harness.sandbox import GIB, MIB, SCRATCH, Finished, Job, Limits
from harness.sandbox.bench import Bench
from harness.sandbox.tools import NO_DATE
from harness.toolchain.native import llvm_program, native_digest

__all__ = ["TOOL", "Found", "Step", "Work", "made_by", "tool_key"]

TOOL = "corpus"
"""The program of ``native/``."""
_LARGEST_MODULE = 2 * MIB
_MAKE, _OBSERVE = 60, 120
"""CPU seconds for a module, and for its facts: the slowest takes a third of it."""
_SPACE = 3_000_000
"""KiB of address space of each compiler."""
_MISSING = re.compile(r"'([\w./+-]{1,80})' file not found", re.ASCII)
_PATH = "/usr/bin:/bin:/usr/sbin"


@dataclass(frozen=True, slots=True)
class Step:
    """How one module is made."""

    unit: str
    language: str
    """``c``, ``c++`` or ``llvm``."""
    words: tuple[str, ...]
    """A command that writes the file named behind it."""


@dataclass(frozen=True, slots=True)
class Found:
    """A module that was made."""

    unit: str
    language: str
    bitcode: bytes
    facts: ModuleFacts


@dataclass(frozen=True)
class Work:
    """A job."""

    where: str
    """What it is about, for messages."""
    archive: Path | None
    """Of files, in whose folder every step is taken; None: an empty folder."""
    files: Mapping[str, Path]
    """Others, by paths beside that folder."""
    before: str
    """Lines of shell before the first step."""
    steps: Sequence[Step]
    most: int
    """Modules, at most: the first so many that can be made."""


_BEGIN = """\
: >modules; : >facts
mkdir tree || exit 1
if [ -e tree.tar ]; then
  tar --extract --file tree.tar --directory tree || exit 1
  rm tree.tar
fi
cd tree || exit 1
taken=0
unit() {
  number=$1; shift
  [ "$taken" -lt "$most" ] || return 0
  if ! (ulimit -t "$compile"; ulimit -v "$space"; exec "$@" ../unit.bc) >/dev/null 2>../error; then
    echo "$number compile $? $(grep -m 1 -a -o 'error: .*' ../error | head -c 200 | tr -c '[:print:]' ' ')"
    return 0
  fi
  size=$(wc -c <../unit.bc)
  if [ "$size" -gt "$largest" ]; then echo "$number large"; return 0; fi
  if ! (ulimit -t "$observe"; ulimit -v "$space"; exec /corpus facts ../unit.bc) >../unit.json 2>../error; then
    echo "$number facts"
    return 0
  fi
  cat ../unit.json >>../facts
  cat ../unit.bc >>../modules
  echo "$number taken $size"
  taken=$((taken + 1))
}
"""


def tool_key(bench: Bench) -> list[str]:
    """What facts depend on."""
    return [native_digest(TOOL), bench.toolchain.fingerprint.llvm]


def made_by(work: Work, skipped: Counter[str], bench: Bench) -> Iterator[Found]:
    """The modules of a job, as far as they can be made; ``skipped`` is told of the others.

    Raises UsageError where the job as a whole fails, and what ``Sandbox.run`` raises.
    """
    with bench.store.scratch() as scratch:
        script = scratch / "script.sh"
        script.write_text(_script(work))
        done = _run(work, script, bench)
    yield from _read(done, work, skipped)


def _script(work: Work) -> str:
    limits = {"most": work.most, "compile": _MAKE, "observe": _OBSERVE, "space": _SPACE, "largest": _LARGEST_MODULE}
    lines = [f"{name}={value}\n" for name, value in limits.items()]
    steps = [f"unit {number} {shlex.join(step.words)}\n" for number, step in enumerate(work.steps)]
    return "".join([*lines, _BEGIN, work.before, *steps])


def _run(work: Work, script: Path, bench: Bench) -> Finished:
    seconds = 120.0 + 20.0 * len(work.steps)
    given = {"script.sh": script, **({"tree.tar": work.archive} if work.archive else {}), **work.files}
    job = Job(
        "/bin/sh",
        ("-u", "script.sh"),
        system=True,
        folders=bench.toolchain.folders,
        files={
            **{f"{SCRATCH}/{name}": path for name, path in given.items()},
            f"/{TOOL}": llvm_program(TOOL, bench.toolchain, bench.store),
        },
        environment={"PATH": _PATH, "LC_ALL": "C", **NO_DATE},
        results=("modules", "facts"),
        limits=Limits(
            wall=WAITING * seconds,
            cpu=seconds,
            memory=6 * GIB,
            processes=16,
            files=200_000,
            scratch=2 * sum(path.stat().st_size for path in given.values()) + 2 * GIB,
            file_size=GIB,
            output=64 * MIB,
        ),
    )
    done = bench.sandbox.run(job)
    if not done.ok or len(done.results) != len(job.results):
        bench.store.require_space(done.stderr)
        raise UsageError(f"its modules cannot be made: {done.reason_line()}", where=work.where)
    return done


def _read(done: Finished, work: Work, skipped: Counter[str]) -> Iterator[Found]:
    modules, facts = memoryview(done.results["modules"]), iter(done.results["facts"].splitlines())
    offset = 0
    for line in done.stdout.decode("ascii", "replace").splitlines():
        number, what, *rest = line.split(" ", 3)
        if not number.isdigit() or int(number) >= len(work.steps):
            raise UsageError("its job says what no job says", where=work.where)
        step = work.steps[int(number)]
        if what != "taken":
            skipped[_reason(what, rest)] += 1
            continue
        bitcode = bytes(modules[offset : offset + int(rest[0])])
        offset += len(bitcode)
        yield Found(step.unit, step.language, bitcode, facts_of(next(facts, b""), f"{work.where}: {step.unit}"))


def _reason(what: str, rest: list[str]) -> str:
    """Why a unit was skipped: in one word, and of a header that nothing has its name."""
    if what != "compile":
        return what if what in ("large", "facts") else "error"
    said = rest[1] if len(rest) > 1 else ""
    if not said.strip():
        return "limit"
    missing = _MISSING.search(said)
    return f"header {missing[1]}" if missing else "error"
