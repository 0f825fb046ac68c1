/* SPDX-License-Identifier: Apache-2.0 */
/* IMA ADPCM: 16-bit samples as codes of four bits, and measures of what that costs. */
#ifndef ADPCM_H
#define ADPCM_H

#include <stddef.h>
#include <stdint.h>

enum { ADPCM_STEPS = 89, ADPCM_MAX_CHANNELS = 2 };

/* What coder and decoder know of a channel; both start from zero. */
struct adpcm_state {
    int predicted; /* -32768 to 32767 */
    int index;     /* of the step size, 0 to ADPCM_STEPS - 1 */
};

/* Codes one sample: the code, 0 to 15; the state follows as the decoder's will. */
unsigned adpcm_encode_sample(struct adpcm_state *state, int sample);

/* Decodes one code: the sample. */
int adpcm_decode_sample(struct adpcm_state *state, unsigned code);

/*
 * Frames of interleaved samples to packed codes and back: two codes a byte, the earlier in the low
 * four bits; an odd last code leaves the high four bits zero. Both return the number of bytes.
 */
size_t adpcm_encode(struct adpcm_state *states, unsigned channels, const int16_t *samples, size_t frames,
                    unsigned char *codes);
size_t adpcm_decode(struct adpcm_state *states, unsigned channels, const unsigned char *codes,
                    size_t frames, int16_t *samples);

/* Checks the tables and worked examples; prints what fails, and is true when nothing does. */
int adpcm_self_test(void);

/* The difference between two sequences of samples. */
struct comparison {
    uint64_t samples;
    uint64_t signal;    /* sum of the squares of the original */
    uint64_t noise;     /* sum of the squares of the differences */
    int largest;        /* the largest difference */
};

void compare_samples(struct comparison *comparison, const int16_t *original, const int16_t *copy, size_t n);

/* 1000 log10(signal / noise), that is the ratio in hundredths of a decibel; both must be above 0. */
long hundredths_of_db(uint64_t signal, uint64_t noise);

/* A running Adler-32 checksum (RFC 1950). */
struct checksum {
    uint32_t a, b;
};

void checksum_start(struct checksum *checksum);
void checksum_add(struct checksum *checksum, const unsigned char *data, size_t length);
uint32_t checksum_value(const struct checksum *checksum);

#endif
