"""Generated modules, as a negative control: what CodeZero says of them, that they are far from real code, can be seen.

Each is of one seed. They are in a split of their own, and no trainer is given them unless it asks.
"""

import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.base.digest import digest_file, digest_of
from harness.base.errors import PrerequisiteError
from harness.base.vocabulary import Level, Target
from harness.freeze.commands import freezing_flags
from harness.learn.corpus.job import Step, Work, made_by, tool_key
from harness.learn.corpus.kept import Made, keep, kept
from harness.sandbox.bench import Bench

__all__ = ["GENERATORS", "Generator", "generated_units"]

_KIND = "corpus-generated"
_HEADERS = Path("/usr/include")
_EVERY = 500


@dataclass(frozen=True, slots=True)
class Generator:
    """A program that makes programs."""

    name: str
    licence: str
    """Of what it makes."""
    program: str
    """Its name on PATH, or among LLVM's tools."""
    package: str
    """Debian packages that bring it."""
    language: str
    modules: int = _EVERY
    """One for each seed from 1 on."""


GENERATORS = {
    one.name: one
    for one in (
        Generator("csmith", "BSD-2-Clause", "csmith", "csmith libcsmith-dev", "c"),
        Generator("llvm-stress", "Apache-2.0 WITH LLVM-exception", "llvm-stress", "llvm-22-tools", "llvm"),
    )
}


def generated_units(generator: Generator, bench: Bench) -> Made:
    """Its modules, made if they are not in the cache. Raises PrerequisiteError where it is not installed."""
    found = _program(generator, bench)
    steps = _steps(generator, found, bench)
    key = digest_of([_KIND, 1, generator.name, digest_file(found), [one.words for one in steps], tool_key(bench)])

    def make(entry: Path) -> None:
        skipped = Counter[str]()
        work = Work(generator.name, None, {}, "", steps, len(steps))
        keep(entry, made_by(work, skipped, bench), skipped)

    return kept(bench.store.folder(_KIND, key, make))


def _program(generator: Generator, bench: Bench) -> Path:
    own = Path(bench.toolchain.tool(generator.program))
    found = str(own) if own.is_file() else shutil.which(generator.program)
    if found is None or (generator.language == "c" and _csmith_headers() is None):
        raise PrerequisiteError(f"{generator.program} is not installed", hint=f"apt-get install {generator.package}")
    return Path(found).resolve()


def _csmith_headers() -> Path | None:
    """The folder of csmith.h."""
    return next((path.parent for path in sorted(_HEADERS.glob("csmith*/csmith.h"))), None)


def _steps(generator: Generator, program: Path, bench: Bench) -> Sequence[Step]:
    if generator.language == "llvm":
        opt = bench.toolchain.tool("opt")
        sized = "-mtriple=x86_64-linux-gnu -passes=forceattrs -force-attribute=minsize -force-attribute=optsize"
        make = f'"$0" -seed="$1" -size=300 | {opt} {sized} -o "$2"'
    else:
        clang = " ".join([bench.toolchain.tool("clang"), *freezing_flags(Target.X86_64, Level.OZ), "-w"])
        small = "--max-funcs 6 --max-block-depth 3"
        make = f'"$0" --seed "$1" {small} >p.c && {clang} -I{_csmith_headers()} -emit-llvm -c p.c -o "$2"'
    seeds = range(1, generator.modules + 1)
    return [Step(f"{seed:04}", generator.language, ("/bin/sh", "-c", make, str(program), str(seed))) for seed in seeds]
