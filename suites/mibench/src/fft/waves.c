/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms sums of sinusoids of known frequency, amplitude and phase, forward and back. */
#include "jobs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PHASES = 4096, METHODS = 4, PEAKS = 4 };

struct wave {
    double amplitude;
    size_t frequency; /* periods in the signal */
    struct complex_number phase;
};

/* What the methods need, and what they leave. */
struct state {
    size_t n;
    int power_of_two;
    struct plan plan, half;
    struct chirp chirp;
    struct complex_number *circle; /* exp(2 pi i k / n) */
    struct complex_number *signal, *expected, *x, *found;
    double *real, *back;
};

struct errors {
    double spectrum, round_trip, parseval;
};

static const char *const method_names[METHODS] = {"radix-2", "split radix", "chirp", "real"};

static struct wave wave_of(const uint32_t *number, size_t n)
{
    struct wave wave;

    wave.amplitude = 1.0 + number[0] % 8000 / 8.0;
    wave.frequency = 1 + number[1] % ((n - 1) / 2);
    wave.phase = unit_root(number[2] % PHASES, PHASES);
    return wave;
}

/* Adds a real wave to the real or to the imaginary parts, and its two lines to the spectrum. */
static void add_wave(struct state *state, const struct wave *wave, int imaginary)
{
    struct complex_number line = {0.5 * wave->amplitude * (double)state->n * wave->phase.re,
                                  0.5 * wave->amplitude * (double)state->n * wave->phase.im};
    struct complex_number *up = &state->expected[wave->frequency];
    struct complex_number *down = &state->expected[state->n - wave->frequency];
    size_t index = 0;

    for (size_t t = 0; t < state->n; t++) {
        struct complex_number turned = complex_product(state->circle[index], wave->phase);
        if (imaginary)
            state->signal[t].im += wave->amplitude * turned.re;
        else
            state->signal[t].re += wave->amplitude * turned.re;
        index += wave->frequency;
        if (index >= state->n)
            index -= state->n;
    }
    if (imaginary) {
        *up = complex_sum(*up, (struct complex_number){-line.im, line.re});
        *down = complex_sum(*down, (struct complex_number){line.im, line.re});
    } else {
        *up = complex_sum(*up, line);
        *down = complex_sum(*down, conjugate(line));
    }
}

static void make_signal(struct state *state, const struct options *options, const uint32_t *numbers, size_t count,
                        size_t round)
{
    memset(state->signal, 0, state->n * sizeof *state->signal);
    memset(state->expected, 0, state->n * sizeof *state->expected);
    for (size_t i = 0; i < options->waves; i++) {
        size_t at = (round * options->waves + i) * 3 % (count - 2);
        struct wave wave = wave_of(numbers + at, state->n);
        add_wave(state, &wave, (int)(i % 2));
    }
}

static double power(const struct complex_number *x, size_t n)
{
    double sum = 0.0;
    for (size_t k = 0; k < n; k++)
        sum += x[k].re * x[k].re + x[k].im * x[k].im;
    return sum;
}

/* The largest distance between two sequences. */
static double deviation(const struct complex_number *a, const struct complex_number *b, size_t n)
{
    double largest = 0.0;
    for (size_t k = 0; k < n; k++) {
        struct complex_number d = complex_difference(a[k], b[k]);
        double square = d.re * d.re + d.im * d.im;
        if (square > largest)
            largest = square;
    }
    return sqrt(largest);
}

/* The complex methods by number: there, and back again. */
static void forward(const struct state *state, int method, struct complex_number *x)
{
    if (method == 0)
        transform_radix2(&state->plan, x);
    else if (method == 1)
        transform_split_radix(&state->plan, x);
    else
        transform_chirp(&state->chirp, x);
}

static void backward(const struct state *state, int method, struct complex_number *x)
{
    if (method == 0)
        inverse_radix2(&state->plan, x);
    else if (method == 1)
        inverse_split_radix(&state->plan, x);
    else
        inverse_chirp(&state->chirp, x);
}

static void keep_largest(double *largest, double value)
{
    if (value > *largest)
        *largest = value;
}

static void check(const struct errors *errors, int method)
{
    if (!(errors->spectrum < 1e-10 && errors->round_trip < 1e-11 && errors->parseval < 1e-11))
        stop(1, "%s: errors of %.2e, %.2e and %.2e", method_names[method], errors->spectrum, errors->round_trip,
             errors->parseval);
}

/* Errors are relative to the root mean square of the spectrum, or of the signal. */
static void try_complex(struct state *state, int method, struct errors *errors)
{
    size_t n = state->n;
    double energy = power(state->signal, n), mean = sqrt(energy / (double)n);

    memcpy(state->x, state->signal, n * sizeof *state->x);
    forward(state, method, state->x);
    memcpy(state->found, state->x, n * sizeof *state->x);
    keep_largest(&errors->spectrum, deviation(state->x, state->expected, n) / (mean * sqrt((double)n)));
    double there = power(state->x, n) / (double)n;
    keep_largest(&errors->parseval, (there < energy ? energy - there : there - energy) / energy);
    mix_spectrum(state->x, n);
    backward(state, method, state->x);
    keep_largest(&errors->round_trip, deviation(state->x, state->signal, n) / mean);
    check(errors, method);
}

