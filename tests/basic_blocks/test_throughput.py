"""llvm-mca's model of blocks: against calculations by hand, and what it cannot model."""

import math
import sqlite3
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

import harness.basic_blocks.throughput as throughput
from harness.base.errors import PrerequisiteError
from harness.base.vocabulary import Outcome, Target
from harness.basic_blocks import Code
from harness.basic_blocks.throughput import Cost, Model, block_costs, known_models
from harness.sandbox import Finished, Job, Limits
from harness.sandbox.bench import Bench
from harness.sandbox.tools import run_tool
from harness.toolchain import TARGETS
from tests.basic_blocks.cells import cell, code_of, functions, made, measure

targets = pytest.mark.parametrize("target", Target)

KERNELS = """
#include <stdio.h>
#include <stdlib.h>
#define PLAIN _Pragma("clang loop unroll(disable) vectorize(disable) interleave(disable)")
__attribute__((noinline)) static long recurrence(long n, long a, long b) {
  long x = 1;
  PLAIN for (; n; n--) x = x * a + b;
  return x;
}
__attribute__((noinline)) static void straight(const double *a, const double *b, double *c, long n) {
  PLAIN for (; n; n--, c += 4) {
    c[0] = a[0] * b[0];
    c[1] = a[1] * b[1];
    c[2] = a[2] * b[2];
    c[3] = a[3] * b[3];
  }
}
int main(int argc, char **argv) {
  static double a[4] = {1, 2, 3, 4}, b[4] = {5, 6, 7, 8}, c[4000];
  double *volatile left = a, *volatile right = b, *volatile product = c; /* else they are propagated as constants */
  volatile long seven = 7;
  long n = atol(argv[1]);
  straight(left, right, product, n);
  printf("%ld %g\\n", recurrence(n, argc + 1, seven), c[2]);
  return 0;
}
"""

EXPECTED: dict[Target, dict[str, tuple[Sequence[str], float]]] = {
    # Skylake-SP: six micro-ops dispatched a cycle; integer operations on ports 0, 1, 5 and 6, of which only
    # port 1 multiplies; two ports load, one stores, ports 0, 1 and 5 do floating point.
    Target.X86_64: {
        # Four micro-ops on four ports, one of them the multiplication: 1 cycle. The chain of dependences,
        # 3 + 1 cycles, is not in the model.
        "recurrence": (("imulq", "addq", "decq", "jne"), max(4 / 4, 1 / 1, 4 / 6)),
        # Eight loads on two ports; four stores on one; four multiplications; 3 integer operations. Micro-ops:
        # 4 loads, 4 × 2 multiplications with a load, 4 × 2 stores, 3 others.
        "straight": (
            ("movsd", "mulsd", "movsd") * 4 + ("addq", "decq", "jne"),
            max(8 / 2, 4 / 1, 4 / 2, 3 / 4, 23 / 6),
        ),
    },
    # Neoverse N1, as LLVM models it: three micro-ops dispatched a cycle. Its guide gives a 64-bit multiply-add a
    # throughput of one in three cycles; a floating-point load or store with an offset takes two micro-ops; two
    # pipelines load and store.
    Target.AARCH64: {
        "recurrence": (("madd", "subs", "b.ne"), max(3.0, 3 / 3)),
        "straight": (
            ("ldr", "ldr", "subs", "fmul", "str", *("ldr", "ldr", "fmul", "str") * 3, "add", "b.ne"),
            max(12 / 2, (8 * 2 + 4 + 4 * 2 + 3) / 3),
        ),
    },
}


def mnemonics(text: str) -> tuple[str, ...]:
    return tuple(line.split()[0] for line in text.split("\n"))


