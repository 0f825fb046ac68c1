// What goes over the worker's two pipes. All numbers are little-endian, as both machines of the harness have them.
//
// A request is its size in bytes (uint32), and so many bytes: what is wanted (uint8), the line that it is about
// (uint32), and what `main.cpp` says of each. An answer is its size (uint32), and so many bytes: 0, or 1 with a message
// in place of the rest (uint8); the CPU time that the worker has used so far, in microseconds (uint64); the rest.

#ifndef HARNESS_MODULE_WIRE_H
#define HARNESS_MODULE_WIRE_H

#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>

namespace harness {

/// The bytes of a request, taken from the front. Whoever asks is not trusted: nothing is read beyond the end.
class Request {
public:
  explicit Request(llvm::StringRef Bytes) : Left(Bytes) {}

  template <typename T> T take() {
    static_assert(std::is_trivially_copyable_v<T>);
    T Value{};
    if (Left.size() < sizeof(T)) {
      Good = false;
      return Value;
    }
    std::copy_n(Left.begin(), sizeof(T), reinterpret_cast<char *>(&Value));
    Left = Left.drop_front(sizeof(T));
    return Value;
  }

  /// So many bytes.
  llvm::StringRef bytes(size_t Count) {
    Good = Good && Count <= Left.size();
    const llvm::StringRef Taken = Left.take_front(Count);
    Left = Left.drop_front(Taken.size());
    return Taken;
  }

  size_t left() const { return Left.size(); }

  /// Whether everything that was taken was there, and nothing is left.
  bool isWhole() const { return Good && Left.empty(); }

private:
  llvm::StringRef Left;
  bool Good = true;
};

/// The rest of an answer, from its front.
class Answer {
public:
  template <typename T> void put(T Value) {
    static_assert(std::is_trivially_copyable_v<T>);
    append(llvm::StringRef(reinterpret_cast<const char *>(&Value), sizeof(T)));
  }

  void append(llvm::StringRef More) { Bytes.append(More.data(), More.size()); }

  llvm::StringRef bytes() const { return Bytes; }

private:
  std::string Bytes;
};

/// The next request's bytes; false at the end, and for what is longer than a request may be.
bool receive(int From, std::string &Bytes, uint32_t Longest);

/// False when nobody reads any more.
bool send(int To, bool Good, llvm::StringRef Rest);

} // namespace harness

#endif
