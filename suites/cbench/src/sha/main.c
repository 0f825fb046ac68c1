/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sha: prints SHA-1, SHA-224 and SHA-256 digests of files (FIPS 180-4), or their keyed digests
 * (HMAC, FIPS 198-1).
 *
 * The published vectors of the standards are checked at every start; -s adds the long ones.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hash.h"

enum { ALGORITHMS = 3, MAX_BLOCK = 65536 };

static const struct hash_algorithm *const algorithms[ALGORITHMS] = {&hash_sha1, &hash_sha224, &hash_sha256};

struct options {
    const struct hash_algorithm *only; /* NULL: all of them */
    const char *key;                   /* NULL: plain digests */
    size_t block;                      /* bytes read at a time */
};

static int usage(const char *complaint, const char *what)
{
    fprintf(stderr, "sha: %s%s\n", complaint, what);
    fputs("usage: sha [-a sha1|sha224|sha256|all] [-b BLOCK] [-k KEY] [FILE...]\n"
          "       sha -s\n"
          "  -a NAME   print this digest only (default all)\n"
          "  -b BLOCK  read BLOCK bytes at a time (1 to 65536, default 8192)\n"
          "  -k KEY    print keyed digests (HMAC) with this key\n"
          "  -s        run the long self-test and stop\n"
          "Without a FILE, standard input is read.\n", stderr);
    return 2;
}

static void to_hex(const unsigned char *bytes, size_t length, char *text)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < length; i++) {
        *text++ = digits[bytes[i] >> 4];
        *text++ = digits[bytes[i] & 15];
    }
    *text = '\0';
}

static int expect(const char *what, const struct hash_algorithm *algorithm, const unsigned char *digest,
                  const char *expected)
{
    char text[2 * HASH_MAX_DIGEST + 1];
    to_hex(digest, algorithm->digest_size, text);
    if (strcmp(text, expected) == 0)
        return 1;
    fprintf(stderr, "sha: self-test of %s failed for %s: %s instead of %s\n", algorithm->name, what, text,
            expected);
    return 0;
}

