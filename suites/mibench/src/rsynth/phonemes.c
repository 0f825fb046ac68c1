/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The phonemes of American English as targets for the synthesiser: frequencies, bandwidths and
 * amplitudes in the main those that Klatt ("Software for a cascade/parallel formant synthesizer",
 * 1980, tables II and III) measured of his own voice, durations after his "Synthesis by rule of
 * segmental durations in English sentences" (1979).
 */
#include "rsynth.h"

#include <string.h>

/* Targets by kind: where air flows freely, through the nose, through a constriction, not at all. */
#define OPEN(f1, f2, f3, b1, b2, b3) \
    {[AV] = 60, [F1] = f1, [F2] = f2, [F3] = f3, [B1] = b1, [B2] = b2, [B3] = b3, [FZ] = NASAL_POLE}
#define GLIDE(f1, f2, f3, b1, b2, b3) \
    {[AV] = 56, [F1] = f1, [F2] = f2, [F3] = f3, [B1] = b1, [B2] = b2, [B3] = b3, [FZ] = NASAL_POLE}
#define THROUGH_NOSE(f1, f2, f3, b1, b2, b3) \
    {[AV] = 54, [F1] = f1, [F2] = f2, [F3] = f3, [B1] = b1, [B2] = b2, [B3] = b3, [FZ] = 450}
#define HISS(f1, f2, f3, b1, b2, b3, a2, a3, a4, a5, a6, ab) \
    {[AF] = 60, [F1] = f1, [F2] = f2, [F3] = f3, [B1] = b1, [B2] = b2, [B3] = b3, [FZ] = NASAL_POLE, \
     [A2] = a2, [A3] = a3, [A4] = a4, [A5] = a5, [A6] = a6, [AB] = ab}
#define BUZZ(f1, f2, f3, b1, b2, b3, a2, a3, a4, a5, a6, ab) \
    {[AV] = 47, [AS] = 47, [AF] = 54, [F1] = f1, [F2] = f2, [F3] = f3, [B1] = b1, [B2] = b2, [B3] = b3, \
     [FZ] = NASAL_POLE, [A2] = a2, [A3] = a3, [A4] = a4, [A5] = a5, [A6] = a6, [AB] = ab}
#define CLOSED(murmur, f1, f2, f3, b1, b2, b3) \
    {[AS] = murmur, [F1] = f1, [F2] = f2, [F3] = f3, [B1] = b1, [B2] = b2, [B3] = b3, [FZ] = NASAL_POLE}
#define BREATH(f1, f2, f3, b1, b2, b3) \
    {[AH] = 58, [F1] = f1, [F2] = f2, [F3] = f3, [B1] = b1, [B2] = b2, [B3] = b3, [FZ] = NASAL_POLE}

#define MONOPHTHONG(name, classes, usual, least, ...) \
    {name, VOWEL | VOICED | (classes), usual, least, 1, {{2, 100, OPEN(__VA_ARGS__)}}}
#define DIPHTHONG(name, usual, least, first, second) \
    {name, VOWEL | VOICED, usual, least, 2, {{2, 55, first}, {3, 45, second}}}
#define PLOSIVE(name, usual, least, closure, burst, breath) \
    {name, STOP, usual, least, 3, {{26, 60, closure}, {29, 15, burst}, {24, 25, breath}}}
#define VOICED_PLOSIVE(name, usual, least, closure, burst) \
    {name, STOP | VOICED, usual, least, 2, {{26, 80, closure}, {29, 20, burst}}}

