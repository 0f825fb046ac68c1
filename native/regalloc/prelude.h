// What every submitted function sees before its first line; precompiled.

#ifndef HARNESS_REGALLOC_PRELUDE_H
#define HARNESS_REGALLOC_PRELUDE_H

#include "evictions.h"
#include "policy.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/CodeGen/LiveInterval.h"
#include "llvm/CodeGen/LiveIntervals.h"
#include "llvm/CodeGen/MachineBlockFrequencyInfo.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstr.h"
#include "llvm/CodeGen/MachineLoopInfo.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/RegisterClassInfo.h"
#include "llvm/CodeGen/SlotIndexes.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/CodeGen/VirtRegMap.h"
#include <algorithm>
#include <cmath>

using namespace llvm;
using harness::Allocation;
using harness::EvictionContext;
using harness::FunctionContext;
using harness::FunctionFeature;
using harness::NoEviction;
using harness::NumSlots;
using harness::PriorityContext;
using harness::RangeFeature;

#endif
