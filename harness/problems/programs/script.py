"""``harness repro``: a shell script of bare tool commands that gives a row's object.

Whoever gets it will run it, and names in it come from run files and suites: every one is quoted as a shell word, or
stands in a comment of one line. It needs LLVM 22 and, for upstream programs, the orig tarball; nothing of the harness.
Sources that
the project wrote, overlays, and the compiler plugin of inlining policies with the decisions that it
follows stand in the script itself; to build the plugin, LLVM's headers and a C++ library have to be there.
"""

import shlex
from pathlib import Path

from harness.apply.plan import FROZEN, OBJECT, CompilePlan, Step
from harness.base.errors import UsageError
from harness.base.text import comment
from harness.base.vocabulary import Origin
from harness.freeze.commands import (
    MODULE_SUFFIX,
    build_environment,
    build_steps,
    compile_unit,
    internalize,
    link_units,
)
from harness.problems.programs.problems import plan_of
from harness.problems.programs.recorded import program_of
from harness.record import Row, RunFile
from harness.record.decisions import load_decisions
from harness.sandbox.tools import NO_DATE
from harness.suite.load import Program
from harness.suite.model import Build
from harness.suite.sources import overlay_folder, own_folder
from harness.toolchain.native import native_folders
from harness.verify.link import link_command

__all__ = ["repro_script"]

_TREE = "source"


def repro_script(run: RunFile, row: Row, results: Path, suite: str | None = None) -> str:
    """The script. Raises UsageError for a row without an object."""
    if row.object_digest is None or row.decisions_digest is None:
        raise UsageError(f"this row has no object to reproduce: {row.outcome.value}, {row.detail}", where=run.path.name)
    if row.copy_:
        raise UsageError(
            "this row is of a copy with other names", where=run.path.name, hint="harness replay rebuilds it"
        )
    program = program_of(run, row.benchmark, suite)
    decisions = load_decisions(results, row.decisions_digest)
    plan = plan_of(decisions, row.target)
    return "\n".join(
        [
            *_preamble(program, row, run),
            *_sources(program),
            "",
            f"# Freeze: every translation unit at -{row.module_level.value} with no pass run, linked, internalised.",
            *_freeze(program, row),
            _expect(row.frozen_digest or "", FROZEN, "the frozen module"),
            "",
            comment(f"Apply the decisions ({decisions.problem}, {row.decisions_digest[:12]}): optimise, generate."),
            *_apply(plan),
            _expect(row.object_digest, OBJECT, "the object"),
            "",
            "# Link it, to run it.",
            _command(*_split(link_command(program.benchmark, row.target, OBJECT, "program"))),
            'echo "equal: $PWD/program.o"',
            "",
        ]
    )


def _preamble(program: Program, row: Row, run: RunFile) -> list[str]:
    return [
        "#!/bin/sh",
        comment(f"{program.id} on {row.target.value} under policy {row.policy}, as recorded in"),
        comment(f"{run.header.run} with LLVM {run.header.llvm_version}."),
        "# usage: sh SCRIPT [FOLDER]   builds in FOLDER (default: a new one); LLVM=/path/of/bin chooses the tools",
        "set -eu",
        'here=$PWD; work=${1:-$(mktemp -d)}; mkdir -p "$work"; cd "$work"',
        "LLVM=${LLVM:-/usr/lib/llvm-22/bin}",
        *(f"export {name}={value}" for name, value in NO_DATE.items()),
        "expect() {  # DIGEST FILE WHAT",
        '  got=$(sha256sum "$2" | cut -d" " -f1)',
        '  [ "$got" = "$1" ] || { echo "$3 differs: $got, not $1" >&2; exit 1; }',
        "}",
        "",
    ]


def _expect(digest: str, file: str, what: str) -> str:
    return f"expect {shlex.quote(digest)} {file} {shlex.quote(what)}"


