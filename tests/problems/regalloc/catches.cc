// Many values that live across landing pads.

#include <cstdio>
#include <stdexcept>
struct Counted {
  unsigned &at;
  ~Counted() { at = at * 3 + 1; }
};
__attribute__((noinline)) static unsigned may(unsigned n) {
  if (n % 5 == 3)
    throw n;
  return n * 7;
}
__attribute__((noinline)) static unsigned caught(const unsigned *in, unsigned turns) {
  unsigned a = in[0], b = in[1], c = in[2], d = in[3], e = in[4], f = in[5], g = in[6], h = in[7], i = in[8];
  unsigned j = in[9], k = in[10], l = in[11], m = in[12], n = in[13], o = in[14], p = in[15];
  for (unsigned turn = 0; turn < turns; turn++) {
    Counted counted{p};
    try {
      Counted inner{o};
      a += may(b + turn);
      b ^= may(c) + d;
      c += e ^ f;
      d += g + may(h);
      e ^= i + j;
      f += k;
      g ^= l + m;
      h += n;
      if (a % 11 == 2)
        throw std::runtime_error("a");
    } catch (unsigned number) {
      i += number ^ a;
      j ^= b + c;
      k += d;
    } catch (const std::exception &error) {
      l += error.what()[0];
      m ^= e;
      n += f + g;
    }
  }
  return a ^ b ^ c ^ d ^ e ^ f ^ g ^ h ^ i ^ j ^ k ^ l ^ m ^ n ^ o ^ p;
}
int main() {
  unsigned in[16];
  for (unsigned n = 0; n < 16; n++)
    in[n] = n * 2654435761u;
  std::printf("%u\n", caught(in, 60));
  return 0;
}
