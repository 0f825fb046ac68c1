"""What a heuristic's library may ask of the process that it is loaded into, and what it may offer.

A heuristic must see the module, so it runs in the compiler's process, where all of LLVM is. It may look at the module
with LLVM's analyses, compute, and print. What compiles, copies or reads modules, and what reaches the system, is not on
the list, and neither is what nobody has thought of. The list raises the price of a search that poses as a heuristic; it
does not make one impossible, since in one process an address is enough.
"""

import re
from collections.abc import Iterable
from pathlib import Path

from harness.base.errors import UsageError
from harness.toolchain.dynamic import Binding, DynamicObject, read_dynamic

__all__ = ["EXPORTS", "faults", "is_allowed"]

EXPORTS = frozenset({"harness_heuristic", "harness_set"})
"""All that the library defines for others. LLVM's functions and libc's are not to be replaced."""

_NEEDED = re.compile(r"(libc|libm|libstdc\+\+|libgcc_s|libdl|libpthread|ld-linux[a-z0-9-]*)\.so\.\d+")
_FILTERS = frozenset({0x7FFFFFFD, 0x7FFFFFFF, 0x6FFFFEFC, 0x6FFFFEFB, 15, 29, 22})
"""Entries of the dynamic section that load more or elsewhere (DT_AUXILIARY, DT_FILTER, DT_AUDIT, DT_DEPAUDIT, DT_RPATH,
DT_RUNPATH), or make code writable (DT_TEXTREL)."""
_IFUNC = 10

_C_NAMES = """
    malloc calloc realloc free aligned_alloc posix_memalign
    memcpy memmove memset memcmp memchr memrchr mempcpy bcmp strlen strnlen strcmp strncmp strcasecmp strncasecmp strchr
    strrchr strstr strcpy strncpy strcat strncat strtol strtoll strtoul strtoull strtod strtof __isoc23_strtol
    __isoc23_strtoll __isoc23_strtoul __isoc23_strtoull atoi atol atoll atof isalpha isdigit isalnum isspace isupper
    islower isprint ispunct isxdigit tolower toupper qsort bsearch abs labs llabs div ldiv
    abort exit __assert_fail __stack_chk_fail __cxa_atexit __cxa_finalize __cxa_guard_acquire __cxa_guard_release
    __cxa_guard_abort __cxa_pure_virtual __cxa_deleted_virtual __gxx_personality_v0 __cxa_begin_catch __cxa_end_catch
    __cxa_rethrow __dynamic_cast _Unwind_Resume __tls_get_addr __cxa_thread_atexit
    __gmon_start__ _ITM_deregisterTMCloneTable _ITM_registerTMCloneTable
    printf puts putchar fprintf fputs fputc fwrite fflush snprintf vsnprintf sprintf vfprintf stderr stdout
    __printf_chk __fprintf_chk __snprintf_chk __sprintf_chk __vsnprintf_chk __memcpy_chk __memmove_chk __memset_chk
    __strcpy_chk __strcat_chk __fputs_chk
"""
"""Memory, text and numbers; a program's own end; printing."""
_MATH = re.compile(
    r"(__)?(a?(cos|sin|tan)h?|atan2|exp|exp2|exp10|expm1|log|log2|log10|log1p|logb|ilogb|pow|sqrt|cbrt|hypot|fabs|fmod|"
    r"remainder|floor|ceil|trunc|round|nearbyint|rint|l?lround|l?lrint|fmin|fmax|fdim|fma|frexp|ldexp|modf|scalbn|"
    r"scalbln|copysign|nextafter|erf|erfc|tgamma|lgamma|isnan|isinf|finite|signbit)(f|l)?(_finite)?"
)
_ALLOCATION = re.compile(r"_Z(nw|na|dl|da)[A-Za-z0-9_]*")
_STANDARD_REFUSED = re.compile(
    r"filebuf|fstream|filesystem|random_device|_clock|thread|future|condition_variable|__basic_file|stacktrace|"
    r"3orc|PassBuilder|TargetMachine|MemoryBuffer|DynamicLibrary"
)
"""Of libstdc++: files, clocks, chance and threads; and templates of what else is refused."""

