"""What a heuristic's library may refer to and may define: real ones, compiled from C++ that LLVM's headers accept."""

import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.base.errors import CellError
from harness.base.vocabulary import Outcome
from harness.policy.forms import compiled
from harness.policy.forms.cpp import symbols
from harness.policy.forms.cpp.build import build_heuristic
from harness.policy.forms.cpp.symbols import is_allowed
from harness.problems.inlining.features import INTERFACE
from harness.sandbox.bench import Bench
from harness.toolchain.names import as_written

ADVICE = "bool getEvolvableAdvice(CallBase &CB, PolicyContext &Context) {{ {body} return true; }}\n"

REFUSED = {
    "a pipeline": ("", "PassBuilder Own; (void)Own;", "it uses llvm::PassBuilder::PassBuilder"),
    "a pass": (
        '#include "llvm/Transforms/Scalar/DCE.h"',
        "DCEPass().run(*CB.getFunction(), Context.FAM);",
        "llvm::DCEPass",
    ),
    "a copy": (
        '#include "llvm/Transforms/Utils/Cloning.h"',
        "CloneModule(*CB.getModule());",
        "llvm::CloneModule",
    ),
    "a trial": (
        '#include "llvm/Transforms/Utils/Cloning.h"',
        "InlineFunctionInfo Info; (void)InlineFunction(CB, Info);",
        "llvm::InlineFunction",
    ),
    "a copy by hand": ("", "CB.clone();", "llvm::Instruction::clone"),
    "a module": ("", 'new Module("other", CB.getContext());', "llvm::Module::Module"),
    "a target": (
        '#include "llvm/MC/TargetRegistry.h"',
        'std::string Why; TargetRegistry::lookupTarget(StringRef("x86_64"), Why);',
        "llvm::TargetRegistry::lookupTarget",
    ),
    "a linker": ('#include "llvm/Linker/Linker.h"', "Linker Own(*CB.getModule());", "llvm::Linker::Linker"),
    "a parser": (
        '#include "llvm/IRReader/IRReader.h"\n#include "llvm/Support/SourceMgr.h"',
        'SMDiagnostic Why; parseIRFile("frozen.bc", Why, CB.getContext());',
        "llvm::parseIRFile",
    ),
    "a writer": (
        '#include "llvm/Bitcode/BitcodeWriter.h"\n#include "llvm/Support/raw_ostream.h"',
        "std::string Text; raw_string_ostream To(Text); WriteBitcodeToFile(*CB.getModule(), To);",
        "llvm::WriteBitcodeToFile",
    ),
    "a file of LLVM's": (
        '#include "llvm/Support/MemoryBuffer.h"',
        'MemoryBuffer::getFile("frozen.bc");',
        "llvm::MemoryBuffer::getFile",
    ),
    "an option": ('namespace mine = llvm::cl; static mine::opt<int> Own("mine");', "return Own;", "llvm::cl::"),
    "a file": ("#include <cstdio>", 'std::fopen("frozen.bc", "r");', "it uses fopen$"),
    "a stream": ("#include <fstream>", 'std::ifstream In("frozen.bc"); return In.good();', ".*std::basic_(file|if)"),
    "a program": ("#include <cstdlib>", 'if (std::system("clang")) return false;', "it uses system$"),
    "a process": ("#include <unistd.h>", "if (fork()) return false;", "it uses fork$"),
    "an exec": ("#include <unistd.h>", 'execl("/bin/sh", "sh", nullptr);', "it uses execl$"),
    "a library": ("#include <dlfcn.h>", 'return dlsym(nullptr, "fork") != nullptr;', "it uses dlsym$"),
    "a system call": ("#include <unistd.h>", "if (syscall(57)) return false;", "it uses syscall$"),
    "a socket": ("#include <sys/socket.h>", "if (socket(1, 1, 0)) return false;", "it uses socket$"),
    "memory": ("#include <sys/mman.h>", "return mmap(nullptr, 4096, 7, 34, -1, 0) != nullptr;", "it uses mmap$"),
    "a thread": ("#include <thread>", "std::thread([] {}).detach();", "(pthread_create|.*std::thread)"),
    "a variable": ("#include <cstdlib>", 'return std::getenv("HOME") != nullptr;', "it uses getenv$"),
    "the environment": ("extern char **environ;", "return environ != nullptr;", "it uses environ$"),
    "chance": ("#include <random>", "return std::random_device{}() & 1;", "std::random_device"),
    "the clock": (
        "#include <chrono>",
        "return std::chrono::steady_clock::now().time_since_epoch().count() & 1;",
        ".*std::chrono::",
    ),
    "libc's write": (
        'extern "C" __attribute__((visibility("default"))) long write(int, const void *, size_t N) { return N; }',
        "",
        "it defines write for the whole process",
    ),
    "an allocator": ("void *operator new(size_t N) { return (void *)N; }", "", "it defines operator new"),
    "a function of LLVM's": (
        'asm(".globl _ZN4llvm12shouldInlineERNS_8CallBaseE\\n_ZN4llvm12shouldInlineERNS_8CallBaseE:\\n  ret\\n");',
        "",
        "it defines llvm::shouldInline",
    ),
    "an indirect function": (
        'asm(".weak strlen\\n.type strlen, @gnu_indirect_function\\nstrlen:\\n  ret\\n");',
        "",
        "it defines strlen",
    ),
    "a unique object": (
        'asm(".data\\n.globl _Z4mine\\n.type _Z4mine, @gnu_unique_object\\n.size _Z4mine, 8\\n"\n'
        '"_Z4mine: .quad 0\\n.text\\n");',
        "",
        "it defines mine",
    ),
    "an executable stack": (
        'asm(".section .note.GNU-stack,\\"x\\",@progbits\\n.text\\n");',
        "",
        "it wants an executable stack",
    ),
}
HONEST = """
#include "llvm/Analysis/CallGraph.h"
#include "llvm/Analysis/DemandedBits.h"
#include "llvm/Analysis/LazyValueInfo.h"
#include "llvm/Analysis/MemorySSA.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>
static const std::set<std::string> Names = {"memcpy", "memset"};
static std::map<const Function *, double> Kept;
bool getEvolvableAdvice(CallBase &CB, PolicyContext &Context) {
  Function &F = *CB.getCalledFunction();
  auto &FAM = Context.FAM;
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  auto &PDT = FAM.getResult<PostDominatorTreeAnalysis>(F);
  auto &BFI = FAM.getResult<BlockFrequencyAnalysis>(F);
  auto &BPI = FAM.getResult<BranchProbabilityAnalysis>(F);
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  auto &TTI = FAM.getResult<TargetIRAnalysis>(F);
  auto &TLI = FAM.getResult<TargetLibraryAnalysis>(F);
  auto &AA = FAM.getResult<AAManager>(F);
  auto &MSSA = FAM.getResult<MemorySSAAnalysis>(F).getMSSA();
  auto &ORE = FAM.getResult<OptimizationRemarkEmitterAnalysis>(F);
  double Sum = std::log2(1.0 + F.size());
  LibFunc Which;
  for (BasicBlock &BB : F) {
    Sum += BFI.getBlockFreq(&BB).getFrequency() + (LI.getLoopFor(&BB) ? LI.getLoopDepth(&BB) : 0);
    Sum += DT.isReachableFromEntry(&BB) + PDT.dominates(&BB, &F.getEntryBlock());
    Sum += MSSA.getMemoryAccess(&BB) != nullptr;
    for (BasicBlock *Next : successors(&BB))
      Sum += BPI.getEdgeProbability(&BB, Next).getNumerator();
    for (Instruction &I : BB) {
      if (SE.isSCEVable(I.getType()))
        Sum += SE.getSCEV(&I)->getSCEVType();
      if (const auto *Call = dyn_cast<CallBase>(&I))
        Sum += TLI.getLibFunc(*Call, Which) + Names.count(Call->getName().str()) + Call->hasFnAttr(Attribute::Cold);
      if (I.mayReadOrWriteMemory())
        Sum += isRefSet(AA.getModRefInfo(&I, MemoryLocation::getOrNone(&I)));
      const auto Cost = TTI.getInstructionCost(&I, TargetTransformInfo::TCK_CodeSize);
      Sum += Cost.isValid() ? Cost.getValue() : 0;
      Sum += computeKnownBits(&I, F.getDataLayout()).countMinTrailingZeros();
    }
  }
  Loop *First = LI.empty() ? nullptr : *LI.begin();
  Sum += First ? SE.getSmallConstantTripCount(First) : 0;
  std::string Text;
  raw_string_ostream Out(Text);
  CB.print(Out);
  std::ostringstream Words;
  Words << Text << ORE.enabled();
  Kept[&F] += Sum;
  const auto Cost = getInliningCostEstimate(CB, TTI, [&](Function &G) -> AssumptionCache & {
    return FAM.getResult<AssumptionAnalysis>(G);
  });
  if (Sum < 0) {
    errs() << "never " << Words.str() << "\\n";
    std::cerr << "never" << std::endl;
    std::printf("never\\n");
  }
  return Cost && *Cost <= 5 && !isAssumeLikeIntrinsic(&CB);
}
"""