/* The real parts by themselves: their spectrum is the even part of the whole one. */
static void try_real(struct state *state, struct errors *errors)
{
    size_t n = state->n, bins = n / 2 + 1;
    double energy = 0.0, there = 0.0, largest = 0.0;

    for (size_t t = 0; t < n; t++) {
        state->real[t] = state->signal[t].re;
        energy += state->real[t] * state->real[t];
    }
    double mean = sqrt(energy / (double)n);
    transform_real(&state->plan, &state->half, state->real, state->x);
    for (size_t k = 0; k < bins; k++) {
        struct complex_number a = state->expected[k], b = conjugate(state->expected[(n - k) % n]);
        struct complex_number even = complex_sum(a, b);
        state->found[k] = (struct complex_number){0.5 * even.re, 0.5 * even.im};
        double square = state->x[k].re * state->x[k].re + state->x[k].im * state->x[k].im;
        there += (k == 0 || k == n / 2 ? 1.0 : 2.0) * square / (double)n;
    }
    keep_largest(&errors->spectrum, deviation(state->x, state->found, bins) / (mean * sqrt((double)n)));
    keep_largest(&errors->parseval, (there < energy ? energy - there : there - energy) / energy);
    mix_spectrum(state->x, bins);
    inverse_real(&state->plan, &state->half, state->x, state->back);
    for (size_t t = 0; t < n; t++)
        keep_largest(&largest, state->back[t] < state->real[t] ? state->real[t] - state->back[t]
                                                               : state->back[t] - state->real[t]);
    keep_largest(&errors->round_trip, largest / mean);
    check(errors, METHODS - 1);
}

/* The bins of the largest magnitude below n/2, the highest before the others, and their waves' amplitudes. */
static void print_peaks(const struct state *state, size_t round)
{
    size_t peaks[PEAKS];
    double heights[PEAKS];
    size_t found = 0;

    for (size_t k = 1; k < (state->n + 1) / 2; k++) {
        struct complex_number z = state->found[k];
        double height = 2.0 * sqrt(z.re * z.re + z.im * z.im) / (double)state->n;
        size_t i;

        if (height < 0.5 || (found == PEAKS && height <= heights[PEAKS - 1]))
            continue;
        for (i = found < PEAKS ? found++ : PEAKS - 1; i > 0 && heights[i - 1] < height; i--) {
            heights[i] = heights[i - 1];
            peaks[i] = peaks[i - 1];
        }
        heights[i] = height;
        peaks[i] = k;
    }
    printf("signal %zu:", round);
    for (size_t i = 0; i < found; i++)
        printf(" %zu (%.2f)", peaks[i], heights[i]);
    putchar('\n');
}

static void print_spectrum(const struct state *state)
{
    for (size_t k = 0; k < state->n; k++)
        printf("%.17g %.17g %.17g %.17g\n", state->signal[k].re, state->signal[k].im, state->found[k].re,
               state->found[k].im);
}

static void open_state(struct state *state, size_t n)
{
    memset(state, 0, sizeof *state);
    state->n = n;
    state->power_of_two = (n & (n - 1)) == 0;
    if (state->power_of_two) {
        make_plan(&state->plan, n);
        make_plan(&state->half, n / 2);
        state->real = allocate(n, sizeof *state->real);
        state->back = allocate(n, sizeof *state->back);
    }
    make_chirp(&state->chirp, n);
    state->circle = allocate(n, sizeof *state->circle);
    state->signal = allocate(n, sizeof *state->signal);
    state->expected = allocate(n, sizeof *state->expected);
    state->x = allocate(n + 1, sizeof *state->x);
    state->found = allocate(n, sizeof *state->found);
    for (size_t k = 0; k < n; k++)
        state->circle[k] = unit_root(k, n);
}

static void close_state(struct state *state)
{
    if (state->power_of_two) {
        free_plan(&state->plan);
        free_plan(&state->half);
        free(state->real);
        free(state->back);
    }
    free_chirp(&state->chirp);
    free(state->circle);
    free(state->signal);
    free(state->expected);
    free(state->x);
    free(state->found);
}

void analyse_waves(const struct options *options, const uint32_t *numbers, size_t count)
{
    struct state state;
    struct errors errors[METHODS];

    if (count < 3)
        stop(2, "%s: fewer than three numbers", options->path);
    memset(errors, 0, sizeof errors);
    open_state(&state, options->size);
    for (size_t round = 0; round < options->rounds; round++) {
        make_signal(&state, options, numbers, count, round);
        for (int method = state.power_of_two ? 0 : 2; method < METHODS - 1; method++)
            try_complex(&state, method, &errors[method]);
        if (round < 8)
            print_peaks(&state, round);
        if (options->verbose)
            print_spectrum(&state);
        if (state.power_of_two)
            try_real(&state, &errors[METHODS - 1]);
    }
    for (int method = state.power_of_two ? 0 : 2; method < (state.power_of_two ? METHODS : METHODS - 1); method++)
        printf("%s: largest errors %.2e in the spectrum, %.2e there and back, %.2e of the energy\n",
               method_names[method], errors[method].spectrum, errors[method].round_trip, errors[method].parseval);
    close_state(&state);
}
