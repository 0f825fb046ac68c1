"""The counting plugin in the emulator, on programs whose counts are known, and on those that cannot be counted."""

import os
import struct
import subprocess
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.base.vocabulary import Outcome, Target
from harness.basic_blocks import Counts
from harness.sandbox.bench import Bench
from harness.suite.model import Workload
from harness.suite.workloads import ReadyWorkload
from harness.toolchain import TARGETS
from harness.toolchain.elf import loaded
from harness.toolchain.native import native_plugin
from harness.verify.execute import observe
from harness.verify.verify import counting_runner
from tests.basic_blocks.cells import cell, counted, made, measure

targets = pytest.mark.parametrize("target", Target)

BARE = {
    Target.X86_64: """
        .globl _start
        _start: movl $1000, %ecx
        1:  movq (%rsp), %rax
            movq %rax, -8(%rsp)
            decl %ecx
            jne 1b
            movups (%rsp), %xmm0
            movl $60, %eax
            xorl %edi, %edi
            syscall
        """,
    Target.AARCH64: """
        .globl _start
        _start: mov x1, #1000
        1:  ldr x0, [sp]
            str x0, [sp, #-8]
            subs x1, x1, #1
            b.ne 1b
            ldr q0, [sp]
            mov x8, #93
            mov x0, #0
            svc #0
        """,
}
"""1000 turns of four instructions with a load and a store each; five instructions around them, one of which
loads 16 bytes."""


CROSSES_A_PAGE = """
    .globl _start
    _start: movl $1000, %ecx
        jmp 1f
        .p2align 12
        .skip 4090, 0x90
    1:  nop
        nop
        movl $60, %eax
        nop
        decl %ecx
        jne 1b
        xorl %edi, %edi
        syscall
"""
"""1000 turns of six instructions, the third of which lies in two pages; four instructions around them."""


def bare(target: Target, folder: Path, bench: Bench, source: str = "") -> Path:
    """A program without libc."""
    (folder / "bare.s").write_text(source or BARE[target])
    triple = f"--target={TARGETS[target].triple}"
    command = [bench.toolchain.tool("clang"), triple, "-nostdlib", "-static", "-fuse-ld=lld", "bare.s", "-o", "bare"]
    subprocess.run(command, cwd=folder, check=True, timeout=60)
    return folder / "bare"


def run_bare(target: Target, folder: Path, bench: Bench, source: str = "") -> Counts:
    ready = ReadyWorkload(Workload(name="bare"), {}, None)
    observed = observe(bare(target, folder, bench, source), ready, counting_runner(target, bench), bench.sandbox)
    assert observed.counts is not None
    return Counts.parse(observed.counts)


@targets
def test_a_program_of_known_counts(target: Target, bench: Bench, tmp_path: Path) -> None:
    counts = run_bare(target, tmp_path, bench)
    assert counts.incomplete is None
    assert counts.total == {"instructions": 4005, "loads": 1000 + 2, "stores": 1000}


def test_an_instruction_in_two_pages_is_counted_once(bench: Bench, tmp_path: Path) -> None:
    """QEMU tells a plugin twice of it; its code is that of the file all the same."""
    counts = run_bare(Target.X86_64, tmp_path, bench, CROSSES_A_PAGE)
    assert counts.total["instructions"] == 6004
    assert counts.foreign(loaded(tmp_path / "bare")) is None


@targets
def test_the_code_that_was_executed_is_that_of_the_file(target: Target, bench: Bench, tmp_path: Path) -> None:
    counts = run_bare(target, tmp_path, bench)
    memory = loaded(tmp_path / "bare")
    assert counts.foreign(memory) is None
    (text,) = (key for key in memory if key[0] == ".text")
    altered = bytes([memory[text][0] ^ 1]) + memory[text][1:]
    assert f"changed its code at {text[1]:#x}" in (counts.foreign({**memory, text: altered}) or "")
    assert "not in its file" in (counts.foreign({}) or "")
    assert "not in its file" in (counts.foreign({(".text", text[1] + 8): memory[text][8:]}) or "")


LOOPS = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) {
  long turns = atol(argv[1]), *table = malloc(8000), sum = 0;
  memset(table, 0, 8000);
  for (long i = 0; i < turns; i++) { table[(i * 7919) % 1000] += i; sum ^= table[i % 1000]; }
  printf("%ld\\n", sum);
  free(table);
  return 0;
}
"""


@contextmanager
def load(processes: int = 2) -> Iterator[None]:
    """Keeps the machine busy."""
    busy = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(processes)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


@targets
def test_counts_repeat_exactly(
    target: Target, bench: Bench, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In another folder, from an empty cache, with another environment, on a busy machine."""
    names = ("instructions", "loads", "stores", "mca.cycles", "spills.executed")
    first = measure(made(tmp_path_factory.mktemp("one"), LOOPS, ["1000"], ["77"]), target, bench, *names)
    assert first.outcome is Outcome.OK, first.detail
    for number in range(2):
        elsewhere = Bench(bench.toolchain, tmp_path_factory.mktemp("a folder with a much longer name" * number or "b"))
        monkeypatch.setenv("HARNESS_NOISE", "x" * 1000 * number)
        monkeypatch.chdir(tmp_path_factory.mktemp("here"))
        program = made(tmp_path_factory.mktemp("another"), LOOPS, ["1000"], ["77"])
        with load():
            found = measure(program, target, elsewhere, *names)
        assert found.values == first.values
        assert found.key == first.key


