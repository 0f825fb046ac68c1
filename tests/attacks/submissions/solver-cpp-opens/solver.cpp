#include <cstdlib>

int main() {
  return std::system("cat @SECRET@ @RESULTS@ @CACHE@ @ROOT@/suites/iopddl/contest.csv > /tmp/found 2> /dev/null") == 0 ||
                 std::system("test -s /tmp/found") == 0
             ? 0
             : 3;
}
