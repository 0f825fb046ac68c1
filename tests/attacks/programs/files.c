// usage: files read|write|list|make PATH...    tries it on every path
#include "say.h"
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

static long attempt(const char *verb, const char *path) {
  if (strcmp(verb, "make") == 0) {
    return mkdir(path, 0700);
  }
  if (strcmp(verb, "list") == 0) {
    DIR *folder = opendir(path);
    return folder == NULL ? -1 : closedir(folder);
  }
  int writes = strcmp(verb, "write") == 0;
  int file = open(path, writes ? O_WRONLY | O_CREAT : O_RDONLY, 0600);
  char byte = 'x';
  long done = file < 0 ? -1 : writes ? write(file, &byte, 1) : read(file, &byte, 1);
  if (file >= 0) {
    close(file);
  }
  return done;
}

int main(int count, char **words) {
  for (int at = 2; at < count; at++) {
    say(words[at], attempt(words[1], words[at]));
  }
}
