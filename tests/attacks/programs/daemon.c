// usage: daemon MARKER SECONDS    ends at once, and leaves a process that no parent and no session holds
#include "say.h"
#include <fcntl.h>

int main(int count, char **words) {
  int ready[2];
  char byte = 0;
  (void)count;
  (void)!pipe(ready);
  if (fork() == 0) {
    (void)setsid();
    if (fork() == 0) {
      (void)chdir("/");
      (void)!write(ready[1], &byte, 1);
      for (int descriptor = 0; descriptor < 64; descriptor++) {
        (void)close(descriptor);
      }
      (void)sleep((unsigned)atoi(words[2]));
    }
    _exit(0);
  }
  return (int)read(ready[0], &byte, 1) - 1;
}
