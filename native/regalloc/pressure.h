// A function whose registers are to be allocated, and what can be said of it.

#ifndef HARNESS_REGALLOC_PRESSURE_H
#define HARNESS_REGALLOC_PRESSURE_H

#include "policy.h"
#include "llvm/CodeGen/RegisterClassInfo.h"
#include <array>

namespace llvm {
class LiveInterval;
class MachineInstr;
} // namespace llvm

namespace harness {

class Pressure final : public FunctionContext {
public:
  Pressure(const llvm::MachineFunction &MF, const llvm::LiveIntervals &LIS,
           const llvm::MachineBlockFrequencyInfo &Frequencies, const llvm::MachineLoopInfo &Loops);
  double feature(FunctionFeature Feature) override;

private:
  struct Bank;

  void measure();
  void count(const llvm::MachineInstr &MI, double Frequency);
  Bank bank(bool IsVector) const;
  void weigh(const Bank &Of, FunctionFeature First);
  double &value(FunctionFeature Feature) { return Values[static_cast<size_t>(Feature)]; }

  const llvm::MachineFunction &MF;
  llvm::RegisterClassInfo Known;
  std::array<double, NumFunctionFeatures> Values{};
  bool Measured = false;
};

} // namespace harness

#endif
