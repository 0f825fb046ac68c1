"""Slow definitions of what a session observes, one instruction at a time, through LLVM's C interface.

Nothing of the harness computes here: the tests compare.
"""

import ctypes as c
import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

NAMES = {
    1: "ret", 2: "br", 3: "switch", 4: "indirectbr", 5: "invoke", 7: "unreachable", 8: "add", 10: "sub", 12: "mul",
    20: "shl", 21: "lshr", 22: "ashr", 23: "and", 24: "or", 25: "xor", 26: "alloca", 27: "load", 28: "store",
    29: "getelementptr", 30: "trunc", 31: "zext", 32: "sext", 41: "bitcast", 42: "icmp", 44: "phi", 45: "call",
    46: "select",
}  # fmt: skip
"""LLVMOpcode of llvm-c/Core.h."""
IN_ORDER = (
    *(1, 2, 3, 4, 5, 58, 7, 61, 62, 65, 67, 66), *range(8, 30), *(55, 56, 57), *range(30, 40),
    *(69, 40, 41, 60, 64, 63), *range(42, 55), *(59, 68),
)  # fmt: skip
"""The same numbers in the order of LLVM's own, which begin with 1 (llvm/IR/Instruction.def)."""
UNARY = {*range(30, 42), 26, 27, 49, 53, 60, 66, 68, 69}
"""Casts, alloca, load, va_arg, extractvalue, addrspacecast, fneg, freeze: one operand by their nature."""
BINARY = range(8, 26)
CALLS = {5, 45, 67}
"""Invoke, call, callbr."""
LABEL, METADATA, VOID = 7, 14, 0
"""LLVMTypeKind."""


class Module:
    """A module that LLVM's C interface has read."""

    def __init__(self, library: Path, bitcode: bytes) -> None:
        self._llvm = c.CDLL(str(library))
        context = self._call("LLVMContextCreate", c.c_void_p)
        buffer = self._call(
            "LLVMCreateMemoryBufferWithMemoryRangeCopy", c.c_void_p, c.c_char_p(bitcode), c.c_size_t(len(bitcode)), b""
        )
        module = c.c_void_p()
        bad = self._call("LLVMParseBitcodeInContext2", c.c_int, context, buffer, c.byref(module))
        assert not bad
        self._module = module

    def _call(self, name: str, result: type | None, *arguments: object) -> "int | None":
        function = getattr(self._llvm, name)
        function.restype = result
        return function(*(c.c_void_p(one) if isinstance(one, int) and one > 1 << 31 else one for one in arguments))

    def _each(self, first: str, following: str, of: object) -> Iterator[int]:
        one = self._call(first, c.c_void_p, of)
        while one:
            yield one
            one = self._call(following, c.c_void_p, one)

    def functions(self) -> Iterator[int]:
        for function in self._each("LLVMGetFirstFunction", "LLVMGetNextFunction", self._module):
            if not self._call("LLVMIsDeclaration", c.c_int, function):
                yield function

    def blocks(self, function: int) -> list[int]:
        return list(self._each("LLVMGetFirstBasicBlock", "LLVMGetNextBasicBlock", function))

    def instructions(self, block: int) -> list[int]:
        return list(self._each("LLVMGetFirstInstruction", "LLVMGetNextInstruction", block))

    def opcode(self, instruction: int) -> int:
        return self._call("LLVMGetInstructionOpcode", c.c_int, instruction) or 0

    def successors(self, block: int) -> list[int]:
        last = self._call("LLVMGetBasicBlockTerminator", c.c_void_p, block)
        count = self._call("LLVMGetNumSuccessors", c.c_uint, last) or 0
        return [self._call("LLVMGetSuccessor", c.c_void_p, last, at) or 0 for at in range(count)]

    def operands(self, instruction: int) -> list[int]:
        count = self._call("LLVMGetNumOperands", c.c_int, instruction) or 0
        return [self._call("LLVMGetOperand", c.c_void_p, instruction, at) or 0 for at in range(count)]

    def is_constant(self, value: int) -> bool:
        return bool(self._call("LLVMIsConstant", c.c_int, value))

    def integer(self, value: int) -> tuple[int, int] | None:
        """Width and value of an integer constant that is no vector."""
        if not self._call("LLVMIsAConstantInt", c.c_void_p, value):
            return None
        width = self.width(value)
        if width is None:
            return None
        return width, self._call("LLVMConstIntGetZExtValue", c.c_ulonglong, value) or 0 if width <= 64 else 2

    def width(self, value: int) -> int | None:
        """Of an integer; None for what is none."""
        kind = self._call("LLVMTypeOf", c.c_void_p, value)
        if self._call("LLVMGetTypeKind", c.c_int, kind) != 8:
            return None
        return self._call("LLVMGetIntTypeWidth", c.c_uint, kind)

    def type_kind(self, value: int) -> int:
        """LLVMTypeKind."""
        return self._call("LLVMGetTypeKind", c.c_int, self._call("LLVMTypeOf", c.c_void_p, value)) or 0

    def is_function(self, value: int) -> bool:
        return bool(self._call("LLVMIsAFunction", c.c_void_p, value))

    def predicate(self, comparison: int, name: str) -> int:
        """LLVMIntPredicate of an ``ICmp``, LLVMRealPredicate of an ``FCmp``."""
        return self._call(f"LLVMGet{name}Predicate", c.c_int, comparison) or 0

    def incoming(self, phi: int) -> int:
        return self._call("LLVMCountIncoming", c.c_uint, phi) or 0

    def name(self, function: int) -> bytes:
        size = c.c_size_t()
        self._llvm.LLVMGetValueName2.restype = c.c_char_p
        return bytes(self._llvm.LLVMGetValueName2(c.c_void_p(function), c.byref(size)) or b"")

    def callee(self, call: int) -> int | None:
        """The function that is called by its own type, if it has a body; None otherwise."""
        called = self._call("LLVMGetCalledValue", c.c_void_p, call) or 0
        if not self.is_function(called) or self._call("LLVMIsDeclaration", c.c_int, called):
            return None
        wanted = self._call("LLVMGetCalledFunctionType", c.c_void_p, call)
        return called if self._call("LLVMGlobalGetValueType", c.c_void_p, called) == wanted else None

    def is_conditional(self, branch: int) -> bool:
        return bool(self._call("LLVMIsConditional", c.c_int, branch))


