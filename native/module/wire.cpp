#include "wire.h"
#include <cerrno>
#include <ctime>
#include <unistd.h>

using namespace llvm;

namespace harness {
namespace {

bool readAll(int From, char *Into, size_t Size) {
  while (Size > 0) {
    const ssize_t Count = read(From, Into, Size);
    if (Count < 0 && errno == EINTR) {
      continue;
    }
    if (Count <= 0) {
      return false;
    }
    Into += Count;
    Size -= static_cast<size_t>(Count);
  }
  return true;
}

bool writeAll(int To, const char *From, size_t Size) {
  while (Size > 0) {
    const ssize_t Count = write(To, From, Size);
    if (Count < 0 && errno == EINTR) {
      continue;
    }
    if (Count <= 0) {
      return false;
    }
    From += Count;
    Size -= static_cast<size_t>(Count);
  }
  return true;
}

uint64_t usedMicroseconds() {
  timespec Used{};
  (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &Used);
  return (static_cast<uint64_t>(Used.tv_sec) * 1000000) + (static_cast<uint64_t>(Used.tv_nsec) / 1000);
}

} // namespace

bool receive(int From, std::string &Bytes, uint32_t Longest) {
  uint32_t Size = 0;
  if (!readAll(From, reinterpret_cast<char *>(&Size), sizeof Size) || Size > Longest) {
    return false;
  }
  Bytes.resize(Size);
  return readAll(From, Bytes.data(), Size);
}

bool send(int To, bool Good, StringRef Rest) {
  Answer Whole;
  Whole.put(static_cast<uint32_t>(sizeof(uint8_t) + sizeof(uint64_t) + Rest.size()));
  Whole.put(static_cast<uint8_t>(Good ? 0 : 1));
  Whole.put(usedMicroseconds());
  Whole.append(Rest);
  return writeAll(To, Whole.bytes().data(), Whole.bytes().size());
}

} // namespace harness
