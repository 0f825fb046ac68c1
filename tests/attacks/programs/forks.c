// usage: forks count|bomb    counts the processes that it can have at once; or forks without end
#include "say.h"
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

static void *rest(void *nothing) {
  for (;;) {
    pause();
  }
  return nothing;
}

int main(int count, char **words) {
  (void)count;
  while (strcmp(words[1], "bomb") == 0) {
    (void)fork();
    (void)setsid();
  }
  int made = 0;
  pthread_t thread;
  while (made < 500 && strcmp(words[1], "threads") == 0 && pthread_create(&thread, NULL, rest, NULL) == 0) {
    made++;
  }
  while (made < 500 && strcmp(words[1], "count") == 0) {
    pid_t child = fork();
    if (child < 0) {
      break;
    }
    if (child == 0) {
      rest(NULL);
    }
    made++;
  }
  printf("%d\n", made);
  (void)fflush(stdout);
  (void)kill(0, SIGKILL);
}
