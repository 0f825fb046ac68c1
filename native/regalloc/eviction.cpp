#include "eviction.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/CodeGen/LiveIntervals.h"
#include "llvm/CodeGen/LiveRegMatrix.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/RegisterClassInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/VirtRegMap.h"
#include "llvm/Support/ErrorHandling.h"
#include <array>
#include <bitset>

using namespace llvm;

namespace harness {
namespace {

[[noreturn]] void fail(const Twine &Message) {
  report_fatal_error(Twine("regalloc plugin: ") + Message, /*gen_crash_diag=*/false);
}

class Evictor final : public RegAllocEvictionAdvisor {
public:
  Evictor(const MachineFunction &MF, const RAGreedy &Greedy, std::unique_ptr<RegAllocEvictionAdvisor> Learned,
          Observer &Seen, EvictionSource *Decider, const OfFunction *Followed, Session &Shared)
      : RegAllocEvictionAdvisor(MF, Greedy), Default(std::make_unique<DefaultEvictionAdvisor>(MF, Greedy)),
        Learned(std::move(Learned)), Seen(Seen), Decider(Decider), Followed(Followed), Shared(Shared) {}

  ~Evictor() override;

  MCRegister tryFindEvictionCandidate(const LiveInterval &LI, const AllocationOrder &Order, uint8_t CostPerUseLimit,
                                      const SmallVirtRegSet &Fixed) const override;

  bool canEvictHintInterference(const LiveInterval &LI, MCRegister PhysReg,
                                const SmallVirtRegSet &Fixed) const override {
    return Default->canEvictHintInterference(LI, PhysReg, Fixed);
  }

private:
  class Context;

  SmallVector<MCPhysReg, NumSlots> order(const LiveInterval &LI) const;
  unsigned ask(const LiveInterval &LI, Context &Here) const;
  unsigned follow(const LiveInterval &LI, const Context &Here) const;

  std::unique_ptr<RegAllocEvictionAdvisor> Default;
  std::unique_ptr<RegAllocEvictionAdvisor> Learned;
  Observer &Seen;
  EvictionSource *Decider; // null: `Followed` decides
  const OfFunction *Followed;
  Session &Shared;
  mutable EvictionFeatures Features{};
  mutable size_t Position = 0;
};

class Evictor::Context final : public EvictionContext {
public:
  Context(const Evictor &Of, const LiveInterval &LI, ArrayRef<MCPhysReg> Order)
      : EvictionContext(Of.Features, {Of.MF, *Of.LIS, *Of.VRM, *Of.MRI, *Of.TRI, Of.RegClassInfo}), Of(Of), LI(LI),
        Order(Order) {}

  unsigned registerAt(unsigned Slot) override { return Slot < Order.size() && Slot < NoEviction ? Order[Slot] : 0; }

