// usage: spin PROCESSES SECONDS [stubborn]    uses the processor, in each process, for so much CPU time
#include "say.h"
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

int main(int count, char **words) {
  double seconds = atof(words[2]);
  for (int number = 1; count > 3 && strcmp(words[3], "stubborn") == 0 && number < 65; number++) {
    (void)signal(number, SIG_IGN);
  }
  for (int at = 1; at < atoi(words[1]); at++) {
    if (fork() == 0) {
      break;
    }
  }
  while ((double)clock() / CLOCKS_PER_SEC < seconds) {
  }
  while (wait(NULL) > 0) {
  }
}
