/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pgp: makes RSA keys from a seed; signs, compresses, encrypts and armors messages as PGP 2 did,
 * decrypts them and verifies their signatures.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "message.h"
#include "vectors.h"

enum { MAX_FILE = 1 << 27 };

static const uint32_t first_date = 842227200; /* of the first signature; each one after it is a second later */

struct options {
    char job;          /* one of e, d, r and k, 0 for none */
    size_t bits;
    size_t piece;      /* bytes of a message, 0 for all of them */
    size_t count;      /* of key pairs */
    int show;          /* private keys? */
};

static _Noreturn void stop(int status, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fputs("pgp: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(status);
}

static _Noreturn void usage(const char *complaint)
{
    stop(2, "%s\n"
         "usage: pgp -e [-b BITS] [-n BYTES] [-s] SEED TEXT MESSAGES\n"
         "       pgp -d [-b BITS] [-s] SEED MESSAGES TEXT\n"
         "       pgp -r [-b BITS] [-n BYTES] [-s] SEED TEXT MESSAGES BACK\n"
         "       pgp -k [-b BITS] [-c COUNT] [-s] SEED\n"
         "  -e        sign and encrypt TEXT; -d: decrypt and verify; -r: both, and compare\n"
         "  -k        make keys and try them\n"
         "  -b BITS   size of the keys, 384 to 2048 (default 1024)\n"
         "  -n BYTES  cut the text into messages of so many bytes\n"
         "  -c COUNT  so many keys, 1 to 1000 (default 2)\n"
         "  -s        show the keys\n"
         "The keys of sender and recipient are made from the bytes of the file SEED.", complaint);
}

static size_t parse(const char *text, long low, long high)
{
    char *end;
    long value = strtol(text, &end, 10);

    if (end == text || *end != '\0' || value < low || value > high)
        usage("an option's number is out of range");
    return (size_t)value;
}

static void read_file(const char *path, struct buffer *buffer)
{
    FILE *file = fopen(path, "rb");
    size_t n;

    if (file == NULL)
        stop(2, "cannot open %s: %s", path, strerror(errno));
    do {
        unsigned char *to = buffer_extend(buffer, 65536);
        n = fread(to, 1, 65536, file);
        buffer->length -= 65536 - n;
        if (buffer->length > MAX_FILE)
            stop(2, "%s is larger than %d bytes", path, MAX_FILE);
    } while (n > 0);
    if (ferror(file))
        stop(2, "cannot read %s", path);
    fclose(file);
}

static void write_file(const char *path, const struct buffer *buffer)
{
    FILE *file = fopen(path, "wb");

    if (file == NULL)
        stop(2, "cannot create %s: %s", path, strerror(errno));
    if (buffer->length > 0 && fwrite(buffer->data, 1, buffer->length, file) != buffer->length)
        stop(2, "cannot write %s", path);
    if (fclose(file) != 0)
        stop(2, "cannot write %s", path);
}

static void print_digest(const char *what, const struct buffer *buffer)
{
    unsigned char digest[MD5_DIGEST];
    struct md5 md5;

    md5_start(&md5);
    md5_update(&md5, buffer->data, buffer->length);
    md5_finish(&md5, digest);
    printf("%s: %zu bytes, md5 ", what, buffer->length);
    for (int i = 0; i < MD5_DIGEST; i++)
        printf("%02x", digest[i]);
    putchar('\n');
}

static void print_number(const char *name, const struct big *x)
{
    printf("  %s ", name);
    for (size_t i = x->used; i-- > 0;)
        printf(i + 1 == x->used ? "%" PRIx64 : "%016" PRIx64, x->limb[i]);
    putchar('\n');
}

static void print_key(const char *name, const struct rsa_key *key, int show)
{
    unsigned char digest[MD5_DIGEST];

    rsa_fingerprint(key, digest);
    printf("%s: %zu bits, id %016" PRIx64 ", fingerprint ", name, big_bits(&key->n), key->n.limb[0]);
    for (int i = 0; i < MD5_DIGEST; i++)
        printf("%02x", digest[i]);
    putchar('\n');
    if (show) {
        print_number("n", &key->n);
        print_number("e", &key->e);
        print_number("d", &key->d);
        print_number("p", &key->p);
        print_number("q", &key->q);
        print_number("u", &key->u);
    }
}

/* Messages of the text's pieces; an empty text is one empty message. */
static void encrypt(const struct options *options, const struct rsa_key *keys, struct random *random,
                    const struct buffer *text, struct buffer *messages)
{
    size_t at = 0;
    uint32_t date = first_date;

    do {
        size_t length = text->length - at;
        struct buffer message = {NULL, 0, 0};

        if (options->piece > 0 && length > options->piece)
            length = options->piece;
        message_write(&message, &keys[0], &keys[1], random, text->data + at, length, date++);
        armor_add(messages, message.data, message.length);
        buffer_free(&message);
        at += length;
    } while (at < text->length);
    printf("encrypted: %ld messages, %ld packets, %" PRIu64 " bytes, compressed to %" PRIu64
           ", encrypted to %" PRIu64 "\n", message_effort.messages, message_effort.packets, message_effort.plain,
           message_effort.compressed, message_effort.bytes);
    printf("blocks: %ld stored, %ld fixed, %ld dynamic, %ld literals, %ld matches\n", zip_effort.stored,
           zip_effort.fixed, zip_effort.dynamic, zip_effort.literals, zip_effort.matches);
    print_digest("messages", messages);
}

static void decrypt(const struct rsa_key *keys, const struct buffer *messages, struct buffer *text)
{
    struct source source = {messages->data, messages->length, 0};
    long count = 0;

    while (source.at < source.length) {
        struct buffer message = {NULL, 0, 0};
        count++;
        if (!armor_next(&source, &message))
            stop(2, "message %ld: the armor is damaged", count);
        const char *wrong = message_read(text, &keys[0], &keys[1], message.data, message.length);
        if (wrong != NULL)
            stop(2, "message %ld: %s", count, wrong);
        buffer_free(&message);
    }
    printf("decrypted: %ld messages, all signatures good\n", count);
    print_digest("text", text);
}

/* Each key signs and decrypts a number of its own. */
static void make_keys(const struct options *options, struct random *random)
{
    static struct rsa_key key;

    for (size_t i = 0; i < options->count; i++) {
        struct big x, y, z;
        unsigned char bytes[MAX_KEY_BYTES];
        char name[32];

        rsa_make_key(&key, options->bits, random);
        snprintf(name, sizeof name, "key %zu", i + 1);
        print_key(name, &key, options->show);
        random_bytes(random, bytes, sizeof bytes);
        big_from_bytes(&y, bytes, rsa_bytes(&key));
        big_divide(NULL, &x, &y, &key.n);
        rsa_public(&key, &y, &x);
        rsa_private(&key, &z, &y);
        if (big_compare(&z, &x) != 0)
            stop(1, "key %zu does not decrypt what it encrypted", i + 1);
        rsa_private(&key, &y, &x);
        modulus_power(&key.mod_n, &z, &x, &key.d);
        if (big_compare(&y, &z) != 0)
            stop(1, "key %zu signs in two ways", i + 1);
    }
}

static void print_effort(void)
{
    printf("primes: %ld candidates, %ld sieved out, %ld tested, %ld found; %" PRIu64 " products\n",
           effort.candidates, effort.sieved, effort.tested, effort.primes, montgomery_products);
}

/* Reads the options; the index of the first file. */
static int read_options(struct options *options, int argc, char **argv)
{
    int option, files;

    *options = (struct options){0, 1024, 0, 2, 0};
    opterr = 0;
    while ((option = getopt(argc, argv, "b:c:dekn:rs")) != -1)
        switch (option) {
        case 'b':
            options->bits = parse(optarg, MIN_KEY_BITS, MAX_KEY_BITS);
            break;
        case 'c':
            options->count = parse(optarg, 1, 1000);
            break;
        case 'n':
            options->piece = parse(optarg, 1, MAX_FILE);
            break;
        case 's':
            options->show = 1;
            break;
        case '?':
            usage("unknown option or missing argument");
        default:
            if (options->job != 0)
                usage("more than one of -d, -e, -k and -r");
            options->job = (char)option;
        }
    if (options->job == 0)
        usage("nothing to do");
    files = options->job == 'k' ? 1 : options->job == 'r' ? 4 : 3;
    if (argc - optind != files)
        usage("wrong number of files");
    return optind;
}

int main(int argc, char **argv)
{
    struct options options;
    struct buffer seed = {NULL, 0, 0}, in = {NULL, 0, 0}, messages = {NULL, 0, 0}, back = {NULL, 0, 0};
    static struct rsa_key keys[2];
    struct random random;
    char **paths = argv + read_options(&options, argc, argv);

    if (!self_test())
        return 1;
    read_file(paths[0], &seed);
    random_start(&random, seed.data, seed.length);
    montgomery_products = 0;
    if (options.job == 'k') {
        make_keys(&options, &random);
    } else {
        read_file(paths[1], options.job == 'd' ? &messages : &in);
        for (int i = 0; i < 2; i++) {
            rsa_make_key(&keys[i], options.bits, &random);
            print_key(i == 0 ? "sender" : "recipient", &keys[i], options.show);
        }
        if (options.job != 'd') {
            encrypt(&options, keys, &random, &in, &messages);
            write_file(paths[2], &messages);
        }
        if (options.job != 'e') {
            decrypt(keys, &messages, &back);
            write_file(paths[options.job == 'd' ? 2 : 3], &back);
        }
        if (options.job == 'r') {
            if (back.length != in.length || (in.length > 0 && memcmp(back.data, in.data, in.length) != 0))
                stop(1, "%s differs from %s", paths[3], paths[1]);
            printf("%s equals %s\n", paths[3], paths[1]);
        }
    }
    print_effort();
    buffer_free(&seed);
    buffer_free(&in);
    buffer_free(&messages);
    buffer_free(&back);
    return fflush(stdout) != 0;
}
