// Decisions of another process. It is not trusted: an answer counts only if it is one, of the question that was
// asked, in time; after three that are not the process is given up, and it can never hold up the compiler.
//
// The first line that it gets is `{"features": [NAME, ...]}`. It says a byte for each of them, 1 if it wants that
// feature and 0 if not. A question is its number and the features, of which those that it does not want are 0; an
// answer is the same number and 0 or 1, all of them int64 of the machine's byte order.

#include "source.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>
#include <vector>

using namespace llvm;

namespace harness {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr int MostFailures = 3;
constexpr milliseconds StartPatience(10000); // for the first answer: the process may have much to load

constexpr std::array<const char *, NumFeatures> FeatureNames = {
#define NAME(TYPE, SHAPE, NAME, TEXT) #NAME,
    INLINE_COST_FEATURE_ITERATOR(NAME) INLINE_FEATURE_ITERATOR(NAME)
#undef NAME
};

class Channel : public Source {
public:
  Channel(int From, int To, ChannelLimits Limits)
      : From(From), To(To), Reply(Limits.ReplyMilliseconds), Left(milliseconds(Limits.TotalMilliseconds)) {
    (void)std::signal(SIGPIPE, SIG_IGN);
    for (const int Descriptor : {From, To}) {
      (void)fcntl(Descriptor, F_SETFL, fcntl(Descriptor, F_GETFL) | O_NONBLOCK);
    }
    std::string Header = "{\"features\": [";
    for (const char *Name : FeatureNames) {
      Header += (Header.back() == '[' ? "\"" : ", \"") + std::string(Name) + "\"";
    }
    Header += "]}\n";
    const auto Start = Clock::now();
    const auto Deadline = Start + std::min<Clock::duration>(Left, StartPatience);
    std::array<uint8_t, NumFeatures> Wanted{};
    const bool Told = transfer(Header.data(), Header.size(), POLLOUT, Deadline) &&
                      transfer(Wanted.data(), Wanted.size(), POLLIN, Deadline);
    Left -= Clock::now() - Start;
    if (!Told) {
      Why = Open && Left <= Clock::duration::zero() ? "slow" : Why;
      giveUp();
    }
    for (size_t Index = 0; Index < NumFeatures; ++Index) {
      if (Wanted[Index] != 0) {
        Uses.push_back(Index);
      }
    }
  }

  bool wantsPartsOnly() const override {
    return any_of(Uses, isCostPart) && !is_contained(Uses, static_cast<size_t>(FeatureIndex::cost_estimate));
  }

  std::optional<bool> decide(CallBase & /*CB*/, PolicyContext &Context) override {
    if (!Open) {
      return std::nullopt;
    }
    Question[0] = ++Asked;
    for (const size_t Index : Uses) {
      Question[Index + 1] = Context.feature(static_cast<FeatureIndex>(Index));
    }
    const auto Start = Clock::now();
    const auto Patience = std::min<Clock::duration>(Left, FirstReply ? StartPatience : Reply);
    const std::optional<bool> Answer = ask(Start + Patience);
    Left -= Clock::now() - Start;
    FirstReply = false;
    const bool Exhausted = Left <= Clock::duration::zero();
    if (!Answer && (!Open || ++Failures >= MostFailures || Exhausted)) {
      Why = Open && Exhausted ? "slow" : Why;
      giveUp();
    }
    return Answer;
  }

private:
  // Said to whoever reads the compiler's messages; why is what the last failure was.
  void giveUp() {
    errs() << "inline plugin: the channel is given up: " << Why << "\n";
    Open = false;
  }

  std::optional<bool> ask(Clock::time_point Deadline) {
    Why = "bad";
    drain();
    std::array<int64_t, 2> Answer{};
    if (!Open || !transfer(Question.data(), sizeof Question, POLLOUT, Deadline)) {
      return std::nullopt;
    }
    do { // a late answer to an earlier question may come first
      if (!transfer(Answer.data(), sizeof Answer, POLLIN, Deadline)) {
        return std::nullopt;
      }
    } while (Answer[0] > 0 && Answer[0] < Asked && Failures > 0);
    if (Answer[0] != Asked || (Answer[1] != 0 && Answer[1] != 1)) {
      return std::nullopt;
    }
    return Answer[1] == 1;
  }

  // Throw away what nobody has asked for.
  void drain() {
    std::array<char, 4096> Rest{};
    for (int Round = 0; Round < 256; ++Round) {
      if (read(From, Rest.data(), Rest.size()) <= 0) {
        return;
      }
    }
    Open = false; // it never ends
  }

  // Move all of the bytes before the deadline.
  bool transfer(void *Bytes, size_t Size, short Direction, Clock::time_point Deadline) {
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

  int From;
  int To;
  milliseconds Reply;
  Clock::duration Left;
  std::array<int64_t, NumFeatures + 1> Question{};
  std::vector<size_t> Uses;
  int64_t Asked = 0;
  int Failures = 0;
  bool Open = true;
  bool FirstReply = true;
  const char *Why = "late";
};

} // namespace

std::unique_ptr<Source> channelSource(int From, int To, ChannelLimits Limits) {
  return std::make_unique<Channel>(From, To, Limits);
}

} // namespace harness
