// usage: network tcp|udp|abstract|family|pair VALUE...    connects to a port or a name, or makes a socket
#include "say.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

static long to_port(int kind, const char *port) {
  struct sockaddr_in there = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port))};
  there.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int own = socket(AF_INET, kind, 0);
  return own < 0 || connect(own, (struct sockaddr *)&there, sizeof there) != 0 ? -1 : send(own, "hello", 5, 0);
}

static long to_name(const char *name) {
  struct sockaddr_un there = {.sun_family = AF_UNIX};
  strncpy(there.sun_path + 1, name, sizeof there.sun_path - 2);
  int own = socket(AF_UNIX, SOCK_STREAM, 0);
  socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name));
  return own < 0 ? -1 : connect(own, (struct sockaddr *)&there, size);
}

int main(int count, char **words) {
  int pair[2];
  for (int at = 2; at < count; at++) {
    const char *kind = words[1];
    const char *value = words[at];
    say(value, strcmp(kind, "tcp") == 0        ? to_port(SOCK_STREAM, value)
               : strcmp(kind, "udp") == 0      ? to_port(SOCK_DGRAM, value)
               : strcmp(kind, "abstract") == 0 ? to_name(value)
               : strcmp(kind, "pair") == 0     ? socketpair(atoi(value), SOCK_DGRAM, 0, pair)
                                               : socket(atoi(value), SOCK_DGRAM, 0));
  }
}