_CLASSES = r"""
    # values and what they are made of
    Value User Use Argument Function BasicBlock Instruction \w+Inst \w+Operator \w+Intrinsic Constant\w* UndefValue
    PoisonValue BlockAddress GlobalValue GlobalObject GlobalVariable GlobalAlias GlobalIFunc InlineAsm Module Type
    \w+Type DataLayout StructLayout Attribute\w* CallBase OperandBundle\w* Metadata MD\w+ \w+AsMetadata DI\w+
    NamedMDNode Debug\w+ Dbg\w+ LLVMContext ConstantRange Intrinsic Operator FPMathOperator FastMathFlags
    MemoryEffects\w* SyncScope Comdat ProfDataUtils ValueHandleBase CallbackVH WeakVH WeakTrackingVH
    SwitchInstProfUpdateWrapper ilist\w* iplist\w* SymbolTableListTraits simple_ilist
    # analyses and their results
    \w+Analysis \w+AnalysisResult Loop LoopBase LoopInfo LoopInfoBase LoopNest DominatorTree\w* DominanceFrontier\w*
    DomTree\w* DomTreeNodeBase PostDominatorTree BlockFrequency\w* BranchProbability\w* BFIBlockT bfi_detail
    ScalarEvolution SCEV(?!Expander)\w* TargetTransformInfo\w* TargetLibraryInfo\w* InstructionCost
    AssumptionCache ProfileSummaryInfo ProfileSummary CallGraph CallGraphNode LazyCallGraph InlineCost InlineParams
    InlineCostFeatures InlineResult InlineCostCallAnalyzer CallAnalyzer AAManager AAResults AAQueryInfo \w*AAResult
    AliasResult BatchAAResults MemoryLocation MemorySSA\w* MemoryAccess MemoryUseOrDef MemoryDef MemoryUse MemoryPhi
    LazyValueInfo DemandedBits DependenceInfo Dependence FullDependence LoopAccess\w* MemoryDepChecker
    RuntimePointerChecking PhiValues EphemeralValuesCache OptimizationRemark\w* DiagnosticInfo\w*
    FunctionPropertiesInfo FunctionPropertiesUpdater PreservedAnalyses AnalysisManager AnalysisKey AnalysisSetKey
    All\w*AnalysesOn PassInstrumentation \w*AnalysisManager\w*Proxy \w*Proxy InnerAnalysisManagerProxy
    OuterAnalysisManagerProxy KnownBits KnownFPClass SimplifyQuery CycleInfo GenericCycle\w* UniformityInfo
    StackSafety\w* ObjectSizeOffset\w* GenericUniformity\w* IVUsers IVStrideUse DDGNode DataDependenceGraph Interval\w*
    BlockFrequencyInfoImplBase ModRefInfo CaptureInfo CaptureComponents CodeMetrics CostTableEntry Delinearization
    # machine code, and what the allocator of its registers knows
    Machine(Function|BasicBlock|Instr|Operand|RegisterInfo|FrameInfo|MemOperand|Loop|LoopInfo|DominatorTree)
    MachineBlockFrequencyInfo LiveInterval LiveIntervals LiveRange LiveRangeEdit VNInfo SlotIndex SlotIndexes
    IndexListEntry VirtRegMap RegisterClassInfo LiveRegMatrix Register TargetRegisterInfo TargetRegisterClass
    TargetInstrInfo TargetSubtargetInfo MCRegister MCRegisterInfo MCRegisterClass MCInstrDesc MCInstrInfo LaneBitmask
    # numbers, text, containers and printing
    APInt APSInt APFloat APFloatBase IEEEFloat DoubleAPFloat StringRef StringMap\w* Twine SmallVector(?!Memory)\w*
    SmallPtrSet\w* FoldingSet\w* BitVector SmallBitVector DenseMap\w* DenseSet\w* MapVector SetVector SparseBitVector
    BumpPtrAllocator\w* hashing hash_code DebugEpochBase StringSaver Triple Regex formatv_object_base format_object_base
    raw_ostream raw_string_ostream raw_svector_ostream raw_null_ostream ErrorInfoBase detail Any ScaledNumber\w*
"""
"""Classes of LLVM's, all members of which may be used but those in ``_MEMBERS_REFUSED``. Patterns."""

_MEMBERS_REFUSED = re.compile(
    r"clone\w*|[Cc]reate\w*|splice\w*|copyAttributesFrom|materialize\w*|setMaterializer|getOrInsert\w*|parse\w*|"
    r"insert(Into|Before|After)\w*|moveBefore\w*|moveAfter\w*"
)
"""Of those classes: what makes or copies code. What only edits is caught when the decisions are replayed."""
_MADE = re.compile(r"Module|LLVMContext|Function|BasicBlock|Global\w+|Instruction|\w+Inst|\w+Operator")
"""Classes of which no new object may be made."""

_FUNCTIONS = r"""
    # what calls cost
    shouldInline getInlineCost getInlineParams getInliningCostEstimate getInliningCostFeatures isInlineViable
    getAttributeBasedInliningDecision getCallsiteCost inlineCostStr
    # what is known of values, loops and calls
    is\w+ has\w+ get\w+ compute\w+ can\w+ cannot\w+ may\w+ must\w+ match\w+ find\w+ count\w+ propagates\w+
    programUndefined\w+ impliesPoison intrinsicPropagatesPoison onlyUsedBy\w+ [Pp]ointerMayBeCaptured\w*
    ConstantFold\w* simplifyInstruction\w* simplify\w*(Inst|Op|Call) maximumAlignment
    # printing, hashing, checks
    dbgs errs outs nulls operator report_fatal_error llvm_unreachable_internal hash_\w+ to\w+ djbHash xxh3_64bits
    xxHash64 SplitString EnableABIBreakingChecks DisableABIBreakingChecks VerifyDisableABIBreakingChecks
    VerifyEnableABIBreakingChecks huge_valf allocate_buffer deallocate_buffer safe_\w+ report_bad_alloc_error
"""
"""Functions of LLVM's in no class, and its variables. Patterns."""
_FUNCTIONS_REFUSED = re.compile(
    r"get(Lazy|Owning|OrCreate)\w*|\w*(Bitcode|Archive|Buffer|File|Environ|Process|Host|Machine|Pass|Module)\w*"
)
"""Of those patterns: what reads, writes, or leads to another module."""
_NAMESPACES = frozenset({"Intrinsic", "detail", "bfi_detail", "hashing", "PatternMatch"})
"""Namespaces inside LLVM's whose names are judged as if they were in no namespace of their own."""