def _sources(program: Program) -> list[str]:
    source = program.source
    lines = [f"rm -rf {_TREE}; mkdir {_TREE}"]
    if source.origin is not Origin.DEBIAN:
        return lines + _embed(own_folder(program.folder, source))
    assert source.tarball
    name = shlex.quote(source.tarball)
    lines += [
        comment(f"Orig tarball of Debian's source package {source.package} {source.version}: taken from the current"),
        comment(f"folder or from $TARBALLS; `apt-get source --download-only --tar-only {source.package}` gets it."),
        f'tarball=${{TARBALLS:-$here}}/{name}; [ -f "$tarball" ] || {{ echo "missing: $tarball" >&2; exit 1; }}',
        f'expect {shlex.quote(source.sha256 or "")} "$tarball" "the tarball"',
        f'tar --extract --no-same-owner --strip-components=1 --directory {_TREE} --file "$tarball"',
    ]
    for part in source.parts:
        folder, name = shlex.quote(f"{_TREE}/{part.folder}"), shlex.quote(part.tarball)
        lines += [
            comment(f"... and of {part.package} {part.version}, in a folder of the tree."),
            f'part=${{TARBALLS:-$here}}/{name}; [ -f "$part" ] || {{ echo "missing: $part" >&2; exit 1; }}',
            f'expect {shlex.quote(part.sha256)} "$part" "the tarball"',
            f"mkdir -p {folder}",
            f'tar --extract --no-same-owner --strip-components=1 --directory {folder} --file "$part"',
        ]
    return lines + (_embed(overlay_folder(program.folder, source.overlay)) if source.overlay else [])


def _embed(folder: Path, into: str = _TREE) -> list[str]:
    """Text files as here-documents."""
    lines: list[str] = []
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        name = f"{into}/{path.relative_to(folder).as_posix()}"
        lines += [f"mkdir -p {shlex.quote(str(Path(name).parent))}", _here_document(name, _text(path))]
    return lines


def _text(path: Path) -> str:
    """A source that can stand in a script. Raises UsageError for one that is not text."""
    try:
        text = path.read_bytes().decode()
    except UnicodeDecodeError:
        raise UsageError("not UTF-8 text, which a script cannot hold", where=str(path)) from None
    if "\0" in text:
        raise UsageError("has a zero byte, which a script cannot hold", where=str(path))
    return text


def _here_document(name: str, text: str) -> str:
    mark = "END_OF_FILE"
    while mark in text:
        mark += "_"
    end = "" if text.endswith("\n") or not text else "\n"
    return f"cat > {shlex.quote(name)} <<'{mark}'\n{text}{end}{mark}"


def _apply(plan: CompilePlan) -> list[str]:
    """Both steps, with what they find in the folder."""
    steps = (plan.optimise, plan.generate)
    plugins = dict.fromkeys(step.plugin for step in steps if step.plugin is not None)
    given = [_here_document(name, text) for step in steps for name, text in step.files]
    return [*(line for name in plugins for line in _plugin(name)), *given, *map(_step, steps)]


def _plugin(name: str) -> list[str]:
    folder, *used = native_folders(name)
    flags = shlex.join((folder / "compile_flags.txt").read_text().split())
    sources = " ".join(f"{one}/*.cpp" for one in (name, *(other.name for other in used)))
    return [
        f"# A plugin follows them; it is built in the folder {name}, with the headers of this LLVM.",
        *_embed(folder, name),
        *(line for other in used for line in _embed(other, other.name)),
        f'"$LLVM"/clang++ {flags} -isystem "$LLVM"/../include -shared {sources} -o {name}.so',
    ]


def _step(step: Step) -> str:
    return _command(step.tool, list(step.arguments))


def _freeze(program: Program, row: Row) -> list[str]:
    if program.benchmark.program is not None and program.source.build is not None:
        return _build(program.source.build, program.benchmark.program, row)
    lines, units = [f"cd {_TREE}"], []
    for number, name in enumerate(program.benchmark.files):
        unit = f"unit{number}.bc"
        units.append(unit)
        command = compile_unit(program.benchmark, row.target, row.module_level, name, f"../{unit}")
        lines.append(_command(*_split(command)))
    return [
        *lines,
        "cd ..",
        _command(*_split(link_units(units, "linked.bc"))),
        _command(*_split(internalize("linked.bc", FROZEN))),
    ]


def _build(build: Build, program: str, row: Row) -> list[str]:
    """The package's own build, with the tools of ``$LLVM``."""
    environment = build_environment(row.target, row.module_level, lambda tool: f"$LLVM/{tool}")
    return [
        "# The package's own build: its commands are the suite's, and run here without a sandbox.",
        f"cd {_TREE}",
        *(f'export {name}="{value}"' for name, value in environment.items()),
        *(shlex.join(step) for step in build_steps(build, row.target)),
        f"cp {shlex.quote(program + MODULE_SUFFIX)} ../linked.bc",
        "cd ..",
        _command(*_split(link_units(["linked.bc"], "whole.bc"))),
        _command(*_split(internalize("whole.bc", FROZEN))),
    ]


def _split(command: list[str]) -> tuple[str, list[str]]:
    return command[0], command[1:]


def _command(tool: str, arguments: list[str]) -> str:
    return f'"$LLVM"/{tool} {shlex.join(arguments)}'
