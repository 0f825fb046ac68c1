/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AES: FIPS 197, with the four round tables that J. Daemen and V. Rijmen describe for 32-bit
 * processors ("AES proposal: Rijndael", 1999, section 5.2), and the equivalent inverse cipher
 * (FIPS 197, section 5.3.5). All tables are computed from the field's arithmetic.
 */
#include "aes.h"

static unsigned char sbox[256], inverse_sbox[256];

/* table[k][b]: the column that byte b in row k contributes to a round's result. */
static uint32_t round_table[4][256], inverse_table[4][256];

/* Multiplication by x in GF(2^8) modulo x^8 + x^4 + x^3 + x + 1. */
static unsigned xtime(unsigned a)
{
    return (a << 1 ^ (a & 0x80 ? 0x11B : 0)) & 0xFF;
}

static uint32_t load_be32(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | (uint32_t)p[3];
}

static void store_be32(unsigned char *p, uint32_t word)
{
    p[0] = (unsigned char)(word >> 24);
    p[1] = (unsigned char)(word >> 16);
    p[2] = (unsigned char)(word >> 8);
    p[3] = (unsigned char)word;
}

static uint32_t rotate_right(uint32_t word, int bits)
{
    return word >> bits | word << (32 - bits);
}

/* Byte k of a column, counted from the top row. */
static unsigned row(uint32_t column, int k)
{
    return column >> (24 - 8 * k) & 0xFF;
}

/* The S-box: the inverse in the field, found with logarithms to the base x + 1, then a rotation sum. */
static void init_sboxes(void)
{
    unsigned char power[256], logarithm[256] = {0};
    unsigned value = 1;

    for (unsigned i = 0; i < 255; i++) {
        power[i] = (unsigned char)value;
        logarithm[value] = (unsigned char)i;
        value ^= xtime(value);
    }
    power[255] = 1;
    for (unsigned i = 0; i < 256; i++) {
        unsigned inverse = i == 0 ? 0 : power[255 - logarithm[i]];
        unsigned doubled = inverse | inverse << 8;
        unsigned sum = doubled ^ doubled >> 4 ^ doubled >> 5 ^ doubled >> 6 ^ doubled >> 7 ^ 0x63;
        sbox[i] = (unsigned char)sum;
        inverse_sbox[sum & 0xFF] = (unsigned char)i;
    }
}

void aes_init(void)
{
    init_sboxes();
    for (int i = 0; i < 256; i++) {
        uint32_t s = sbox[i], s2 = xtime(sbox[i]), s3 = s2 ^ s;
        uint32_t v = inverse_sbox[i], v2 = xtime(inverse_sbox[i]), v4 = xtime(v2), v8 = xtime(v4);
        uint32_t v9 = v8 ^ v, vb = v8 ^ v2 ^ v, vd = v8 ^ v4 ^ v, ve = v8 ^ v4 ^ v2;
        round_table[0][i] = s2 << 24 | s << 16 | s << 8 | s3;
        inverse_table[0][i] = ve << 24 | v9 << 16 | vd << 8 | vb;
        for (int k = 1; k < 4; k++) {
            round_table[k][i] = rotate_right(round_table[0][i], 8 * k);
            inverse_table[k][i] = rotate_right(inverse_table[0][i], 8 * k);
        }
    }
}

static uint32_t substitute(uint32_t word)
{
    return (uint32_t)sbox[row(word, 0)] << 24 | (uint32_t)sbox[row(word, 1)] << 16
         | (uint32_t)sbox[row(word, 2)] << 8 | sbox[row(word, 3)];
}

/* InvMixColumns of one column: the S-box undoes the inverse S-box within the table. */
static uint32_t inverse_mix(uint32_t word)
{
    return inverse_table[0][sbox[row(word, 0)]] ^ inverse_table[1][sbox[row(word, 1)]]
         ^ inverse_table[2][sbox[row(word, 2)]] ^ inverse_table[3][sbox[row(word, 3)]];
}

int aes_set_key(struct aes_key *key, const unsigned char *bytes, size_t length)
{
    if (length != 16 && length != 24 && length != 32)
        return 0;
    int words = (int)length / 4;
    uint32_t *w = key->encrypt;
    unsigned constant = 1;

    key->rounds = words + 6;
    int total = 4 * (key->rounds + 1);
    for (int i = 0; i < words; i++)
        w[i] = load_be32(bytes + 4 * i);
    for (int i = words; i < total; i++) {
        uint32_t word = w[i - 1];
        if (i % words == 0) {
            word = substitute(rotate_right(word, 24)) ^ (uint32_t)constant << 24;
            constant = xtime(constant);
        } else if (words > 6 && i % words == 4) {
            word = substitute(word);
        }
        w[i] = w[i - words] ^ word;
    }
    for (int round = 0; round <= key->rounds; round++)
        for (int i = 0; i < 4; i++) {
            uint32_t word = w[4 * (key->rounds - round) + i];
            int outer = round == 0 || round == key->rounds;
            key->decrypt[4 * round + i] = outer ? word : inverse_mix(word);
        }
    return 1;
}

void aes_encrypt_block(const struct aes_key *key, const unsigned char *in, unsigned char *out)
{
    const uint32_t *k = key->encrypt;
    uint32_t s[4], t[4];

    for (int i = 0; i < 4; i++)
        s[i] = load_be32(in + 4 * i) ^ *k++;
    for (int round = 1; round < key->rounds; round++) {
        for (int i = 0; i < 4; i++)
            t[i] = round_table[0][row(s[i], 0)] ^ round_table[1][row(s[(i + 1) % 4], 1)]
                 ^ round_table[2][row(s[(i + 2) % 4], 2)] ^ round_table[3][row(s[(i + 3) % 4], 3)] ^ *k++;
        for (int i = 0; i < 4; i++)
            s[i] = t[i];
    }
    for (int i = 0; i < 4; i++) {
        uint32_t column = (uint32_t)sbox[row(s[i], 0)] << 24 | (uint32_t)sbox[row(s[(i + 1) % 4], 1)] << 16
                        | (uint32_t)sbox[row(s[(i + 2) % 4], 2)] << 8 | sbox[row(s[(i + 3) % 4], 3)];
        store_be32(out + 4 * i, column ^ *k++);
    }
}

/* The rows are shifted the other way round. */
void aes_decrypt_block(const struct aes_key *key, const unsigned char *in, unsigned char *out)
{
    const uint32_t *k = key->decrypt;
    uint32_t s[4], t[4];

    for (int i = 0; i < 4; i++)
        s[i] = load_be32(in + 4 * i) ^ *k++;
    for (int round = 1; round < key->rounds; round++) {
        for (int i = 0; i < 4; i++)
            t[i] = inverse_table[0][row(s[i], 0)] ^ inverse_table[1][row(s[(i + 3) % 4], 1)]
                 ^ inverse_table[2][row(s[(i + 2) % 4], 2)] ^ inverse_table[3][row(s[(i + 1) % 4], 3)] ^ *k++;
        for (int i = 0; i < 4; i++)
            s[i] = t[i];
    }
    for (int i = 0; i < 4; i++) {
        uint32_t column = (uint32_t)inverse_sbox[row(s[i], 0)] << 24
                        | (uint32_t)inverse_sbox[row(s[(i + 3) % 4], 1)] << 16
                        | (uint32_t)inverse_sbox[row(s[(i + 2) % 4], 2)] << 8
                        | inverse_sbox[row(s[(i + 1) % 4], 3)];
        store_be32(out + 4 * i, column ^ *k++);
    }
}
