// Decisions of another process. It is not trusted: an answer counts only if it is one, of the question that was
// asked, in time; after three that are not the process is given up, and it can never hold up the compiler.
//
// The first line that it gets is `{"features": [NAME, ...]}`. It says a byte for each of them, 1 if it wants that
// feature and 0 if not. A question is its number and the features, of which those that it does not want are 0; an
// answer is the same number and a word, all of them of eight bytes and in the machine's byte order.

#ifndef HARNESS_POLICY_CHANNEL_H
#define HARNESS_POLICY_CHANNEL_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace harness {

struct ChannelLimits {
  int ReplyMilliseconds; // for each answer
  int TotalMilliseconds; // waiting, for all of them
};

class Channel {
public:
  // `Plugin`: who speaks, in messages. `Names`: of the features.
  Channel(int From, int To, ChannelLimits Limits, llvm::ArrayRef<const char *> Names, const char *Plugin);
  Channel(const Channel &) = delete;
  Channel &operator=(const Channel &) = delete;

  // Positions of the features that it wants.
  llvm::ArrayRef<size_t> uses() const { return Uses; }
  // Whether anything may still come of a question.
  bool isOpen() const { return Open; }
  // The answer to these words, if it is one that `IsUsable` takes.
  std::optional<int64_t> ask(llvm::ArrayRef<int64_t> Words, llvm::function_ref<bool(int64_t)> IsUsable);

private:
  using Clock = std::chrono::steady_clock;

  void giveUp();
  std::optional<int64_t> answer(Clock::time_point Deadline, llvm::function_ref<bool(int64_t)> IsUsable);
  void drain();
  bool transfer(void *Bytes, size_t Size, short Direction, Clock::time_point Deadline);

  int From;
  int To;
  const char *Plugin;
  std::chrono::milliseconds Reply;
  Clock::duration Left;
  std::vector<size_t> Uses;
  std::vector<int64_t> Question;
  int64_t Asked = 0;
  int Failures = 0;
  bool Open = true;
  bool FirstReply = true;
  const char *Why = "late";
};

} // namespace harness

#endif
