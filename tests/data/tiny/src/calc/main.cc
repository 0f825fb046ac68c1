// Evaluates the expressions in reverse Polish notation that stand in its arguments, one each.
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct Fault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Stack {
public:
  void push(long value) { values.push_back(value); }
  long pop() {
    if (values.empty())
      throw Fault("too few operands");
    long value = values.back();
    values.pop_back();
    return value;
  }
  bool empty() const { return values.empty(); }

private:
  std::vector<long> values;
};

long apply(char operation, long a, long b) {
  switch (operation) {
  case '+':
    return a + b;
  case '-':
    return a - b;
  case '*':
    return a * b;
  case '/':
    if (b == 0)
      throw Fault("division by zero");
    return a / b;
  }
  throw Fault(std::string("unknown operation ") + operation);
}

long evaluate(const std::string &text) {
  Stack stack;
  std::istringstream words(text);
  for (std::string word; words >> word;)
    if (word.find_first_not_of("0123456789") == std::string::npos) {
      stack.push(std::stol(word));
    } else {
      long b = stack.pop(), a = stack.pop();
      stack.push(apply(word[0], a, b));
    }
  long result = stack.pop();
  if (!stack.empty())
    throw Fault("too many operands");
  return result;
}

} // namespace

int main(int argc, char **argv) {
  int faults = 0;
  for (int i = 1; i < argc; i++)
    try {
      std::cout << argv[i] << " = " << evaluate(argv[i]) << '\n';
    } catch (const std::exception &fault) {
      std::cout << argv[i] << ": " << fault.what() << '\n';
      faults++;
    }
  return faults ? 3 : 0;
}
