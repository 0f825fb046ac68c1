"""A vocabulary as a file: JSON that LLVM 22 reads (``-ir2vec-vocab-path``)."""

import json
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

__all__ = ["sections_of", "vocabulary_text"]

_OPERANDS = frozenset({"Function", "Pointer", "Constant", "Variable"})
_DIGITS = 4


def sections_of(entities: tuple[str, ...]) -> dict[str, list[int]]:
    """LLVM's three sections → numbers of the entities that it looks for there."""
    found: dict[str, list[int]] = {"Opcodes": [], "Types": [], "Arguments": []}
    for number, name in enumerate(entities):
        is_argument = name in _OPERANDS or name.startswith(("ICMP_", "FCMP_"))
        found["Arguments" if is_argument else "Types" if name.endswith("Ty") else "Opcodes"].append(number)
    return found


def vocabulary_text(made: Mapping[str, object], entities: tuple[str, ...], vectors: NDArray[np.float64]) -> str:
    """The file. ``made``: how, which LLVM passes over. An entity whose vector is zero is left out: LLVM takes zero."""
    facts = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in made.items()]
    parts = ['"Made": {\n' + ",\n".join(facts) + "\n}"]
    for section, numbers in sections_of(entities).items():
        lines = [
            f"{json.dumps(entities[number])}: [{', '.join(f'{value:.{_DIGITS}f}' for value in vectors[number])}]"
            for number in numbers
            if vectors[number].any()
        ]
        parts.append(f'"{section}": {{\n' + ",\n".join(lines) + "\n}")
    return "{\n" + ",\n".join(parts) + "\n}\n"
