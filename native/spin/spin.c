// A program of known work, for trying how small a difference the timing can tell: WORK rounds of the same loop.
//
// It reads and writes an array that fits a level-2 cache and mispredicts some branches, as programs do, and prints
// the same whatever WORK is: a program made one per cent slower is right too.

#include <stdint.h>
#include <stdio.h>

#ifndef WORK
#define WORK 100
#endif

enum { kWords = 1 << 15, kMultiplier = 1664525, kIncrement = 1013904223, kShift = 13 };

static uint32_t words[kWords];

static uint32_t turn(uint32_t state) {
  for (uint32_t at = 0; at < kWords; at++) {
    state = state * kMultiplier + kIncrement;
    uint32_t *word = &words[(at ^ (state >> kShift)) % kWords];
    *word = (state & 7U) == 0 ? *word + state : *word ^ at;
  }
  return state ^ words[state % kWords];
}

int main(void) {
  uint32_t state = 1;
  for (int round = 0; round < WORK; round++) {
    state = turn(state);
  }
  volatile uint32_t sink = state; // the work is for something
  (void)sink;
  return puts("done") < 0;
}