@targets
def test_loops_by_hand(target: Target, bench: Bench, tmp_path: Path) -> None:
    """mca.cycles of a function is what its one loop costs, as often as it runs, and little else."""
    turns = 1000
    program = made(tmp_path, KERNELS, [str(turns)], noinline=("recurrence", "straight"))
    result = measure(program, target, bench)
    assert result.outcome is Outcome.OK, result.detail
    code = code_of(program, target, bench)
    assert isinstance(code, Code)
    cycles = functions(result, bench)["mca.cycles"]
    model = Model(target, TARGETS[target].model)
    costs = block_costs(code.texts, model, bench)
    for function, (body, by_hand) in EXPECTED[target].items():
        blocks = [block for block in code.blocks if block.function == function]
        (loop,) = (block for block in blocks if mnemonics(code.texts[block.text]) == body)
        cost = costs[loop.text].cycles
        assert cost is not None and math.isclose(cost, by_hand, abs_tol=0.01)
        others = sum(costs[block.text].cycles or 0 for block in blocks if block is not loop)
        assert turns * cost <= cycles[function] <= turns * cost + others
        assert math.isclose(cycles[function], turns * by_hand, rel_tol=0.01)
    assert math.isclose(result.values["mca.cycles"], sum(cycles.values()), rel_tol=1e-9)


@targets
def test_static_cycles_are_costs_by_expected_frequencies(target: Target, bench: Bench, tmp_path: Path) -> None:
    """LLVM expects a loop of unknown length to turn about 32 times: one in 32 leaves it."""
    program = made(tmp_path, KERNELS, ["10"], noinline=("recurrence", "straight"))
    static = functions(measure(program, target, bench), bench)["mca.static"]
    for function, (_, by_hand) in EXPECTED[target].items():
        assert 15 * by_hand < static[function] < 34 * by_hand + 10
    longer = made(tmp_path, KERNELS, ["999"], noinline=("recurrence", "straight"))
    assert functions(measure(longer, target, bench), bench)["mca.static"] == static


