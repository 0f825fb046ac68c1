// What the parts of the guard share: the job as its command line tells it, how it ended, and who does what.
#ifndef GUARD_GUARD_H
#define GUARD_GUARD_H

#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/types.h>

enum {
  kSecondInMicroseconds = 1000000,
  kMillisecondInNanoseconds = 1000000,
  kMostKept = 8,
};

// What the job may use. 0: no limit.
struct Limits {
  int64_t wall_ms;
  int64_t cpu_ms;        // of all its processes together
  int64_t memory;        // bytes resident, of all its processes and its files together
  int64_t address_space; // bytes, of each process
  int64_t processes;     // threads count
  int64_t file_size;     // bytes, of each file
  int64_t files;         // in the scratch folder
  int64_t open_files;    // of each process
  int64_t output;        // bytes, of standard output and of standard error
};

struct Job {
  struct Limits limits;
  int status;
  cpu_set_t cores;      // none: any
  int turns;            // -1: it runs all the time
  int usage;            // -1: no control group counts the CPU time
  int64_t usage_before; // microseconds that it had counted when the job was started;
  int64_t own_before;   // and of the guard itself
  int leash;            // -1: none
  int kept[kMostKept];
  int kept_count;
  const char *scratch;
  char **environment;
  const char *program;
  char **arguments; // argv[0] first
};

struct Ending {
  const char *reason; // exit, signal, start, or the limit that it met
  int value;          // exit status, signal or errno
  struct rusage usage;
  int64_t wall_ns;
  int left; // processes that still ran when the job had ended
};

// guard.c: what all parts need.
_Noreturn void fail(const char *what);
int64_t now_ns(void);
int64_t microseconds(struct timeval time);
int64_t cpu_of(const struct rusage *usage);
bool is_isolated(void);

// arguments.c: the command line.
_Noreturn void usage(const char *word);
struct Job parse(int count, char **words);

// messages.c: what the guard tells the harness.
void say_hello(const struct Job *job, int scratch);
void report(const struct Job *job, const struct Ending *ending, int scratch);

// job.c: the job's limits and its start; 0 and `*number` set to an errno when it cannot be started.
pid_t start(const struct Job *job, int *number);

// use.c: what the job uses. The limit that it exceeds now, or NULL.
int64_t group_cpu(int usage);
int64_t job_cpu(const struct Job *job);
const char *exceeded(const struct Job *job, int scratch);

// watch.c: turns, the clock, and the end of everything.
sigset_t awaited_signals(void);
void say(const struct Job *job, char word, pid_t child);
struct Ending watch(const struct Job *job, int scratch);

#endif
