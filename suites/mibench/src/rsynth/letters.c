/* SPDX-License-Identifier: Apache-2.0 */
/* The interpreter of the spelling rules: finds the first rule that fits at each place of a word. */
#include "rsynth.h"

#include <stdio.h>
#include <string.h>

enum { MAX_RULES = 1024, MAX_SOUNDS = 8 };

struct rule {
    const char *left, *letters, *right;
    int left_length, length, right_length;
    int sound[MAX_SOUNDS];
    int sounds;
};

/* In the order of the table, and so in the order of the first letter: first[k] to first[k + 1]. */
static struct rule rules[MAX_RULES];
static int first[27];

long rules_tried, rules_applied;

static int is_vowel(char c)
{
    return c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u' || c == 'y';
}

static int is_consonant(char c)
{
    return c >= 'a' && c <= 'z' && !is_vowel(c);
}

static int is_front(char c)
{
    return c == 'e' || c == 'i' || c == 'y';
}

static int is_voiced(char c)
{
    return c != '\0' && strchr("bdvgjlmnrwz", c) != NULL;
}

/* A consonant of one of these letters, or of two that end in h: the length of it, or 0. */
static int digraph(char before, char c, const char *single, const char *with_h)
{
    if (c == 'h')
        return before != '\0' && strchr(with_h, before) != NULL ? 2 : 0;
    return c != '\0' && strchr(single, c) != NULL;
}

/* Backwards from word[at] by the pattern's last sign first; the word begins with '_'. */
static int fits_left(const char *pattern, int length, const char *word, int at)
{
    for (int i = length - 1; i >= 0; i--) {
        char c = at >= 0 ? word[at] : '\0';
        int taken = 0;

        switch (pattern[i]) {
        case 'V':
            while (at - taken >= 0 && is_vowel(word[at - taken]))
                taken++;
            break;
        case 'K':
            while (at >= 0 && is_consonant(word[at]))
                at--;
            continue;
        case 'C':
            taken = is_consonant(c);
            break;
        case 'D':
            taken = is_voiced(c);
            break;
        case 'F':
            taken = is_front(c);
            break;
        case 'Z':
            taken = digraph(at > 0 ? word[at - 1] : '\0', c, "scgzxj", "cs");
            break;
        case 'T':
            taken = digraph(at > 0 ? word[at - 1] : '\0', c, "tsrdlznj", "tcs");
            break;
        default:
            taken = c == pattern[i];
        }
        if (taken == 0)
            return 0;
        at -= taken;
    }
    return 1;
}

static int fits_suffix(const char *rest)
{
    static const char *const suffixes[] = {"e_",  "es_",  "ed_",   "er_",   "ers_",   "ing_",  "ings_",
                                           "ely_", "eful_", "eless_", "eness_", "ement_", "ements_"};

    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (strcmp(rest, suffixes[i]) == 0)
            return 1;
    return 0;
}

/* Forwards from the first letter after those that the rule is about; the word ends with '_'. */
static int fits_right(const char *pattern, int length, const char *rest)
{
    for (int i = 0; i < length; i++) {
        int taken = 0;

        switch (pattern[i]) {
        case 'V':
            while (is_vowel(rest[taken]))
                taken++;
            break;
        case 'K':
            while (is_consonant(*rest))
                rest++;
            continue;
        case 'C':
            taken = is_consonant(*rest);
            break;
        case 'D':
            taken = is_voiced(*rest);
            break;
        case 'F':
            taken = is_front(*rest);
            break;
        case 'S':
            return fits_suffix(rest);
        default:
            taken = *rest == pattern[i];
        }
        if (taken == 0)
            return 0;
        rest += taken;
    }
    return 1;
}

static int damaged(const char *text, const char *why)
{
    fprintf(stderr, "rsynth: rule \"%s\": %s\n", text, why);
    return 0;
}

static int read_rule(const char *text, struct rule *rule)
{
    const char *slash = strchr(text, '/'), *second = slash != NULL ? strchr(slash + 1, '/') : NULL;
    const char *space = second != NULL ? strchr(second, ' ') : NULL;

    if (space == NULL)
        return damaged(text, "it has not all its parts");
    rule->left = text;
    rule->left_length = (int)(slash - text);
    rule->letters = slash + 1;
    rule->length = (int)(second - slash - 1);
    rule->right = second + 1;
    rule->right_length = (int)(space - second - 1);
    rule->sounds = 0;
    if (rule->length == 0 || rule->letters[0] < 'a' || rule->letters[0] > 'z')
        return damaged(text, "it is about no letter");
    for (const char *name = space + 1; *name != '\0'; name += strcspn(name, " ")) {
        if (*name == ' ')
            name++;
        int sound = find_phoneme(name);
        if (sound < 0 || rule->sounds == MAX_SOUNDS)
            return damaged(text, "unknown or too many sounds");
        rule->sound[rule->sounds++] = sound;
    }
    return 1;
}

int prepare_rules(void)
{
    int letter = 0;

    if (letter_rule_count > MAX_RULES)
        return damaged("...", "too many rules");
    for (size_t i = 0; i < letter_rule_count; i++) {
        if (!read_rule(letter_rules[i], &rules[i]))
            return 0;
        int about = rules[i].letters[0] - 'a';
        if (about < letter)
            return damaged(letter_rules[i], "it is out of order");
        while (letter < about)
            first[++letter] = (int)i;
    }
    while (letter < 26)
        first[++letter] = (int)letter_rule_count;
    return 1;
}

static const struct rule *find_rule(const char *framed, int at)
{
    int letter = framed[at] - 'a';

    for (int i = first[letter]; i < first[letter + 1]; i++) {
        const struct rule *rule = &rules[i];
        rules_tried++;
        if (strncmp(framed + at, rule->letters, (size_t)rule->length) == 0
            && fits_right(rule->right, rule->right_length, framed + at + rule->length)
            && fits_left(rule->left, rule->left_length, framed, at - 1)) {
            rules_applied++;
            return rule;
        }
    }
    return NULL;
}

size_t pronounce(const char *word, int *sounds, size_t room)
{
    char framed[MAX_WORD + 3];
    int length = (int)strlen(word), at = 1;
    size_t count = 0;

    if (length > MAX_WORD)
        length = MAX_WORD;
    framed[0] = '_';
    memcpy(framed + 1, word, (size_t)length);
    framed[length + 1] = '_';
    framed[length + 2] = '\0';
    while (at <= length) {
        const struct rule *rule = find_rule(framed, at);
        if (rule == NULL) { /* every letter has a rule without a context */
            at++;
            continue;
        }
        for (int i = 0; i < rule->sounds && count < room; i++)
            sounds[count++] = rule->sound[i];
        at += rule->length;
    }
    return count;
}
