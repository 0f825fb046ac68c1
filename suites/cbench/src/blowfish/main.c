/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blowfish: encrypts and decrypts files with Blowfish in ECB, CBC or CFB64 mode.
 *
 * ECB and CBC pad the last block as PKCS #5 (RFC 8018, section 6.1.1) says. The published test
 * vectors are checked at every start.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "blowfish.h"

enum { CHUNK = 512 * BF_BLOCK };

enum action { NO_ACTION, ENCRYPT, DECRYPT, ROUND_TRIP };

struct options {
    enum action action;
    enum bf_mode mode;
    int padding;
    unsigned char key[BF_MAX_KEY];
    size_t key_length;
    unsigned char vector[BF_BLOCK];
};

/* Length and Adler-32 checksum (RFC 1950) of what went through. */
struct summary {
    uint64_t length;
    uint32_t a, b;
};

static int usage(const char *complaint, const char *what)
{
    fprintf(stderr, "blowfish: %s%s\n", complaint, what);
    fputs("usage: blowfish -e|-d [-n] [-m MODE] [-i VECTOR] -k KEY|-K HEXKEY IN OUT\n"
          "       blowfish -r [-n] [-m MODE] [-i VECTOR] -k KEY|-K HEXKEY IN OUT BACK\n"
          "  -e, -d     encrypt, decrypt\n"
          "  -r         encrypt IN to OUT, decrypt OUT to BACK and compare BACK with IN\n"
          "  -m MODE    ecb, cbc or cfb (default cbc)\n"
          "  -i VECTOR  initial vector, 16 hexadecimal digits (default zero)\n"
          "  -k, -K     key of 4 to 56 bytes, as text or in hexadecimal\n"
          "  -n         no padding: ecb and cbc then need whole blocks of 8 bytes\n", stderr);
    return 2;
}

static int complain(const char *what, const char *path)
{
    fprintf(stderr, "blowfish: cannot %s %s: %s\n", what, path, strerror(errno));
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
static int pad(const struct options *options, unsigned char *data, size_t *length)
{
    size_t missing = BF_BLOCK - *length % BF_BLOCK;
    if (options->mode == BF_CFB64)
        return 1;
    if (!options->padding) {
        if (missing == BF_BLOCK)
            return 1;
        fputs("blowfish: the input is not a whole number of blocks\n", stderr);
        return 0;
    }
    memset(data + *length, (int)missing, missing);
    *length += missing;
    return 1;
}

/* The last piece of a deciphered text: takes the padding off again. */
static int unpad(const struct options *options, const unsigned char *data, size_t *length)
{
    if (options->mode == BF_CFB64 || !options->padding)
        return 1;
    size_t added = *length > 0 ? data[*length - 1] : 0;
    int good = added >= 1 && added <= BF_BLOCK && added <= *length;
    for (size_t i = 0; good && i < added; i++)
        good = data[*length - 1 - i] == added;
    if (!good) {
        fputs("blowfish: bad padding: wrong key, vector or mode, or a damaged file\n", stderr);
        return 0;
    }
    *length -= added;
    return 1;
}

static int transform(const struct options *options, struct bf_stream *stream, FILE *in, FILE *out,
                     const char *in_path, const char *out_path, struct summary *summary)
{
    unsigned char buffer[CHUNK + BF_BLOCK];
    int last = 0;

    while (!last) {
        size_t n = fread(buffer, 1, CHUNK, in);
        int next = getc(in);
        if (ferror(in))
            return complain("read", in_path);
        last = next == EOF;
        if (!last)
            ungetc(next, in);
        if (stream->decrypt) {
            if (stream->mode != BF_CFB64 && n % BF_BLOCK != 0) {
                fprintf(stderr, "blowfish: %s is not a whole number of blocks\n", in_path);
                return 0;
            }
            bf_update(stream, buffer, n);
            if (last && !unpad(options, buffer, &n))
                return 0;
        } else {
            if (last && !pad(options, buffer, &n))
                return 0;
            bf_update(stream, buffer, n);
        }
        add_summary(summary, buffer, n);
        if (fwrite(buffer, 1, n, out) != n)
            return complain("write", out_path);
    }
    return 1;
}

static int run(const struct options *options, const struct bf_key *key, int decrypt, const char *in_path,
               const char *out_path)
{
    struct summary summary = {0, 1, 0};
    struct bf_stream stream;
    FILE *in = fopen(in_path, "rb");
    if (in == NULL)
        return complain("open", in_path);
    FILE *out = fopen(out_path, "wb");
    if (out == NULL) {
        fclose(in);
        return complain("create", out_path);
    }
    bf_start(&stream, key, options->mode, decrypt, options->vector);
    int good = transform(options, &stream, in, out, in_path, out_path, &summary);
    fclose(in);
    if (fclose(out) != 0 && good)
        good = complain("write", out_path);
    if (good)
        printf("%s %s: %" PRIu64 " bytes, adler32 %08" PRIX32 "\n", decrypt ? "decrypted" : "encrypted",
               out_path, summary.length, summary.b << 16 | summary.a);
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
        fprintf(stderr, "blowfish: %s differs from %s\n", path_b, path_a);
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

static int parse_mode(const char *name, enum bf_mode *mode)
{
    static const char *const names[] = {"ecb", "cbc", "cfb"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) {
            *mode = (enum bf_mode)i;
            return 1;
        }
    return 0;
}

int main(int argc, char **argv)
{
    struct options options = {NO_ACTION, BF_CBC, 1, {0}, 0, {0}};
    struct bf_key key;
    int option;

    opterr = 0;
    while ((option = getopt(argc, argv, "dei:k:K:m:nr")) != -1)
        switch (option) {
        case 'd':
        case 'e':
        case 'r':
            if (options.action != NO_ACTION)
                return usage("more than one of -d, -e and -r", "");
            options.action = option == 'd' ? DECRYPT : option == 'e' ? ENCRYPT : ROUND_TRIP;
            break;
        case 'i':
            if (parse_hex(optarg, options.vector, BF_BLOCK) != BF_BLOCK)
                return usage("bad initial vector ", optarg);
            break;
        case 'k':
            options.key_length = strlen(optarg);
            if (options.key_length > BF_MAX_KEY)
                return usage("the key is too long", "");
            memcpy(options.key, optarg, options.key_length);
            break;
        case 'K':
            options.key_length = parse_hex(optarg, options.key, BF_MAX_KEY);
            break;
        case 'm':
            if (!parse_mode(optarg, &options.mode))
                return usage("unknown mode ", optarg);
            break;
        case 'n':
            options.padding = 0;
            break;
        default:
            return usage("unknown option or missing argument", "");
        }
    if (options.action == NO_ACTION)
        return usage("nothing to do", "");
    if (options.key_length < BF_MIN_KEY)
        return usage("a key of 4 to 56 bytes is needed", "");
    if (argc - optind != (options.action == ROUND_TRIP ? 3 : 2))
        return usage("wrong number of files", "");

    if (!bf_self_test())
        return 1;
    bf_set_key(&key, options.key, options.key_length);
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
