// usage: namespaces kinds|mounts    tries every way to a new namespace and into another one; or to a mount:
// that never outside a mount namespace of its own
#include "say.h"
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static const struct {
  const char *name;
  unsigned long long flag;
  const char *file;
} kKinds[] = {
    {"user", CLONE_NEWUSER, "user"}, {"mount", CLONE_NEWNS, "mnt"},       {"process", CLONE_NEWPID, "pid"},
    {"network", CLONE_NEWNET, "net"}, {"ipc", CLONE_NEWIPC, "ipc"},       {"name", CLONE_NEWUTS, "uts"},
    {"cgroup", CLONE_NEWCGROUP, "cgroup"}, {"time", 0x80, "time"},
};

static long ended(long child) {
  if (child == 0) {
    _exit(0);
  }
  if (child > 0) {
    waitpid((pid_t)child, NULL, __WALL);
  }
  return child;
}

static long unshare_in_child(int flags) {
  pid_t child = fork();
  int status = 0;
  if (child == 0) {
    _exit(unshare(flags) == 0 ? 0 : errno);
  }
  waitpid(child, &status, 0);
  errno = WEXITSTATUS(status);
  return errno == 0 ? 0 : -1;
}

static void kinds(void) {
  char name[100];
  for (size_t at = 0; at < sizeof kKinds / sizeof *kKinds; at++) {
    unsigned long long flag = kKinds[at].flag;
    (void)snprintf(name, sizeof name, "unshare:%s", kKinds[at].name);
    say(name, unshare_in_child((int)flag));
    if (flag != 0x80) { // to clone it is a signal's number
      (void)snprintf(name, sizeof name, "clone:%s", kKinds[at].name);
      say(name, ended(syscall(SYS_clone, flag | SIGCHLD, 0, 0, 0, 0)));
    }
    struct clone_args arguments = {.flags = flag, .exit_signal = SIGCHLD};
    (void)snprintf(name, sizeof name, "clone3:%s", kKinds[at].name);
    say(name, ended(syscall(SYS_clone3, &arguments, sizeof arguments)));
    (void)snprintf(name, sizeof name, "/proc/1/ns/%s", kKinds[at].file);
    int there = open(name, O_RDONLY);
    (void)snprintf(name, sizeof name, "/proc/self/ns/%s", kKinds[at].file);
    there = there >= 0 ? there : open(name, O_RDONLY);
    (void)snprintf(name, sizeof name, "setns:%s", kKinds[at].name);
    say(name, setns(there, 0));
  }
  struct clone_args none = {.exit_signal = SIGCHLD};
  say("clone3:nothing", ended(syscall(SYS_clone3, &none, sizeof none)));
  say("fork", ended(fork()));
}

static void mounts(void) {
  say("mount:tmpfs", mount("none", "/tmp", "tmpfs", 0, NULL));
  say("mount:proc", mount("none", "/proc", "proc", 0, NULL));
  say("mount:bind", mount("/", "/tmp", NULL, MS_BIND | MS_REC, NULL));
  say("mount:writable", mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND, NULL));
  say("umount", umount2("/proc", MNT_DETACH));
  say("pivot_root", syscall(SYS_pivot_root, "/tmp", "/tmp"));
  say("chroot", chroot("/tmp"));
  say("fsopen", syscall(SYS_fsopen, "tmpfs", 0));
  say("open_tree", syscall(SYS_open_tree, AT_FDCWD, "/tmp", 1));
}

int main(int count, char **words) {
  if (count > 1 && strcmp(words[1], "mounts") == 0) {
    mounts();
  } else {
    kinds();
  }
}
