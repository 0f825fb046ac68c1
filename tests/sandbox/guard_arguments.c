// The guard's command line, read and printed back: built with sanitizers and given whatever there is.
#include "guard.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

_Noreturn void fail(const char *what) {
  (void)dprintf(STDERR_FILENO, "guard: %s\n", what);
  _exit(EXIT_FAILURE);
}

int main(int count, char **words) {
  struct Job job = parse(count, words);
  const struct Limits *limits = &job.limits;
  printf("%d %d %d %d %d %d\n", job.status, job.turns, job.usage, job.leash, job.kept_count, CPU_COUNT(&job.cores));
  printf("%" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 "\n", limits->wall_ms, limits->cpu_ms,
         limits->memory, limits->processes, limits->output);
  for (int at = 0; at < job.kept_count; at++) {
    printf("keep %d\n", job.kept[at]);
  }
  for (char **variable = job.environment; *variable != NULL; variable++) {
    printf("variable %s\n", *variable);
  }
  printf("program %s\n", job.program);
  for (char **argument = job.arguments; *argument != NULL; argument++) {
    printf("argument %s\n", *argument);
  }
  free((void *)job.environment);
  return 0;
}
