/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A. V. Aho and M. J. Corasick, "Efficient string matching: an aid to bibliographic search",
 * CACM 18(6), 1975: a trie of all patterns (the goto function), for each state the longest proper
 * suffix that is a state too (the failure function), and the patterns that end in it (the output
 * function). The two first become one table of moves, over the letters that occur in the patterns.
 */
#include "search.h"

#include <stdlib.h>

#define ROOT 0
#define NONE (-1)

struct automaton {
    int class_of[ALPHABET];    /* letters that are in no pattern share class 0 */
    int classes;
    int states;
    int *move;                 /* states x classes */
    int *failure;
    int *ends;                 /* first pattern that ends in a state, or NONE */
    int *also;                 /* next pattern that is equal to a pattern, or NONE */
    int *shorter;              /* nearest state on the way of failures with an output, or NONE */
};

static void classify(struct automaton *automaton, const struct string *pattern, int count)
{
    for (int letter = 0; letter < ALPHABET; letter++)
        automaton->class_of[letter] = 0;
    automaton->classes = 1;
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < pattern[i].length; j++) {
            int *class = &automaton->class_of[pattern[i].letters[j]];

            if (*class == 0)
                *class = automaton->classes++;
        }
    }
}

static int new_state(struct automaton *automaton)
{
    int state = automaton->states++;

    for (int i = 0; i < automaton->classes; i++)
        automaton->move[state * automaton->classes + i] = NONE;
    automaton->failure[state] = ROOT;
    automaton->ends[state] = NONE;
    automaton->shorter[state] = NONE;
    return state;
}

static void enter(struct automaton *automaton, struct string pattern, int number)
{
    int state = ROOT;

    for (int i = 0; i < pattern.length; i++) {
        int edge = state * automaton->classes + automaton->class_of[pattern.letters[i]];

        if (automaton->move[edge] == NONE)
            automaton->move[edge] = new_state(automaton);
        state = automaton->move[edge];
    }
    automaton->also[number] = automaton->ends[state];
    automaton->ends[state] = number;
}

/* Breadth first, so that a state's failure, which is less deep, is complete before the state. */
static void complete(struct automaton *automaton)
{
    int *queue = allocate(automaton->states, sizeof *queue);
    int head = 0, tail = 0;

    queue[tail++] = ROOT;
    while (head < tail) {
        int state = queue[head++];
        int failure = automaton->failure[state];
        int *row = automaton->move + state * automaton->classes;
        const int *fallback = automaton->move + failure * automaton->classes;

        if (state != ROOT)
            automaton->shorter[state] =
                automaton->ends[failure] != NONE ? failure : automaton->shorter[failure];
        for (int i = 0; i < automaton->classes; i++) {
            if (row[i] == NONE) {
                row[i] = state == ROOT ? ROOT : fallback[i];
            } else {
                automaton->failure[row[i]] = state == ROOT ? ROOT : fallback[i];
                queue[tail++] = row[i];
            }
        }
    }
    free(queue);
}

static void build(struct automaton *automaton, const struct string *pattern, int count)
{
    int most = 1;

    for (int i = 0; i < count; i++)
        most += pattern[i].length;
    classify(automaton, pattern, count);
    automaton->states = 0;
    automaton->move = allocate(most * automaton->classes, sizeof *automaton->move);
    automaton->failure = allocate(most, sizeof *automaton->failure);
    automaton->ends = allocate(most, sizeof *automaton->ends);
    automaton->shorter = allocate(most, sizeof *automaton->shorter);
    automaton->also = allocate(count, sizeof *automaton->also);
    new_state(automaton);
    for (int i = 0; i < count; i++)
        enter(automaton, pattern[i], i);
    complete(automaton);
}

static void destroy(struct automaton *automaton)
{
    free(automaton->move);
    free(automaton->failure);
    free(automaton->ends);
    free(automaton->shorter);
    free(automaton->also);
}

steps search_set(struct string text, const struct string *pattern, int count, struct places *places)
{
    struct automaton automaton;
    steps taken;
    int state = ROOT;

    build(&automaton, pattern, count);
    taken = automaton.states;
    for (int i = 0; i < text.length; i++) {
        int end;

        state = automaton.move[state * automaton.classes + automaton.class_of[text.letters[i]]];
        taken++;
        end = automaton.ends[state] != NONE ? state : automaton.shorter[state];
        for (; end != NONE; end = automaton.shorter[end]) {
            for (int j = automaton.ends[end]; j != NONE; j = automaton.also[j]) {
                add_place(&places[j], i + 1 - pattern[j].length);
                taken++;
            }
        }
    }
    destroy(&automaton);
    return taken;
}
