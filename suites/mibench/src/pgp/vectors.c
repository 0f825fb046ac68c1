/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Published test vectors: MD5 of RFC 1321, appendix A.5, IDEA of Lai's thesis, the CRC-24 check
 * value; and properties of numbers and streams that hold for any.
 */
#include "vectors.h"

#include <stdio.h>
#include <string.h>

#include "buffer.h"
#include "rsa.h"

static int test_md5(void)
{
    static const struct {
        const char *text, *digest;
    } vectors[] = {
        {"", "d41d8cd98f00b204e9800998ecf8427e"},
        {"a", "0cc175b9c0f1b6a831c399e269772661"},
        {"abc", "900150983cd24fb0d6963f7d28e17f72"},
        {"message digest", "f96b697d7cb7938d525a2f31aaf161d0"},
        {"abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"},
        {"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", "d174ab98d277d9f5a5611c2c9f419d9f"},
        {"12345678901234567890123456789012345678901234567890123456789012345678901234567890",
         "57edf4a22be3c955ac49da2e2107b67a"},
    };
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        unsigned char digest[MD5_DIGEST];
        char text[2 * MD5_DIGEST + 1];
        struct md5 md5;

        md5_start(&md5);
        md5_update(&md5, (const unsigned char *)vectors[i].text, strlen(vectors[i].text));
        md5_finish(&md5, digest);
        for (int k = 0; k < MD5_DIGEST; k++)
            snprintf(text + 2 * k, 3, "%02x", digest[k]);
        if (strcmp(text, vectors[i].digest) != 0)
            return 0;
    }
    return 1;
}

static int test_idea(void)
{
    static const unsigned char key_bytes[IDEA_KEY] = {0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8};
    static const unsigned char plain[IDEA_BLOCK] = {0, 0, 0, 1, 0, 2, 0, 3};
    static const unsigned char cipher[IDEA_BLOCK] = {0x11, 0xfb, 0xed, 0x2b, 0x01, 0x98, 0x6d, 0xe5};
    struct idea_key key, inverse;
    unsigned char block[IDEA_BLOCK];

    idea_set_key(&key, key_bytes);
    idea_crypt(&key, plain, block);
    if (memcmp(block, cipher, sizeof cipher) != 0)
        return 0;
    idea_invert_key(&key, &inverse);
    idea_crypt(&inverse, cipher, block);
    return memcmp(block, plain, sizeof plain) == 0;
}

/* (q d + r) / d = q, r; and Fermat's little theorem for the prime 2^127 - 1. */
static int test_numbers(void)
{
    struct big a, b, c, d, q, r;
    struct modulus modulus;
    unsigned char bytes[96];

    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i % 7 == 3 ? 0xff : i * i * 29 + 1);
    big_from_bytes(&a, bytes, 41);
    big_from_bytes(&b, bytes + 41, 36);
    big_from_bytes(&c, bytes + 80, 9);
    big_multiply(&d, &a, &b);
    big_add(&d, &d, &c);
    big_divide(&q, &r, &d, &b);
    if (big_compare(&q, &a) != 0 || big_compare(&r, &c) != 0)
        return 0;
    big_invert(&c, &b, &a);
    big_multiply(&d, &b, &c);
    big_divide(NULL, &r, &d, &a);
    if (c.used > 0 && (r.used != 1 || r.limb[0] != 1))
        return 0;
    memset(bytes, 0xff, 16);
    bytes[0] = 0x7f;
    big_from_bytes(&a, bytes, 16);
    modulus_set(&modulus, &a);
    big_set(&b, 1);
    big_subtract(&c, &a, &b);
    big_set(&b, 3);
    modulus_power(&modulus, &r, &b, &c);
    return r.used == 1 && r.limb[0] == 1;
}

/* Streams of all three kinds of blocks. */
static int test_zip(void)
{
    static unsigned char data[3000];
    struct buffer packed = {NULL, 0, 0}, back = {NULL, 0, 0};
    uint32_t state = 1;
    int good = 1;

    for (size_t length = 0; good && length <= sizeof data; length += 1500) {
        for (size_t i = 0; i < length; i++) {
            state = state * UINT32_C(1664525) + UINT32_C(1013904223);
            data[i] = (unsigned char)(length == 1500 ? state >> 24 : 'a' + (state >> 28));
        }
        packed.length = back.length = 0;
        zip_compress(&packed, data, length);
        good = zip_decompress(&back, packed.data, packed.length) && back.length == length
            && (length == 0 || memcmp(back.data, data, length) == 0);
    }
    buffer_free(&packed);
    buffer_free(&back);
    memset(&zip_effort, 0, sizeof zip_effort);
    return good;
}

int self_test(void)
{
    const char *failed = !test_md5()                                                  ? "MD5"
                       : !test_idea()                                                 ? "IDEA"
                       : crc24((const unsigned char *)"123456789", 9) != 0x21cf02UL   ? "CRC-24"
                       : !test_numbers()                                              ? "numbers"
                       : !test_zip()                                                  ? "compression"
                                                                                      : NULL;
    if (failed != NULL)
        fprintf(stderr, "pgp: self-test failed: %s\n", failed);
    return failed == NULL;
}
