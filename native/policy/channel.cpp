#include "channel.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

using namespace llvm;

namespace harness {
namespace {

using std::chrono::milliseconds;

constexpr int MostFailures = 3;
constexpr milliseconds StartPatience(10000); // for the first answer: the process may have much to load

std::string header(ArrayRef<const char *> Names) {
  std::string Header = "{\"features\": [";
  for (const char *Name : Names) {
    Header += (Header.back() == '[' ? "\"" : ", \"") + std::string(Name) + "\"";
  }
  return Header + "]}\n";
}

} // namespace

Channel::Channel(int From, int To, ChannelLimits Limits, ArrayRef<const char *> Names, const char *Plugin)
    : From(From), To(To), Plugin(Plugin), Reply(Limits.ReplyMilliseconds),
      Left(milliseconds(Limits.TotalMilliseconds)) {
  (void)std::signal(SIGPIPE, SIG_IGN);
  for (const int Descriptor : {From, To}) {
    (void)fcntl(Descriptor, F_SETFL, fcntl(Descriptor, F_GETFL) | O_NONBLOCK);
  }
  std::string Header = header(Names);
  std::vector<uint8_t> Wanted(Names.size());
  const auto Start = Clock::now();
  const auto Deadline = Start + std::min<Clock::duration>(Left, StartPatience);
  const bool Told = transfer(Header.data(), Header.size(), POLLOUT, Deadline) &&
                    transfer(Wanted.data(), Wanted.size(), POLLIN, Deadline);
  Left -= Clock::now() - Start;
  if (!Told) {
    Why = Open && Left <= Clock::duration::zero() ? "slow" : Why;
    giveUp();
  }
  for (size_t Index = 0; Index < Wanted.size(); ++Index) {
    if (Wanted[Index] != 0) {
      Uses.push_back(Index);
    }
  }
}

std::optional<int64_t> Channel::ask(ArrayRef<int64_t> Words, function_ref<bool(int64_t)> IsUsable) {
  if (!Open) {
    return std::nullopt;
  }
  Question.assign(1, ++Asked);
  Question.insert(Question.end(), Words.begin(), Words.end());
  const auto Start = Clock::now();
  const auto Patience = std::min<Clock::duration>(Left, FirstReply ? StartPatience : Reply);
  const std::optional<int64_t> Answer = answer(Start + Patience, IsUsable);
  Left -= Clock::now() - Start;
  FirstReply = false;
  const bool Exhausted = Left <= Clock::duration::zero();
  if (!Answer && (!Open || ++Failures >= MostFailures || Exhausted)) {
    Why = Open && Exhausted ? "slow" : Why;
    giveUp();
  }
  return Answer;
}

// Said to whoever reads the compiler's messages; why is what the last failure was.
void Channel::giveUp() {
  errs() << Plugin << " plugin: the channel is given up: " << Why << "\n";
  Open = false;
}

std::optional<int64_t> Channel::answer(Clock::time_point Deadline, function_ref<bool(int64_t)> IsUsable) {
  Why = "bad";
  drain();
  std::array<int64_t, 2> Answer{};
  if (!Open || !transfer(Question.data(), Question.size() * sizeof(int64_t), POLLOUT, Deadline)) {
    return std::nullopt;
  }
  do { // a late answer to an earlier question may come first
    if (!transfer(Answer.data(), sizeof Answer, POLLIN, Deadline)) {
      return std::nullopt;
    }
  } while (Answer[0] > 0 && Answer[0] < Asked && Failures > 0);
  if (Answer[0] != Asked || !IsUsable(Answer[1])) {
    return std::nullopt;
  }
  return Answer[1];
}

// Throw away what nobody has asked for.
void Channel::drain() {
  std::array<char, 4096> Rest{};
  for (int Round = 0; Round < 256; ++Round) {
    if (read(From, Rest.data(), Rest.size()) <= 0) {
      return;
    }
  }
  Open = false; // it never ends
}

// Move all of the bytes before the deadline.
bool Channel::transfer(void *Bytes, size_t Size, short Direction, Clock::time_point Deadline) {
  auto *Next = static_cast<char *>(Bytes);
  while (Size > 0) {
    const ssize_t Moved = Direction == POLLIN ? read(From, Next, Size) : write(To, Next, Size);
    if (Moved > 0) {
      Next += Moved;
      Size -= static_cast<size_t>(Moved);
      continue;
    }
    if (Moved == 0 || (errno != EAGAIN && errno != EINTR)) {
      Open = false; // there is nobody any more
      Why = "gone";
      return false;
    }
    const auto Rest = std::chrono::ceil<milliseconds>(Deadline - Clock::now());
    pollfd Waiting{Direction == POLLIN ? From : To, Direction, 0};
    if (Rest.count() <= 0 || poll(&Waiting, 1, static_cast<int>(Rest.count())) == 0) {
      Why = "late";
      return false;
    }
  }
  return true;
}

} // namespace harness
