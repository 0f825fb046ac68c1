/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The packets of RFC 1991: a session key that only the recipient can read, and under it, in IDEA's
 * cipher feedback, a compressed packet that holds the sender's signature and the literal text.
 */
#include "message.h"

#include <string.h>

enum { SESSION_KEY = 1, SIGNATURE = 2, COMPRESSED = 8, CONVENTIONAL = 9, LITERAL = 11 };
enum { VERSION = 2, RSA = 1, MD5 = 1, IDEA = 1, ZIP = 1, HASHED = 5, PREFIX = IDEA_BLOCK + 2 };

/* The identifier of MD5 in ASN.1, in front of a digest that is to be signed. */
static const unsigned char digest_info[18] = {0x30, 0x20, 0x30, 0x0c, 0x06, 0x08, 0x2a, 0x86, 0x48,
                                              0x86, 0xf7, 0x0d, 0x02, 0x05, 0x05, 0x00, 0x04, 0x10};
static const char file_name[] = "message.txt";

struct message_effort message_effort;

static void add_packet(struct buffer *out, unsigned type, const struct buffer *body)
{
    unsigned size = body->length < 0x100 ? 0 : body->length < 0x10000 ? 1 : 2;

    buffer_add_byte(out, 0x80 | type << 2 | size);
    buffer_add_number(out, body->length, 1 << size);
    buffer_add(out, body->data, body->length);
    message_effort.packets++;
}

/* A number with its length in bits in front. */
static void add_number(struct buffer *out, const struct big *x)
{
    size_t bits = big_bits(x), length = (bits + 7) / 8;

    buffer_add_number(out, bits, 2);
    big_to_bytes(x, buffer_extend(out, length), length);
}

/* Bytes 0, type, padding, 0, and the data, as long as the modulus (PKCS #1). */
static void pad(struct big *x, size_t length, int type, const unsigned char *data, size_t size,
                struct random *random)
{
    unsigned char block[MAX_KEY_BYTES];
    size_t padding = length - size - 3;

    block[0] = 0;
    block[1] = (unsigned char)type;
    memset(block + 2, 0xff, padding);
    for (size_t i = 0; type == 2 && i < padding; i++)
        do
            random_bytes(random, block + 2 + i, 1);
        while (block[2 + i] == 0);
    block[length - size - 1] = 0;
    memcpy(block + length - size, data, size);
    big_from_bytes(x, block, length);
}

/* The data in a padded block, which must be of that size; NULL if it is none. */
static const unsigned char *unpad(const struct big *x, size_t length, int type, size_t size, unsigned char *block)
{
    if (big_bits(x) > 8 * length || length < size + 3 + 8)
        return NULL;
    big_to_bytes(x, block, length);
    if (block[0] != 0 || block[1] != type || block[length - size - 1] != 0)
        return NULL;
    for (size_t i = 2; i < length - size - 1; i++)
        if (type == 1 ? block[i] != 0xff : block[i] == 0)
            return NULL;
    return block + length - size;
}

static void digest_text(const unsigned char *text, size_t length, const unsigned char *hashed, unsigned char *digest)
{
    struct md5 md5;

    md5_start(&md5);
    md5_update(&md5, text, length);
    md5_update(&md5, hashed, HASHED);
    md5_finish(&md5, digest);
}

static void add_signature(struct buffer *out, const struct rsa_key *sender, const unsigned char *text, size_t length,
                          uint32_t date)
{
    const unsigned char hashed[HASHED] = {0, (unsigned char)(date >> 24), (unsigned char)(date >> 16),
                                          (unsigned char)(date >> 8), (unsigned char)date};
    unsigned char signed_bytes[sizeof digest_info + MD5_DIGEST], *digest = signed_bytes + sizeof digest_info;
    struct buffer body = {NULL, 0, 0};
    struct big block, signature;

    memcpy(signed_bytes, digest_info, sizeof digest_info);
    digest_text(text, length, hashed, digest);
    pad(&block, rsa_bytes(sender), 1, signed_bytes, sizeof signed_bytes, NULL);
    rsa_private(sender, &signature, &block);
    buffer_add_byte(&body, VERSION);
    buffer_add_byte(&body, HASHED);
    buffer_add(&body, hashed, HASHED);
    rsa_key_id(sender, buffer_extend(&body, KEY_ID));
    buffer_add_byte(&body, RSA);
    buffer_add_byte(&body, MD5);
    buffer_add(&body, digest, 2);
    add_number(&body, &signature);
    add_packet(out, SIGNATURE, &body);
    buffer_free(&body);
}

static void add_literal(struct buffer *out, const unsigned char *text, size_t length, uint32_t date)
{
    struct buffer body = {NULL, 0, 0};

    buffer_add_byte(&body, 'b');
    buffer_add_byte(&body, sizeof file_name - 1);
    buffer_add(&body, file_name, sizeof file_name - 1);
    buffer_add_number(&body, date, 4);
    buffer_add(&body, text, length);
    add_packet(out, LITERAL, &body);
    buffer_free(&body);
}

