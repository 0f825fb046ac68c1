/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rijndael: encrypts and decrypts files with AES in CBC mode, with keys of 128, 192 or 256 bits.
 *
 * The last block is padded as PKCS #7 (RFC 5652, section 6.3) says. The published test vectors are
 * checked at every start.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "aes.h"

enum { CHUNK = 256 * AES_BLOCK };

enum action { NO_ACTION, ENCRYPT, DECRYPT, ROUND_TRIP };

struct options {
    enum action action;
    int padding;
    unsigned char key[AES_MAX_KEY];
    size_t key_length;
    unsigned char vector[AES_BLOCK];
};

/* Length and Adler-32 checksum (RFC 1950) of what went through. */
struct summary {
    uint64_t length;
    uint32_t a, b;
};

static int usage(const char *complaint, const char *what)
{
    fprintf(stderr, "rijndael: %s%s\n", complaint, what);
    fputs("usage: rijndael -e|-d [-n] [-i VECTOR] -k KEY IN OUT\n"
          "       rijndael -r [-n] [-i VECTOR] -k KEY IN OUT BACK\n"
          "  -e, -d     encrypt, decrypt\n"
          "  -r         encrypt IN to OUT, decrypt OUT to BACK and compare BACK with IN\n"
          "  -k KEY     key, 32, 48 or 64 hexadecimal digits\n"
          "  -i VECTOR  initial vector, 32 hexadecimal digits (default zero)\n"
          "  -n         no padding: the input must be whole blocks of 16 bytes\n", stderr);
    return 2;
}

static int complain(const char *what, const char *path)
{
    fprintf(stderr, "rijndael: cannot %s %s: %s\n", what, path, strerror(errno));
    return 0;
}

static void add_summary(struct summary *summary, const unsigned char *data, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        summary->a = (summary->a + data[i]) % 65521;
        summary->b = (summary->b + summary->a) % 65521;
    }
    summary->length += length;
}

/* The last piece of a plain text: fills it up to a whole block, with the number of bytes added. */
static void pad(unsigned char *data, size_t *length)
{
    size_t missing = AES_BLOCK - *length % AES_BLOCK;
    memset(data + *length, (int)missing, missing);
    *length += missing;
}

/* The last piece of a deciphered text: takes the padding off again, if it is one. */
static int unpad(const unsigned char *data, size_t *length)
{
    size_t added = *length > 0 ? data[*length - 1] : 0;
    if (added < 1 || added > AES_BLOCK || added > *length)
        return 0;
    for (size_t i = 0; i < added; i++)
        if (data[*length - 1 - i] != added)
            return 0;
    *length -= added;
    return 1;
}

static int encrypt(const struct options *options, const struct aes_key *key, FILE *in, FILE *out,
                   const char *path, struct summary *summary)
{
    unsigned char buffer[CHUNK + AES_BLOCK], vector[AES_BLOCK];
    size_t n;

    memcpy(vector, options->vector, AES_BLOCK);
    do {
        n = fread(buffer, 1, CHUNK, in);
        if (ferror(in))
            return complain("read", path);
        size_t length = n;
        if (n < CHUNK && options->padding)
            pad(buffer, &length);
        if (length % AES_BLOCK != 0) {
            fprintf(stderr, "rijndael: %s is not a whole number of blocks\n", path);
            return 0;
        }
        cbc_encrypt(key, vector, buffer, length / AES_BLOCK);
        add_summary(summary, buffer, length);
        if (fwrite(buffer, 1, length, out) != length)
            return complain("write", "the output");
    } while (n == CHUNK);
    return 1;
}

/* The last block is held back until it is known to be the last, because of its padding. */
static int decrypt(const struct options *options, const struct aes_key *key, FILE *in, FILE *out,
                   const char *path, struct summary *summary)
{
    unsigned char buffer[AES_BLOCK + CHUNK], vector[AES_BLOCK];
    size_t held = 0, n;

    memcpy(vector, options->vector, AES_BLOCK);
    do {
        n = fread(buffer + held, 1, CHUNK, in);
        if (ferror(in))
            return complain("read", path);
        if (n % AES_BLOCK != 0) {
            fprintf(stderr, "rijndael: %s is not a whole number of blocks\n", path);
            return 0;
        }
        cbc_decrypt(key, vector, buffer + held, n / AES_BLOCK);
        size_t length = held + n;
        held = 0;
        if (n == CHUNK) {
            held = AES_BLOCK;
            length -= held;
        } else if (options->padding && !unpad(buffer, &length)) {
            fprintf(stderr, "rijndael: bad padding in %s: wrong key or vector, or a damaged file\n", path);
            return 0;
        }
        add_summary(summary, buffer, length);
        if (fwrite(buffer, 1, length, out) != length)
            return complain("write", "the output");
        memmove(buffer, buffer + length, held);
    } while (n == CHUNK);
    return 1;
}

