// What the job uses, as the kernel shows it, against what it may.

#include "guard.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

// Microseconds of CPU time of the sandbox's control group, by the kernel's own account; 0 where nothing tells.
int64_t group_cpu(int usage) {
  static const char kVersion2[] = "usage_usec ";
  char text[64] = {0};
  if (usage < 0 || pread(usage, text, sizeof text - 1, 0) <= 0) {
    return 0;
  }
  if (strncmp(text, kVersion2, sizeof kVersion2 - 1) == 0) {
    return strtoll(text + sizeof kVersion2 - 1, NULL, 10);
  }
  return strtoll(text, NULL, 10) / 1000; // version 1 has nanoseconds
}

// CPU time of the job and all that came of it, as the control group has it: also what nobody has waited for.
int64_t job_cpu(const struct Job *job) {
  struct rusage own;
  int64_t used = group_cpu(job->usage) - job->usage_before;
  return getrusage(RUSAGE_SELF, &own) == 0 ? used - (cpu_of(&own) - job->own_before) : used;
}

// Bytes that a process or a thread has, by its folder in /proc: resident, swapped out, and its page tables.
static int64_t memory_of(const char *folder) {
  char path[300];
  char line[256];
  int64_t sum = 0;
  (void)snprintf(path, sizeof path, "%s/status", folder);
  FILE *file = fopen(path, "re");
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    int64_t kilobytes = 0;
    if (sscanf(line, "VmRSS: %" SCNd64, &kilobytes) == 1 || sscanf(line, "VmSwap: %" SCNd64, &kilobytes) == 1 ||
        sscanf(line, "VmPTE: %" SCNd64, &kilobytes) == 1) {
      sum += kilobytes * 1024;
    }
  }
  if (file != NULL) {
    (void)fclose(file);
  }
  return sum;
}

// The same of a process whose first thread has ended, and shows nothing any more: what another thread shows.
static int64_t memory_of_threads(const char *process) {
  char path[300];
  int64_t found = 0;
  (void)snprintf(path, sizeof path, "/proc/%.20s/task", process);
  DIR *threads = opendir(path);
  struct dirent *entry = NULL;
  while (found == 0 && threads != NULL && (entry = readdir(threads)) != NULL) {
    if (isdigit((unsigned char)entry->d_name[0])) {
      (void)snprintf(path, sizeof path, "/proc/%.20s/task/%.20s", process, entry->d_name);
      found = memory_of(path);
    }
  }
  if (threads != NULL) {
    (void)closedir(threads);
  }
  return found;
}

// Add the CPU time and the memory of one process, by its folder in /proc.
static void add_use(const char *process, int64_t *cpu_us, int64_t *memory) {
  char path[300];
  char line[1024];
  unsigned long ticks[4];
  (void)snprintf(path, sizeof path, "/proc/%s/stat", process);
  FILE *file = fopen(path, "re");
  if (file != NULL) {
    char *end = fgets(line, sizeof line, file) != NULL ? strrchr(line, ')') : NULL;
    if (end != NULL && sscanf(end + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %lu %lu", &ticks[0],
                              &ticks[1], &ticks[2], &ticks[3]) == 4) {
      int64_t sum = (int64_t)(ticks[0] + ticks[1] + ticks[2] + ticks[3]);
      *cpu_us += sum * (kSecondInMicroseconds / sysconf(_SC_CLK_TCK));
    }
    (void)fclose(file);
  }
  (void)snprintf(path, sizeof path, "/proc/%.20s", process);
  int64_t own = memory_of(path);
  *memory += own > 0 ? own : memory_of_threads(process);
}

// CPU time and memory of everything in the sandbox but the guard.
static void tree_use(const struct Job *job, int64_t *cpu_us, int64_t *memory) {
  struct rusage ended;
  *memory = 0;
  *cpu_us = getrusage(RUSAGE_CHILDREN, &ended) == 0 ? cpu_of(&ended) : 0;
  DIR *processes = opendir("/proc");
  struct dirent *entry = NULL;
  while (processes != NULL && (entry = readdir(processes)) != NULL) {
    if (isdigit((unsigned char)entry->d_name[0]) && strcmp(entry->d_name, "1") != 0) {
      add_use(entry->d_name, cpu_us, memory);
    }
  }
  if (processes != NULL) {
    (void)closedir(processes);
  }
  int64_t counted = job_cpu(job);
  *cpu_us = counted > *cpu_us ? counted : *cpu_us;
}

static bool exceeds(int64_t value, int64_t allowed) { return allowed > 0 && value > allowed; }

static bool output_exceeds(int64_t allowed) {
  struct stat found;
  for (int stream = STDOUT_FILENO; stream <= STDERR_FILENO; stream++) {
    if (fstat(stream, &found) == 0 && S_ISREG(found.st_mode) && exceeds(found.st_size, allowed)) {
      return true;
    }
  }
  return false;
}

// The limit that the job exceeds now, or NULL.
const char *exceeded(const struct Job *job, int scratch) {
  const struct Limits *limits = &job->limits;
  if (output_exceeds(limits->output)) {
    return "output";
  }
  if (!is_isolated()) {
    return NULL; // the rest counts what is in the sandbox, and here is none
  }
  int64_t cpu_us = 0;
  int64_t memory = 0;
  struct statvfs space;
  if (limits->cpu_ms > 0 || limits->memory > 0) {
    tree_use(job, &cpu_us, &memory);
  }
  if (fstatvfs(scratch, &space) == 0) {
    memory += (int64_t)((space.f_blocks - space.f_bfree) * space.f_frsize);
    if (exceeds((int64_t)(space.f_files - space.f_ffree), limits->files + 1)) { // the folder itself
      return "files";
    }
  }
  if (exceeds(cpu_us, limits->cpu_ms * 1000)) {
    return "cpu";
  }
  return exceeds(memory, limits->memory) ? "memory" : NULL;
}
