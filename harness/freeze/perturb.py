"""Copies of a frozen module that do the same under other names, in another order, beside functions that nobody calls.

A policy that looks at code decides the same for a copy, or nearly; one that has learnt by heart what to do with these
very modules finds none of them. Local symbols get names drawn at random, function definitions a random order; ``main``
and what libc provides keep their names. Functions of random arithmetic are added, which may be called from elsewhere:
no pass removes them, and counts of instructions, sizes and features are others too. What a copy cannot hide: string
constants, names of types, and the code itself.
"""

import re
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from harness.base.digest import digest_file, digest_of
from harness.base.errors import UsageError
from harness.freeze.freeze import FrozenModule, count_instructions
from harness.sandbox.bench import Bench
from harness.sandbox.tools import run_tool, tool_job

__all__ = ["COPIES", "is_perturbed", "perturb", "perturbed"]

COPIES = 3
"""Copies of each module that a run with ``--perturb`` makes: enough to see how far names and order move any policy."""

_SECONDS = 300.0
_OUTPUT = "output"
_VARIABLE = re.compile(rb'^@("[^"]*"|[-\w$.]+) = (?:internal|private) ', re.MULTILINE)
_FUNCTION = re.compile(rb'^define (?:internal|private) [^\n]*?@("[^"]*"|[-\w$.]+)\(', re.MULTILINE)
_SYMBOL = re.compile(rb'@("[^"]*"|[-\w$.]+)|"[^"]*"')
"""A symbol, or a string: what stands in a string constant is no symbol. Quotes in strings are escaped as ``\\22``."""
_DEFINITION = re.compile(rb"^define .*?^\}\n", re.MULTILINE | re.DOTALL)
_NUMBERED = re.compile(rb"\d+\Z")
_INSTRUCTION = re.compile(rb"^  [^ \n]", re.MULTILINE)
_NUMBERS = range(1 << 20, 1 << 24)
"""What new names have after their ``s``."""
_OPERATIONS = (b"add", b"mul", b"xor")
_ADDED = 50
"""One instruction is added for so many of the module's."""
_MOST = 12
"""Operations of an added function."""
_COMDAT = re.compile(rb" comdat(?! *[(=])(?=[ ,{\n])")


def perturbed(frozen: FrozenModule, copy: int, bench: Bench) -> FrozenModule:
    """The module's copy of this number, from 1 on; number 0 is the module itself."""
    if copy == 0:
        return frozen

    def make(entry: Path) -> dict[str, Any]:
        text, output = entry / "copy.ll", entry / "frozen.bc"
        text.write_bytes(perturb(_tool("llvm-dis", frozen.bitcode, bench), copy))
        output.write_bytes(_tool("llvm-as", text, bench))
        text.unlink()
        return {"digest": digest_file(output), "instructions": count_instructions(output, bench)}

    entry, facts = bench.store.folder_with_facts("perturbed", _key(frozen, copy, bench), make)
    return replace(frozen, bitcode=entry / "frozen.bc", **facts)


def is_perturbed(frozen: FrozenModule, copy: int, bench: Bench) -> bool:
    """Whether ``perturbed`` would have nothing to do."""
    return copy == 0 or bench.store.has("perturbed", _key(frozen, copy, bench))


def _key(frozen: FrozenModule, copy: int, bench: Bench) -> str:
    return digest_of(["perturbed", 2, frozen.digest, copy, bench.toolchain.fingerprint.llvm])


def _tool(tool: str, file: Path, bench: Bench) -> bytes:
    """What the tool makes of the file."""
    done = run_tool(tool_job(tool, (file.name, "-o", _OUTPUT), {file.name: file}, (_OUTPUT,), _SECONDS, bench), bench)
    if not done.ok:
        raise UsageError(f"a copy with other names cannot be made: {done.reason_line()}")
    if _OUTPUT not in done.results:
        raise UsageError(f"a copy with other names cannot be made: it is {done.refused[_OUTPUT]}")
    return done.results[_OUTPUT]


def perturb(ir: bytes, seed: int) -> bytes:
    """The module's text with local symbols renamed, functions added and all in another order; the same for a seed."""
    random = Random(seed)
    names = [m[1] for pattern in (_VARIABLE, _FUNCTION) for m in pattern.finditer(ir) if not _NUMBERED.match(m[1])]
    assembly = b"".join(line for line in ir.splitlines(keepends=True) if line.startswith(b"module asm "))
    local = sorted({name for name in names if name.strip(b'"') not in assembly} - {b"main"})
    numbers = random.sample(_NUMBERS, len(local))
    renamed = {name: b"@s%x" % number for name, number in zip(local, numbers, strict=True)}
    taken = {match[1] for match in _SYMBOL.finditer(ir) if match[1] is not None}
    while any(name[1:] in taken for name in renamed.values()):
        renamed = {name: new + b"_" for name, new in renamed.items()}

    def other(match: re.Match[bytes]) -> bytes:
        return renamed.get(match[1], match[0]) if match[1] is not None else match[0]

    taken |= {name[1:] for name in renamed.values()}
    return _reordered(_SYMBOL.sub(other, _with_comdats_named(ir)) + _added(ir, taken, random), random)


def _added(ir: bytes, taken: set[bytes], random: Random) -> bytes:
    """Definitions that nothing in the module refers to, as many as it is large."""
    left = len(_INSTRUCTION.findall(ir)) // _ADDED + 1
    made = []
    while left > 0:
        name = b"s%x" % random.choice(_NUMBERS)
        if name in taken:
            continue
        taken.add(name)
        operations = min(random.randint(1, _MOST), left)
        made.append(_arithmetic(name, operations, random))
        left -= operations + 1
    return b"".join(made)


def _arithmetic(name: bytes, operations: int, random: Random) -> bytes:
    """A function of two numbers: each operation takes what the one before gives, and is another, so that no pass has
    more to gain there than others have; with ``nounwind``, else some would drop its unwind table."""
    lines = [b"\ndefine i32 @%b(i32 %%0, i32 %%1) nounwind {" % name]
    value, last = b"%0", b""
    for number in range(operations):
        last = random.choice([one for one in _OPERATIONS if one != last])
        other = random.choice([b"%1", b"%d" % random.randrange(3, 32, 2)])
        lines.append(b"  %%v%d = %b i32 %b, %b" % (number, last, value, other))
        value = b"%%v%d" % number
    return b"\n".join([*lines, b"  ret i32 " + value, b"}", b""])


def _with_comdats_named(ir: bytes) -> bytes:
    """``comdat`` alone means the comdat of the symbol's own name: say which."""

    def named(line: bytes) -> bytes:
        symbol = _SYMBOL.search(line)
        if symbol is None or symbol[1] is None or not _COMDAT.search(line):
            return line
        return _COMDAT.sub(b" comdat($" + symbol[1] + b")", line, count=1)

    if b" comdat" not in ir:
        return ir
    lines = ir.splitlines(keepends=True)
    return b"".join(named(line) if line.startswith((b"@", b"define ")) else line for line in lines)


def _reordered(ir: bytes, random: Random) -> bytes:
    """The definitions shuffled among their places; left as they are where one has a number for a name."""
    definitions = [match[0] for match in _DEFINITION.finditer(ir)]
    if any(re.match(rb"define [^\n]*?@\d+\(", definition) for definition in definitions):
        return ir
    random.shuffle(definitions)
    following = iter(definitions)
    return _DEFINITION.sub(lambda _: next(following), ir)
