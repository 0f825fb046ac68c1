// usage: stubborn sleep|file|out|err MARKER    ignores every signal that can be ignored
#include "say.h"
#include <fcntl.h>
#include <signal.h>

static char block[1 << 16];

int main(int count, char **words) {
  (void)count;
  for (int number = 1; number < 65; number++) {
    (void)signal(number, SIG_IGN);
  }
  int file = strcmp(words[1], "file") == 0 ? open("/tmp/large", O_WRONLY | O_CREAT, 0600) : -1;
  if (strcmp(words[1], "sleep") == 0) {
    (void)fork();
    (void)setsid();
    (void)fork();
    (void)setsid();
  }
  for (long at = 0; at < 1 << 14; at++) { // a gigabyte
    if (file >= 0 && write(file, block, sizeof block) < 0) {
      say("file", -1);
      return 3;
    }
    if (strcmp(words[1], "out") == 0) {
      (void)!write(STDOUT_FILENO, block, sizeof block);
    }
    if (strcmp(words[1], "err") == 0) {
      (void)!write(STDERR_FILENO, block, sizeof block);
    }
    if (strcmp(words[1], "sleep") == 0) {
      (void)sleep(100);
    }
  }
}