static int run(const struct options *options, const struct aes_key *key, int back, const char *in_path,
               const char *out_path)
{
    struct summary summary = {0, 1, 0};
    FILE *in = fopen(in_path, "rb");
    if (in == NULL)
        return complain("open", in_path);
    FILE *out = fopen(out_path, "wb");
    if (out == NULL) {
        fclose(in);
        return complain("create", out_path);
    }
    int good = (back ? decrypt : encrypt)(options, key, in, out, in_path, &summary);
    fclose(in);
    if (fclose(out) != 0 && good)
        good = complain("write", out_path);
    if (good)
        printf("%s %s: %d rounds, %" PRIu64 " bytes, adler32 %08" PRIX32 "\n",
               back ? "decrypted" : "encrypted", out_path, key->rounds, summary.length,
               summary.b << 16 | summary.a);
    return good;
}

static int same(const char *path_a, const char *path_b)
{
    FILE *a = fopen(path_a, "rb");
    if (a == NULL)
        return complain("open", path_a);
    FILE *b = fopen(path_b, "rb");
    if (b == NULL) {
        fclose(a);
        return complain("open", path_b);
    }
    int byte_a, byte_b;
    do {
        byte_a = getc(a);
        byte_b = getc(b);
    } while (byte_a == byte_b && byte_a != EOF);
    fclose(a);
    fclose(b);
    if (byte_a != byte_b)
        fprintf(stderr, "rijndael: %s differs from %s\n", path_b, path_a);
    return byte_a == byte_b;
}

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/* Reads hexadecimal digits into at most `room` bytes; the number of bytes, or 0 if it cannot. */
static size_t parse_hex(const char *text, unsigned char *bytes, size_t room)
{
    size_t length = strlen(text);
    if (length % 2 != 0 || length / 2 > room)
        return 0;
    for (size_t i = 0; i < length / 2; i++) {
        int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);
        if (high < 0 || low < 0)
            return 0;
        bytes[i] = (unsigned char)(high << 4 | low);
    }
    return length / 2;
}

int main(int argc, char **argv)
{
    struct options options = {NO_ACTION, 1, {0}, 0, {0}};
    struct aes_key key;
    int option;

    opterr = 0;
    while ((option = getopt(argc, argv, "dei:k:nr")) != -1)
        switch (option) {
        case 'd':
        case 'e':
        case 'r':
            if (options.action != NO_ACTION)
                return usage("more than one of -d, -e and -r", "");
            options.action = option == 'd' ? DECRYPT : option == 'e' ? ENCRYPT : ROUND_TRIP;
            break;
        case 'i':
            if (parse_hex(optarg, options.vector, AES_BLOCK) != AES_BLOCK)
                return usage("bad initial vector ", optarg);
            break;
        case 'k':
            options.key_length = parse_hex(optarg, options.key, AES_MAX_KEY);
            break;
        case 'n':
            options.padding = 0;
            break;
        default:
            return usage("unknown option or missing argument", "");
        }
    if (options.action == NO_ACTION)
        return usage("nothing to do", "");
    if (argc - optind != (options.action == ROUND_TRIP ? 3 : 2))
        return usage("wrong number of files", "");

    aes_init();
    if (!aes_self_test())
        return 1;
    if (!aes_set_key(&key, options.key, options.key_length))
        return usage("a key of 128, 192 or 256 bits in hexadecimal is needed", "");
    char **paths = argv + optind;
    if (!run(&options, &key, options.action == DECRYPT, paths[0], paths[1]))
        return 1;
    if (options.action == ROUND_TRIP) {
        if (!run(&options, &key, 1, paths[1], paths[2]) || !same(paths[0], paths[2]))
            return 1;
        printf("%s equals %s\n", paths[2], paths[0]);
    }
    return fflush(stdout) != 0;
}
