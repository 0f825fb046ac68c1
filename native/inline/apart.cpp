#include "apart.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include <utility>

using namespace llvm;

namespace harness {
namespace {

constexpr unsigned LargestTable = 64; // parts of a constant that are worth a declaration each

// Declares in a module what its functions refer to elsewhere.
class Declarer final : public ValueMaterializer {
public:
  explicit Declarer(Module &Into) : Into(Into) {}

  Value *materialize(Value *Wanted) override {
    const auto *Global = dyn_cast<GlobalValue>(Wanted);
    if (Global == nullptr || Global->getParent() == &Into) {
      return nullptr;
    }
    GlobalValue &Made = isa<FunctionType>(Global->getValueType()) ? declaredFunction(*Global) : declaredObject(*Global);
    Made.setVisibility(Global->hasLocalLinkage() ? GlobalValue::HiddenVisibility : Global->getVisibility());
    Made.setDSOLocal(Global->isDSOLocal() || Global->hasLocalLinkage());
    Made.setUnnamedAddr(Global->getUnnamedAddr());
    return &Made;
  }

  // Give the constants their values.
  void define(ValueToValueMapTy &Map) {
    while (!Constants.empty()) {
      const auto [Declared, Value] = Constants.pop_back_val();
      Declared->setInitializer(MapValue(Value, Map, RF_None, nullptr, this));
      Declared->setLinkage(GlobalValue::AvailableExternallyLinkage);
    }
  }

private:
  GlobalValue &declaredFunction(const GlobalValue &Global) {
    Function *Made = Function::Create(cast<FunctionType>(Global.getValueType()), GlobalValue::ExternalLinkage,
                                      Global.getAddressSpace(), Global.getName(), &Into);
    if (const auto *F = dyn_cast<Function>(&Global)) {
      Made->setCallingConv(F->getCallingConv());
      Made->setAttributes(F->getAttributes());
    }
    return *Made;
  }

  GlobalValue &declaredObject(const GlobalValue &Global) {
    const auto *Object = dyn_cast<GlobalVariable>(&Global);
    const bool IsConstant = Object != nullptr && Object->isConstant();
    auto *Made = new GlobalVariable(Into, Global.getValueType(), IsConstant, GlobalValue::ExternalLinkage, nullptr,
                                    Global.getName(), nullptr, Global.getThreadLocalMode(), Global.getAddressSpace());
    if (Object != nullptr) {
      Made->setAlignment(Object->getAlign());
    }
    if (IsConstant && Object->hasDefinitiveInitializer()) {
      const Constant *Value = Object->getInitializer();
      if (!isa<ConstantAggregate>(Value) || cast<ConstantAggregate>(Value)->getNumOperands() <= LargestTable) {
        Constants.emplace_back(Made, Value);
      }
    }
    return *Made;
  }

  Module &Into;
  SmallVector<std::pair<GlobalVariable *, const Constant *>> Constants;
};

void begin(const Function &F, Module &Into, ValueToValueMapTy &Map) {
  Function *Made =
      Function::Create(F.getFunctionType(), GlobalValue::InternalLinkage, F.getAddressSpace(), F.getName(), &Into);
  for (const auto &[Old, New] : zip_equal(F.args(), Made->args())) {
    Map[&Old] = &New;
  }
  Map[&F] = Made;
}

} // namespace

std::unique_ptr<Module> apart(ArrayRef<Function *> Functions, ValueToValueMapTy &Map) {
  const Module &From = *Functions.front()->getParent();
  auto Into = std::make_unique<Module>("apart", From.getContext());
  Into->setDataLayout(From.getDataLayout());
  Into->setTargetTriple(From.getTargetTriple());
  if (NamedMDNode *Flags = From.getModuleFlagsMetadata()) {
    for (MDNode *Flag : Flags->operands()) {
      Into->getOrInsertModuleFlagsMetadata()->addOperand(Flag);
    }
  }
  for (const Function *F : Functions) {
    begin(*F, *Into, Map);
  }
  Declarer Others(*Into);
  for (const Function *F : Functions) {
    SmallVector<ReturnInst *> Returns;
    auto *Made = cast<Function>(Map[F]);
    CloneFunctionInto(Made, F, Map, CloneFunctionChangeType::DifferentModule, Returns, "", nullptr, nullptr, &Others);
    Made->setComdat(nullptr);
  }
  Others.define(Map);
  auto *First = cast<Function>(Map[Functions.front()]);
  First->setLinkage(GlobalValue::ExternalLinkage);
  First->setDSOLocal(true);
  return Into;
}

} // namespace harness
