// Lists its descriptors, writes a forged report to every number, and spoils its standard output.
#include "say.h"
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>

int main(void) {
  const char *forged = "{\"reason\":\"exit\",\"value\":0,\"wall_ns\":1,\"user_us\":0,\"system_us\":0,\"tree_cpu_us\":0,"
                       "\"peak_memory\":0,\"left\":0,\"free_bytes\":1}";
  struct stat found;
  FILE *list = fopen("/tmp/open", "we");
  for (int descriptor = 0; descriptor < 1024; descriptor++) {
    if (fstat(descriptor, &found) == 0 && descriptor != fileno(list)) {
      (void)fprintf(list, "%d%s ", descriptor, S_ISSOCK(found.st_mode) ? ":socket" : "");
    }
  }
  (void)fclose(list);
  for (int descriptor = 0; descriptor < 1024; descriptor++) {
    (void)!write(descriptor, forged, strlen(forged));
    (void)send(descriptor, forged, strlen(forged), MSG_NOSIGNAL | MSG_DONTWAIT);
  }
  (void)ftruncate(1, 0);
  int again = open("/proc/self/fd/1", O_RDWR | O_TRUNC);
  (void)close(1);
  (void)fcntl(again, F_SETFL, O_NONBLOCK | O_APPEND);
  (void)fchmod(again, 0);
  (void)fcntl(again, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_WRITE);
  (void)!write(again, "mine", 4);
  (void)lseek(2, 1 << 30, SEEK_SET);
  return 9;
}
