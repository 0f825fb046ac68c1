// Fills its scratch folder with everything that is no plain result.
#include "say.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

static void put(const char *name, const char *text) {
  int file = open(name, O_WRONLY | O_CREAT, 0600);
  (void)!write(file, text, strlen(text));
  (void)close(file);
}

int main(int count, char **words) {
  struct sockaddr_un here = {.sun_family = AF_UNIX, .sun_path = "socket"};
  (void)signal(SIGXFSZ, SIG_IGN);
  put("plain", "plain");
  put("line\nbreak", "newline");
  put("\xff\xfe", "bytes");
  (void)symlink(count > 1 ? words[1] : "/etc/passwd", "absolute");
  (void)symlink("plain", "relative");
  (void)symlink("../etc/passwd", "above");
  (void)symlink("/proc/self/../../etc/passwd", "process");
  (void)symlink("loop", "loop");
  (void)symlink("/etc", "outside");
  (void)mkdir("folder", 0700);
  put("folder/inner", "inner");
  (void)link("plain", "hard");
  (void)mkfifo("fifo", 0600);
  (void)bind(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&here, sizeof here);
  int sparse = open("sparse", O_WRONLY | O_CREAT, 0600);
  say("terabyte", ftruncate(sparse, 1L << 40));
  say("megabytes", ftruncate(sparse, 32 << 20));
}
