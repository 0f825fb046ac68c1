"""The words of docs/observations.md on IR2Vec, one operand at a time; and what LLVM's own tool says."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from harness.sandbox.bench import Bench
from harness.sandbox.tools import run_tool, tool_job
from harness.toolchain.native import native_folder
from tests.problems.passes.session.walker import Module, reachable

VOCABULARY = native_folder("session") / "ir2vec.json"
_OPCODES = (
    "? Ret Br Switch IndirectBr Invoke ? Unreachable Add FAdd Sub FSub Mul FMul UDiv SDiv FDiv URem SRem FRem Shl LShr "
    "AShr And Or Xor Alloca Load Store GetElementPtr Trunc ZExt SExt FPToUI FPToSI UIToFP SIToFP FPTrunc FPExt "
    "PtrToInt IntToPtr BitCast ICmp FCmp PHI Call Select UserOp1 UserOp2 VAArg ExtractElement InsertElement "
    "ShuffleVector ExtractValue InsertValue Fence AtomicCmpXchg AtomicRMW Resume LandingPad AddrSpaceCast CleanupRet "
    "CatchRet CatchPad CleanupPad CatchSwitch FNeg CallBr Freeze PtrToAddr"
)
_TYPES = (
    "VoidTy FloatTy FloatTy FloatTy FloatTy FloatTy FloatTy LabelTy IntegerTy FunctionTy StructTy ArrayTy PointerTy "
    "VectorTy MetadataTy ? TokenTy VectorTy FloatTy VectorTy UnknownTy"
)
_WHOLE = "eq ne ugt uge ult ule sgt sge slt sle"
_REAL = "false oeq ogt oge olt ole one ord uno ueq ugt uge ult ule une true"
OPCODES = tuple(_OPCODES.split())
"""By LLVMOpcode of llvm-c/Core.h."""
TYPES = tuple(_TYPES.split())
"""By LLVMTypeKind."""
ASKED = {
    **{at: f"ICMP_{name}" for at, name in enumerate(_WHOLE.split(), 32)},
    **{at: f"FCMP_{name}" for at, name in enumerate(_REAL.split())},
}
"""By LLVMIntPredicate and LLVMRealPredicate."""
WEIGHTS = {"Opcodes": 1.0, "Types": float(np.float32(0.5)), "Arguments": float(np.float32(0.2))}
FINE = 1_000_000
"""LLVM's tool writes two digits behind the point: it is given a vocabulary so many times as long."""


def embedding(module: Module) -> NDArray[np.float64]:
    """Of the whole module."""
    vocabulary = json.loads(VOCABULARY.read_text())
    total = np.zeros(len(vocabulary["Opcodes"]["Ret"]))
    for section, name in _entities(module):
        total += WEIGHTS[section] * np.array(vocabulary[section].get(name, 0.0))
    return total


def _entities(module: Module) -> Iterator[tuple[str, str]]:
    for function in module.functions():
        for block in reachable(module, function):
            for instruction in module.instructions(block):
                name = OPCODES[module.opcode(instruction)]
                yield "Opcodes", name
                yield "Types", TYPES[module.type_kind(instruction)]
                yield from (("Arguments", _sort(module, operand)) for operand in module.operands(instruction))
                if name in ("ICmp", "FCmp"):
                    yield "Arguments", ASKED[module.predicate(instruction, name)]


def _sort(module: Module, operand: int) -> str:
    if module.is_function(operand):
        return "Function"
    if TYPES[module.type_kind(operand)] == "PointerTy":
        return "Pointer"
    return "Constant" if module.is_constant(operand) else "Variable"


def embedding_by_tool(bitcode: bytes, folder: Path, bench: Bench) -> NDArray[np.float64]:
    """The sum of what ``llvm-ir2vec embeddings`` says of the module's functions, by the same vocabulary."""
    vocabulary = json.loads(VOCABULARY.read_text())
    for section in WEIGHTS:
        vocabulary[section] = {name: [FINE * one for one in line] for name, line in vocabulary[section].items()}
    (folder / "long.json").write_text(json.dumps(vocabulary))
    (folder / "seen.bc").write_bytes(bitcode)
    files = {name: folder / name for name in ("long.json", "seen.bc")}
    words = ("embeddings", "--ir2vec-vocab-path=long.json", "--level=func", "seen.bc", "-o", "said.txt")
    done = run_tool(tool_job("llvm-ir2vec", words, files, ("said.txt",), 60, bench), bench)
    assert done.ok, done.reason_line()
    lines = [line for line in done.results["said.txt"].decode().splitlines() if line.startswith(" [")]
    return np.array([line.strip(" []").split() for line in lines], dtype=float).sum(axis=0) / FINE
