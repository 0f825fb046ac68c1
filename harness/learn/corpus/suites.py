"""What is known of the programs of the suites: a corpus has nothing that they have, and is shown beside them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.base.digest import digest_file, digest_of
from harness.base.engine import Engine, stage
from harness.base.errors import UsageError
from harness.base.progress import Observer
from harness.base.vocabulary import Level, Target
from harness.freeze import freeze
from harness.learn.corpus.facts import ModuleFacts, facts_of
from harness.learn.corpus.job import TOOL, tool_key
from harness.problems.programs.stages import fetch_sources
from harness.sandbox import GIB, MIB, SCRATCH, Job, Limits
from harness.sandbox.bench import Bench
from harness.suite.load import Program, load_suite, suite_names
from harness.toolchain.native import llvm_program

__all__ = ["module_facts", "programs_of", "suite_facts"]

_KIND = "corpus-facts"
_SECONDS = 600.0


@dataclass(frozen=True)
class _Task:
    program: Program
    bench: Bench


def programs_of(suites: Sequence[str] | None = None) -> list[Program]:
    """Every program of these suites, or of all that come with the harness; once each."""
    names = suite_names() if suites is None else suites
    return [program for name in names for program in load_suite(name).programs if program.home is None]


def suite_facts(
    programs: Sequence[Program], bench: Bench, engine: Engine, observer: Observer
) -> Mapping[str, ModuleFacts]:
    """Name (``cbench/sha``) → facts of the program as it is frozen for x86-64 at -Oz, in the programs' order.

    Raises what fetching and freezing raise.
    """
    fetch_sources(list(programs), bench, engine, observer)
    tasks = [_Task(program, bench) for program in programs]
    found = stage("suites", _facts, tasks, engine, observer, lambda task: task.program.id)
    by_name = {task.program.id: facts for task, facts in found}
    return {program.id: by_name[program.id] for program in programs}


def _facts(task: _Task) -> ModuleFacts:
    return module_facts(freeze(task.program, Target.X86_64, Level.OZ, task.bench).bitcode, task.bench)


def module_facts(module: Path, bench: Bench, *, ranges: bool = False) -> ModuleFacts:
    """The facts of a module in a file. ``ranges``: with live ranges, which take most of the time.

    Raises UsageError where LLVM cannot read it.
    """
    asked = "facts" if ranges else "shapes"
    key = digest_of([_KIND, asked, digest_file(module), tool_key(bench)])
    if (known := bench.store.get(_KIND, key)) is not None:
        return ModuleFacts.model_validate(known)
    job = Job(
        f"/{TOOL}",
        (asked, "module.bc"),
        system=True,
        folders=bench.toolchain.folders,
        files={f"/{TOOL}": llvm_program(TOOL, bench.toolchain, bench.store), f"{SCRATCH}/module.bc": module},
        limits=Limits(wall=10 * _SECONDS, cpu=_SECONDS, memory=6 * GIB, scratch=GIB, file_size=GIB, output=256 * MIB),
    )
    done = bench.sandbox.run(job)
    if not done.ok:
        bench.store.require_space(done.stderr)
        raise UsageError(f"cannot be looked at: {done.reason_line()}", where=str(module))
    facts = facts_of(done.stdout, str(module))
    bench.store.put(_KIND, key, facts.model_dump(mode="json"))
    return facts
