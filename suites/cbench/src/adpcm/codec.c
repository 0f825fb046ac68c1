/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The IMA ADPCM algorithm: Interactive Multimedia Association, Digital Audio Focus and Technical
 * Working Groups, "Recommended practices for enhancing digital audio compatibility in multimedia
 * systems", revision 3.00, 1992: both tables, the quantiser and the reconstruction.
 */
#include "adpcm.h"

#include <stdio.h>

static const int step_sizes[ADPCM_STEPS] = {
    7,     8,     9,     10,    11,    12,    13,    14,    16,    17,    19,    21,    23,
    25,    28,    31,    34,    37,    41,    45,    50,    55,    60,    66,    73,    80,
    88,    97,    107,   118,   130,   143,   157,   173,   190,   209,   230,   253,   279,
    307,   337,   371,   408,   449,   494,   544,   598,   658,   724,   796,   876,   963,
    1060,  1166,  1282,  1411,  1552,  1707,  1878,  2066,  2272,  2499,  2749,  3024,  3327,
    3660,  4026,  4428,  4871,  5358,  5894,  6484,  7132,  7845,  8630,  9493,  10442, 11487,
    12635, 13899, 15289, 16818, 18500, 20350, 22385, 24623, 27086, 29794, 32767,
};

/* By the three magnitude bits of a code. */
static const int index_changes[8] = {-1, -1, -1, -1, 2, 4, 6, 8};

static int clamp(int value, int low, int high)
{
    return value < low ? low : value > high ? high : value;
}

int adpcm_decode_sample(struct adpcm_state *state, unsigned code)
{
    int step = step_sizes[state->index];
    int difference = step >> 3;

    if (code & 4)
        difference += step;
    if (code & 2)
        difference += step >> 1;
    if (code & 1)
        difference += step >> 2;
    if (code & 8)
        difference = -difference;
    state->predicted = clamp(state->predicted + difference, -32768, 32767);
    state->index = clamp(state->index + index_changes[code & 7], 0, ADPCM_STEPS - 1);
    return state->predicted;
}

unsigned adpcm_encode_sample(struct adpcm_state *state, int sample)
{
    int step = step_sizes[state->index];
    int difference = sample - state->predicted;
    unsigned code = 0;

    if (difference < 0) {
        code = 8;
        difference = -difference;
    }
    for (unsigned bit = 4; bit != 0; bit >>= 1, step >>= 1)
        if (difference >= step) {
            code |= bit;
            difference -= step;
        }
    adpcm_decode_sample(state, code);
    return code;
}

size_t adpcm_encode(struct adpcm_state *states, unsigned channels, const int16_t *samples, size_t frames,
                    unsigned char *codes)
{
    size_t count = frames * channels;
    unsigned channel = 0, low = 0;

    for (size_t i = 0; i < count; i++) {
        unsigned code = adpcm_encode_sample(&states[channel], samples[i]);
        if (i % 2 == 0)
            low = code;
        else
            codes[i / 2] = (unsigned char)(code << 4 | low);
        channel = channel + 1 == channels ? 0 : channel + 1;
    }
    if (count % 2 != 0)
        codes[count / 2] = (unsigned char)low;
    return (count + 1) / 2;
}

size_t adpcm_decode(struct adpcm_state *states, unsigned channels, const unsigned char *codes,
                    size_t frames, int16_t *samples)
{
    size_t count = frames * channels;
    unsigned channel = 0;

    for (size_t i = 0; i < count; i++) {
        unsigned code = i % 2 == 0 ? codes[i / 2] & 15 : codes[i / 2] >> 4;
        samples[i] = (int16_t)adpcm_decode_sample(&states[channel], code);
        channel = channel + 1 == channels ? 0 : channel + 1;
    }
    return (count + 1) / 2;
}

/* Each step is a tenth longer than the one before, but for rounding; the last is the largest sample. */
static int test_tables(void)
{
    if (step_sizes[0] != 7 || step_sizes[ADPCM_STEPS - 1] != 32767)
        return 0;
    for (int i = 1; i < ADPCM_STEPS; i++) {
        int expected = clamp(step_sizes[i - 1] * 11 / 10, 7, 32767);
        if (step_sizes[i] < expected || step_sizes[i] > expected + expected / 500 + 1)
            return 0;
    }
    return 1;
}

/* Worked by hand from the recommendation's flow charts. */
static int test_examples(void)
{
    static const struct {
        int sample;
        unsigned code;
        int decoded, index;
    } examples[] = {
        {1000, 7, 11, 8},    {1000, 7, 41, 16},    {1000, 7, 104, 24},   {1000, 7, 240, 32},
        {1000, 7, 533, 40},  {-32768, 15, -98, 48}, {-32768, 15, -1455, 56}, {-32768, 15, -4365, 64},
        {-4363, 0, -3950, 63}, {-4363, 8, -4328, 62},
    };
    struct adpcm_state coder = {0, 0}, decoder = {0, 0};

    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        unsigned code = adpcm_encode_sample(&coder, examples[i].sample);
        int decoded = adpcm_decode_sample(&decoder, code);
        if (code != examples[i].code || decoded != examples[i].decoded || coder.index != examples[i].index)
            return 0;
    }
    return 1;
}

/* A difference within the range of a step comes back within an eighth of it and what shifts lose. */
static int test_error(void)
{
    for (int index = 0; index < ADPCM_STEPS; index++) {
        int step = step_sizes[index];
        for (int part = -7; part <= 7; part++) {
            struct adpcm_state state = {0, index};
            int sample = clamp(step / 4 * part, -32768, 32767);
            adpcm_encode_sample(&state, sample);
            int error = state.predicted < sample ? sample - state.predicted : state.predicted - sample;
            if (error > step / 8 + 3)
                return 0;
        }
    }
    return 1;
}

int adpcm_self_test(void)
{
    const char *failed = !test_tables()     ? "tables"
                       : !test_examples() ? "examples"
                       : !test_error()    ? "error"
                                          : NULL;
    if (failed != NULL)
        fprintf(stderr, "adpcm: self-test failed: %s\n", failed);
    return failed == NULL;
}
