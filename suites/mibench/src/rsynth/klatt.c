/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The formant synthesiser of Klatt ("Software for a cascade/parallel formant synthesizer", Journal
 * of the Acoustical Society of America 67, 1980): a voicing source through resonators in cascade,
 * noise through resonators in parallel.
 */
#include "rsynth.h"

#include <string.h>

#define PI 0x1.921fb54442d18p+1

/* Decibels between what a parameter says and what comes out, so that the sounds are in balance. */
static const double parallel_offset[PARALLEL + 1] = {0.0, -8.0, -13.0, -14.0, -15.0, -19.0};
static const double voice_gain = 3600.0, murmur_gain = 1260.0, breath_gain = 0.4, frication_gain = 0.0019;

static void tune(struct resonator *resonator, double frequency, double bandwidth)
{
    double radius = exponential(-PI * bandwidth / RATE);

    resonator->c = -radius * radius;
    resonator->b = 2.0 * radius * cosine_of_turns(frequency / RATE);
    resonator->a = 1.0 - resonator->b - resonator->c;
}

/* The inverse of a resonator: what it makes strong becomes weak. */
static void tune_zero(struct resonator *resonator, double frequency, double bandwidth)
{
    tune(resonator, frequency, bandwidth);
    resonator->a = 1.0 / resonator->a;
    resonator->b *= -resonator->a;
    resonator->c *= -resonator->a;
}

static inline double resonate(struct resonator *resonator, double x)
{
    double y = resonator->a * x + resonator->b * resonator->past + resonator->c * resonator->earlier;

    resonator->earlier = resonator->past;
    resonator->past = y;
    return y;
}

static inline double resonate_zero(struct resonator *resonator, double x)
{
    double y = resonator->a * x + resonator->b * resonator->past + resonator->c * resonator->earlier;

    resonator->earlier = resonator->past;
    resonator->past = x;
    return y;
}

/* Nearly Gaussian noise of variance 1/3: the sum of four uniform numbers. */
static inline double noise(struct synthesiser *synthesiser)
{
    int sum = 0;

    for (int i = 0; i < 4; i++) {
        synthesiser->random = synthesiser->random * UINT32_C(1664525) + UINT32_C(1013904223);
        sum += (int)(synthesiser->random >> 16) - 32768;
    }
    return sum / 65536.0;
}

void start_synthesiser(struct synthesiser *synthesiser, uint32_t seed)
{
    memset(synthesiser, 0, sizeof *synthesiser);
    synthesiser->random = seed;
    synthesiser->period = 1;
    tune(&synthesiser->glottal_pole, 0.0, 100.0);
    tune_zero(&synthesiser->glottal_zero, 1500.0, 6000.0);
    tune(&synthesiser->murmur_pole, 0.0, 200.0);
    tune(&synthesiser->nasal_pole, NASAL_POLE, 100.0);
    tune(&synthesiser->cascade[3], 3300.0, 250.0);
    tune(&synthesiser->cascade[4], 3750.0, 200.0);
    tune(&synthesiser->parallel[2], 3300.0, 250.0);
    tune(&synthesiser->parallel[3], 3750.0, 200.0);
    tune(&synthesiser->parallel[4], 4900.0, 1000.0);
}

/* At the beginning of a pitch period: how long it is, and how strong. */
static void open_glottis(struct synthesiser *synthesiser, const struct frame *frame)
{
    double pitch = frame->pitch < 40.0 ? 40.0 : frame->pitch > 500.0 ? 500.0 : frame->pitch;

    synthesiser->phase = 0;
    synthesiser->period = (int)(RATE / pitch + 0.5);
    synthesiser->pulse = voice_gain * amplitude(frame->value[AV]);
    synthesiser->soft_pulse = murmur_gain * amplitude(frame->value[AS]);
    if (synthesiser->pulse > 0.0 || synthesiser->soft_pulse > 0.0)
        synthesiser->pulses++;
}

static int16_t quantise(struct synthesiser *synthesiser, double value)
{
    double rounded = value < 0.0 ? value - 0.5 : value + 0.5;

    if (rounded >= 32768.0 || rounded <= -32769.0) {
        synthesiser->clipped++;
        return rounded > 0.0 ? 32767 : -32768;
    }
    return (int16_t)rounded;
}

void synthesise(struct synthesiser *synthesiser, const struct frame *frame, int16_t *samples)
{
    const double *value = frame->value;
    double breath = breath_gain * amplitude(value[AH]);
    double frication = amplitude(value[AF]) * frication_gain;
    double branch[PARALLEL + 1];

    for (int i = 0; i < 3; i++)
        tune(&synthesiser->cascade[i], value[F1 + i], value[B1 + i]);
    tune_zero(&synthesiser->nasal_zero, value[FZ], 100.0);
    tune(&synthesiser->parallel[0], value[F2], value[B2]);
    tune(&synthesiser->parallel[1], value[F3], value[B3]);
    for (int i = 0; i <= PARALLEL; i++)
        branch[i] = (i % 2 == 0 ? frication : -frication) * amplitude(value[A2 + i] + parallel_offset[i]);
    for (int t = 0; t < FRAME; t++) {
        double hiss = noise(synthesiser), pulse = 0.0, soft = 0.0, out;

        if (++synthesiser->phase >= synthesiser->period) {
            open_glottis(synthesiser, frame);
            pulse = synthesiser->pulse;
            soft = synthesiser->soft_pulse;
        }
        /* Air that moves through the vocal cords is held up while they are closed. */
        if (synthesiser->pulse > 0.0 && synthesiser->phase > synthesiser->period / 2)
            hiss *= 0.5;
        double voiced = resonate_zero(&synthesiser->glottal_zero, resonate(&synthesiser->glottal_pole, pulse))
                      + resonate(&synthesiser->murmur_pole, soft);
        double source = voiced - synthesiser->last_voiced + breath * hiss;

        synthesiser->last_voiced = voiced;
        out = resonate(&synthesiser->nasal_pole, resonate_zero(&synthesiser->nasal_zero, source));
        for (int i = CASCADE - 1; i >= 0; i--)
            out = resonate(&synthesiser->cascade[i], out);
        for (int i = 0; i < PARALLEL; i++)
            out += resonate(&synthesiser->parallel[i], branch[i] * hiss);
        out += branch[PARALLEL] * hiss;
        samples[t] = quantise(synthesiser, out);
    }
    synthesiser->samples += FRAME;
}