def built(text: str, bench: Bench) -> str:
    """Why the heuristic is refused; empty if it is not."""
    try:
        build_heuristic(text.encode(), (), INTERFACE.native, "heuristic.cpp", bench)
    except CellError as error:
        assert error.outcome is Outcome.POLICY_ERROR and not error.transient
        return error.message
    return ""


@pytest.fixture(scope="module")
def said(bench: Bench) -> list[str]:
    """All that is found of all of them: what they use is in one file, what they define in another."""
    found: list[str] = []

    judge = symbols.faults

    def faults(library: Path) -> Iterable[str]:
        reasons = list(judge(library))
        found.extend(reasons)
        return reasons

    uses = [(before, body) for before, body, _ in REFUSED.values() if body]
    defines = [before for before, body, _ in REFUSED.values() if not body]
    functions = [
        f"{before}\nstatic bool f{n}(CallBase &CB, PolicyContext &Context) {{ {body} return true; }}"
        for n, (before, body) in enumerate(uses)
    ]
    calls = "".join(f"if (!f{n}(CB, Context)) return false;\n" for n in range(len(uses)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(symbols, "faults", faults)
        patch.setattr(compiled, "SECONDS", 600.0)  # one long file, on a busy machine
        for text in ("\n".join([*functions, ADVICE.format(body=calls)]), "\n".join([*defines, ADVICE.format(body="")])):
            assert built(text, bench).startswith("heuristic.cpp: it ")
    names = as_written([word for reason in found for word in reason.split()], bench.toolchain)
    return [" ".join(names[word] for word in reason.split()) for reason in found]


@pytest.mark.parametrize("name", REFUSED)
def test_what_a_search_would_need_is_refused_by_name(name: str, said: list[str]) -> None:
    what = REFUSED[name][2]
    assert any(re.match(what if what.startswith("it ") else f"it uses {what}", reason) for reason in said), said


def test_what_looks_at_the_module_is_not(bench: Bench) -> None:
    """Most of LLVM's analyses, the standard library, and printing."""
    assert built(HONEST, bench) == ""


@given(st.text(max_size=40) | st.text("_ZNKSTIEL0123456789llvmModuleC1St", max_size=60).map(lambda text: f"_Z{text}"))
def test_any_name_is_judged(name: str) -> None:
    assert is_allowed(name) in (True, False)


@pytest.mark.parametrize(
    "name", ["_ZN4llvm6ModuleC1ENS_9StringRefERNS_11LLVMContextE", "LLVMCloneModule", "ptrace", "", "_Z"]
)
def test_names_that_are_refused(name: str) -> None:
    assert not is_allowed(name)
