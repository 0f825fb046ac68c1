/* SPDX-License-Identifier: Apache-2.0 */
/* The metrics of a proportional face of ten points: widths, pairs that move together, ligatures. */
#include "typeset.h"

#include <string.h>

/* Widths of ' ' to '~', in hundredths of a point. */
static const uint16_t widths[95] = {
    330, 280, 480, 810, 500, 810, 760, 280, 390, 390, 500, 760, 280, 330, 280, 500, /* space to / */
    500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 280, 280, 760, 760, 760, 470, /* 0 to ? */
    760, 720, 670, 700, 750, 660, 630, 760, 750, 350, 500, 760, 610, 900, 750, 770, /* @ to O */
    660, 770, 720, 560, 710, 740, 730, 1010, 740, 730, 610, 280, 500, 280, 500, 420, /* P to _ */
    280, 490, 540, 430, 540, 450, 310, 490, 550, 270, 290, 520, 270, 820, 550, 510, /* ` to o */
    540, 530, 380, 400, 370, 550, 510, 710, 520, 510, 440, 490, 270, 490, 500,      /* p to ~ */
};
static const uint16_t ligature_widths[5] = {580, 550, 550, 820, 820};

/* Pairs that are set closer (or wider), in hundredths of a point. */
static const struct {
    char left, right;
    int8_t move;
} kerns[] = {
    {'A', 'T', -80}, {'A', 'V', -100}, {'A', 'W', -90}, {'A', 'Y', -100}, {'F', 'a', -70}, {'F', 'o', -60},
    {'L', 'T', -80}, {'L', 'V', -90},  {'L', 'Y', -90}, {'P', 'a', -60},  {'P', 'e', -60}, {'P', 'o', -60},
    {'T', 'a', -80}, {'T', 'e', -80},  {'T', 'o', -80}, {'T', 'r', -40},  {'T', 'u', -40}, {'T', 'y', -40},
    {'V', 'a', -90}, {'V', 'e', -80},  {'V', 'o', -80}, {'W', 'a', -80},  {'W', 'e', -70}, {'W', 'o', -70},
    {'Y', 'a', -90}, {'Y', 'e', -90},  {'Y', 'o', -90}, {'a', 'v', -30},  {'a', 'y', -30}, {'b', 'y', -30},
    {'b', 'v', -20}, {'k', 'e', -30},  {'k', 'o', -30}, {'o', 'v', -30},  {'o', 'w', -30}, {'o', 'x', -30},
    {'r', ',', -50}, {'r', '.', -50},  {'v', ',', -60}, {'v', '.', -60},  {'v', 'e', -30}, {'v', 'o', -30},
    {'w', ',', -60}, {'w', '.', -60},  {'w', 'a', -20}, {'w', 'e', -30},  {'w', 'o', -30}, {'y', ',', -60},
    {'y', '.', -60}, {'y', 'o', -30},  {'x', 'e', -30}, {'t', 'w', -20},  {'t', 'y', -20}, {'c', 'h', -20},
    {'f', '\'', 50}, {'h', 't', -10},  {'n', 't', -10}, {'u', 't', -10},
};

int32_t glyph_width(unsigned char glyph)
{
    if (glyph >= ' ' && glyph <= '~')
        return widths[glyph - ' '] * (POINT / 100);
    if (glyph >= LIGATURE_FF && glyph <= LIGATURE_FFL)
        return ligature_widths[glyph - LIGATURE_FF] * (POINT / 100);
    return 0;
}

int32_t glyph_kern(unsigned char left, unsigned char right)
{
    static int8_t table[128][128];
    static int filled;

    if (!filled) {
        for (size_t i = 0; i < sizeof kerns / sizeof kerns[0]; i++)
            table[(unsigned char)kerns[i].left][(unsigned char)kerns[i].right] = kerns[i].move;
        filled = 1;
    }
    /* A ligature moves like its last letter on its right. */
    if (left >= LIGATURE_FF)
        left = left == LIGATURE_FF ? 'f' : left == LIGATURE_FI || left == LIGATURE_FFI ? 'i' : 'l';
    if (right >= LIGATURE_FF)
        right = 'f';
    return left < 128 ? table[left][right] * (POINT / 100) : 0;
}

size_t to_glyphs(const char *text, size_t count, unsigned char *out)
{
    size_t made = 0;

    for (size_t i = 0; i < count;) {
        if (i + 2 < count && text[i] == 'f' && text[i + 1] == 'f' && (text[i + 2] == 'i' || text[i + 2] == 'l')) {
            out[made++] = text[i + 2] == 'i' ? LIGATURE_FFI : LIGATURE_FFL;
            i += 3;
        } else if (i + 1 < count && text[i] == 'f' && strchr("fil", text[i + 1]) != NULL && text[i + 1] != '\0') {
            out[made++] = text[i + 1] == 'f' ? LIGATURE_FF : text[i + 1] == 'i' ? LIGATURE_FI : LIGATURE_FL;
            i += 2;
        } else {
            out[made++] = (unsigned char)text[i++];
        }
    }
    return made;
}

int32_t text_width(const char *text, size_t count)
{
    unsigned char glyphs[256];
    int32_t width = 0;

    while (count > 0) {
        size_t part = count < sizeof glyphs ? count : sizeof glyphs;
        size_t made = to_glyphs(text, part, glyphs);

        for (size_t i = 0; i < made; i++) {
            width += glyph_width(glyphs[i]);
            if (i > 0)
                width += glyph_kern(glyphs[i - 1], glyphs[i]);
        }
        text += part;
        count -= part;
    }
    return width;
}
