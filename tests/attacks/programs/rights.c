// Tries to become more than it is.
#include "say.h"
#include <fcntl.h>
#include <grp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

int main(void) {
  struct timespec now = {0};
  say("setuid", setuid(0));
  say("setgid", setgid(0));
  say("setgroups", setgroups(0, NULL));
  say("setresuid", setresuid(0, 0, 0));
  say("device", mknod("/tmp/disk", S_IFBLK | 0600, 0xfe00));
  say("chown", chown("/program", 0, 0));
  say("keyctl", syscall(SYS_keyctl, 0, -3, 1));
  say("bpf", syscall(SYS_bpf, 0, NULL, 0));
  say("io_uring", syscall(SYS_io_uring_setup, 1, NULL));
  say("perf", syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0));
  say("userfault", syscall(SYS_userfaultfd, 0));
  say("clock", clock_settime(CLOCK_REALTIME, &now));
  say("name", sethostname("x", 1));
  say("ambient", prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, 21, 0, 0));
  say("privileges", prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? -1 : 0);
}
