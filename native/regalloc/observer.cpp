#include "observer.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <iterator>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;

namespace harness {
namespace {

constexpr auto Option = "regalloc-evict-interactive-channel-base";
constexpr int Roomy = 65536;  // bytes that a pipe must hold: what is written lies there until it is read
constexpr int Most = 1 << 20; // bytes that a pipe is made to hold, where a function's name needs them: any user may

[[noreturn]] void fail(const Twine &Message) {
  report_fatal_error(Twine("regalloc plugin: ") + Message, /*gen_crash_diag=*/false);
}

void enlarge(int Descriptor, int Bytes) {
  if (fcntl(Descriptor, F_GETPIPE_SZ) < Bytes && fcntl(Descriptor, F_SETPIPE_SZ, Bytes) < Bytes) {
    fail("the system has no room for a named pipe");
  }
}

// Bytes that a pipe must hold for LLVM to say the name, which it quotes: also for the rest of that line, for what is
// observed at all, and for pages that are not filled.
size_t roomFor(StringRef Name) {
  std::string Quoted;
  raw_string_ostream(Quoted) << json::Value(json::fixUTF8(Name));
  return Quoted.size() + 4 * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

// Both ends at once: whoever opens it then does not wait.
int opened(const std::string &Path) {
  const int Descriptor = mkfifo(Path.c_str(), S_IRUSR | S_IWUSR) == 0
                             ? open(Path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC) // NOLINT(*-vararg)
                             : -1;
  if (Descriptor < 0) {
    fail("cannot make a named pipe in the working folder");
  }
  enlarge(Descriptor, Roomy);
  return Descriptor;
}

struct Observed {
  const char *Name;
  const char *Type;
  int64_t Elements;
  size_t Bytes;
};

constexpr Observed Known[] = {
#define ONE(TYPE, COUNT, NAME) {#NAME, #TYPE, COUNT, sizeof(TYPE) * (COUNT)},
    HARNESS_LLVM_EVICTION_FEATURES(ONE)
#undef ONE
};

// Whether this is how LLVM describes the tensor.
bool describes(const json::Value &Said, const Observed &Tensor) {
  const json::Object *One = Said.getAsObject();
  const json::Array *Shape = One == nullptr ? nullptr : One->getArray("shape");
  if (Shape == nullptr || One->getString("name") != StringRef(Tensor.Name) ||
      One->getString("type") != StringRef(Tensor.Type)) {
    return false;
  }
  int64_t Elements = 1;
  for (const json::Value &Size : *Shape) {
    Elements *= Size.getAsInteger().value_or(0);
  }
  return Elements == Tensor.Elements;
}

// LLVM says first what its tensors are: they must be those that are known here.
void require(StringRef Header) {
  Expected<json::Value> Parsed = json::parse(Header);
  if (!Parsed) {
    consumeError(Parsed.takeError());
    fail("LLVM's learned eviction advisor does not say what it observes");
  }
  const json::Object *Said = Parsed->getAsObject();
  const json::Array *Features = Said == nullptr ? nullptr : Said->getArray("features");
  if (Features == nullptr ||
      !std::equal(Features->begin(), Features->end(), std::begin(Known), std::end(Known), describes)) {
    fail("LLVM's learned eviction advisor observes something else");
  }
}

} // namespace

Observer::Observer(LLVMContext &Context) : Learned(createReleaseModeAdvisorProvider(Context)) {
  Folder = "regalloc-XXXXXX";
  if (mkdtemp(Folder.data()) == nullptr) {
    fail("cannot make a folder in the working folder");
  }
  const std::string Base = Folder + "/channel";
  To = opened(Base + ".in");
  From = opened(Base + ".out");
  const auto Found = cl::getRegisteredOptions().find(Option);
  if (Found == cl::getRegisteredOptions().end() || Found->second->addOccurrence(0, Option, Base)) {
    fail("this LLVM has no learned eviction advisor");
  }
}

Observer::~Observer() {
  remove();
  (void)close(To);
  (void)close(From);
}

std::unique_ptr<RegAllocEvictionAdvisor> Observer::advisor(const MachineFunction &MF, const RAGreedy &Greedy,
                                                           MachineBlockFrequencyInfo *Frequencies,
                                                           MachineLoopInfo *Loops) {
  const size_t Room = roomFor(MF.getName());
  if (Room > Most) {
    return nullptr;
  }
  enlarge(From, static_cast<int>(Room));
  std::unique_ptr<RegAllocEvictionAdvisor> Made = Learned->getAdvisor(MF, Greedy, Frequencies, Loops);
  receive(); // the function's name, and before the first what is observed at all
  if (!Started) {
    require(StringRef(Received).split('\n').first);
    remove();
    Started = true;
  }
  return Made;
}

bool Observer::observe(Question Ask, EvictionFeatures &Seen) {
  if (!Waiting) {
    put(NoEviction);
    Waiting = true;
  }
  (void)Ask();
  receive();
  if (Received.empty()) {
    return false;
  }
  Waiting = false;
  const char *Next = Received.data() + Received.find('\n') + 1;
  const size_t Size = Received.size() - static_cast<size_t>(Next - Received.data());
  size_t Expected = 1; // the end of the line
  for (const Observed &One : Known) {
    Expected += One.Bytes;
  }
  if (Size != Expected) {
    fail("LLVM's learned eviction advisor observed something else");
  }
#define TAKE(TYPE, COUNT, NAME)                                                                                        \
  std::memcpy(Seen.NAME, Next, sizeof Seen.NAME);                                                                      \
  Next += sizeof Seen.NAME;
  HARNESS_LLVM_EVICTION_FEATURES(TAKE)
#undef TAKE
  return true;
}

MCRegister Observer::told(Question Ask, unsigned Slot) {
  put(Slot);
  const MCRegister Said = Ask();
  receive();
  if (Received.empty()) {
    fail("LLVM's learned eviction advisor changed its mind");
  }
  return Said;
}

void Observer::put(unsigned Slot) const {
  const int64_t Word = Slot;
  if (write(To, &Word, sizeof Word) != sizeof Word) {
    fail("LLVM's learned eviction advisor cannot be answered");
  }
}

// All that was written since.
void Observer::receive() {
  Received.clear();
  std::array<char, 8192> Part{};
  for (ssize_t Size = 0; (Size = read(From, Part.data(), Part.size())) > 0;) {
    Received.append(Part.data(), static_cast<size_t>(Size));
  }
}

// The pipes stay; their names go.
void Observer::remove() {
  if (!Folder.empty()) {
    (void)unlink((Folder + "/channel.in").c_str());
    (void)unlink((Folder + "/channel.out").c_str());
    (void)rmdir(Folder.c_str());
    Folder.clear();
  }
}

} // namespace harness
