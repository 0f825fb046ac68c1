/* SPDX-License-Identifier: Apache-2.0 */
/* Messages as PGP 2 wrote them (RFC 1991): signed, compressed, encrypted. */
#ifndef MESSAGE_H
#define MESSAGE_H

#include "buffer.h"
#include "rsa.h"

struct message_effort {
    long messages, packets;
    uint64_t plain, compressed, bytes;
};

extern struct message_effort message_effort;

/* The message's binary form, added to `out`. `date` is that of the signature. */
void message_write(struct buffer *out, const struct rsa_key *sender, const struct rsa_key *recipient,
                   struct random *random, const unsigned char *data, size_t length, uint32_t date);

/* The text of a message, added to `text`; NULL, or what is wrong with it. */
const char *message_read(struct buffer *text, const struct rsa_key *sender, const struct rsa_key *recipient,
                         const unsigned char *data, size_t length);

#endif
