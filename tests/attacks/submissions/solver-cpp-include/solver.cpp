#include "@SECRET@"
#include "@ROOT@/suites/iopddl/contest.csv"

int main() {}
