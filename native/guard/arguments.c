// The guard's command line.

#include "guard.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Noreturn void usage(const char *word) {
  (void)dprintf(STDERR_FILENO, "guard: not understood: %s\n", word);
  _exit(EXIT_FAILURE);
}

static int64_t number(const char *text, const char *word) {
  char *end = NULL;
  errno = 0;
  long long value = strtoll(text, &end, 10);
  if (errno != 0 || end == text || *end != '\0' || value < 0) {
    usage(word);
  }
  return value;
}

// The job itself: its variables, its program, its argument vector.
static void parse_job(struct Job *job, int64_t variables, int64_t count, char **words) {
  if (variables > count - 2) {
    usage("a command without a program");
  }
  job->environment = (char **)calloc((size_t)variables + 1, sizeof(char *));
  if (job->environment == NULL) {
    fail("memory");
  }
  for (int64_t at = 0; at < variables; at++) {
    job->environment[at] = words[at];
  }
  job->program = words[variables];
  job->arguments = words + variables + 1;
}

static void parse_core(struct Job *job, int64_t core, const char *word) {
  if (core >= CPU_SETSIZE) {
    usage(word);
  }
  CPU_SET((size_t)core, &job->cores);
}

static void parse_kept(struct Job *job, int64_t descriptor, const char *word) {
  if (job->kept_count == kMostKept) {
    usage(word);
  }
  job->kept[job->kept_count++] = (int)descriptor;
}

struct Job parse(int count, char **words) {
  struct Job job = {.status = -1, .turns = -1, .usage = -1, .leash = -1};
  const struct {
    const char *name;
    int64_t *value;
  } known[] = {
      {"wall_ms", &job.limits.wall_ms},     {"cpu_ms", &job.limits.cpu_ms},
      {"memory", &job.limits.memory},       {"address_space", &job.limits.address_space},
      {"processes", &job.limits.processes}, {"file_size", &job.limits.file_size},
      {"files", &job.limits.files},         {"open_files", &job.limits.open_files},
      {"output", &job.limits.output},
  };
  for (int at = 1; at < count; at++) {
    char *equals = strchr(words[at], '=');
    if (equals == NULL) {
      usage(words[at]);
    }
    size_t length = (size_t)(equals - words[at]);
    if (strncmp(words[at], "environment=", length + 1) == 0) {
      parse_job(&job, number(equals + 1, words[at]), count - at - 1, words + at + 1);
      return job;
    }
    if (strncmp(words[at], "status=", length + 1) == 0) {
      job.status = (int)number(equals + 1, words[at]);
    } else if (strncmp(words[at], "core=", length + 1) == 0) {
      parse_core(&job, number(equals + 1, words[at]), words[at]);
    } else if (strncmp(words[at], "turns=", length + 1) == 0) {
      job.turns = (int)number(equals + 1, words[at]);
    } else if (strncmp(words[at], "usage=", length + 1) == 0) {
      job.usage = (int)number(equals + 1, words[at]);
    } else if (strncmp(words[at], "leash=", length + 1) == 0) {
      job.leash = (int)number(equals + 1, words[at]);
    } else if (strncmp(words[at], "keep=", length + 1) == 0) {
      parse_kept(&job, number(equals + 1, words[at]), words[at]);
    } else if (strncmp(words[at], "scratch=", length + 1) == 0) {
      job.scratch = equals + 1;
    } else {
      size_t which = 0;
      while (which < sizeof known / sizeof *known &&
             (strlen(known[which].name) != length || strncmp(known[which].name, words[at], length) != 0)) {
        which++;
      }
      if (which == sizeof known / sizeof *known) {
        usage(words[at]);
      }
      *known[which].value = number(equals + 1, words[at]);
    }
  }
  usage("a command without a job");
}