/* Example messages of FIPS 180-4, and test case 2 of RFC 2202 and RFC 4231 for HMAC. */
static int self_test(int with_long)
{
    static const struct vector {
        const char *text;
        const char *key;
        int repeat;
        const char *digest[ALGORITHMS];
    } vectors[] = {
        {"abc", NULL, 1,
         {"a9993e364706816aba3e25717850c26c9cd0d89d",
          "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7",
          "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"}},
        {"", NULL, 1,
         {"da39a3ee5e6b4b0d3255bfef95601890afd80709",
          "d14a028c2a3a2bc9476102bb288234c415a2b01f828ea62ac5b3e42f",
          "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", NULL, 1,
         {"84983e441c3bd26ebaae4aa1f95129e5e54670f1",
          "75388b16512776cc5dba5da1fd890150b0c6455cb4f58b1952522525",
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"}},
        {"what do ya want for nothing?", "Jefe", 1,
         {"effcdf6ae5eb2fa2d27416d5f184df9c259a7c79",
          "a30e01098bc6dbbf45690f3a7e9e6d0f8bbea2a39e6148008fd05e44",
          "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"}},
        {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", NULL, 25000,
         {"34aa973cd4c4daa4f61eeb2bdbad27316534016f",
          "20794655980c91d8bbb4c1ea97618a4bf03f42581948b2ee4ee7ad67",
          "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"}},
    };
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        const struct vector *v = &vectors[i];
        const unsigned char *message = (const unsigned char *)v->text;
        if (v->repeat > 1 && !with_long)
            continue;
        for (size_t a = 0; a < ALGORITHMS; a++) {
            unsigned char digest[HASH_MAX_DIGEST];
            if (v->key == NULL) {
                struct hash hash;
                hash_start(&hash, algorithms[a]);
                for (int r = 0; r < v->repeat; r++)
                    hash_update(&hash, message, strlen(v->text));
                hash_finish(&hash, digest);
            } else {
                struct hmac hmac;
                hmac_start(&hmac, algorithms[a], (const unsigned char *)v->key, strlen(v->key));
                hmac_update(&hmac, message, strlen(v->text));
                hmac_finish(&hmac, digest);
            }
            if (!expect(v->text, algorithms[a], digest, v->digest[a]))
                return 0;
        }
    }
    return 1;
}

/* Reads a file once, in blocks, for all the digests that are wanted, and prints them. */
static int digest_file(const struct options *options, FILE *file, const char *path)
{
    static unsigned char buffer[MAX_BLOCK];
    struct hash plain[ALGORITHMS];
    struct hmac keyed[ALGORITHMS];
    size_t n;

    for (size_t a = 0; a < ALGORITHMS; a++) {
        hash_start(&plain[a], algorithms[a]);
        if (options->key != NULL)
            hmac_start(&keyed[a], algorithms[a], (const unsigned char *)options->key, strlen(options->key));
    }
    while ((n = fread(buffer, 1, options->block, file)) > 0)
        for (size_t a = 0; a < ALGORITHMS; a++) {
            if (options->only != NULL && options->only != algorithms[a])
                continue;
            if (options->key != NULL)
                hmac_update(&keyed[a], buffer, n);
            else
                hash_update(&plain[a], buffer, n);
        }
    if (ferror(file)) {
        fprintf(stderr, "sha: cannot read %s: %s\n", path, strerror(errno));
        return 0;
    }
    for (size_t a = 0; a < ALGORITHMS; a++) {
        unsigned char digest[HASH_MAX_DIGEST];
        char text[2 * HASH_MAX_DIGEST + 1];
        if (options->only != NULL && options->only != algorithms[a])
            continue;
        if (options->key != NULL)
            hmac_finish(&keyed[a], digest);
        else
            hash_finish(&plain[a], digest);
        to_hex(digest, algorithms[a]->digest_size, text);
        printf("%s%s (%s) = %s\n", options->key != NULL ? "hmac-" : "", algorithms[a]->name, path, text);
    }
    return 1;
}

static const struct hash_algorithm *find_algorithm(const char *name)
{
    for (size_t a = 0; a < ALGORITHMS; a++)
        if (strcmp(algorithms[a]->name, name) == 0)
            return algorithms[a];
    return NULL;
}

static int parse_block(const char *text, size_t *block)
{
    char *end;
    long value = strtol(text, &end, 10);
    if (end == text || *end != '\0' || value < 1 || value > MAX_BLOCK)
        return 0;
    *block = (size_t)value;
    return 1;
}

int main(int argc, char **argv)
{
    struct options options = {NULL, NULL, 8192};
    int long_test = 0, failed = 0, option;

    opterr = 0;
    while ((option = getopt(argc, argv, "a:b:k:s")) != -1)
        switch (option) {
        case 'a':
            options.only = find_algorithm(optarg);
            if (options.only == NULL && strcmp(optarg, "all") != 0)
                return usage("unknown digest ", optarg);
            break;
        case 'b':
            if (!parse_block(optarg, &options.block))
                return usage("bad block size ", optarg);
            break;
        case 'k':
            options.key = optarg;
            break;
        case 's':
            long_test = 1;
            break;
        default:
            return usage("unknown option or missing argument", "");
        }
    if (!self_test(long_test))
        return 1;
    if (long_test) {
        puts("self-test passed");
        return 0;
    }
    if (optind == argc && !digest_file(&options, stdin, "-"))
        failed = 1;
    for (int i = optind; i < argc; i++) {
        FILE *file = fopen(argv[i], "rb");
        if (file == NULL) {
            fprintf(stderr, "sha: cannot open %s: %s\n", argv[i], strerror(errno));
            failed = 1;
            continue;
        }
        if (!digest_file(&options, file, argv[i]))
            failed = 1;
        fclose(file);
    }
    return failed || fflush(stdout) != 0;
}
