"""Executions of blocks: summed over the blocks they are the instructions that were counted."""

import bisect
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.base.vocabulary import Target
from harness.basic_blocks import Block, Code, Counts, profile
from harness.basic_blocks.profile import OUTSIDE, Profile
from harness.sandbox.bench import Bench
from harness.suite.load import Program, load_suite
from tests.basic_blocks.cells import code_of, counted, functions, made, measure
from tests.basic_blocks.test_counts import counts_file, record
from tests.drive import TINY

targets = pytest.mark.parametrize("target", Target)


def laid_over(program: Program, target: Target, bench: Bench) -> tuple[Code, list[Counts], Profile]:
    code = code_of(program, target, bench)
    assert isinstance(code, Code)
    runs = [run.counts for run in counted(program, target, bench)]
    assert all(run is not None for run in runs)
    counts = [run for run in runs if run is not None]
    return code, counts, profile(code, counts)


def whole_blocks(code: Code, found: Profile) -> int:
    """Σ executions × instructions of the blocks, as if each was always executed to its end."""
    return sum(int(times) * block.instructions for times, block in zip(found.executions, code.blocks, strict=True))


@targets
@pytest.mark.parametrize("name", [program.benchmark.name for program in load_suite(str(TINY)).programs])
def test_blocks_sum_to_the_instructions(name: str, target: Target, bench: Bench) -> None:
    """Of the object; libc and start-up are the rest, and reported."""
    (program,) = (p for p in load_suite(str(TINY)).programs if p.benchmark.name == name)
    code, runs, found = laid_over(program, target, bench)
    total = sum(run.total["instructions"] for run in runs)
    assert found.in_blocks + found.padding == found.inside
    assert found.inside + found.outside == total
    assert found.in_blocks <= whole_blocks(code, found) < 1.3 * found.in_blocks
    assert 0 < found.inside < total
    assert found.outside > 20_000
    result = measure(program, target, bench)
    assert result.values["instructions"] == total
    by_function = functions(result, bench)["instructions"]
    assert sum(by_function.values()) == total
    assert by_function[OUTSIDE] == found.outside


KNOWN = """
#include <stdio.h>
#include <stdlib.h>
#define ONE _Pragma("clang loop unroll(disable) vectorize(disable) interleave(disable)")
__attribute__((noinline)) static long collatz(long n) {
  long steps = 0;
  ONE while (n != 1) { n = n % 2 ? 3 * n + 1 : n / 2; steps++; }
  return steps;
}
__attribute__((noinline)) static long triangle(long n, volatile long *at) {
  long turns = 0;
  ONE for (long i = 0; i < n; i++) ONE for (long j = 0; j < i; j++) { *at = j; turns++; }
  return turns;
}
__attribute__((noinline)) static int never(int x) { puts("never"); return x; }
int main(int argc, char **argv) {
  volatile long at;
  long n = atol(argv[1]);
  if (argc > 5) return never(argc);
  printf("%ld %ld\\n", collatz(n), triangle(n, &at));
  return 0;
}
"""


@targets
def test_loops_of_known_length(target: Target, bench: Bench, tmp_path: Path) -> None:
    """27 takes 111 steps to 1; a triangle of side n has n(n-1)/2 points."""
    program = made(tmp_path, KNOWN, ["27"], ["97"], noinline=("collatz", "triangle", "never"))
    code, _, found = laid_over(program, target, bench)
    times: dict[str, list[int]] = {}
    for block, count in zip(code.blocks, found.executions.tolist(), strict=True):
        times.setdefault(block.function, []).append(count)
    assert max(times["collatz"]) == 111 + 118
    assert max(times["triangle"]) == 27 * 26 // 2 + 97 * 96 // 2
    assert set(times["never"]) == {0}
    assert times["main"][0] == 2
    entries = {name: counts[0] for name, counts in times.items()}
    assert entries["collatz"] == entries["triangle"] == 2


