/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CRC-32 (IEEE 802.3, clause 3.2.9) bit by bit, with a table of 256 entries (D. V. Sarwate,
 * "Computation of cyclic redundancy checks via table look-up", CACM 31(8), 1988) and eight bytes
 * at a time ("slicing-by-8": M. E. Kounavis and F. L. Berry, "Novel table lookup-based algorithms
 * for high-performance CRC generation", IEEE Trans. Computers 57(11), 2008).
 *
 * Bits are reflected: bit 31 of a register is the coefficient of x^0.
 */
#include "crc.h"

#define POLYNOMIAL UINT32_C(0xEDB88320)

enum { SLICES = 8 };

/* slices[k][b]: what byte b contributes when k zero bytes follow it. */
static uint32_t slices[SLICES][256];

static uint32_t shift_one(uint32_t crc)
{
    return crc & 1 ? (crc >> 1) ^ POLYNOMIAL : crc >> 1;
}

void crc_init(void)
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; bit++)
            crc = shift_one(crc);
        slices[0][byte] = crc;
    }
    for (int k = 1; k < SLICES; k++)
        for (int byte = 0; byte < 256; byte++) {
            uint32_t previous = slices[k - 1][byte];
            slices[k][byte] = (previous >> 8) ^ slices[0][previous & 0xFF];
        }
}

uint32_t crc_bitwise(uint32_t crc, const unsigned char *data, size_t length)
{
    crc = ~crc;
    while (length-- > 0) {
        crc ^= *data++;
        for (int bit = 0; bit < 8; bit++)
            crc = shift_one(crc);
    }
    return ~crc;
}

uint32_t crc_table(uint32_t crc, const unsigned char *data, size_t length)
{
    crc = ~crc;
    while (length-- > 0)
        crc = (crc >> 8) ^ slices[0][(crc ^ *data++) & 0xFF];
    return ~crc;
}

static uint32_t load_le32(const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

uint32_t crc_slice8(uint32_t crc, const unsigned char *data, size_t length)
{
    crc = ~crc;
    for (; length >= 8; data += 8, length -= 8) {
        uint32_t low = crc ^ load_le32(data);
        uint32_t high = load_le32(data + 4);
        crc = slices[7][low & 0xFF] ^ slices[6][low >> 8 & 0xFF] ^ slices[5][low >> 16 & 0xFF]
            ^ slices[4][low >> 24] ^ slices[3][high & 0xFF] ^ slices[2][high >> 8 & 0xFF]
            ^ slices[1][high >> 16 & 0xFF] ^ slices[0][high >> 24];
    }
    return crc_table(~crc, data, length);
}

/* The product of two polynomials modulo the CRC polynomial. */
static uint32_t multiply(uint32_t a, uint32_t b)
{
    uint32_t product = 0;
    for (uint32_t bit = UINT32_C(1) << 31; bit != 0; bit >>= 1) {
        if (a & bit)
            product ^= b;
        b = shift_one(b);
    }
    return product;
}

/* x^(8 * bytes) modulo the CRC polynomial, by repeated squaring. */
static uint32_t power_of_x8(uint64_t bytes)
{
    uint32_t result = UINT32_C(1) << 31; /* x^0 */
    uint32_t square = UINT32_C(1) << 23; /* x^8 */
    for (; bytes != 0; bytes >>= 1) {
        if (bytes & 1)
            result = multiply(result, square);
        square = multiply(square, square);
    }
    return result;
}

uint32_t crc_combine(uint32_t crc_a, uint32_t crc_b, uint64_t length_b)
{
    return multiply(power_of_x8(length_b), crc_a) ^ crc_b;
}
