"""Programs of one file, run through opt with a list, generated, linked and run: what the tests of passes compare."""

import subprocess
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from harness.freeze import Fact
from harness.toolchain import Toolchain

__all__ = ["Ended", "Subject"]

_SOURCES = Path(__file__).parent / "subjects"
_ARGUMENTS: dict[str, tuple[tuple[str, ...], ...]] = {
    "subject.c": (("5",), ("-1",), ("99",)),
    "subject.cc": ((), ("3",)),
}
_SECONDS = 60


@dataclass(frozen=True)
class Ended:
    """How far a list got: ``opt``, ``generate``, ``link`` or ``run``, and what it said or printed there."""

    step: str
    words: tuple[str, ...]
    """Of a run: exit code, standard output and standard error of each; otherwise the failed tool's last words."""


class Subject:
    """One program, compiled as freeze does, in a folder of its own."""

    def __init__(self, source: str, facts: Collection[Fact], folder: Path, toolchain: Toolchain) -> None:
        self.facts = frozenset(facts)
        self._folder, self._toolchain = folder, toolchain
        self._clang = toolchain.tool("clang++" if source.endswith(".cc") else "clang")
        self._arguments = _ARGUMENTS[source]
        path = str(_SOURCES / source)
        command = (self._clang, "-Oz", "-w", "-fPIE", "-Xclang", "-disable-llvm-passes", "-emit-llvm", "-c", path)
        self._tool(*command, "-o", "unit.bc")
        # always-inline: the C++ library does not have every function that its headers mark so
        passes = "-passes=internalize,globaldce,always-inline"
        self._tool(toolchain.tool("opt"), passes, "-internalize-public-api-list=main", "unit.bc", "-o", "frozen.bc")
        self._tool(self._clang, "-O0", "-w", path, "-o", "reference", "-lm")
        self.expected = Ended("run", self._run("reference"))
        self._known: dict[bytes, Ended] = {}

    def optimised(self, passes: str) -> str:
        """The module's text after a list."""
        command = [self._toolchain.tool("opt"), f"-passes={passes}", "-S", "frozen.bc", "-o", "-"]
        return subprocess.run(
            command, cwd=self._folder, check=True, capture_output=True, text=True, timeout=_SECONDS
        ).stdout

    def under(self, passes: str) -> Ended:
        """What the program does after a list. Lists that give the same module are run once."""
        opt = self._toolchain.tool("opt")
        done = self._try(opt, f"-passes={passes}", "frozen.bc", "-o", "opt.bc")
        if done.returncode != 0:
            return Ended("opt", (str(done.returncode), done.stderr[-300:]))
        module = (self._folder / "opt.bc").read_bytes()
        if module not in self._known:
            self._known[module] = self._generated()
        return self._known[module]

    def _generated(self) -> Ended:
        disable = ("-Xclang", "-disable-llvm-passes")
        done = self._try(self._clang, "-Oz", "-fPIE", "-x", "ir", "opt.bc", *disable, "-c", "-o", "program.o")
        if done.returncode != 0:
            return Ended("generate", (done.stderr[-300:],))
        done = self._try(self._clang, "program.o", "-o", "program", "-lm")
        if done.returncode != 0:
            return Ended("link", (done.stderr[-300:],))
        return Ended("run", self._run("program"))

    def _run(self, program: str) -> tuple[str, ...]:
        words: list[str] = []
        for arguments in self._arguments:
            try:
                done = self._try(str(self._folder / program), *arguments, seconds=10)
                words += [str(done.returncode), done.stdout, done.stderr]
            except subprocess.TimeoutExpired:
                words.append("never ends")
        return tuple(words)

    def _tool(self, *command: str) -> None:
        subprocess.run(command, cwd=self._folder, check=True, timeout=_SECONDS)

    def _try(self, *command: str, seconds: float = _SECONDS) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            command, cwd=self._folder, capture_output=True, text=True, errors="replace", timeout=seconds
        )
