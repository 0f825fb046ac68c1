/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Durations by the multiplicative rules of Klatt ("Synthesis by rule of segmental durations in
 * English sentences", 1979), in a selection, and a melody that falls towards the end of a phrase.
 */
#include "rsynth.h"

#include <stddef.h>

static unsigned classes_at(const struct phrase *phrase, size_t i)
{
    return i < phrase->count ? phonemes[phrase->phone[i].sound].classes : 0;
}

static int is_consonant_at(const struct phrase *phrase, size_t i)
{
    return i < phrase->count && !(classes_at(phrase, i) & VOWEL);
}

/* Is this phoneme part of the last syllable's rhyme? */
static int is_final(const struct phrase *phrase, size_t i)
{
    for (size_t k = i + 1; k < phrase->count; k++)
        if (classes_at(phrase, k) & VOWEL)
            return 0;
    return 1;
}

/* Does a word end here? */
static int ends_word(const struct phrase *phrase, size_t i)
{
    return i + 1 == phrase->count || phrase->phone[i + 1].starts;
}

/* In ms: what can be shortened of the phoneme's time is. */
static double duration(const struct phrase *phrase, size_t i, int speed)
{
    const struct phoneme *phoneme = &phonemes[phrase->phone[i].sound];
    unsigned next = classes_at(phrase, i + 1);
    double share = 1.0;

    if (phoneme->classes & VOWEL) {
        if (is_final(phrase, i))
            share *= 1.4;
        else if (!ends_word(phrase, i))
            share *= 0.85;
        if (!phrase->phone[i].stress)
            share *= 0.65;
        if (i + 1 < phrase->count && !ends_word(phrase, i)) {
            if (next & STOP && !(next & VOICED))
                share *= 0.7;
            else if (next & FRICATIVE && next & VOICED)
                share *= 1.5;
            else if (next & NASAL)
                share *= 0.85;
        }
    } else {
        if (is_consonant_at(phrase, i + 1) && !ends_word(phrase, i))
            share *= 0.7;
        if (i > 0 && is_consonant_at(phrase, i - 1) && !phrase->phone[i].starts)
            share *= 0.7;
        if (!phrase->phone[i].starts)
            share *= 0.85;
    }
    return ((phoneme->usual - phoneme->least) * share + phoneme->least) * 100.0 / speed;
}

/* A falling line with a peak on each stressed vowel, the first the highest; questions rise. */
static double melody(const struct phrase *phrase, const struct voice *voice, size_t i, int peaks)
{
    double place = (double)i / (double)phrase->count;
    double pitch = voice->pitch * (1.12 - 0.24 * place);

    if (phrase->phone[i].stress)
        pitch += voice->pitch * (peaks == 0 ? 0.22 : 0.13);
    if (is_final(phrase, i)) {
        if (phrase->end == '?')
            pitch += voice->pitch * 0.35;
        else if (phrase->end == '!')
            pitch += voice->pitch * 0.10;
        else if (phrase->end == '.')
            pitch -= voice->pitch * 0.12;
    }
    return pitch;
}

static int frames_of(double ms)
{
    int frames = (int)(ms * RATE / (1000.0 * FRAME) + 0.5);
    return frames < 1 ? 1 : frames;
}

size_t plan_phrase(const struct phrase *phrase, const struct voice *voice, struct segment *segments)
{
    size_t count = 0;
    int peaks = 0;

    segments[count++] = (struct segment){&phonemes[0].element[0], 4, 0.0};
    for (size_t i = 0; i < phrase->count; i++) {
        const struct phoneme *phoneme = &phonemes[phrase->phone[i].sound];
        double ms = duration(phrase, i, voice->speed);
        double pitch = phoneme->classes & VOICED ? melody(phrase, voice, i, peaks) : 0.0;

        peaks += phrase->phone[i].stress;
        for (int e = 0; e < phoneme->elements; e++) {
            const struct element *element = &phoneme->element[e];
            segments[count++] = (struct segment){element, frames_of(ms * element->share / 100.0), pitch};
        }
    }
    segments[count++] = (struct segment){&phonemes[0].element[0],
                                         frames_of((phrase->end == ',' ? 150.0 : 350.0) * 100.0 / voice->speed), 0.0};
    return count;
}
