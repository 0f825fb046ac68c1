// Greedy's source of priority advisors.

#ifndef HARNESS_REGALLOC_PROVIDER_H
#define HARNESS_REGALLOC_PROVIDER_H

#include "advisor.h"
#include "llvm/CodeGen/RegAllocPriorityAdvisor.h"
#include <memory>

namespace harness {

class Provider final : public llvm::RegAllocPriorityAdvisorProvider {
public:
  explicit Provider(std::shared_ptr<Session> Shared)
      : RegAllocPriorityAdvisorProvider(AdvisorMode::Default), Shared(std::move(Shared)) {}

  std::unique_ptr<llvm::RegAllocPriorityAdvisor>
  getAdvisor(const llvm::MachineFunction &MF, const llvm::RAGreedy &Greedy, llvm::SlotIndexes &Indexes) override {
    return std::make_unique<Advisor>(MF, Greedy, Indexes, *Shared);
  }

  Session &session() { return *Shared; }

private:
  std::shared_ptr<Session> Shared;
};

} // namespace harness

#endif