static void add_session_key(struct buffer *out, const struct rsa_key *recipient, const unsigned char *key,
                            struct random *random)
{
    unsigned char secret[1 + IDEA_KEY + 2];
    unsigned sum = 0;
    struct buffer body = {NULL, 0, 0};
    struct big block, number;

    secret[0] = IDEA;
    memcpy(secret + 1, key, IDEA_KEY);
    for (int i = 0; i < IDEA_KEY; i++)
        sum += key[i];
    secret[IDEA_KEY + 1] = (unsigned char)(sum >> 8);
    secret[IDEA_KEY + 2] = (unsigned char)sum;
    pad(&block, rsa_bytes(recipient), 2, secret, sizeof secret, random);
    rsa_public(recipient, &number, &block);
    buffer_add_byte(&body, VERSION);
    rsa_key_id(recipient, buffer_extend(&body, KEY_ID));
    buffer_add_byte(&body, RSA);
    add_number(&body, &number);
    add_packet(out, SESSION_KEY, &body);
    buffer_free(&body);
}

void message_write(struct buffer *out, const struct rsa_key *sender, const struct rsa_key *recipient,
                   struct random *random, const unsigned char *data, size_t length, uint32_t date)
{
    struct buffer inner = {NULL, 0, 0}, packed = {NULL, 0, 0}, cipher = {NULL, 0, 0};
    unsigned char key[IDEA_KEY], prefix[PREFIX];
    struct cfb cfb;
    size_t start = out->length;

    add_signature(&inner, sender, data, length, date);
    add_literal(&inner, data, length, date);
    buffer_add_byte(&packed, 0x80 | COMPRESSED << 2 | 3); /* of no stated length */
    buffer_add_byte(&packed, ZIP);
    zip_compress(&packed, inner.data, inner.length);
    message_effort.packets++;

    random_bytes(random, key, sizeof key);
    add_session_key(out, recipient, key, random);
    random_bytes(random, prefix, IDEA_BLOCK);
    memcpy(prefix + IDEA_BLOCK, prefix + IDEA_BLOCK - 2, 2); /* lets the reader see if the key is right */
    buffer_extend(&cipher, PREFIX + packed.length);
    cfb_start(&cfb, key);
    cfb_encrypt(&cfb, prefix, cipher.data, PREFIX);
    cfb_resync(&cfb, cipher.data + 2);
    cfb_encrypt(&cfb, packed.data, cipher.data + PREFIX, packed.length);
    add_packet(out, CONVENTIONAL, &cipher);

    message_effort.messages++;
    message_effort.plain += length;
    message_effort.compressed += packed.length;
    message_effort.bytes += out->length - start;
    buffer_free(&inner);
    buffer_free(&packed);
    buffer_free(&cipher);
}

/* --- reading */

/* The next packet, which must be of this type; its body. */
static int next_packet(struct source *source, unsigned type, struct source *body)
{
    const unsigned char *byte = source_take(source, 1);
    size_t length = 0;

    if (byte == NULL || (*byte & 0xfc) != (0x80 | type << 2))
        return 0;
    if ((*byte & 3) == 3) {
        length = source->length - source->at;
    } else {
        size_t size = (size_t)1 << (*byte & 3);
        const unsigned char *digits = source_take(source, size);
        if (digits == NULL)
            return 0;
        for (size_t i = 0; i < size; i++)
            length = length << 8 | digits[i];
    }
    *body = (struct source){source_take(source, length), length, 0};
    return body->data != NULL;
}

/* A number that ends the packet and is below the modulus. */
static int last_number(struct source *source, struct big *x, const struct rsa_key *key)
{
    const unsigned char *bits = source_take(source, 2);
    size_t length = bits != NULL ? ((size_t)bits[0] << 8 | bits[1]) : 0;
    const unsigned char *bytes = source_take(source, (length + 7) / 8);

    if (bits == NULL || bytes == NULL || source->at != source->length || length > MAX_KEY_BITS)
        return 0;
    big_from_bytes(x, bytes, (length + 7) / 8);
    return big_bits(x) == length && big_compare(x, &key->n) < 0;
}

static int names_key(const unsigned char *id, const struct rsa_key *key)
{
    unsigned char expected[KEY_ID];

    rsa_key_id(key, expected);
    return id != NULL && memcmp(id, expected, KEY_ID) == 0;
}

