/* Which of the words match a pattern of literals, '?' and '*'? Writes them to matches.txt. */
#include <stdio.h>
#include <string.h>

static int match(const char *pattern, const char *word) {
  for (; *pattern; pattern++, word++) {
    if (*pattern == '*') {
      do
        if (match(pattern + 1, word))
          return 1;
      while (*word++);
      return 0;
    }
    if (*word == '\0' || (*pattern != '?' && *pattern != *word))
      return 0;
  }
  return *word == '\0';
}

int main(int argc, char **argv) {
  if (argc < 2)
    return 2;
  FILE *out = fopen("matches.txt", "w");
  if (!out)
    return 1;
  char word[64];
  int seen = 0, matched = 0;
  while (scanf("%63s", word) == 1) {
    seen++;
    if (match(argv[1], word)) {
      matched++;
      fprintf(out, "%s\n", word);
    }
  }
  printf("%d of %d words\n", matched, seen);
  return fclose(out) != 0;
}