  ArrayRef<const LiveInterval *> evicted(unsigned Slot) override {
    if (!isLegal(Slot) || registerAt(Slot) == 0) {
      return {};
    }
    SmallVector<const LiveInterval *, 4> &Found = Holders[Slot];
    if (!Known.test(Slot)) {
      Known.set(Slot);
      for (const MCRegUnit Unit : TRI.regunits(Order[Slot])) {
        for (const LiveInterval *One : Of.Matrix->query(LI, Unit).interferingVRegs()) {
          if (!is_contained(Found, One)) {
            Found.push_back(One);
          }
        }
      }
    }
    return Found;
  }

private:
  const Evictor &Of;
  const LiveInterval &LI;
  ArrayRef<MCPhysReg> Order;
  // Who holds the register of each slot, once somebody asked: what was given stays as it is until the question ends.
  std::array<SmallVector<const LiveInterval *, 4>, NoEviction> Holders;
  std::bitset<NoEviction> Known;
};

Evictor::~Evictor() {
  if (Followed != nullptr &&
      (Shared.evictions() != Followed->EvictionQuestions || Position < Followed->Evictions.size())) {
    diverge("there were " + std::to_string(Shared.evictions()) + " questions about evictions in function " +
            MF.getName().str() + ", the decisions have " + std::to_string(Followed->EvictionQuestions));
  }
}

// As Greedy tries registers for this live range: LLVM tells advisors, but keeps the words to read it with to itself.
SmallVector<MCPhysReg, NumSlots> Evictor::order(const LiveInterval &LI) const {
  const ArrayRef<MCPhysReg> Order = RegClassInfo.getOrder(MRI->getRegClass(LI.reg()));
  SmallVector<MCPhysReg, NumSlots> Hints;
  const bool OnlyHints = TRI->getRegAllocationHints(LI.reg(), Order, Hints, MF, VRM, Matrix);
  if (!OnlyHints) {
    const size_t Hinted = Hints.size();
    for (const MCPhysReg PhysReg : Order) {
      if (!is_contained(ArrayRef(Hints).take_front(Hinted), PhysReg)) {
        Hints.push_back(PhysReg);
      }
    }
  }
  return Hints;
}

// Greedy's own function is asked first, then LLVM's learned advisor, which knows what is legal. Where that sees nothing
// to decide, or the decision is Greedy's own, Greedy's own answer stands, whatever the learned advisor makes of it.
MCRegister Evictor::tryFindEvictionCandidate(const LiveInterval &LI, const AllocationOrder &Order,
                                             uint8_t CostPerUseLimit, const SmallVirtRegSet &Fixed) const {
  const auto Ask = [&] { return Learned->tryFindEvictionCandidate(LI, Order, CostPerUseLimit, Fixed); };
  const MCRegister Own = Default->tryFindEvictionCandidate(LI, Order, CostPerUseLimit, Fixed);
  if (!Seen.observe(Ask, Features)) {
    return Own;
  }
  const SmallVector<MCPhysReg, NumSlots> Registers = order(LI);
  const auto *const Found = find(Registers, Own.id());
  const unsigned DefaultSlot = Own.isValid() ? static_cast<unsigned>(Found - Registers.begin()) : NoEviction;
  if (Own.isValid() && (Found == Registers.end() || DefaultSlot >= NoEviction)) {
    fail("Greedy evicts from a register that has no slot");
  }
  const bool IsLegal = Features.mask[DefaultSlot] != 0;
  Features.mask[DefaultSlot] = 1;
  Features.default_slot[0] = DefaultSlot;
  Context Here(*this, LI, Registers);
  const unsigned Slot = Decider != nullptr ? ask(LI, Here) : follow(LI, Here);
  if (Shared.features() != nullptr) {
    Shared.features()->write(Shared.evictions(), LI.reg().virtRegIndex(), Slot, Features);
  }
  Shared.countEviction();
  if (Slot == NoEviction) {
    return {};
  }
  if (Slot == DefaultSlot && !IsLegal) {
    return Own;
  }
  const MCRegister Chosen = Seen.told(Ask, Slot); // it counts how often a live range is evicted
  if (Chosen.id() != Here.registerAt(Slot)) {
    fail("LLVM has another order of registers");
  }
  return Chosen;
}

// The policy's answer, or Greedy's own where it has none.
unsigned Evictor::ask(const LiveInterval &LI, Context &Here) const {
  const std::optional<unsigned> Answer = Decider->decide(LI, Here);
  if (!Answer) {
    Shared.replace();
  }
  const unsigned Slot = Answer.value_or(Here.defaultSlot());
  if (Shared.written() != nullptr && Slot != Here.defaultSlot()) {
    Shared.written()->write(Evicted{Shared.evictions(), LI.reg().virtRegIndex(), Slot});
  }
  return Slot;
}

unsigned Evictor::follow(const LiveInterval &LI, const Context &Here) const {
  if (Position == Followed->Evictions.size() || Followed->Evictions[Position].Step != Shared.evictions()) {
    return Here.defaultSlot();
  }
  const Evicted &Next = Followed->Evictions[Position++];
  const std::string About =
      "question " + std::to_string(Shared.evictions()) + " about evictions in function " + MF.getName().str();
  if (Next.Register != LI.reg().virtRegIndex()) {
    diverge(About + " is of another live range");
  }
  if (!Here.isLegal(Next.Slot)) {
    diverge(About + " has no slot " + std::to_string(Next.Slot) + " that can be freed");
  }
  return Next.Slot;
}

} // namespace

EvictionProvider::EvictionProvider(LLVMContext &Context, std::shared_ptr<Session> Shared, Maker Make)
    : RegAllocEvictionAdvisorProvider(AdvisorMode::Default, Context), Shared(std::move(Shared)), Make(Make) {}

std::unique_ptr<RegAllocEvictionAdvisor> EvictionProvider::getAdvisor(const MachineFunction &MF, const RAGreedy &Greedy,
                                                                      MachineBlockFrequencyInfo *Frequencies,
                                                                      MachineLoopInfo *Loops) {
  Shared->beginEvictions();
  const OfFunction *Listed = Shared->settle(MF).Listed;
  const OfFunction *Followed = Listed != nullptr && Listed->EvictionQuestions != 0 ? Listed : nullptr;
  if (Followed == nullptr && Make == nullptr) {
    return std::make_unique<DefaultEvictionAdvisor>(MF, Greedy);
  }
  if (!Seen) {
    Seen = std::make_unique<Observer>(Ctx);
  }
  std::unique_ptr<RegAllocEvictionAdvisor> Learned = Seen->advisor(MF, Greedy, Frequencies, Loops);
  if (Learned == nullptr) { // its name is too long
    if (Followed != nullptr) {
      diverge("function " + MF.getName().take_front(100).str() + "… has evictions, and a name that is too long");
    }
    return std::make_unique<DefaultEvictionAdvisor>(MF, Greedy);
  }
  if (Followed == nullptr && !Decider) {
    Decider = Make();
  }
  EvictionSource *Asked = Followed == nullptr ? Decider.get() : nullptr;
  return std::make_unique<Evictor>(MF, Greedy, std::move(Learned), *Seen, Asked, Followed, *Shared);
}

} // namespace harness