RANDOM = """
#include <stdio.h>
#include <sys/auxv.h>
int main(void) {
  const unsigned char *bytes = (const unsigned char *)getauxval(AT_RANDOM);
  volatile long turns = 0;
  for (int i = 0; i < 16; i++) for (int k = 0; k < bytes[i]; k++) turns = turns + 1;
  puts("done");
  return 0;
}
"""
"""Works as long as the random bytes say that the kernel gives every process."""


@targets
def test_random_bytes_of_the_start_up_are_the_same_in_every_run(target: Target, bench: Bench, tmp_path: Path) -> None:
    first, second = (run.counts for run in counted(made(tmp_path, RANDOM, [], ["other"]), target, bench))
    assert first is not None and second is not None
    inside = [counts.total["stores"] for counts in (first, second)]
    assert abs(inside[0] - inside[1]) < 20  # the second has one argument more


def test_a_run_is_counted_whole_or_not_at_all(bench: Bench, tmp_path: Path) -> None:
    """The workload's time limit ends the run: an outcome, and no number of any metric."""
    program = made(tmp_path, LOOPS, ["1000"], workloads=({"name": "long", "args": ("4000000000",), "timeout": 0.05},))
    pinned = replace(program, expected={"long": "0" * 64})
    result = measure(pinned, Target.X86_64, bench)
    assert result.outcome is Outcome.RUN_TIMEOUT
    assert (result.values, result.missing) == ({}, {})
    assert result.rows(cell(pinned, Target.X86_64), ["instructions"], bench.isolation)[0].value is None


@pytest.mark.parametrize(
    ("body", "outcome"),
    [
        ("abort();", Outcome.RUN_CRASH),
        ("*(volatile int *)8 = 1;", Outcome.RUN_CRASH),
        ("return 3;", Outcome.WRONG_OUTPUT),
        ('puts("something else");', Outcome.WRONG_OUTPUT),
    ],
)
@targets
def test_a_run_that_fails_has_no_counts(
    body: str, outcome: Outcome, target: Target, bench: Bench, tmp_path: Path
) -> None:
    source = f"#include <stdio.h>\n#include <stdlib.h>\nint main(void) {{ {body} return 0; }}\n"
    pinned = replace(made(tmp_path, source), expected={"run0": "0" * 64})
    result = measure(pinned, target, bench)
    assert (result.outcome, result.values, result.missing) == (outcome, {}, {}), result.detail


SIGNAL = """
#include <signal.h>
#include <stdio.h>
static volatile int seen;
static void handler(int number) { seen += number; }
int main(void) { signal(SIGUSR1, handler); raise(SIGUSR1); printf("%d\\n", seen); return 0; }
"""
THREAD = """
#include <pthread.h>
#include <stdio.h>
static void *work(void *argument) { return argument; }
int main(void) {
  pthread_t thread;
  if (pthread_create(&thread, 0, work, 0)) return 2;
  pthread_join(thread, 0);
  puts("joined");
  return 0;
}
"""
FORK = """
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
  int status = 0;
  if (fork() == 0) _exit(0);
  wait(&status);
  printf("%d\\n", status);
  return 0;
}
"""
VANISHES = """
#include <stdio.h>
#include <unistd.h>
#include <fcntl.h>
int main(void) { close(open(".counts", O_CREAT | O_WRONLY, 0600)); puts("here"); return 0; }
"""
"""Leaves a file where the counts belong."""
MOVES = """
#include <stdio.h>
#include <unistd.h>
int main(void) { if (chdir("/")) return 2; puts("away"); return 0; }
"""

UNCOUNTED = {"signal": SIGNAL, "thread": THREAD, "fork": FORK, "counts": VANISHES}
WORDS = {
    "signal": "signal handlers ran 1 times",
    "thread": "2 threads ran",
    "fork": "it started other processes",
    "counts": "leaves no counts",
}


@pytest.mark.parametrize("kind", UNCOUNTED)
@targets
def test_what_cannot_be_counted_exactly_says_why(kind: str, target: Target, bench: Bench, tmp_path: Path) -> None:
    """The program is right: its cell is ok, static metrics stand, and there is no partial count."""
    result = measure(made(tmp_path, UNCOUNTED[kind]), target, bench)
    assert result.outcome is Outcome.OK, result.detail
    counts = {"instructions", "instructions.libc", "loads", "stores", "accesses", "mca.cycles"}
    counts |= {"spills.executed", "reloads.executed"}
    assert set(result.missing) == counts
    assert all(WORDS[kind] in why for why in result.missing.values()), result.missing
    assert not counts & set(result.values)
    assert {"size.alloc", "mca.static", "spills"} <= set(result.values)