LEAVES = """
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
static jmp_buf back;
__attribute__((noinline)) static void deep(int n) { if (n == 0) longjmp(back, 1); deep(n - 1); printf("%d", n); }
static volatile int turns;
int main(void) {
  while (turns < 50) { if (!setjmp(back)) deep(turns); turns = turns + 1; }
  printf("%d\\n", turns);
  exit(0);
}
"""


@targets
def test_blocks_that_are_left_in_the_middle(target: Target, bench: Bench, tmp_path: Path) -> None:
    """A call that does not come back leaves the rest of its block, which is not counted."""
    program = made(tmp_path, LEAVES, noinline=("deep",))
    code, runs, found = laid_over(program, target, bench)
    assert found.inside + found.outside == runs[0].total["instructions"]
    assert found.in_blocks + found.padding == found.inside
    surplus = whole_blocks(code, found) - found.in_blocks
    longest = max(block.instructions for block in code.blocks if block.function == "deep")
    calls = sum(range(50)) + 51
    assert 0 < surplus <= calls * longest


REPEATS = """
#include <stdio.h>
int main(int argc, char **argv) {
  static char from[500] = "text", to[500];
  const char *source = from;
  char *destination = to;
  unsigned long count = sizeof from;
  __asm__ volatile("rep movsb" : "+S"(source), "+D"(destination), "+c"(count) : : "memory");
  printf("%s %d\\n", to, argc);
  return 0;
}
"""


def test_an_instruction_that_repeats_counts_once_a_repetition(bench: Bench, tmp_path: Path) -> None:
    native = made(tmp_path, REPEATS)
    code, _, found = laid_over(native, Target.X86_64, bench)
    assert found.in_blocks + found.padding == found.inside
    assert 500 <= found.inside < 540
    assert found.by_function["loads"]["main"] >= 500 <= found.by_function["stores"]["main"]
    assert any("rep" in text for text in code.texts)


def block(address: int, size: int, padding: int, function: str = "f") -> Block:
    parts = tuple((offset, 1) for offset in range(size))
    return Block(function, address, address, size, size, padding, padding, 1.0, 0, 0, 0, parts)


@given(st.data())
def test_executions_are_those_of_the_tbs_that_hold_the_address(data: st.DataObject) -> None:
    """Against a count by brute force, with one-byte instructions."""
    sizes = data.draw(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3)), min_size=1, max_size=12))
    blocks, address = [], 100
    for size, padding in sizes:
        blocks.append(block(address, size, padding, data.draw(st.sampled_from("fgh"))))
        address += size + padding
    tbs = data.draw(
        st.lists(st.tuples(st.integers(90, address + 10), st.integers(1, 15), st.integers(1, 1000)), max_size=30)
    )
    counts = Counts.parse(counts_file([record(at, bytes(n), n, times, loads=at) for at, n, times in tbs]))
    found = profile(Code(tuple(blocks), ("",)), [counts, counts])

    def covering(where: int) -> int:
        return 2 * sum(times for at, n, times in tbs if at <= where < at + n)

    assert found.executions.tolist() == [covering(b.address) for b in blocks]
    assert found.in_blocks == sum(covering(b.address + n) for b in blocks for n in range(b.size))
    assert found.padding == sum(b.padding * covering(b.address + b.size) for b in blocks)
    assert sum(found.by_function["instructions"].values()) == 2 * sum(n * times for _, n, times in tbs)
    starts = [b.address for b in blocks]
    owners: dict[str, int] = {}
    for at, *_ in tbs:
        place = bisect.bisect_right(starts, at) - 1
        inside = place >= 0 and at < blocks[place].address + blocks[place].size + blocks[place].padding
        owner = blocks[place].function if inside else OUTSIDE
        owners[owner] = owners.get(owner, 0) + 2 * at
    assert found.by_function["loads"] == owners


def test_an_object_without_blocks() -> None:
    counts = Counts.parse(counts_file([record(100, b"abc", 2, 7)]))
    found = profile(Code((), ()), [counts])
    assert (found.inside, found.outside, found.padding) == (0, 14, 0)
