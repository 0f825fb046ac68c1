/* Calls of every sort that the inliner meets. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

typedef unsigned long Word;

static Word twice(Word x) { return 2 * x; }

__attribute__((always_inline)) static inline Word must(Word x) { return x * 3 + 1; }

__attribute__((noinline)) static Word never(Word x) { return x ^ (x >> 7); }

static Word sum(int count, ...) { /* what reads its variable arguments cannot be inlined */
  va_list rest;
  Word total = 0;
  va_start(rest, count);
  for (int i = 0; i < count; ++i)
    total += va_arg(rest, Word);
  va_end(rest);
  return total;
}

static Word fibonacci(Word n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

static int is_odd(Word n);
static int is_even(Word n) { return n == 0 ? 1 : is_odd(n - 1); }
static int is_odd(Word n) { return n == 0 ? 0 : is_even(n - 1); }

static Word once(Word x) { /* one call: whoever inlines it gets rid of it */
  for (Word i = 0; i < 9; ++i)
    x = x * 6364136223846793005UL + i;
  return x;
}

static Word choose(Word which, Word x) {
  switch (which) {
  case 0: return twice(x);
  case 1: return must(x);
  case 2: return never(x);
  case 3: return x / 7;
  case 4: return x % 11 + twice(which);
  case 5: return x << 3;
  case 6: return sum(2, x, which);
  default: return x;
  }
}

static Word mixed(const Word *from, Word count) {
  Word words[8], result = 0;
  for (Word i = 0; i < 8; ++i)
    words[i] = from[i % count] + twice(i);
  for (Word i = 0; i < 8; ++i)
    result = choose(i, result + words[i]);
  return result;
}

static Word larger(Word a, Word b) { return a > b ? a : b; }

static void leave(Word status) { exit((int)status); }

static Word apply(Word (*function)(Word), Word x) { return function(x); }

static Word (*const table[])(Word) = {twice, never};

int main(int argc, char **argv) {
  Word values[4] = {1, (Word)argc, 7, 9};
  if (argc > 100) {
    leave(values[0]);
    printf("%s %lu\n", argv[0], larger(values[2], 3)); /* never reached, but nobody says so until `leave` is inlined */
  }
  printf("%lu %lu\n", twice(values[1]), must(values[2]));
  printf("%lu %lu %lu\n", never(values[3]), sum(3, values[0], values[1], values[2]), sum(0));
  printf("%lu %d %d\n", fibonacci(10), is_even(values[2]), is_odd(9));
  printf("%lu\n", once(values[1]));
  printf("%lu %lu %lu\n", choose(2, 5), choose(values[1], 6), choose(4, values[2]));
  printf("%lu %lu\n", mixed(values, 4), mixed(values + 1, 2));
  printf("%lu %lu %lu\n", larger(1, values[1]), larger(values[2], values[3]), larger(mixed(values, 3), twice(7)));
  printf("%lu %lu\n", apply(must, values[2]), apply(twice, 3)); /* direct calls once `apply` is inlined */
  printf("%lu\n", table[values[1] & 1](3));
  return 0;
}
