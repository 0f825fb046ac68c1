/* SPDX-License-Identifier: Apache-2.0 */
/* A text-to-speech synthesiser: text, words, phonemes, segments, frames of parameters, samples. */
#ifndef RSYNTH_H
#define RSYNTH_H

#include <stddef.h>
#include <stdint.h>

enum { RATE = 10000, FRAME = 50, MAX_WORD = 40, MAX_PHRASE = 400, MAX_ELEMENTS = 3 };

/* --- phonemes.c: the inventory */

/* What the synthesiser is told for each frame, after Klatt (1980); amplitudes in dB, 0 for none. */
enum parameter {
    AV, /* voicing */
    AS, /* quasi-sinusoidal voicing: murmur behind a closure */
    AH, /* aspiration */
    AF, /* frication */
    F1, F2, F3, B1, B2, B3, /* formants and their bandwidths in Hz */
    FZ, /* zero of the nasal pair; the pole is at NASAL_POLE */
    A2, A3, A4, A5, A6, AB, /* of the parallel branches for frication, and past them */
    PARAMETERS
};

enum { NASAL_POLE = 250 };

enum phoneme_class { VOWEL = 1, VOICED = 2, STOP = 4, FRICATIVE = 8, NASAL = 16, REDUCED = 32 };

/* A stretch of steady targets; a phoneme has one or more. */
struct element {
    int rank;                    /* the higher decides what a transition looks like */
    int share;                   /* hundredths of the phoneme's time */
    float target[PARAMETERS];
};

struct phoneme {
    char name[4];
    unsigned classes;
    int usual, least;            /* duration in ms */
    int elements;
    struct element element[MAX_ELEMENTS];
};

extern const struct phoneme phonemes[];
extern const int phoneme_count;

/* The phoneme's number or -1; the name ends at a space or a zero. */
int find_phoneme(const char *name);

/* --- letters.c: letters to sounds */

/* Reads the rules; false, with a message, if one of them is damaged. To be called once. */
int prepare_rules(void);

/* The phonemes of a word of a-z; the number of them, at most `room`. */
size_t pronounce(const char *word, int *sounds, size_t room);

/* Rules that were tried and that applied so far. */
extern long rules_tried, rules_applied;

/* --- rules.c */
extern const char *const letter_rules[];
extern const size_t letter_rule_count;
extern const char *const letter_names[26];

/* --- text.c: text to phrases */

struct phone {
    int sound;     /* number of the phoneme */
    int stress;    /* is it a stressed vowel? */
    int starts;    /* does a word start here? */
};

struct phrase {
    struct phone phone[MAX_PHRASE];
    size_t count;
    char end;      /* one of . , ? and ! */
};

struct reader {
    const char *text;
    size_t length, at;
    long words, numbers;
};

/* The next phrase, or false at the end. */
int next_phrase(struct reader *reader, struct phrase *phrase);

/* --- prosody.c: phrases to segments */

struct segment {
    const struct element *element;
    int frames;
    double pitch;  /* in Hz, at its middle; 0 where it does not matter */
};

struct voice {
    double pitch;  /* in Hz */
    int speed;     /* hundredths of the usual one */
};

enum { MAX_SEGMENTS = MAX_PHRASE * MAX_ELEMENTS + 2 };

size_t plan_phrase(const struct phrase *phrase, const struct voice *voice, struct segment *segments);

/* --- track.c: segments to frames */

struct frame {
    double value[PARAMETERS];
    double pitch;
};

/* Frames of all segments to a function, one after the other. */
void track(const struct segment *segments, size_t count, void (*sink)(void *context, const struct frame *frame),
           void *context);

/* --- klatt.c: frames to samples */

struct resonator {
    double a, b, c;       /* y = a x + b y' + c y'' */
    double past, earlier;
};

enum { CASCADE = 5, PARALLEL = 5 };

struct synthesiser {
    struct resonator glottal_pole, glottal_zero, murmur_pole;
    struct resonator nasal_pole, nasal_zero;
    struct resonator cascade[CASCADE];
    struct resonator parallel[PARALLEL];
    double last_voiced;   /* for the first difference, which radiation is */
    uint32_t random;
    int period, phase;    /* samples of the current pitch period */
    double pulse, soft_pulse;
    long samples, clipped, pulses;
};

void start_synthesiser(struct synthesiser *synthesiser, uint32_t seed);
void synthesise(struct synthesiser *synthesiser, const struct frame *frame, int16_t *samples);

/* --- curves.c: exp, cos and decibels in plain arithmetic */

double exponential(double x);            /* for |x| <= 40 */
double cosine_of_turns(double turns);    /* cos(2 pi turns), for 0 <= turns <= 1/2 */
double amplitude(double decibels);       /* 0 for 0 dB and less */

#endif
