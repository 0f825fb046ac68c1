// A policy as a process: it answers questions about features (`harness/policy/forms/decider.py` has the protocol).
//
// usage: policy QUESTIONS ANSWERS      two descriptors
//
// Linked with the code that was made of the submission's file, and compiled with POLICY_FEATURES, how many features
// there are, and POLICY_WORDS, how many words of eight bytes they take. Nothing else is there: no file, no other
// program.

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

enum { kFeatures = POLICY_FEATURES, kWords = POLICY_WORDS };

extern const unsigned char policy_uses[kFeatures];
int64_t policy_decide(const int64_t *features);

// Move all of the bytes; false at the end of the pipe.
static int receive(int from, void *bytes, size_t size) {
  for (size_t done = 0; done < size;) {
    ssize_t moved = read(from, (char *)bytes + done, size - done);
    if (moved == 0 || (moved < 0 && errno != EINTR)) {
      return 0;
    }
    done += moved > 0 ? (size_t)moved : 0;
  }
  return 1;
}

static int tell(int to, const void *bytes, size_t size) {
  for (size_t done = 0; done < size;) {
    ssize_t moved = write(to, (const char *)bytes + done, size - done);
    if (moved < 0 && errno != EINTR) {
      return 0;
    }
    done += moved > 0 ? (size_t)moved : 0;
  }
  return 1;
}

int main(int count, char **words) {
  if (count != 3) {
    return EXIT_FAILURE;
  }
  const int questions = atoi(words[1]); // NOLINT(cert-err34-c): the harness's own
  const int answers = atoi(words[2]);   // NOLINT(cert-err34-c)
  for (char byte = 0; byte != '\n';) {  // the names of the features are known here
    if (!receive(questions, &byte, 1)) {
      return EXIT_SUCCESS;
    }
  }
  if (!tell(answers, policy_uses, kFeatures)) {
    return EXIT_SUCCESS;
  }
  static int64_t question[kWords + 1];
  while (receive(questions, question, sizeof question)) {
    const int64_t answer[2] = {question[0], policy_decide(question + 1)};
    if (!tell(answers, answer, sizeof answer)) {
      break;
    }
  }
  return EXIT_SUCCESS;
}
