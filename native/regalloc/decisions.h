// What was decided of the functions of a module: written while a policy decides, or read and followed.
//
// Text, a line each, numbers in hexadecimal:
//
//   f NAME DIGEST FUNCTION     what follows is of this function, whose code had this digest before allocation. FUNCTION
//                              is a priority function that the plugin has (functions.cpp), another of LLVM's allocators
//                              (`basic`, `pbqp`), or `listed`:
//   p STEP REGISTER PRIORITY   the priority that one live range got, where it is not Greedy's own. STEP counts the
//                              questions about the function from 0 on, REGISTER is the virtual register's index
//   v STEP REGISTER SLOT       the slot that was freed for one live range, or the last one, so that nothing was
//                              evicted, where it is not Greedy's own. STEP counts the questions about evictions in the
//                              function
//   e QUESTIONS [EVICTIONS]    there were so many questions about a listed function: about priorities, and about
//                              evictions, where the policy was asked about these
//   end REPLACED               nothing follows. So many answers were unusable, and what Greedy does took their place
//
// Functions of which nothing is written are allocated by Greedy with its own priorities and evictions.

#ifndef HARNESS_REGALLOC_DECISIONS_H
#define HARNESS_REGALLOC_DECISIONS_H

#include "../policy/log.h"
#include "llvm/ADT/StringMap.h"
#include <cstdint>
#include <string>
#include <vector>

namespace llvm {
class MachineFunction;
}

namespace harness {

constexpr auto Listed = "listed";

// Of the code of a function: operations, registers with their classes, integers in instructions, names, blocks. Of what
// lies in a constant pool or a jump table there is the place, of floating point and of register masks that it is there.
uint64_t digestOf(const llvm::MachineFunction &MF);

struct Given {
  uint64_t Step;
  uint32_t Register;
  uint32_t Priority;
};

struct Evicted {
  uint64_t Step;
  uint32_t Register;
  uint32_t Slot;
};

struct OfFunction {
  uint64_t Digest = 0;
  std::string Function;
  std::vector<Given> Priorities;
  uint64_t Questions = 0;
  std::vector<Evicted> Evictions;
  uint64_t EvictionQuestions = 0;
};

// The decisions of a file.
class Decisions {
public:
  explicit Decisions(const std::string &Path);
  // What is written of the function; null where nothing is. It has this digest: ends the compiler where it has another.
  const OfFunction *find(llvm::StringRef Name, uint64_t Digest);
  // To be called when there are no more functions: ends the compiler where one was not met.
  void finish() const;

private:
  llvm::StringMap<OfFunction> Functions;
  llvm::StringMap<bool> Met;
};

// The file while it is written.
class Writer {
public:
  explicit Writer(const std::string &Path) : File(Path, "regalloc") {}
  // What allocates a function, by name.
  void name(llvm::StringRef Name, uint64_t Digest, llvm::StringRef Function);
  // Of a function whose priorities and evictions are listed: nothing is written unless one follows.
  void begin(llvm::StringRef Name, uint64_t Digest);
  void write(const Given &Priority);
  void write(const Evicted &Eviction);
  void end(uint64_t Questions, uint64_t Evictions);
  void finish(unsigned Replaced);

private:
  void open();

  LogFile File;
  std::string Head;   // of a listed function, until it is written
  bool Open = false;  // whether it is
  uint64_t Lines = 0; // of priorities and evictions, in all
};

} // namespace harness

#endif
