"""The barest loop that runs passes: LLVM's C interface in one process, with nothing around it. Sessions are compared
with it.

usage: python -m benchmarks.bare LIBRARY MODULE

``Bare`` starts it, since a pass that crashes takes its process with it. A request is a line of JSON: ``passes``, a list
of pipelines to run one after the other on the module as the file has it, and ``each``, whether to count after each of
them or after the last alone. The answer has the ``seconds`` from reading the module to forgetting it, the ``counts``,
and the module's ``digest``, which is taken outside of these seconds.
"""

import ctypes as c
import hashlib
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Bare", "BareLost", "Played", "digest_of_text"]

ROOT = Path(__file__).parent.parent
_DEFAULT_LEVEL = 2
"""LLVMCodeGenLevelDefault, which ``opt`` takes."""
_PIC = 2
_COUNT = "_ZNK4llvm6Module19getInstructionCountEv"
"""``Module::getInstructionCount``: the C interface counts an instruction a call, which would be no bare loop."""
_TARGETS = ("X86", "AArch64")


class BareLost(Exception):
    """A pass has ended the loop's process."""


@dataclass(frozen=True, slots=True)
class Played:
    """What came of one list."""

    seconds: float
    counts: tuple[int, ...]
    digest: str
    """Of the module as text."""


class Bare:
    """The loop in a process of its own."""

    def __init__(self, library: Path, module: Path) -> None:
        """Start it."""
        self._command = [sys.executable, "-m", "benchmarks.bare", str(library), str(module)]
        self._start()

    def close(self) -> None:
        """End the process."""
        self._process.communicate()

    def play(self, passes: Sequence[str], *, each: bool) -> Played:
        """Run these. Raises BareLost where the process ends; the next list has a new one."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps({"passes": list(passes), "each": each}), file=self._process.stdin, flush=True)
        line = self._process.stdout.readline()
        if not line.endswith("\n"):
            self._process.communicate()
            code = self._process.returncode
            self._start()
            raise BareLost(f"the bare loop ended with code {code}")
        answer = json.loads(line)
        return Played(answer["seconds"], tuple(answer["counts"]), answer["digest"])

    def _start(self) -> None:
        self._process = subprocess.Popen(
            self._command,
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )


def digest_of_text(text: bytes) -> str:
    """Of a module's text, without its first line, which names the file that it was read from."""
    return hashlib.sha256(text.partition(b"\n")[2]).hexdigest()


class _Loop:
    """The C interface, with the module's bytes and a target machine."""

    def __init__(self, library: str, module: str) -> None:
        self._llvm = c.CDLL(library)
        for target in _TARGETS:
            for what in ("TargetInfo", "Target", "TargetMC"):
                self._function(f"LLVMInitialize{target}{what}", None)()
        pointer, text = c.c_void_p, c.c_char_p
        self._context = self._function("LLVMContextCreate", pointer)
        self._forget_context = self._function("LLVMContextDispose", None, pointer)
        self._forget = self._function("LLVMDisposeModule", None, pointer)
        self._parse = self._function("LLVMParseBitcodeInContext2", c.c_int, pointer, pointer, pointer)
        self._run = self._function("LLVMRunPasses", pointer, pointer, text, pointer, pointer)
        self._message = self._function("LLVMGetErrorMessage", text, pointer)
        self._count = self._function(_COUNT, c.c_uint, pointer)
        self._text = self._function("LLVMPrintModuleToString", pointer, pointer)
        self._forget_text = self._function("LLVMDisposeMessage", None, pointer)
        self._options = self._function("LLVMCreatePassBuilderOptions", pointer)()
        self._bytes = Path(module).read_bytes()
        buffer = self._function("LLVMCreateMemoryBufferWithMemoryRange", pointer, text, c.c_size_t, text, c.c_int)
        self._buffer = buffer(self._bytes, len(self._bytes), b"module", 0)
        self._machine = self._machine_of(self._read(self._context()))

    def _function(self, name: str, result: Any, *arguments: Any) -> Any:
        function = getattr(self._llvm, name)
        function.restype, function.argtypes = result, arguments
        return function

    def _read(self, context: int) -> int:
        module = c.c_void_p()
        if self._parse(context, self._buffer, c.byref(module)) or module.value is None:
            sys.exit("the module is none")
        return module.value

    def _machine_of(self, module: int) -> int:
        """As ``opt`` makes it for the module's target."""
        pointer, text = c.c_void_p, c.c_char_p
        triple = self._function("LLVMGetTarget", text, pointer)(module)
        target = c.c_void_p()
        if self._function("LLVMGetTargetFromTriple", c.c_int, text, pointer, pointer)(triple, c.byref(target), None):
            sys.exit("the module's target is unknown")
        create = self._function(
            "LLVMCreateTargetMachine", pointer, pointer, text, text, text, c.c_int, c.c_int, c.c_int
        )
        return int(create(target, triple, b"", b"", _DEFAULT_LEVEL, _PIC, 0))

    def play(self, passes: Sequence[bytes], each: bool) -> Played:
        """Run these on the module as the file has it."""
        counts = []
        began = time.perf_counter()
        context = self._context()
        module = self._read(context)
        for text in passes:
            if fault := self._run(module, text, self._machine, self._options):
                sys.exit(self._message(fault).decode())
            if each:
                counts.append(self._count(module))
        if not each:
            counts.append(self._count(module))
        ran = time.perf_counter() - began
        digest = self._digest(module)
        began = time.perf_counter()
        self._forget(module)
        self._forget_context(context)
        return Played(ran + time.perf_counter() - began, tuple(counts), digest)

    def _digest(self, module: int) -> str:
        text = self._text(module)
        digest = digest_of_text(c.string_at(text))
        self._forget_text(text)
        return digest


def main() -> None:
    """Answer until there is no request."""
    loop = _Loop(*sys.argv[1:])
    for line in sys.stdin:
        asked = json.loads(line)
        played = loop.play([text.encode() for text in asked["passes"]], asked["each"])
        answer = {"seconds": played.seconds, "counts": played.counts, "digest": played.digest}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