const struct phoneme phonemes[] = {
    {"SIL", 0, 200, 100, 1, {{1, 100, {[F1] = 500, [F2] = 1500, [F3] = 2500, [B1] = 80, [B2] = 100, [B3] = 150,
                                       [FZ] = NASAL_POLE}}}},
    MONOPHTHONG("IY", 0, 155, 55, 300, 2045, 2960, 50, 200, 400),
    MONOPHTHONG("IH", 0, 135, 40, 420, 1750, 2580, 50, 100, 140),
    MONOPHTHONG("EH", 0, 150, 70, 560, 1630, 2510, 60, 90, 200),
    MONOPHTHONG("AE", 0, 230, 80, 630, 1600, 2450, 70, 130, 320),
    MONOPHTHONG("AA", 0, 240, 100, 700, 1220, 2600, 130, 70, 160),
    MONOPHTHONG("AO", 0, 240, 100, 610, 1010, 2580, 90, 100, 80),
    MONOPHTHONG("UH", 0, 160, 60, 470, 1130, 2370, 80, 100, 80),
    MONOPHTHONG("UW", 0, 210, 70, 335, 1100, 2200, 65, 110, 140),
    MONOPHTHONG("AH", 0, 140, 60, 620, 1220, 2550, 80, 50, 140),
    MONOPHTHONG("AX", REDUCED, 120, 60, 510, 1400, 2500, 80, 60, 140),
    MONOPHTHONG("ER", 0, 180, 80, 450, 1290, 1540, 100, 60, 110),
    DIPHTHONG("EY", 190, 70, OPEN(480, 1720, 2520, 70, 100, 200), OPEN(330, 2020, 2600, 55, 100, 200)),
    DIPHTHONG("AY", 250, 150, OPEN(660, 1200, 2550, 100, 70, 200), OPEN(400, 1880, 2500, 70, 100, 200)),
    DIPHTHONG("OY", 280, 150, OPEN(550, 960, 2400, 80, 50, 130), OPEN(360, 1820, 2450, 60, 50, 160)),
    DIPHTHONG("AW", 260, 100, OPEN(640, 1230, 2550, 80, 70, 140), OPEN(420, 940, 2350, 80, 70, 80)),
    DIPHTHONG("OW", 220, 80, OPEN(540, 1100, 2300, 80, 70, 70), OPEN(450, 900, 2300, 80, 70, 70)),
    {"W", VOICED, 80, 60, 1, {{10, 100, GLIDE(290, 610, 2150, 50, 80, 60)}}},
    {"Y", VOICED, 80, 40, 1, {{10, 100, GLIDE(260, 2070, 3020, 40, 250, 500)}}},
    {"R", VOICED, 80, 30, 1, {{10, 100, GLIDE(310, 1060, 1380, 70, 100, 120)}}},
    {"L", VOICED, 80, 40, 1, {{11, 100, GLIDE(310, 1050, 2880, 50, 100, 280)}}},
    {"M", VOICED | NASAL, 70, 60, 1, {{15, 100, THROUGH_NOSE(480, 1270, 2130, 40, 200, 200)}}},
    {"N", VOICED | NASAL, 60, 50, 1, {{15, 100, THROUGH_NOSE(480, 1340, 2470, 40, 300, 300)}}},
    {"NG", VOICED | NASAL, 95, 60, 1, {{15, 100, THROUGH_NOSE(480, 2000, 2900, 40, 300, 300)}}},
    {"F", FRICATIVE, 100, 80, 1, {{18, 100, HISS(340, 1100, 2080, 200, 120, 150, 0, 0, 0, 0, 0, 57)}}},
    {"TH", FRICATIVE, 90, 60, 1, {{18, 100, HISS(320, 1290, 2540, 200, 90, 200, 0, 0, 0, 0, 28, 48)}}},
    {"S", FRICATIVE, 105, 60, 1, {{18, 100, HISS(320, 1390, 2530, 200, 80, 200, 0, 0, 0, 0, 52, 0)}}},
    {"SH", FRICATIVE, 105, 80, 1, {{18, 100, HISS(300, 1840, 2750, 200, 100, 300, 0, 57, 48, 48, 46, 0)}}},
    {"HH", FRICATIVE, 80, 20, 1, {{9, 100, BREATH(500, 1500, 2500, 250, 150, 200)}}},
    {"V", VOICED | FRICATIVE, 60, 40, 1, {{20, 100, BUZZ(220, 1100, 2080, 60, 90, 120, 0, 0, 0, 0, 0, 57)}}},
    {"DH", VOICED | FRICATIVE, 50, 30, 1, {{20, 100, BUZZ(270, 1290, 2540, 60, 80, 170, 0, 0, 0, 0, 28, 48)}}},
    {"Z", VOICED | FRICATIVE, 75, 40, 1, {{20, 100, BUZZ(240, 1390, 2530, 70, 60, 180, 0, 0, 0, 0, 52, 0)}}},
    {"ZH", VOICED | FRICATIVE, 70, 40, 1, {{20, 100, BUZZ(260, 1840, 2750, 70, 100, 300, 0, 57, 48, 48, 46, 0)}}},
    {"CH", STOP, 120, 90, 2, {{26, 45, CLOSED(0, 350, 1800, 2820, 200, 90, 300)},
                              {23, 55, HISS(350, 1800, 2820, 200, 90, 300, 0, 44, 60, 53, 53, 0)}}},
    {"JH", STOP | VOICED, 100, 70, 2, {{26, 50, CLOSED(50, 260, 1800, 2820, 60, 80, 270)},
                                       {23, 50, BUZZ(260, 1800, 2820, 60, 80, 270, 0, 44, 60, 53, 53, 0)}}},
    PLOSIVE("P", 110, 70, CLOSED(0, 400, 1100, 2150, 300, 150, 220),
            HISS(400, 1100, 2150, 300, 150, 220, 0, 0, 0, 0, 0, 63), BREATH(400, 1100, 2150, 300, 150, 220)),
    PLOSIVE("T", 100, 60, CLOSED(0, 400, 1600, 2600, 300, 120, 250),
            HISS(400, 1600, 2600, 300, 120, 250, 0, 30, 45, 57, 63, 0), BREATH(400, 1600, 2600, 300, 120, 250)),
    PLOSIVE("K", 105, 65, CLOSED(0, 300, 1990, 2850, 250, 160, 330),
            HISS(300, 1990, 2850, 250, 160, 330, 0, 53, 43, 45, 45, 0), BREATH(300, 1990, 2850, 250, 160, 330)),
    VOICED_PLOSIVE("B", 85, 60, CLOSED(50, 200, 1100, 2150, 60, 110, 130),
                   BUZZ(200, 1100, 2150, 60, 110, 130, 0, 0, 0, 0, 0, 63)),
    VOICED_PLOSIVE("D", 75, 50, CLOSED(50, 200, 1600, 2600, 60, 100, 170),
                   BUZZ(200, 1600, 2600, 60, 100, 170, 0, 47, 60, 62, 60, 0)),
    VOICED_PLOSIVE("G", 80, 60, CLOSED(50, 200, 1990, 2850, 60, 150, 280),
                   BUZZ(200, 1990, 2850, 60, 150, 280, 0, 53, 43, 45, 45, 0)),
};

const int phoneme_count = sizeof phonemes / sizeof *phonemes;

int find_phoneme(const char *name)
{
    size_t length = strcspn(name, " ");

    for (int i = 0; i < phoneme_count; i++)
        if (strlen(phonemes[i].name) == length && memcmp(phonemes[i].name, name, length) == 0)
            return i;
    return -1;
}
