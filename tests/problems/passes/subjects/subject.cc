// A bit of everything that C++ compiles to, for tests of passes: throws, catches and unwinds on its ordinary path.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

namespace {
int alive;

struct Counted {
  explicit Counted(int id) : id(id) { ++alive; }
  Counted(const Counted &from) : id(from.id) { ++alive; }
  ~Counted() {
    --alive;
    std::printf("~%d ", id);
  }
  int id;
};

struct Shape {
  virtual ~Shape() = default;
  virtual double area() const = 0;
  virtual const char *name() const { return "shape"; }
};
struct Square : Shape {
  explicit Square(double side) : side(side) {}
  double area() const override { return side * side; }
  const char *name() const override { return "square"; }
  double side;
};
struct Named {
  virtual ~Named() = default;
  virtual std::string label() const { return "named"; }
};
struct Disc : Named, Shape {
  explicit Disc(double radius) : radius(radius) {}
  double area() const override { return 3 * radius * radius; }
  std::string label() const override { return "disc"; }
  double radius;
};

struct Problem : std::runtime_error {
  Problem(const std::string &text, int code) : std::runtime_error(text), code(code) {}
  int code;
};

struct AtStart {
  AtStart() { std::puts("static constructor"); }
  ~AtStart() { std::puts("static destructor"); }
} at_start;

int risky(int value) {
  Counted guard(value);
  if (value == 3) throw Problem("three", 33);
  if (value == 5) throw value;
  if (value == 7) throw std::string("seven");
  if (value == 9) std::vector<int>(3).at(9);
  return value * 2;
}

int guarded(int value) {
  Counted outer(value + 100);
  try {
    return risky(value);
  } catch (const Problem &problem) {
    std::printf("[%s %d] ", problem.what(), problem.code);
    return -problem.code;
  } catch (int number) {
    std::printf("[int %d] ", number);
    if (number == 5) throw;
    return -1;
  }
}

int chain(int value) noexcept {
  try {
    return guarded(value);
  } catch (const std::string &text) {
    std::printf("[%s] ", text.c_str());
  } catch (const std::exception &) {
    std::printf("[exception] ");
  } catch (...) {
    std::printf("[other] ");
  }
  return 0;
}

template <typename T> T folded(const std::vector<T> &values, const std::function<T(T, T)> &f, T start) {
  for (const T &value : values) start = f(start, value);
  return start;
}

void unwound(int depth) {
  Counted here(depth + 200);
  if (depth == 0) throw std::out_of_range("bottom");
  unwound(depth - 1);
}
} // namespace

int main(int argc, char **argv) {
  int n = argc > 1 ? std::atoi(argv[1]) : 10;
  for (int i = 0; i < n; i++) std::printf("= %d\n", chain(i));
  std::printf("alive %d\n", alive);
  try {
    unwound(3);
  } catch (const std::logic_error &error) {
    std::printf("%s, alive %d\n", error.what(), alive);
  }
  std::vector<std::unique_ptr<Shape>> shapes;
  for (int i = 1; i < 6; i++)
    if (i % 2) shapes.push_back(std::make_unique<Square>(i));
    else shapes.push_back(std::make_unique<Disc>(i));
  double total = 0;
  for (const auto &shape : shapes) {
    total += shape->area();
    auto *named = dynamic_cast<Named *>(shape.get());
    std::printf("%s/%s ", shape->name(), named ? named->label().c_str() : "-");
  }
  std::map<std::string, int> count;
  std::string text = "the quick brown fox jumps over the lazy dog and the cat";
  for (size_t at = 0; at <= text.size();) {
    size_t end = std::min(text.find(' ', at), text.size());
    count[text.substr(at, end - at)]++;
    at = end + 1;
  }
  for (const auto &[word, times] : count) std::printf("%s=%d ", word.c_str(), times);
  std::vector<int> values(40);
  for (size_t i = 0; i < values.size(); i++) values[i] = static_cast<int>(i * 31 % 47);
  std::sort(values.begin(), values.end(), [n](int a, int b) { return a % n != b % n ? a % n < b % n : a < b; });
  std::printf("\n%.1f %d %d\n", total, values[7], folded<int>(values, [](int a, int b) { return a * 3 % 1009 + b; }, 1));
  try {
    std::string huge;
    huge.resize(huge.max_size() - (argc > 50));
  } catch (const std::bad_alloc &) {
    std::puts("bad_alloc");
  } catch (const std::length_error &) {
    std::puts("length_error");
  }
  try {
    if (dynamic_cast<Disc &>(*shapes[0]).radius > 0) std::puts("not reached");
  } catch (const std::bad_cast &) {
    std::puts("bad_cast");
  }
  return n % 5;
}
