// usage: many FILES [DEPTH]    so many files in the scratch folder; or folders in folders
#include "say.h"
#include <fcntl.h>
#include <sys/stat.h>

int main(int count, char **words) {
  char name[64];
  for (int at = 0; count > 2 && at < atoi(words[2]); at++) {
    if (mkdir("deep", 0700) != 0 || chdir("deep") != 0) {
      return 1;
    }
  }
  for (int at = 0; at < atoi(words[1]); at++) {
    (void)snprintf(name, sizeof name, "file-%d", at);
    int file = open(name, O_WRONLY | O_CREAT, 0600);
    if (file < 0) {
      return 1;
    }
    (void)close(file);
  }
}
