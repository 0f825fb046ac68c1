/* A bit of everything that C compiles to, for tests of passes: prints what it computes, and takes paths by its argument. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int (*operation)(int, int);
struct node { struct node *left, *right; int key; };
struct wide { double a, b; int64_t c[4]; char name[12]; };
union bits { float f; uint32_t u; };

static jmp_buf back;
static atomic_int shared;
static volatile int seen;
static int global_counter, table[256];
static const char *const words[] = {"pear", "fig", "apple", "quince", "plum", "lime", "cherry", "date"};
static _Thread_local int local_counter = 3;
static uint8_t image[24][32];
static double matrix[12][12], other[12][12], product[12][12];

static int add(int a, int b) { return a + b; }
static int subtract(int a, int b) { return a - b; }
static int multiply(int a, int b) { return (int)((unsigned)a * (unsigned)b); }
static int divide(int a, int b) { return b ? a / b : -1; }
static operation operations[] = {add, subtract, multiply, divide};

static struct node *insert(struct node *root, int key) {
  if (!root) {
    root = calloc(1, sizeof *root);
    root->key = key;
  } else if (key < root->key) {
    root->left = insert(root->left, key);
  } else {
    root->right = insert(root->right, key);
  }
  return root;
}

static long walk(const struct node *root, int depth) {
  return root ? walk(root->left, depth + 1) + (long)root->key * depth + walk(root->right, depth + 1) : 0;
}

static void release(struct node *root) {
  if (!root) return;
  release(root->left);
  release(root->right);
  free(root);
}

static double sum_of(int count, ...) {
  va_list arguments;
  double total = 0;
  va_start(arguments, count);
  for (int i = 0; i < count; i++) total += i % 2 ? va_arg(arguments, int) : va_arg(arguments, double);
  va_end(arguments);
  return total;
}

static struct wide scaled(struct wide value, double factor) {
  value.a *= factor;
  value.b -= factor;
  for (int i = 0; i < 4; i++) value.c[i] = value.c[i] * 3 + (int64_t)factor;
  strcat(value.name, "!");
  return value;
}

static const char *kind_of(int value) {
  switch (value) {
  case 0: return "zero";
  case 1: case 2: case 3: return "few";
  case 10: case 20: case 30: case 40: return "round";
  case 77: return "lucky";
  case -1: return "minus";
  default: return value < 0 ? "negative" : value > 1000 ? "many" : "some";
  }
}

static int dispatch(const char *code) {
  static const void *const labels[] = {&&push, &&sum, &&times, &&negate, &&stop};
  int stack[16] = {0}, top = 0;
#define NEXT goto *labels[(unsigned char)(*code - 'a') % 5]
  NEXT;
push: stack[top++] = code[1] - '0'; code += 2; NEXT;
sum: top--; stack[top - 1] += stack[top]; code++; NEXT;
times: top--; stack[top - 1] *= stack[top]; code++; NEXT;
negate: stack[top - 1] = -stack[top - 1]; code++; NEXT;
stop: return stack[0];
}

static void leap(int depth) {
  if (depth == 0) longjmp(back, 42);
  seen += depth;
  leap(depth - 1);
}

static int compare(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

static uint32_t hash(const char *text) {
  uint32_t value = 2166136261u;
  for (; *text; text++) value = (value ^ (uint8_t)*text) * 16777619u;
  return value;
}

static unsigned gcd(unsigned a, unsigned b) { return b ? gcd(b, a % b) : a; }

static int collatz(uint64_t n) {
  int steps = 0;
  while (n != 1 && steps < 10000) n = n & 1 ? 3 * n + 1 : n >> 1, steps++;
  return steps;
}

static void filter(void) {
  for (int y = 0; y < 24; y++)
    for (int x = 0; x < 32; x++) image[y][x] = (uint8_t)((x * 7) ^ (y * 13));
  for (int pass = 0; pass < 2; pass++)
    for (int y = 1; y < 23; y++)
      for (int x = 1; x < 31; x++) {
        int total = 0;
        for (int dy = -1; dy <= 1; dy++)
          for (int dx = -1; dx <= 1; dx++) total += image[y + dy][x + dx];
        image[y][x] = (uint8_t)(total / 9 > 200 ? 255 : total / 9);
      }
}

static int fail(const char *why) {
  fprintf(stderr, "error: %s\n", why);
  global_counter += 1000;
  return 3;
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 5;
  if (n < 0) return fail("a negative number");
  struct node *root = NULL;
  for (int i = 0; i < n * 7; i++) root = insert(root, (i * 37 + 11) % 101);
  printf("tree %ld\n", walk(root, 1));
  release(root);
  for (int i = 0; i < 8; i++) printf("%d ", operations[i % 4](n * 100 - i, i - 3));
  puts(kind_of(n));
  for (int i = -2; i < 90; i += 11) printf("%s,", kind_of(i));
  printf("\nsum %.3f %.3f\n", sum_of(4, 1.5, n, 2.25, 7), sum_of(0));
  struct wide value = {1.25, 2.5, {1, -2, 3, n}, "wide"};
  value = scaled(scaled(value, 3), n);
  printf("%.2f %.2f %lld %lld %s\n", value.a, value.b, (long long)value.c[1], (long long)value.c[3], value.name);
  printf("dispatch %d\n", dispatch("a3a4ba5cde"));
  int jumped = setjmp(back);
  if (!jumped) leap(n);
  printf("jumped %d seen %d\n", jumped, seen);
  const char *sorted[8];
  memcpy(sorted, words, sizeof sorted);
  qsort(sorted, 8, sizeof *sorted, compare);
  for (int i = 0; i < 8; i++) printf("%s:%08x ", sorted[i], hash(sorted[i]));
  for (int i = 0; i < 1000; i++) atomic_fetch_add(&shared, i & 3), local_counter += i % 5;
  int expected = atomic_load(&shared);
  atomic_compare_exchange_strong(&shared, &expected, 9);
  printf("\natomic %d local %d\n", atomic_load(&shared), local_counter);
  filter();
  unsigned check = 0;
  for (int y = 0; y < 24; y++)
    for (int x = 0; x < 32; x++) check = check * 31 + image[y][x];
  printf("image %u gcd %u collatz %d\n", check, gcd(1071u * (unsigned)n, 462), collatz(27 + (uint64_t)n));
  for (int i = 0; i < 12; i++)
    for (int j = 0; j < 12; j++) matrix[i][j] = sin(i + 0.5 * j), other[i][j] = i == j ? 2 : 1.0 / (1 + i + j);
  for (int i = 0; i < 12; i++)
    for (int j = 0; j < 12; j++)
      for (int k = 0; k < 12; k++) product[i][j] += matrix[i][k] * other[k][j];
  double trace = 0;
  for (int i = 0; i < 12; i++) trace += product[i][i] + sqrt(fabs(product[i][11 - i]));
  union bits bits = {.f = (float)trace};
  printf("trace %.9f %08x %.6g\n", trace, bits.u, pow(1.1, n) + floor(-2.5) + fmod(7.5, 2));
  for (int i = 0; i < 256; i++) table[i] = i * i % 257;
  int64_t total = 0;
  for (int i = 0; i < 256; i++) {
    if (table[i] == 4 * n) continue;
    total += (int64_t)table[table[i] & 255] << (i & 15);
    if (total > INT64_C(1) << 40) break;
    total = total % 1000003 - (total & 1 ? 17 : -5) + (int8_t)total + __builtin_popcount((unsigned)total);
  }
  char text[64];
  int length = snprintf(text, sizeof text, "%lld/%d", (long long)total, global_counter);
  for (int i = 0, j = length - 1; i < j; i++, j--) { char c = text[i]; text[i] = text[j]; text[j] = c; }
  printf("%s %zu %d\n", text, strlen(text), memcmp(text, "7", 1) > 0);
  return n > 90 ? fail("too many") : n % 7;
}
