#include <csignal>
#include <cstdio>
#include <unistd.h>

int main() {
  for (int child = 0; child < 64; ++child) {
    if (fork() == 0) {
      kill(-1, SIGSTOP);
      raise(SIGSTOP);
      pause();
    }
  }
  puts("[0");
  fflush(stdout);
  kill(-1, SIGSTOP);
  raise(SIGSTOP);
}
