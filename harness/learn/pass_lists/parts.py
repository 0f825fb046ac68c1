"""Parts of programs to learn from: a function with all that it reaches, as a module of its own.

Thirty programs say little about which list suits which code; their functions say more. A part is compiled and measured,
and never run.
"""

import os
import random
import shlex
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from harness.base.digest import digest_file
from harness.base.errors import UsageError
from harness.freeze import FrozenModule
from harness.sandbox.bench import Bench
from harness.sandbox.tools import run_tool, script_job, tool_job

__all__ = ["parts_of"]

_SECONDS = 60.0
_SMALLEST = 4000
"""Bytes of bitcode below which a part is left out: a function of a few instructions, and as many headers."""


def parts_of(frozen: FrozenModule, most: int, chance: random.Random, folder: Path, bench: Bench) -> list[FrozenModule]:
    """At most so many parts, of functions that ``chance`` draws; no two alike. They are kept in ``folder``.

    Raises UsageError where LLVM's tools fail.
    """
    if not most:
        return []
    folder = folder / str(most)
    if not folder.is_dir():
        made = folder.with_name(f"{folder.name}.new")
        made.mkdir(parents=True, exist_ok=True)
        names = sorted(_functions(frozen, bench))
        for number, name in enumerate(chance.sample(names, min(most, len(names)))):
            (made / f"{number}.bc").write_bytes(_extracted(frozen, name, bench))
        os.replace(made, folder)
    found: dict[str, FrozenModule] = {}
    for path in sorted(folder.glob("*.bc"), key=lambda path: int(path.stem)):
        if path.stat().st_size >= _SMALLEST:
            digest = digest_file(path)
            found.setdefault(digest, replace(frozen, bitcode=path, digest=digest, program=None))
    return list(found.values())


def _functions(frozen: FrozenModule, bench: Bench) -> Iterator[str]:
    words = ("--defined-only", "--format=posix", "module.bc")
    done = run_tool(tool_job("llvm-nm", words, {"module.bc": frozen.bitcode}, (), _SECONDS, bench), bench)
    if not done.ok:
        raise UsageError(f"llvm-nm: {done.reason_line()}", where=str(frozen.bitcode))
    for line in done.stdout.decode().splitlines():
        name, kind, *_ = line.split()
        if kind in "Tt" and name != "main":
            yield name


def _extracted(frozen: FrozenModule, name: str, bench: Bench) -> bytes:
    tools = {tool: shlex.quote(bench.toolchain.tool(tool)) for tool in ("llvm-extract", "opt")}
    quoted = shlex.quote(name)
    script = (
        f"{tools['llvm-extract']} --recursive --func={quoted} module.bc -o reached.bc\n"
        f"{tools['opt']} -passes=internalize,globaldce -internalize-public-api-list={quoted} reached.bc -o part.bc\n"
    )
    done = run_tool(script_job(script, {"module.bc": frozen.bitcode}, ("part.bc",), _SECONDS, bench), bench)
    if not done.ok:
        raise UsageError(f"{name}: {done.reason_line()}", where=str(frozen.bitcode))
    return done.results["part.bc"]