def reachable(module: Module, function: int) -> set[int]:
    """Blocks that control can come to."""
    blocks = module.blocks(function)
    seen, waiting = {blocks[0]}, [blocks[0]]
    while waiting:
        for block in module.successors(waiting.pop()):
            if block not in seen:
                seen.add(block)
                waiting.append(block)
    return seen


def count(module: Module) -> int:
    """Instructions of blocks that can be reached."""
    return sum(len(module.instructions(block)) for one in module.functions() for block in reachable(module, one))


def opcodes(module: Module) -> list[int]:
    """Instructions of each of LLVM's own opcodes, from 1 on."""
    found = Counter(
        module.opcode(instruction)
        for function in module.functions()
        for block in module.blocks(function)
        for instruction in module.instructions(block)
    )
    assert found.keys() <= set(IN_ORDER)
    return [found[opcode] for opcode in IN_ORDER]


@dataclass
class Graph:
    """A module's edges. Instructions go by their number in the module, other values by their address."""

    nodes: list[tuple[int, int]]
    """Of each instruction: LLVM's own opcode, LLVMTypeKind."""
    control: Counter[tuple[int, int, int]]
    """From, to, number of the successor."""
    used: dict[tuple[int, int], int]
    """Instruction and number of the operand → value."""
    given: dict[int, int]
    """Instruction → the value that it gives: itself."""
    calls: Counter[tuple[int, int]]
    """From, to."""


def graph(module: Module) -> Graph:
    """In the manner of ProGraML."""
    functions = {
        function: [module.instructions(block) for block in module.blocks(function)] for function in module.functions()
    }
    numbers: dict[int, int] = {}
    for blocks in functions.values():
        for one in (one for instructions in blocks for one in instructions):
            numbers[one] = len(numbers)
    found = Graph([], Counter(), {}, {}, Counter())
    for function, blocks in functions.items():
        for block, instructions in zip(module.blocks(function), blocks, strict=True):
            for here, after in itertools.pairwise(instructions):
                found.control[numbers[here], numbers[after], 0] += 1
            for position, after in enumerate(module.successors(block)):
                found.control[numbers[instructions[-1]], numbers[module.instructions(after)[0]], position] += 1
        for one in (one for instructions in blocks for one in instructions):
            found.nodes.append((IN_ORDER.index(module.opcode(one)) + 1, module.type_kind(one)))
            for position, operand in enumerate(module.operands(one)):
                if module.type_kind(operand) not in (LABEL, METADATA):
                    found.used[numbers[one], position] = operand
            if module.type_kind(one) != VOID:
                found.given[numbers[one]] = one
            callee = module.callee(one) if module.opcode(one) in CALLS else None
            if callee is not None:
                found.calls[numbers[one], numbers[functions[callee][0][0]]] += 1
                ends = (instructions[-1] for instructions in functions[callee])
                found.calls.update(
                    (numbers[end], numbers[one]) for end in ends if NAMES.get(module.opcode(end)) == "ret"
                )
    return found


