// What the guard tells the harness: who it is, and how the job ended.

#include "guard.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { kMessage = 2048 };

static void send_message(int socket, const char *text, int descriptor) {
  struct iovec content = {.iov_base = (void *)text, .iov_len = strlen(text)};
  union {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr header;
  } control = {0};
  struct msghdr message = {.msg_iov = &content, .msg_iovlen = 1};
  if (descriptor >= 0) {
    message.msg_control = &control;
    message.msg_controllen = sizeof control.bytes;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  }
  if (sendmsg(socket, &message, MSG_NOSIGNAL) < 0) {
    fail("status");
  }
}

// Effective and bounding capabilities, no-new-privileges and seccomp mode, as the kernel shows them.
struct Rights {
  char effective[32];
  char bounding[32];
  char privileges[8];
  char seccomp[8];
};

static struct Rights rights(void) {
  struct Rights found = {0};
  char line[256];
  FILE *file = fopen("/proc/self/status", "re");
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    (void)sscanf(line, "CapEff: %31s", found.effective);
    (void)sscanf(line, "CapBnd: %31s", found.bounding);
    (void)sscanf(line, "NoNewPrivs: %7s", found.privileges);
    (void)sscanf(line, "Seccomp: %7s", found.seccomp);
  }
  if (file != NULL) {
    (void)fclose(file);
  }
  return found;
}

static uint64_t namespace_of(const char *kind) {
  char path[64];
  struct stat found;
  (void)snprintf(path, sizeof path, "/proc/self/ns/%s", kind);
  return stat(path, &found) == 0 ? found.st_ino : 0;
}

void say_hello(const struct Job *job, int scratch) {
  struct Rights own = rights();
  char text[kMessage];
  (void)snprintf(
      text, sizeof text,
      "{\"pid\":%d,\"uid\":%u,\"capabilities\":[\"%s\",\"%s\"],\"no_new_privileges\":\"%s\",\"seccomp\":\"%s\","
      "\"namespaces\":{\"user\":%" PRIu64 ",\"mnt\":%" PRIu64 ",\"pid\":%" PRIu64 ",\"net\":%" PRIu64
      ",\"ipc\":%" PRIu64 ",\"uts\":%" PRIu64 "}}",
      getpid(), getuid(), own.effective, own.bounding, own.privileges, own.seccomp, namespace_of("user"),
      namespace_of("mnt"), namespace_of("pid"), namespace_of("net"), namespace_of("ipc"), namespace_of("uts"));
  send_message(job->status, text, scratch);
}

void report(const struct Job *job, const struct Ending *ending, int scratch) {
  struct rusage all;
  struct statvfs space = {0};
  char text[kMessage];
  if (getrusage(RUSAGE_CHILDREN, &all) != 0 || fstatvfs(scratch, &space) != 0) {
    fail("usage");
  }
  int64_t waited = cpu_of(&all);
  int64_t counted = job_cpu(job);
  (void)snprintf(text, sizeof text,
                 "{\"reason\":\"%s\",\"value\":%d,\"wall_ns\":%" PRId64 ",\"user_us\":%" PRId64
                 ",\"system_us\":%" PRId64 ",\"tree_cpu_us\":%" PRId64 ",\"peak_memory\":%" PRId64
                 ",\"preemptions\":%ld,\"left\":%d,\"free_bytes\":%" PRIu64 "}",
                 ending->reason, ending->value, ending->wall_ns, microseconds(ending->usage.ru_utime),
                 microseconds(ending->usage.ru_stime), counted > waited ? counted : waited,
                 (int64_t)all.ru_maxrss * 1024, ending->usage.ru_nivcsw, ending->left,
                 (uint64_t)space.f_bavail * space.f_frsize);
  send_message(job->status, text, -1);
}
