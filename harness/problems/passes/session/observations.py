"""What a session sees of a module: names, units, and arrays from the bytes that the worker sends.

docs/observations.md defines each; ``native/session`` computes them.
"""

import struct
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["AUTOPHASE", "Graph", "ObjectSize", "embedding_of", "graph_of", "numbers_of", "object_size_of"]

AUTOPHASE = (
    *("BBNumArgsHi", "BBNumArgsLo", "onePred", "onePredOneSuc", "onePredTwoSuc", "oneSuccessor", "twoPred"),
    *("twoPredOneSuc", "twoEach", "twoSuccessor", "morePreds", "BB03Phi", "BBHiPhi", "BBNoPhi", "BeginPhi"),
    *("BranchCount", "returnInt", "CriticalCount", "NumEdges", "const32Bit", "const64Bit", "numConstZeroes"),
    *("numConstOnes", "UncondBranches", "binaryConstArg", "NumAShrInst", "NumAddInst", "NumAllocInst", "NumAndInst"),
    *("BlockMid", "BlockLow", "NumBitCastInst", "NumBrInst", "NumCallInst", "NumGetElementPtrInst", "NumICmpInst"),
    *("NumLShrInst", "NumLoadInst", "NumMulInst", "NumOrInst", "NumPHIInst", "NumRetInst", "NumSExtInst"),
    *("NumSelectInst", "NumShlInst", "NumStoreInst", "NumSubInst", "NumTruncInst", "NumXorInst", "NumZExtInst"),
    *("TotalBlocks", "TotalInsts", "TotalMemInst", "TotalFuncs", "ArgsPhi", "testUnary"),
)
"""The 56 features of Autophase, in the order of CodeZero's Table B1. Counts."""

_NODE = np.dtype([("kind", "u1"), ("opcode", "u1"), ("type", "u1"), ("zero", "u1")])
_EDGE = np.dtype([("source", "<u4"), ("target", "<u4"), ("flow", "<u2"), ("position", "<u2")])
_GRAPH = struct.Struct("<II")
_OBJECT = struct.Struct("<QQQ")


@dataclass(frozen=True, slots=True)
class Graph:
    """A module in the manner of ProGraML."""

    nodes: NDArray[np.void]
    """(n,): ``kind`` 0 instruction, 1 variable, 2 constant; LLVM's numbers of ``opcode`` (0: none) and ``type``."""
    edges: NDArray[np.void]
    """(m,): ``source`` and ``target``, positions in ``nodes``; ``flow`` 0 control, 1 data, 2 call; ``position`` of the
    operand or successor."""


@dataclass(frozen=True, slots=True)
class ObjectSize:
    """Bytes of the object that a module becomes: the metrics size.alloc and size.text."""

    alloc: int
    text: int
    identity: int
    """A hash of the object: equal objects have the same."""


def numbers_of(rest: bytes) -> NDArray[np.int64]:
    """Whole numbers: (n,)."""
    return np.frombuffer(rest, dtype="<i8")


def embedding_of(rest: bytes) -> NDArray[np.float64]:
    """Real numbers: (n,)."""
    return np.frombuffer(rest, dtype="<f8")


def graph_of(rest: bytes) -> Graph:
    """Raises ValueError for what is no graph."""
    nodes, edges = _GRAPH.unpack_from(rest)
    middle = _GRAPH.size + nodes * _NODE.itemsize
    if len(rest) != middle + edges * _EDGE.itemsize:
        raise ValueError("a graph has another size than it says")
    return Graph(np.frombuffer(rest[_GRAPH.size : middle], _NODE), np.frombuffer(rest[middle:], _EDGE))


def object_size_of(rest: bytes) -> ObjectSize:
    """Raises struct.error for another number of bytes."""
    return ObjectSize(*_OBJECT.unpack(rest))
