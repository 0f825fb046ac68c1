// Calls that may throw, and destructors on the way out.
#include <cstdio>
#include <string>
#include <vector>

namespace {

struct Guard {
  explicit Guard(int &count) : count(count) { ++count; }
  ~Guard() { --count; }
  int &count;
};

int checked(int value) {
  if (value > 3)
    throw std::string("too large");
  return value * 2;
}

template <typename T> T total(const std::vector<T> &all) {
  T sum{};
  for (const T &one : all)
    sum += one;
  return sum;
}

int attempt(int value, int &open) {
  Guard guard(open);
  try {
    Guard inner(open);
    return checked(value) + checked(value + 1);
  } catch (const std::string &why) {
    return -static_cast<int>(why.size()) - open;
  }
}

} // namespace

int main(int argc, char **) {
  int open = 0;
  std::vector<int> all;
  for (int value = 0; value < 5 + argc; ++value)
    all.push_back(attempt(value, open));
  std::printf("%d %d %zu\n", total(all), open, all.size());
  return 0;
}
