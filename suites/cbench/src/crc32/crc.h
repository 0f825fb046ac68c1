/* SPDX-License-Identifier: Apache-2.0 */
/* CRC-32 of IEEE 802.3 (reflected polynomial 0xEDB88320), computed in three ways. */
#ifndef CRC_H
#define CRC_H

#include <stddef.h>
#include <stdint.h>

/* Continues the check value `crc` of what came before (0 at the start) with `length` more bytes. */
typedef uint32_t crc_function(uint32_t crc, const unsigned char *data, size_t length);

crc_function crc_bitwise, crc_table, crc_slice8;

/* Builds the tables; to be called once, before any of the table methods. */
void crc_init(void);

/* The check value of A followed by B, from the check values of both and the length of B. */
uint32_t crc_combine(uint32_t crc_a, uint32_t crc_b, uint64_t length_b);

#endif