@targets
def test_a_program_that_goes_elsewhere_is_counted(target: Target, bench: Bench, tmp_path: Path) -> None:
    assert not measure(made(tmp_path, MOVES), target, bench).missing


ADD_ONE = """
#ifdef __aarch64__
static const unsigned code[] = {0x11000400, 0xd65f03c0}; /* add w0, w0, #1; ret */
#else
static const unsigned char code[] = {0x8d, 0x47, 0x01, 0xc3}; /* lea 1(%rdi), %eax; ret */
#endif
"""
GENERATED = """
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
CODE
int main(void) {
  void *page = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return 2;
  memcpy(page, code, sizeof code);
  __builtin___clear_cache((char *)page, (char *)page + sizeof code);
  printf("%d\\n", ((int (*)(int))page)(41));
  return 0;
}
"""
CHANGED = """
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
CODE
__attribute__((aligned(4096), used)) static int victim(int x) { return x * 3 + 11; }
int main(void) {
  int (*volatile call)(int) = victim;
  int before = call(5);
  char *page = (char *)((uintptr_t)call & ~(uintptr_t)4095);
  if (mprotect(page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC)) return 2;
  memcpy((void *)call, code, sizeof code);
  __builtin___clear_cache(page, page + sizeof code);
  printf("%d %d\\n", before, call(41));
  return 0;
}
"""


@pytest.mark.parametrize(("source", "words"), [(GENERATED, "not in its file"), (CHANGED, "changed its code")])
@targets
def test_code_that_the_program_writes_is_counted_but_has_no_blocks(
    source: str, words: str, target: Target, bench: Bench, tmp_path: Path
) -> None:
    result = measure(made(tmp_path, source.replace("CODE", ADD_ONE)), target, bench)
    assert result.outcome is Outcome.OK, result.detail
    assert {"instructions", "loads", "stores", "mca.static"} <= set(result.values)
    assert set(result.missing) == {"instructions.libc", "mca.cycles", "spills.executed", "reloads.executed"}
    assert all(words in why for why in result.missing.values())


def test_the_plugin_refuses_what_it_does_not_know(bench: Bench, tmp_path: Path) -> None:
    plugin = native_plugin("count", bench.toolchain, bench.store)
    program = bare(Target.X86_64, tmp_path, bench)
    command = [bench.toolchain.counter(Target.X86_64), "-plugin", f"{plugin},out=elsewhere", str(program)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode != 0
    assert "usage: qemu-" in done.stderr
    assert not (tmp_path / ".counts").exists()


def record(address: int, code: bytes, instructions: int, executions: int, loads: int = 0, stores: int = 0) -> bytes:
    return struct.pack("<7Q", address, len(code), instructions, zlib.crc32(code), executions, loads, stores)


def counts_file(records: list[bytes], *, threads: int = 1, handlers: int = 0, forks: int = 0, lost: int = 0) -> bytes:
    head = struct.pack("<6Q", int.from_bytes(b"TBCOUNT1", "little"), len(records), threads, handlers, forks, lost)
    return head + b"".join(records)


@given(
    st.lists(st.tuples(st.integers(0, 1 << 40), st.integers(1, 60), st.integers(1, 1 << 30), st.integers(0, 99))),
    st.integers(-60, 60),
)
def test_a_file_is_read_or_refused(rows: list[tuple[int, int, int, int]], cut: int) -> None:
    content = counts_file([record(a, bytes(n), n, e, loads) for a, n, e, loads in rows])
    counts = Counts.parse(content)
    assert counts.total["instructions"] == sum(n * e for _, n, e, _ in rows)
    assert counts.total["loads"] == sum(loads for *_, loads in rows)
    assert list(counts.address) == sorted(a for a, *_ in rows)
    if cut:
        damaged = content[:cut] if cut < 0 else content + os.urandom(cut)
        with pytest.raises(ValueError, match="not a file of counts"):
            Counts.parse(damaged)


@given(st.binary(max_size=200))
def test_anything_else_is_refused(content: bytes) -> None:
    with pytest.raises(ValueError, match="not a file of counts"):
        Counts.parse(content)


def test_a_counter_that_is_full_says_so() -> None:
    assert Counts.parse(counts_file([])).incomplete is None
    assert "more code than the counter" in (Counts.parse(counts_file([], lost=1)).incomplete or "")


def test_counted_runs_are_read_from_the_cache(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = made(tmp_path, LOOPS, ["10"])
    first = counted(program, Target.X86_64, bench)
    monkeypatch.setattr(sys.modules["harness.verify.verify"], "observe", None)
    again = counted(program, Target.X86_64, bench)
    assert first[0].counts is not None and again[0].counts is not None
    assert first[0].counts.total == again[0].counts.total
