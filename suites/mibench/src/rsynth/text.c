/* SPDX-License-Identifier: Apache-2.0 */
/* Text to phrases of phonemes: words, numbers in full, letters that are spelt, punctuation, stress. */
#include "rsynth.h"

#include <string.h>

enum { MAX_SOUNDS = 4 * MAX_WORD, LONG_PHRASE = MAX_PHRASE - MAX_SOUNDS };

/* Plain ASCII, whatever the locale. */
static int is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Words that carry no stress in a sentence. */
static int is_weak(const char *word)
{
    static const char *const weak[] = {
        "a",    "an",   "and",  "are",  "as",   "at",   "be",  "been", "but",  "by",   "can", "for",  "from", "had",
        "has",  "have", "he",   "her",  "his",  "in",   "is",  "it",   "its",  "of",   "on",  "or",   "she",  "so",
        "than", "that", "the",  "their", "them", "they", "this", "to",  "was",  "we",   "were", "will", "with", "you",
    };
    for (size_t i = 0; i < sizeof weak / sizeof *weak; i++)
        if (strcmp(word, weak[i]) == 0)
            return 1;
    return 0;
}

/* The stressed vowel: before -tion the one next to it, else the first full one past a prefix. */
static size_t find_stress(const int *sounds, size_t count)
{
    static int sh = -1, ih;
    size_t chosen = count, vowels = 0;

    if (sh < 0) {
        sh = find_phoneme("SH");
        ih = find_phoneme("IH");
    }
    for (size_t i = 0; i < count; i++) {
        if (!(phonemes[sounds[i]].classes & VOWEL))
            continue;
        vowels++;
        if (count - i == 2 && i > 1 && sounds[i - 1] == sh && phonemes[sounds[i]].classes & REDUCED) {
            for (size_t j = i - 1; j > 0; j--)
                if (phonemes[sounds[j - 1]].classes & VOWEL)
                    return j - 1;
        }
        if (phonemes[sounds[i]].classes & REDUCED)
            continue;
        if (chosen == count || (vowels == 2 && chosen == 1 && sounds[chosen] == ih))
            chosen = i;
    }
    return chosen;
}

static void add_sounds(struct phrase *phrase, const int *sounds, size_t count, int stressed)
{
    size_t stress = stressed ? find_stress(sounds, count) : count;

    for (size_t i = 0; i < count && phrase->count < MAX_PHRASE; i++)
        phrase->phone[phrase->count++] = (struct phone){sounds[i], i == stress, i == 0};
}

static void add_word(struct phrase *phrase, const char *word)
{
    int sounds[MAX_SOUNDS];
    size_t count = pronounce(word, sounds, MAX_SOUNDS);

    add_sounds(phrase, sounds, count, !is_weak(word));
}

static void add_letters(struct phrase *phrase, const char *word)
{
    for (; *word != '\0'; word++) {
        int sounds[MAX_SOUNDS];
        size_t count = 0;
        for (const char *name = letter_names[*word - 'a']; *name != '\0'; name += strcspn(name, " ")) {
            if (*name == ' ')
                name++;
            sounds[count++] = find_phoneme(name);
        }
        add_sounds(phrase, sounds, count, 1);
    }
}

static void add_below_hundred(struct phrase *phrase, unsigned value)
{
    static const char *const small[] = {
        "zero", "one",    "two",    "three",    "four",     "five",    "six",     "seven",     "eight",    "nine",
        "ten",  "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
    };
    static const char *const tens[] = {"twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"};

    if (value >= 20) {
        add_word(phrase, tens[value / 10 - 2]);
        value %= 10;
        if (value == 0)
            return;
    }
    add_word(phrase, small[value]);
}

static void add_number(struct phrase *phrase, unsigned value)
{
    if (value >= 1000000) {
        add_number(phrase, value / 1000000);
        add_word(phrase, "million");
        value %= 1000000;
        if (value == 0)
            return;
    }
    if (value >= 1100 && value < 2000 && value % 100 != 0) { /* as years are read */
        add_below_hundred(phrase, value / 100);
        add_below_hundred(phrase, value % 100);
        return;
    }
    if (value >= 1000) {
        add_number(phrase, value / 1000);
        add_word(phrase, "thousand");
        value %= 1000;
        if (value == 0)
            return;
    }
    if (value >= 100) {
        add_below_hundred(phrase, value / 100);
        add_word(phrase, "hundred");
        value %= 100;
        if (value == 0)
            return;
    }
    add_below_hundred(phrase, value);
}

/* Letters and apostrophes, to lower case and without the latter; the length of the word. */
static size_t read_word(struct reader *reader, char *word)
{
    size_t length = 0;

    for (; reader->at < reader->length; reader->at++) {
        char c = reader->text[reader->at];
        if (!is_letter(c) && c != '\'')
            break;
        if (c != '\'' && length < MAX_WORD)
            word[length++] = (char)(c | 0x20);
    }
    word[length] = '\0';
    return length;
}

static void read_number(struct reader *reader, struct phrase *phrase)
{
    unsigned value = 0;
    int digits = 0;

    for (; reader->at < reader->length && is_digit(reader->text[reader->at]) && digits < 9; digits++)
        value = 10 * value + (unsigned)(reader->text[reader->at++] - '0');
    add_number(phrase, value);
    reader->numbers++;
}

/* The punctuation at this place as one sign, or zero. */
static char read_mark(struct reader *reader)
{
    char c = reader->text[reader->at++];

    switch (c) {
    case '.':
    case '?':
    case '!':
        return c;
    case ',':
    case ';':
    case ':':
    case '(':
    case ')':
        return ',';
    case '\n': /* an empty line ends a sentence */
        return reader->at < reader->length && reader->text[reader->at] == '\n' ? '.' : '\0';
    default:
        return '\0';
    }
}

int next_phrase(struct reader *reader, struct phrase *phrase)
{
    phrase->count = 0;
    phrase->end = '.';
    while (reader->at < reader->length) {
        char c = reader->text[reader->at];

        if (is_letter(c)) {
            char word[MAX_WORD + 1];
            size_t length = read_word(reader, word);
            if (length > 1 && length <= 4 && strpbrk(word, "aeiouy") == NULL)
                add_letters(phrase, word);
            else
                add_word(phrase, word);
            reader->words++;
        } else if (is_digit(c)) {
            read_number(reader, phrase);
        } else {
            char mark = read_mark(reader);
            if (mark != '\0' && phrase->count > 0) {
                phrase->end = mark;
                return 1;
            }
        }
        if (phrase->count > LONG_PHRASE) {
            phrase->end = ',';
            return 1;
        }
    }
    return phrase->count > 0;
}