def _words(text: str) -> list[str]:
    return [word for line in text.splitlines() if not line.strip().startswith("#") for word in line.split()]


_NAMES_OF_C = frozenset(_words(_C_NAMES))
_CLASS, _FUNCTION = re.compile("|".join(_words(_CLASSES))), re.compile("|".join(_words(_FUNCTIONS)))
_ROOT = re.compile(r"_Z(T[VTIS]|GV)?(N[KVr]*[RO]?)?")
_NUMBER = re.compile(r"\d{1,4}")
_OPERATORS = re.compile(r"ls|rs|eq|ne|lt|gt|le|ge|pl|mi|ml|dv|aS|pL|mI|cl|ix|pp|mm|nt|an|or|eo")


def is_allowed(symbol: str) -> bool:
    """Whether a heuristic may refer to the symbol, C's or C++'s (mangled by the Itanium ABI), without defining it."""
    if symbol in _NAMES_OF_C or _MATH.fullmatch(symbol) or _ALLOCATION.fullmatch(symbol):
        return True
    root = _ROOT.match(symbol)
    if root is None:
        return False
    rest = symbol[root.end() :]
    if rest[:1] == "S" or rest.startswith(("9__gnu_cxx", "10__cxxabiv1")):  # namespace std
        return not _STANDARD_REFUSED.search(symbol)
    names, rest = _names(rest)
    if names[:1] != ["llvm"]:
        return False
    inner = [name for name in names[1:] if name not in _NAMESPACES] or [""]
    if _CLASS.fullmatch(inner[0]):
        if root[1]:  # a table of virtual functions or types, or a guard
            return True
        is_constructor = rest[:1] == "C" and _MADE.fullmatch(inner[0]) is not None
        return not is_constructor and not any(map(_MEMBERS_REFUSED.fullmatch, inner[1:]))
    return len(inner) == 1 and bool(_FUNCTION.fullmatch(inner[0])) and not _FUNCTIONS_REFUSED.fullmatch(inner[0])


def _names(rest: str) -> tuple[list[str], str]:
    """The names that a nested name begins with, and what follows them."""
    names: list[str] = []
    while number := _NUMBER.match(rest):
        start, size = number.end(), int(number[0])
        names.append(rest[start : start + size])
        rest = rest[start + size :]
        if rest[:1] == "I":  # a template's member is judged by the template
            rest = _after_arguments(rest)
    if _OPERATORS.match(rest):
        names.append("operator")
    return names, rest


def _after_arguments(rest: str) -> str:
    """What follows the template arguments that ``rest`` begins with: found by counting what they open and close."""
    depth, at = 0, 0
    while at < len(rest):
        if number := _NUMBER.match(rest, at):
            at = number.end() + int(number[0])
            continue
        if rest[at] in "INXJ":
            depth += 1
        elif rest[at] == "L" and rest[at + 1 : at + 2] != "_":
            close = rest.find("E", at)
            at = len(rest) if close < 0 else close
        elif rest[at] == "E":
            depth -= 1
            if depth == 0:
                return rest[at + 1 :]
        at += 1
    return ""


def faults(library: Path) -> Iterable[str]:
    """Why the library must not be loaded, for people, with symbols as the linker knows them; nothing if it may be."""
    try:
        found = read_dynamic(library)
    except UsageError as error:
        return [error.message]
    return [*_structure(found), *_defined(found), *_undefined(found)]


def _structure(found: DynamicObject) -> list[str]:
    strange = [name for name in found.needed if not _NEEDED.fullmatch(name)]
    reasons = [f"it loads {name}" for name in strange]
    if found.tags & _FILTERS:
        reasons.append("it loads libraries from elsewhere, or has code that is changed when it is loaded")
    if found.executable_stack:
        reasons.append("it wants an executable stack")
    return reasons


def _defined(found: DynamicObject) -> list[str]:
    """Weak definitions are of templates and inline functions; in a library that is loaded last they replace nothing."""
    return [
        f"it defines {symbol.name} for the whole process"
        for symbol in found.symbols
        if symbol.is_defined
        and symbol.name not in EXPORTS
        and (symbol.binding != Binding.WEAK or symbol.type == _IFUNC or not symbol.name.startswith("_Z"))
    ]


def _undefined(found: DynamicObject) -> list[str]:
    return [
        f"it uses {symbol.name}" for symbol in found.symbols if not symbol.is_defined and not is_allowed(symbol.name)
    ]
