"""A package's own build, in the sandbox: configured and made with LTO, so that the linker leaves one module a program.

Nothing of it is trusted: it sees the machine's compilers and its own tree, has no network, and is stopped when it takes
too long, forks too often or fills its folder.
"""

from collections.abc import Mapping
from pathlib import Path

from harness.base.digest import digest_of
from harness.base.errors import UsageError
from harness.base.process import WAITING
from harness.base.vocabulary import Level, Target
from harness.freeze.commands import MODULE_SUFFIX, build_environment, build_script, sanitizer_environment
from harness.sandbox import GIB, MIB, SCRATCH, Finished, Job, Limits
from harness.sandbox.bench import Bench
from harness.suite.load import Program
from harness.suite.model import Build
from harness.suite.sources import SourceTree, packed_tree, source_tree

__all__ = ["built_module", "sanitized_program"]

_ARCHIVE = "tree.tar"
_PATH = "/usr/bin:/bin"


def built_module(program: Program, target: Target, level: Level, bench: Bench) -> Path:
    """The program's whole-program module as its package's build links it; one build serves all programs of a source.

    Raises UsageError, naming program, step and the last words, when the build fails or is stopped.
    """
    build, tree = _build(program), source_tree(program, bench)
    environment = build_environment(target, level, bench.toolchain.tool)
    tools = [bench.toolchain.fingerprint.llvm, bench.toolchain.runtime_fingerprint(target, "c++")]
    key = digest_of(["build", 1, tree.digest, build.model_dump(mode="json"), target.value, environment, tools])

    def make(entry: Path) -> None:
        wanted = {f"{name}{MODULE_SUFFIX}": name for name in build.programs}
        done = _run(program, tree, environment, target, tuple(wanted), bench)
        for number, (module, name) in enumerate(wanted.items()):
            (entry / f"{number}.bc").write_bytes(_result(program, done, module, f"a module of {name}"))

    entry = bench.store.folder(bench.area("builds"), key, make)
    return entry / f"{build.programs.index(str(program.benchmark.program))}.bc"


def sanitized_program(program: Program, unsanitized: tuple[str, ...], output: Path, bench: Bench) -> None:
    """The program built natively with AddressSanitizer and UndefinedBehaviorSanitizer. Raises UsageError."""
    name = str(program.benchmark.program)
    environment = sanitizer_environment(unsanitized, bench.toolchain.tool)
    done = _run(program, source_tree(program, bench), environment, Target.X86_64, (name,), bench)
    output.write_bytes(_result(program, done, name, "a program"))
    output.chmod(0o755)


def _build(program: Program) -> Build:
    assert program.source.build is not None  # the suite's schema sees to it
    return program.source.build


def _run(
    program: Program,
    tree: SourceTree,
    environment: Mapping[str, str],
    target: Target,
    wanted: tuple[str, ...],
    bench: Bench,
) -> Finished:
    build = _build(program)
    job = Job(
        "/bin/sh",
        ("-euc", build_script(build, target, f"{SCRATCH}/{_ARCHIVE}")),
        system=True,
        folders=bench.toolchain.folders,
        # With the files' times: make and configure compare them.
        files={f"{SCRATCH}/{_ARCHIVE}": packed_tree(tree, bench.store)},
        environment={"PATH": _PATH, "TMPDIR": SCRATCH, "HOME": SCRATCH, "LC_ALL": "C", **environment},
        results=tuple(f"tree/{name}" for name in wanted),
        limits=Limits(
            wall=WAITING * build.seconds,
            cpu=build.seconds,
            memory=6 * GIB,
            processes=build.processes,
            file_size=GIB,
            files=100_000,
            scratch=build.scratch * MIB,
            open_files=1024,
        ),
    )
    done = bench.sandbox.run(job)
    if not done.ok:
        bench.store.require_space()
        hint = f"`seconds` of the source's `build` in the suite is {build.seconds:g}" if done.out_of_time else None
        raise UsageError(f"its own build fails: {_reason(done)}", where=program.id, hint=hint)
    return done


def _reason(done: Finished) -> str:
    """How it ended, with the step that it was at."""
    steps = [line for line in done.stdout.decode(errors="replace").splitlines() if line.startswith("step ")]
    return f"{steps[-1]}: {done.reason_line()}" if steps else done.reason_line()


def _result(program: Program, done: Finished, name: str, what: str) -> bytes:
    path = f"tree/{name}"
    if path not in done.results:
        why = done.refused.get(path, "not there")
        message = f"its own build leaves no {what.removeprefix('a ')}: {name} is {why}"
        hint = "is `programs` right? If so, the build may ignore CC, CXX and CFLAGS: give them as arguments of a step"
        raise UsageError(message, where=program.id, hint=hint)
    return done.results[path]