def autophase(module: Module) -> dict[str, int]:
    """The words of docs/observations.md, one after the other."""
    found: Counter[str] = Counter()
    for function in module.functions():
        found["TotalFuncs"] += 1
        blocks = module.blocks(function)
        edges = [(block, after) for block in blocks for after in module.successors(block)]
        before, behind = Counter(after for _, after in edges), Counter(block for block, _ in edges)
        found["NumEdges"] += len(edges)
        found["CriticalCount"] += sum(behind[block] > 1 and before[after] > 1 for block, after in edges)
        for block in blocks:
            _block(module, block, before[block], behind[block], found)
    return dict(found)


def _block(module: Module, block: int, before: int, behind: int, found: "Counter[str]") -> None:
    instructions = module.instructions(block)
    phis = [one for one in instructions if NAMES.get(module.opcode(one)) == "phi"]
    arguments = sum(module.incoming(phi) for phi in phis)
    found["TotalBlocks"] += 1
    found["BBNumArgsHi"] += arguments > 5
    found["BBNumArgsLo"] += 1 <= arguments <= 5
    found["onePred"] += before == 1
    found["onePredOneSuc"] += (before, behind) == (1, 1)
    found["onePredTwoSuc"] += (before, behind) == (1, 2)
    found["oneSuccessor"] += behind == 1
    found["twoPred"] += before == 2
    found["twoPredOneSuc"] += (before, behind) == (2, 1)
    found["twoEach"] += (before, behind) == (2, 2)
    found["twoSuccessor"] += behind == 2
    found["morePreds"] += before > 2
    found["BB03Phi"] += 1 <= len(phis) <= 3
    found["BBHiPhi"] += len(phis) > 3
    found["BBNoPhi"] += not phis
    found["BeginPhi"] += len(phis)
    found["ArgsPhi"] += arguments
    found["BlockLow"] += len(instructions) < 15
    found["BlockMid"] += 15 <= len(instructions) <= 500
    for instruction in instructions:
        _instruction(module, instruction, found)


_COUNTED = {
    "ashr": "NumAShrInst", "add": "NumAddInst", "alloca": "NumAllocInst", "and": "NumAndInst",
    "bitcast": "NumBitCastInst", "br": "NumBrInst", "call": "NumCallInst", "getelementptr": "NumGetElementPtrInst",
    "icmp": "NumICmpInst", "lshr": "NumLShrInst", "load": "NumLoadInst", "mul": "NumMulInst", "or": "NumOrInst",
    "phi": "NumPHIInst", "ret": "NumRetInst", "sext": "NumSExtInst", "select": "NumSelectInst", "shl": "NumShlInst",
    "store": "NumStoreInst", "sub": "NumSubInst", "trunc": "NumTruncInst", "xor": "NumXorInst", "zext": "NumZExtInst",
}  # fmt: skip


def _instruction(module: Module, instruction: int, found: "Counter[str]") -> None:
    opcode = module.opcode(instruction)
    name = NAMES.get(opcode, "")
    found["TotalInsts"] += 1
    if name in _COUNTED:
        found[_COUNTED[name]] += 1
    found["TotalMemInst"] += name in ("alloca", "call", "getelementptr", "invoke", "load", "store")
    found["BranchCount"] += name == "br"
    found["UncondBranches"] += name == "br" and not module.is_conditional(instruction)
    found["returnInt"] += name in ("call", "invoke") and module.width(instruction) is not None
    found["testUnary"] += opcode in UNARY
    operands = module.operands(instruction)
    found["binaryConstArg"] += opcode in BINARY and any(map(module.is_constant, operands))
    for number in filter(None, map(module.integer, operands)):
        found["const32Bit"] += number[0] == 32
        found["const64Bit"] += number[0] == 64
        found["numConstZeroes"] += number[1] == 0
        found["numConstOnes"] += number[1] == 1
