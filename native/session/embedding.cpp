// The embedding of a module: the sum of LLVM's symbolic embeddings of its functions, by LLVM's own code.

#include "observe.h"
#include "llvm/Analysis/IR2Vec.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Support/CommandLine.h"

using namespace llvm;

namespace harness {
namespace {

/// LLVM reads a vocabulary from the file that an option names, and from nowhere else. Passes ask the same option: it is
/// empty again when they run.
class Named {
public:
  explicit Named(StringRef Path) { set(Path); }
  ~Named() { set(""); }

  Named(const Named &) = delete;
  Named &operator=(const Named &) = delete;

private:
  static void set(StringRef Path) {
    constexpr StringLiteral Name = "ir2vec-vocab-path";
    cl::Option *Found = cl::getRegisteredOptions().lookup(Name);
    if (Found == nullptr) {
      report_fatal_error("this LLVM has no IR2Vec");
    }
    Found->reset();
    (void)Found->addOccurrence(0, Name, Path);
  }
};

} // namespace

void Vocabulary::embed(Module &M, Answer &Into) {
  if (!Known) {
    const Named For(Path);
    ModuleAnalysisManager Nothing;
    Known = std::make_unique<ir2vec::Vocabulary>(IR2VecVocabAnalysis().run(M, Nothing));
    if (!Known->isValid()) {
      report_fatal_error("the vocabulary has entries of LLVM's names for nothing");
    }
  }
  ir2vec::Embedding Sum(Known->getDimension());
  for (const Function &F : M) {
    if (!F.isDeclaration()) {
      Sum += ir2vec::Embedder::create(IR2VecKind::Symbolic, F, *Known)->getFunctionVector();
    }
  }
  for (const double Value : Sum) {
    Into.put(Value);
  }
}

} // namespace harness