@targets
def test_one_iteration_says_what_a_hundred_say(target: Target, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["\n".join(body) for body in SAMPLES[target]]
    once = block_costs(texts, Model(target, TARGETS[target].model), bench)

    def hundred(job: Job, bench: Bench) -> Finished:
        more = tuple(word.replace("-iterations=1", "-iterations=100") for word in job.arguments)
        assert more != job.arguments
        return run_tool(replace(job, arguments=more), bench)

    monkeypatch.setattr(throughput, "run_tool", hundred)
    monkeypatch.setattr(throughput, "_recall", lambda *_: {})
    assert block_costs(texts, Model(target, TARGETS[target].model), bench) == once


SAMPLES = {
    Target.X86_64: [
        ("movq\t(%rdi), %rax", "addq\t$0x8, %rdi", "jmp\t0"),
        ("imulq\t%rsi, %rax", "addq\t%rdx, %rax", "decq\t%rdi", "jne\t0"),
        ("vaddps\t%zmm1, %zmm2, %zmm3",),
        ("divq\t%rcx", "callq\t0", "leaq\t0(%rip), %rdi"),
        ("rep\t\tmovsb\t(%rsi), %es:(%rdi)",),
    ],
    Target.AARCH64: [
        ("ldr\tx0, [x1], #0x8", "add\tx0, x0, #0x1", "b\t0"),
        ("adrp\tx0, 0", "bl\t0", "cbz\tx0, 0", "tbnz\tw3, #0x4, 0"),
        ("sdiv\tx0, x1, x2", "ldp\tx29, x30, [sp], #0x20", "ret"),
    ],
}


def test_costs_are_kept_by_content(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    model = Model(Target.X86_64, "skylake-avx512")
    started: list[Job] = []

    def spy(job: Job, bench: Bench) -> Finished:
        started.append(job)
        return run_tool(job, bench)

    monkeypatch.setattr(throughput, "run_tool", spy)
    new = ["xorl\t%r9d, %r8d\nnotl\t%r9d", "notl\t%r10d\nxorl\t%r9d, %r11d", ""]
    first = block_costs([*new, new[0]], model, bench)
    assert len(started) == 1
    assert block_costs(new, model, bench) == first[:3]
    assert len(started) == 1
    assert first[0] == first[3]
    assert first[2] == Cost(0.0)
    block_costs(new, Model(Target.X86_64, "znver4"), bench)
    assert len(started) == 2


def test_a_damaged_memory_is_made_anew(bench: Bench) -> None:
    texts = ["incl\t%eax"]
    model = Model(Target.X86_64, "skylake-avx512")
    before = block_costs(texts, model, bench)
    for name in ("block-costs.sqlite", "block-costs.sqlite-wal", "block-costs.sqlite-shm"):
        (bench.store.root / name).unlink(missing_ok=True)
    (bench.store.root / "block-costs.sqlite").write_bytes(b"not a database" * 100)
    assert block_costs(texts, model, bench) == before


MANY = [f"addl\t$0x{number:x}, %eax" for number in range(3000)]
ANY = Model(Target.X86_64, "skylake-avx512")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many blocks llvm-mca was asked about, each time; it answers at once."""
    counts: list[int] = []

    def answer(texts: Sequence[str], *_: Any) -> list[Cost]:
        counts.append(len(texts))
        return [Cost(float(len(text))) for text in texts]

    monkeypatch.setattr(throughput, "_model", answer)
    return counts


def test_pages_damaged_behind_a_good_header_are_made_anew(bench: Bench, tmp_path: Path, asked: list[int]) -> None:
    mine = Bench(bench.toolchain, tmp_path)
    before = block_costs(MANY, ANY, mine)
    path = tmp_path / "block-costs.sqlite"
    content = bytearray(path.read_bytes())
    content[4096 * 2 :] = b"\x5a" * (len(content) - 4096 * 2)
    path.write_bytes(content)
    (tmp_path / "block-costs.sqlite-wal").write_bytes(b"of another")
    assert block_costs(MANY, ANY, mine) == before
    assert block_costs(MANY, ANY, mine) == before
    assert asked == [3000, 3000]


def test_many_may_be_the_first(bench: Bench, tmp_path: Path, asked: list[int]) -> None:
    """Workers that ask a fresh cache at the same instant."""
    with ThreadPoolExecutor(4) as pool:
        for number in range(40):
            mine = Bench(bench.toolchain, tmp_path / str(number))
            barrier = Barrier(4)

            def ask(one: int, mine: Bench = mine, barrier: Barrier = barrier) -> list[Cost]:
                barrier.wait()
                return block_costs([MANY[one]], ANY, mine)

            assert all(len(costs) == 1 for costs in pool.map(ask, range(4)))
    assert asked == [1] * 160


def test_a_full_disk_is_nobodys_fault(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: list[int]
) -> None:
    mine, connect = Bench(bench.toolchain, tmp_path), sqlite3.connect

    def small(*words: Any, **named: Any) -> sqlite3.Connection:
        connection = connect(*words, **named)
        connection.execute("PRAGMA max_page_count=8")
        return connection

    monkeypatch.setattr(sqlite3, "connect", small)
    with pytest.raises(PrerequisiteError, match="no space left for the cache"):
        block_costs(MANY, ANY, mine)


def test_a_database_that_cannot_be_opened_is_named(bench: Bench, tmp_path: Path, asked: list[int]) -> None:
    (tmp_path / "block-costs.sqlite").mkdir()
    with pytest.raises(PrerequisiteError, match="cannot use the cache") as raised:
        block_costs(MANY, ANY, Bench(bench.toolchain, tmp_path))
    assert raised.value.where == str(tmp_path / "block-costs.sqlite")


def test_what_llvm_mca_cannot_model(bench: Bench) -> None:
    """One such block leaves the others as they are."""
    good = "addl\t%esi, %edi"
    texts = [good, "nonsense\t%eax", "addl\t%esi, %edi\nalso_nonsense", good]
    found = block_costs(texts, Model(Target.X86_64, "skylake-avx512"), bench)
    assert found[0].cycles is not None and found[0] == found[3]
    assert found[1].cycles is None and "invalid instruction mnemonic 'nonsense'" in found[1].problem
    assert found[2].cycles is None and "also_nonsense" in found[2].problem
    lacking = ["ldadd\tx0, x1, [x2]", "add\tx3, x4, x5\nldadd\tx0, x1, [x2]\nadd\tx3, x4, x6", "add\tx3, x4, x5"]
    atomics = block_costs(lacking, Model(Target.AARCH64, "neoverse-n1"), bench)
    problem = "no scheduling information for 'ldadd x0, x1, [x2]'"
    assert [cost.cycles is None for cost in atomics] == [True, True, False]
    assert [cost.problem for cost in atomics] == [problem, problem, ""]
    sve = block_costs(["whilelo\tp0.s, x0, x1", "add\tx0, x0, #0x1"], Model(Target.AARCH64, "neoverse-n1"), bench)
    assert sve[0].cycles is None and sve[1].cycles is not None


UNMODELLED = """
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  if (atoi(argv[1])) {
#ifdef __aarch64__
    __asm__ volatile(".inst 0xce030041" ::: "v1"); /* eor3 v1.16b, v2.16b, v3.16b, v0.16b: the N1 has none */
#else
    __asm__ volatile(".byte 0x0f, 0x18, 0xe0"); /* reserved, and does nothing */
#endif
  }
  puts("done");
  return 0;
}
"""


@targets
def test_an_unmodelled_block_matters_if_it_runs(target: Target, bench: Bench, tmp_path: Path) -> None:
    """It is named, and the other metrics stand; where it is never executed, its cost is of no account."""
    avoided = measure(made(tmp_path / "a", UNMODELLED, ["0"]), target, bench)
    assert avoided.outcome is Outcome.OK, avoided.detail
    assert set(avoided.missing) == {"mca.static"}
    met = measure(made(tmp_path / "b", UNMODELLED, ["1"]), target, bench)
    assert met.outcome is Outcome.OK, met.detail
    assert set(met.missing) == {"mca.cycles", "mca.static"}
    assert "llvm-mca cannot model block" in met.missing["mca.cycles"]
    assert "of main" in met.missing["mca.cycles"]
    assert {"instructions", "spills.executed", "size.text"} <= set(met.values)


@targets
def test_another_cpu(target: Target, bench: Bench, tmp_path: Path) -> None:
    cpu, strange = ("znver4", "neoverse-n1") if target is Target.X86_64 else ("neoverse-v2", "znver4")
    assert cpu in known_models(target, bench)
    program = made(tmp_path, KERNELS, ["100"], noinline=("recurrence", "straight"))
    names = ("mca.cycles", f"mca.cycles@{cpu}", f"mca.static@{cpu}", f"mca.cycles@{strange}")
    result = measure(program, target, bench, *names)
    assert result.values["mca.cycles"] != result.values[f"mca.cycles@{cpu}"]
    assert result.missing == {f"mca.cycles@{strange}": f"llvm-mca knows no {target.value} CPU '{strange}'"}
    units = {row.metric: row.unit for row in result.rows(cell(program, target), list(names), bench.isolation)}
    assert units["mca.cycles"] == f"{TARGETS[target].model} cycles"
    assert units[f"mca.cycles@{cpu}"] == f"{cpu} cycles"


def test_a_cpu_without_a_scheduling_model(bench: Bench, tmp_path: Path) -> None:
    program = made(tmp_path, KERNELS, ["100"], noinline=("recurrence", "straight"))
    result = measure(program, Target.X86_64, bench, "mca.cycles@i386", "mca.cycles")
    assert result.outcome is Outcome.OK
    assert "unable to find instruction-level scheduling information" in result.missing["mca.cycles@i386"]
    assert "mca.cycles" in result.values


def test_a_model_that_takes_too_long_is_tried_again(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Out of time is no property of the block: nothing is kept."""

    def late(*_: Any) -> Finished:
        return bench.sandbox.run(Job("/usr/bin/sleep", ("10",), system=True, limits=Limits(wall=0.2)))

    program = made(tmp_path, KERNELS, ["101"], noinline=("recurrence", "straight"))
    with monkeypatch.context() as patch:
        patch.setattr(throughput, "run_tool", late)
        patch.setattr(throughput, "_recall", lambda *_: {})
        result = measure(program, Target.X86_64, bench, "mca.static@alderlake")
    assert (result.outcome, result.transient) == (Outcome.COMPILE_TIMEOUT, True)
    assert measure(program, Target.X86_64, bench, "mca.static@alderlake").values
