#include "decisions.h"
#include "llvm/ADT/StableHashing.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/IR/GlobalValue.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MemoryBuffer.h"
#include <array>
#include <cinttypes>
#include <tuple>

using namespace llvm;

namespace harness {
namespace {

constexpr uint64_t MostLines = 5000000;

stable_hash hashOf(const MachineOperand &Operand, const MachineRegisterInfo &MRI) {
  const auto Kind = static_cast<stable_hash>(Operand.getType());
  switch (Operand.getType()) {
  case MachineOperand::MO_Register: {
    const Register Reg = Operand.getReg();
    const stable_hash Class = Reg.isVirtual() ? MRI.getRegClass(Reg)->getID() + 1 : 0;
    return stable_hash_combine(Kind, Reg.id(), Class, (Operand.getSubReg() << 1) | (Operand.isDef() ? 1U : 0U));
  }
  case MachineOperand::MO_Immediate:
    return stable_hash_combine(Kind, static_cast<stable_hash>(Operand.getImm()));
  case MachineOperand::MO_MachineBasicBlock:
    return stable_hash_combine(Kind, static_cast<stable_hash>(Operand.getMBB()->getNumber()));
  case MachineOperand::MO_FrameIndex:
  case MachineOperand::MO_ConstantPoolIndex:
  case MachineOperand::MO_JumpTableIndex:
    return stable_hash_combine(Kind, static_cast<stable_hash>(Operand.getIndex()));
  case MachineOperand::MO_GlobalAddress:
    return stable_hash_combine(Kind, stable_hash_name(Operand.getGlobal()->getName()),
                               static_cast<stable_hash>(Operand.getOffset()));
  case MachineOperand::MO_ExternalSymbol:
    return stable_hash_combine(Kind, stable_hash_name(Operand.getSymbolName()));
  default:
    return Kind;
  }
}

std::string hexadecimal(uint64_t Number) { return utohexstr(Number, /*LowerCase=*/true); }

// The words of a line after its first; the rest of the file. False where there are fewer or more.
bool take(StringRef Line, MutableArrayRef<StringRef> Words) {
  for (StringRef &Word : Words) {
    std::tie(Word, Line) = Line.split(' ');
    if (Word.empty()) {
      return false;
    }
  }
  return Line.empty();
}

template <typename Number> bool read(StringRef Word, Number &Value) { return !Word.getAsInteger(16, Value); }

std::string head(StringRef Name, uint64_t Digest, StringRef Function) {
  return "f " + escaped(Name) + " " + hexadecimal(Digest) + " " + Function.str() + "\n";
}

// How many questions there were: about priorities, and, where it is said, about evictions.
bool readQuestions(StringRef Line, OfFunction &Of) {
  const auto [Priorities, Evictions] = Line.split(' ');
  return read(Priorities, Of.Questions) && (Priorities.size() == Line.size() || read(Evictions, Of.EvictionQuestions));
}

[[noreturn]] void refuse(StringRef Line) { diverge("not a decision: '" + Line.str() + "'"); }

} // namespace

uint64_t digestOf(const MachineFunction &MF) {
  const MachineRegisterInfo &MRI = MF.getRegInfo();
  SmallVector<stable_hash, 256> Hashes;
  for (const MachineBasicBlock &Block : MF) {
    Hashes.push_back(static_cast<stable_hash>(Block.getNumber()));
    for (const MachineBasicBlock *Next : Block.successors()) {
      Hashes.push_back(static_cast<stable_hash>(Next->getNumber()));
    }
    for (const MachineInstr &MI : Block) {
      if (MI.isDebugOrPseudoInstr()) {
        continue;
      }
      Hashes.push_back(MI.getOpcode());
      for (const MachineOperand &Operand : MI.operands()) {
        Hashes.push_back(hashOf(Operand, MRI));
      }
    }
  }
  return stable_hash_combine(Hashes);
}

Decisions::Decisions(const std::string &Path) {
  auto Buffer = MemoryBuffer::getFile(Path, /*IsText=*/true);
  if (!Buffer) {
    report_fatal_error(Twine("regalloc plugin: cannot read ") + Path, /*gen_crash_diag=*/false);
  }
  StringRef Text = (*Buffer)->getBuffer();
  OfFunction *Current = nullptr; // a listed function whose end has not come
  bool Ended = false;
  while (!Text.empty() && !Ended) {
    auto [Whole, Rest] = Text.split('\n');
    StringRef Line = Whole;
    Text = Rest;
    std::array<StringRef, 3> Words;
    Given One{};
    Evicted Slot{};
    if (Line.consume_front("f ") && Current == nullptr && take(Line, Words)) {
      const auto [Entry, New] = Functions.try_emplace(unescaped(Words[0]));
      OfFunction &Read = Entry->second;
      if (!New || !read(Words[1], Read.Digest)) {
        refuse(Whole);
      }
      Read.Function = Words[2].str();
      Current = Words[2] == Listed ? &Read : nullptr;
    } else if (Line.consume_front("p ") && Current != nullptr && take(Line, Words) && read(Words[0], One.Step) &&
               read(Words[1], One.Register) && read(Words[2], One.Priority)) {
      Current->Priorities.push_back(One);
    } else if (Line.consume_front("v ") && Current != nullptr && take(Line, Words) && read(Words[0], Slot.Step) &&
               read(Words[1], Slot.Register) && read(Words[2], Slot.Slot)) {
      Current->Evictions.push_back(Slot);
    } else if (Line.consume_front("e ") && Current != nullptr && readQuestions(Line, *Current)) {
      Current = nullptr;
    } else if (Line.consume_front("end ") && Current == nullptr) {
      Ended = true;
    } else {
      refuse(Whole);
    }
  }
  if (!Ended || !Text.empty()) {
    diverge("the decisions have no end, or something after it");
  }
}

const OfFunction *Decisions::find(StringRef Name, uint64_t Digest) {
  const auto Found = Functions.find(Name);
  if (Found == Functions.end()) {
    return nullptr;
  }
  if (Found->second.Digest != Digest) {
    diverge("the code of function " + Name.str() + " is not what was decided about");
  }
  Met[Name] = true;
  return &Found->second;
}

void Decisions::finish() const {
  for (const auto &Entry : Functions) {
    if (!Met.contains(Entry.getKey())) {
      diverge("the module has no function " + Entry.getKey().str() + " whose registers are allocated");
    }
  }
}

void Writer::name(StringRef Name, uint64_t Digest, StringRef Function) {
  (void)std::fputs(head(Name, Digest, Function).c_str(), File.get());
}

void Writer::begin(StringRef Name, uint64_t Digest) { Head = head(Name, Digest, Listed); }

// What comes first of a listed function.
void Writer::open() {
  if (++Lines > MostLines) {
    report_fatal_error(Twine("regalloc plugin: more than ") + Twine(MostLines) + " decisions",
                       /*gen_crash_diag=*/false);
  }
  if (!Open) {
    (void)std::fputs(Head.c_str(), File.get());
    Open = true;
  }
}

void Writer::write(const Given &Priority) {
  open();
  (void)std::fprintf(File.get(), "p %" PRIx64 " %" PRIx32 " %" PRIx32 "\n", Priority.Step, Priority.Register,
                     Priority.Priority);
}

void Writer::write(const Evicted &Eviction) {
  open();
  (void)std::fprintf(File.get(), "v %" PRIx64 " %" PRIx32 " %" PRIx32 "\n", Eviction.Step, Eviction.Register,
                     Eviction.Slot);
}

void Writer::end(uint64_t Questions, uint64_t Evictions) {
  if (Open && Evictions > 0) {
    (void)std::fprintf(File.get(), "e %" PRIx64 " %" PRIx64 "\n", Questions, Evictions);
  } else if (Open) {
    (void)std::fprintf(File.get(), "e %" PRIx64 "\n", Questions);
  }
  Open = false;
}

void Writer::finish(unsigned Replaced) { (void)std::fprintf(File.get(), "end %x\n", Replaced); }

} // namespace harness
