"""What stands with what in LLVM's IR: triplets of two entities and a relation, as ``llvm-ir2vec`` gives them.

An entity is an opcode, a sort of type or operand, or the predicate of a comparison. LLVM's tool says nothing of
predicates; here each stands besides where its comparison stands, so that ``slt`` is learned like an opcode of its own.
"""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from harness.base.digest import digest_of
from harness.base.errors import UsageError
from harness.base.process import last_words
from harness.freeze import FrozenModule
from harness.sandbox.bench import Bench
from harness.sandbox.tools import run_tool, script_job, tool_job

__all__ = ["Relation", "Triplets", "comparisons", "entities_of", "triplets_of"]

_RULES = 1
"""What is made of a module: counted up when that changes, since the cache keeps it."""
_SECONDS = 900.0
_TRIPLETS, _TEXT = "triplets.txt", "module.ll"
_INSTRUCTION = re.compile(r"  (?:\S+ = )?(?:(?:tail|musttail|notail) )?(\w+)")
_COMPARED = r"<.*?>|i\d+|ptr|half|bfloat|float|double|\w*fp\d+"
_COMPARISON = re.compile(rf"  \S+ = (icmp|fcmp) (?:\w+ )*?(\w+) ({_COMPARED}) (.*?), (.*)")


class Relation(IntEnum):
    """How the second entity stands to the first. LLVM's numbers, and one more."""

    TYPE = 0
    """It is the type of what the instruction gives."""
    NEXT = 1
    """It is the opcode of the next instruction in the block."""
    ARGUMENT = 2
    """It is the sort of the first operand; the following numbers are the following operands."""
    LAST_ARGUMENT = 9
    """The eighth operand, and all behind it."""
    PREDICATE = 10
    """It is what the comparison asks."""


@dataclass(frozen=True, slots=True)
class Triplets:
    """What was found: each triplet once, however often it is there."""

    entities: tuple[str, ...]
    """LLVM's names, by number."""
    rows: NDArray[np.int64]
    """(n, 3): first entity, second entity, relation; in the order of the numbers."""


def entities_of(bench: Bench) -> tuple[str, ...]:
    """LLVM's names of entities, by number. Raises UsageError when LLVM does not say."""
    done = run_tool(tool_job("llvm-ir2vec", ("entities", "-o", _TEXT), {}, (_TEXT,), _SECONDS, bench), bench)
    if not done.ok:
        raise UsageError(f"llvm-ir2vec: {done.ending}{last_words(done.stderr)}")
    _, *lines = done.results[_TEXT].decode("ascii").splitlines()
    return tuple(line.split("\t")[0] for line in lines)


def triplets_of(module: FrozenModule, entities: tuple[str, ...], bench: Bench) -> NDArray[np.int64]:
    """(n, 3), each once: of the module as it is frozen, and of what LLVM's own pipeline of its level makes of it.

    Raises UsageError when a tool fails.
    """
    key = digest_of(["triplets", _RULES, module.digest, module.level.value, bench.toolchain.fingerprint.llvm])
    found = bench.store.get("triplets", key)
    if found is None:
        found = _found(module, entities, bench)
        bench.store.put("triplets", key, found)
    return np.array(found, dtype=np.int64).reshape(-1, 3)


def _found(module: FrozenModule, entities: tuple[str, ...], bench: Bench) -> list[tuple[int, int, int]]:
    tools = {name: shlex.quote(bench.toolchain.tool(name)) for name in ("opt", "llvm-dis", "llvm-ir2vec")}
    script = f"{tools['opt']} '-passes=default<{module.level.value}>' 0.bc -o 1.bc\n" + "".join(
        f"{tools['llvm-ir2vec']} triplets {at}.bc -o {at}.{_TRIPLETS}\n{tools['llvm-dis']} {at}.bc -o {at}.{_TEXT}\n"
        for at in range(2)
    )
    results = tuple(f"{at}.{name}" for at in range(2) for name in (_TRIPLETS, _TEXT))
    done = run_tool(script_job(script, {"0.bc": module.bitcode}, results, _SECONDS, bench), bench)
    if not done.ok:
        raise UsageError(f"no triplets of {module.bitcode}: {done.ending}{last_words(done.stderr)}")
    found = set()
    for at in range(2):
        _, *words = done.results[f"{at}.{_TRIPLETS}"].decode("ascii").split()
        rows = np.unique(np.array(words, dtype=np.int64).reshape(-1, 3), axis=0)
        rows[:, 2] = np.minimum(rows[:, 2], Relation.LAST_ARGUMENT)
        found |= {(int(first), int(second), int(how)) for first, second, how in rows}
        found |= set(comparisons(done.results[f"{at}.{_TEXT}"].decode("utf-8", "replace"), entities))
    return sorted(found)


def comparisons(text: str, entities: tuple[str, ...]) -> Iterator[tuple[int, int, int]]:
    """Triplets of the predicates in a module's text."""
    numbers = {name: number for number, name in enumerate(entities)}
    opcodes = {name.lower(): number for number, name in enumerate(entities)}
    before: int | None = None
    asked: int | None = None
    for line in text.splitlines():
        found = _INSTRUCTION.match(line)
        here = opcodes.get(found[1]) if found else None
        if asked is not None and here is not None:
            yield asked, here, Relation.NEXT
        asked = None
        compared = _COMPARISON.match(line)
        if compared and here is not None:
            kind, predicate, of, *operands = compared.groups()
            asked = numbers[f"{kind.upper()}_{predicate}"]
            yield here, asked, Relation.PREDICATE
            if before is not None:
                yield before, asked, Relation.NEXT
            for at, operand in enumerate(operands):
                sort = "Pointer" if of == "ptr" else "Variable" if operand.startswith("%") else "Constant"
                yield asked, numbers[sort], Relation.ARGUMENT + at
        before = here
