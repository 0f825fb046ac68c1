/* SPDX-License-Identifier: Apache-2.0 */
/* The two things that the program does with transforms, and how it says what it found. */
#ifndef JOBS_H
#define JOBS_H

#include <stddef.h>
#include <stdint.h>

#include "fft.h"

struct options {
    size_t size;     /* of a transform */
    size_t waves;    /* in a signal */
    size_t rounds;
    int gate;        /* percent of a frame's peak below which a bin is cleared */
    int verbose;
    const char *path;
};

/* Spectra of sums of sinusoids, by all algorithms, against the known answer. */
void analyse_waves(const struct options *options, const uint32_t *numbers, size_t count);

/* Overlapping frames of samples to spectra and back. */
void analyse_frames(const struct options *options, const int16_t *samples, size_t count);

/* A running checksum of all that is worth printing. */
void mix(uint64_t value);
void mix_spectrum(const struct complex_number *x, size_t n);

/* Ends the program: status 2 for bad input, 1 for a wrong result. */
_Noreturn void stop(int status, const char *format, ...);

#endif
