/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The short-time spectrum of a recording: frames that overlap by half, under the window of von
 * Hann, each to its spectrum and back. Half-overlapping windows add up to one, so that without
 * a gate the frames add up to the recording again.
 */
#include "jobs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BANDS = 12, HISTOGRAM = 16 };

struct state {
    size_t n;
    struct plan plan, half;
    double *window, *frame, *back, *sum, *gated;
    struct complex_number *spectrum;
    double band[BANDS];        /* energy in octaves */
    long loudest[HISTOGRAM];   /* frames by the place of their loudest bin, in the lower quarter */
    long cleared, bins;
};

static int band_of(size_t bin)
{
    int band = 0;
    for (; bin > 1 && band < BANDS - 1; bin >>= 1)
        band++;
    return band;
}

static double square(struct complex_number z)
{
    return z.re * z.re + z.im * z.im;
}

static void add_frame(double *sum, const double *frame, size_t n)
{
    for (size_t t = 0; t < n; t++)
        sum[t] += frame[t];
}

static void do_frame(struct state *state, size_t start, double gate)
{
    size_t n = state->n, top = 0;
    double peak = -1.0;

    transform_real(&state->plan, &state->half, state->frame, state->spectrum);
    mix_spectrum(state->spectrum, n / 2 + 1);
    for (size_t k = 0; k <= n / 2; k++) {
        double energy = square(state->spectrum[k]);
        state->band[band_of(k)] += energy;
        if (energy > peak) {
            peak = energy;
            top = k;
        }
    }
    top = 4 * HISTOGRAM * top / (n / 2);
    state->loudest[top < HISTOGRAM ? top : HISTOGRAM - 1]++;
    inverse_real(&state->plan, &state->half, state->spectrum, state->back);
    add_frame(state->sum + start, state->back, n);
    if (gate > 0.0) {
        for (size_t k = 0; k <= n / 2; k++)
            if (square(state->spectrum[k]) < gate * gate * peak) {
                state->spectrum[k] = (struct complex_number){0.0, 0.0};
                state->cleared++;
            }
        inverse_real(&state->plan, &state->half, state->spectrum, state->back);
        add_frame(state->gated + start, state->back, n);
    }
    state->bins += (long)(n / 2 + 1);
}

/* The first and the last half frame lie under one window only. */
static void report(const struct state *state, const struct options *options, const int16_t *samples, size_t end)
{
    double worst = 0.0, signal = 0.0, removed = 0.0;
    size_t n = state->n;

    for (size_t t = n / 2; t + n / 2 < end; t++) {
        double error = state->sum[t] - samples[t];
        worst = error > worst ? error : -error > worst ? -error : worst;
        signal += (double)samples[t] * samples[t];
        if (options->gate > 0) {
            double rest = state->gated[t] - samples[t];
            removed += rest * rest;
            mix((uint64_t)(int64_t)(state->gated[t] * 16.0));
        }
    }
    if (worst > 1e-8)
        stop(1, "the frames do not add up to the recording: an error of %.2e", worst);
    for (int b = 0; b < BANDS; b++)
        if (state->band[b] > 0.0)
            printf("band %d: energy %.9g\n", b, state->band[b]);
    printf("loudest bins:");
    for (int i = 0; i < HISTOGRAM; i++)
        printf(" %ld", state->loudest[i]);
    printf("\nenergy %.9g, largest error %.2e\n", signal, worst);
    if (options->gate > 0)
        printf("gate: %ld of %ld bins cleared, root mean square of the difference %.6f\n", state->cleared,
               state->bins, sqrt(removed / (double)end));
}

void analyse_frames(const struct options *options, const int16_t *samples, size_t count)
{
    struct state state;
    size_t n = options->size, frames, end;

    if ((n & (n - 1)) != 0)
        stop(2, "the size of a frame must be a power of two");
    if (count < 2 * n)
        stop(2, "%s: fewer than two frames of samples", options->path);
    memset(&state, 0, sizeof state);
    state.n = n;
    make_plan(&state.plan, n);
    make_plan(&state.half, n / 2);
    state.window = allocate(n, sizeof *state.window);
    state.frame = allocate(n, sizeof *state.frame);
    state.back = allocate(n, sizeof *state.back);
    state.sum = allocate(count, sizeof *state.sum);
    state.gated = allocate(count, sizeof *state.gated);
    state.spectrum = allocate(n / 2 + 1, sizeof *state.spectrum);
    for (size_t t = 0; t < n; t++)
        state.window[t] = 0.5 - 0.5 * unit_root(t, n).re;
    frames = (count - n) / (n / 2) + 1;
    end = (frames - 1) * (n / 2) + n;
    for (size_t round = 0; round < options->rounds; round++) {
        memset(state.sum, 0, count * sizeof *state.sum);
        memset(state.gated, 0, count * sizeof *state.gated);
        for (size_t f = 0; f < frames; f++) {
            size_t start = f * (n / 2);
            for (size_t t = 0; t < n; t++)
                state.frame[t] = state.window[t] * samples[start + t];
            do_frame(&state, start, (options->gate + (double)round) / 100.0 * (options->gate > 0));
        }
    }
    printf("%zu frames of %zu samples\n", frames, n);
    report(&state, options, samples, end);
    free_plan(&state.plan);
    free_plan(&state.half);
    free(state.window);
    free(state.frame);
    free(state.back);
    free(state.sum);
    free(state.gated);
    free(state.spectrum);
}