static const char *read_session_key(struct source *message, const struct rsa_key *recipient, unsigned char *key)
{
    struct source body;
    struct big number, block;
    unsigned char bytes[MAX_KEY_BYTES];
    unsigned sum = 0;

    if (!next_packet(message, SESSION_KEY, &body))
        return "no session key";
    const unsigned char *version = source_take(&body, 1), *id = source_take(&body, KEY_ID);
    const unsigned char *algorithm = source_take(&body, 1);
    if (version == NULL || *version != VERSION || !names_key(id, recipient))
        return "it is for someone else";
    if (algorithm == NULL || *algorithm != RSA || !last_number(&body, &number, recipient))
        return "the session key is damaged";
    rsa_private(recipient, &block, &number);
    const unsigned char *secret = unpad(&block, rsa_bytes(recipient), 2, 1 + IDEA_KEY + 2, bytes);
    if (secret == NULL || secret[0] != IDEA)
        return "the session key is no key";
    for (int i = 0; i < IDEA_KEY; i++)
        sum += secret[1 + i];
    if (sum != ((unsigned)secret[IDEA_KEY + 1] << 8 | secret[IDEA_KEY + 2]))
        return "the session key's checksum is wrong";
    memcpy(key, secret + 1, IDEA_KEY);
    return NULL;
}

static const char *decipher(struct source *message, const unsigned char *key, struct buffer *plain)
{
    struct source body;
    unsigned char prefix[PREFIX];
    struct cfb cfb;

    if (!next_packet(message, CONVENTIONAL, &body) || body.length < PREFIX)
        return "no encrypted packet";
    if (message->at != message->length)
        return "there is something behind the message";
    cfb_start(&cfb, key);
    cfb_decrypt(&cfb, body.data, prefix, PREFIX);
    if (memcmp(prefix + IDEA_BLOCK, prefix + IDEA_BLOCK - 2, 2) != 0)
        return "the session key does not fit";
    cfb_resync(&cfb, body.data + 2);
    unsigned char *to = buffer_extend(plain, body.length - PREFIX);
    cfb_decrypt(&cfb, body.data + PREFIX, to, body.length - PREFIX);
    return NULL;
}

static const char *verify(struct source *signature, const struct rsa_key *sender, const unsigned char *text,
                          size_t length)
{
    const unsigned char *head = source_take(signature, 2), *hashed = source_take(signature, HASHED);
    const unsigned char *id = source_take(signature, KEY_ID), *algorithms = source_take(signature, 4);
    unsigned char digest[MD5_DIGEST], bytes[MAX_KEY_BYTES];
    struct big number, block;

    if (head == NULL || hashed == NULL || algorithms == NULL || head[0] != VERSION || head[1] != HASHED)
        return "the signature is damaged";
    if (!names_key(id, sender))
        return "someone else signed it";
    if (algorithms[0] != RSA || algorithms[1] != MD5 || !last_number(signature, &number, sender))
        return "the signature is damaged";
    digest_text(text, length, hashed, digest);
    rsa_public(sender, &block, &number);
    const unsigned char *info = unpad(&block, rsa_bytes(sender), 1, sizeof digest_info + MD5_DIGEST, bytes);
    if (info == NULL || memcmp(info, digest_info, sizeof digest_info) != 0
        || memcmp(info + sizeof digest_info, digest, MD5_DIGEST) != 0 || memcmp(algorithms + 2, digest, 2) != 0)
        return "the signature is wrong";
    return NULL;
}

/* Signature and text of what was compressed. */
static const char *read_inner(struct buffer *text, const struct rsa_key *sender, const struct buffer *inner)
{
    struct source source = {inner->data, inner->length, 0}, signature, literal;

    if (!next_packet(&source, SIGNATURE, &signature) || !next_packet(&source, LITERAL, &literal)
        || source.at != source.length)
        return "no signed text";
    const unsigned char *mode = source_take(&literal, 2);
    if (mode == NULL || source_take(&literal, mode[1]) == NULL || source_take(&literal, 4) == NULL)
        return "the text is damaged";
    const unsigned char *bytes = literal.data + literal.at;
    const char *wrong = verify(&signature, sender, bytes, literal.length - literal.at);
    if (wrong == NULL)
        buffer_add(text, bytes, literal.length - literal.at);
    return wrong;
}

const char *message_read(struct buffer *text, const struct rsa_key *sender, const struct rsa_key *recipient,
                         const unsigned char *data, size_t length)
{
    struct source message = {data, length, 0}, compressed;
    struct buffer plain = {NULL, 0, 0}, inner = {NULL, 0, 0};
    unsigned char key[IDEA_KEY];
    const char *wrong = read_session_key(&message, recipient, key);

    if (wrong == NULL)
        wrong = decipher(&message, key, &plain);
    if (wrong == NULL) {
        struct source source = {plain.data, plain.length, 0};
        const unsigned char *algorithm = next_packet(&source, COMPRESSED, &compressed) ? source_take(&compressed, 1) : NULL;
        if (algorithm == NULL || *algorithm != ZIP
            || !zip_decompress(&inner, compressed.data + 1, compressed.length - 1))
            wrong = "the compressed packet is damaged";
        else
            wrong = read_inner(text, sender, &inner);
    }
    buffer_free(&plain);
    buffer_free(&inner);
    return wrong;
}
