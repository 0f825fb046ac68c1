"""Whatever a policy does, of any question, there is an outcome with its reason, in time; and functions of every sort
are allocated, however many live ranges they have."""

import re
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from textwrap import indent

import pytest

from harness.apply import compile_plan
from harness.base.digest import digest_bytes
from harness.base.errors import CellError
from harness.base.vocabulary import Outcome, Target
from harness.freeze import FrozenModule
from harness.policy import Policy
from harness.policy.forms.python import form as channel
from harness.problems.programs import deciding
from harness.problems.programs.take import Made, require_right
from harness.problems.regalloc.ask import ask, known
from harness.problems.regalloc.check import is_faithful
from harness.problems.regalloc.log import Function, functions_of
from harness.problems.regalloc.problem import QUESTIONS
from harness.problems.regalloc.replay import ALLOCATIONS
from harness.sandbox import MIB, tools
from harness.sandbox.bench import Bench
from tests.problems.faults import with_faults
from tests.problems.regalloc.made import (
    HERE,
    TIGHT,
    Modules,
    asking_of,
    by_chance,
    decide,
    object_of,
    plan_of_body,
    priority_policy,
    python_policy,
)

PATIENCE = 2.0
"""Seconds that a compilation may take where one is to meet the limit."""
LATE = 20.0
"""Seconds that it may take to say so on a busy machine."""
BY_QUESTION = pytest.mark.parametrize("question", QUESTIONS)
OWN = {"priority": "float(features['default_priority'])", "eviction": "features['default_slot']", "function": "0"}
"""Question → Greedy's own answer, in Python."""

MISBEHAVING, MODES = with_faults(HERE / "misbehaving.cpp")


def misbehaving(question: str, mode: str) -> Policy:
    """The C++ policy with this fault."""
    return asking_of(question, priority_policy(MISBEHAVING, mode=MODES.index(mode)))


def acting(question: str, act: str) -> Policy:
    """One in Python that does this when it is asked for the third time, and else decides as Greedy does."""
    return asking_of(
        question,
        python_policy(
            "import os, signal, socket, sys, time\n"
            "asked = 0\n"
            "def decide(features):\n"
            "    global asked\n"
            "    asked += 1\n"
            "    if asked >= 3:\n"
            f"{indent(act, ' ' * 8)}\n"
            f"    return {OWN[question]}\n"
        ),
    )


def failure(policy: Policy, frozen: FrozenModule, bench: Bench) -> CellError:
    """How the policy ends."""
    with pytest.raises(CellError) as raised:
        decide(policy, frozen, bench)
    return raised.value


@pytest.fixture
def quick(bench: Bench) -> Bench:
    """A workbench that soon loses patience."""
    return replace(bench, compile_timeout=PATIENCE)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer has a third of a second."""
    monkeypatch.setattr(channel, "REPLY_SECONDS", 0.3)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compilations get 128 MiB of files."""
    monkeypatch.setattr(tools, "GIB", 128 * MIB)
    monkeypatch.setattr(tools._job, "__defaults__", (None, 128 * MIB))


# -- in the compiler's process


@BY_QUESTION
@pytest.mark.parametrize(
    "mode", ["Fine", "Connects", "ReadsPasswords", "OpensFiles", "RewritesCode", "WritesHome", "Leftovers"]
)
def test_of_the_machine_there_is_nothing(mode: str, question: str, modules: Modules, bench: Bench) -> None:
    """It would decide otherwise than Greedy if it could. Files that it leaves in its folder are nobody's."""
    assert decide(misbehaving(question, mode), modules.frozen(), bench).body == {"functions": []}


@BY_QUESTION
def test_what_never_ends_is_stopped(question: str, modules: Modules, quick: Bench) -> None:
    started = time.monotonic()
    error = failure(misbehaving(question, "Loops"), modules.frozen(), quick)
    assert error.outcome is Outcome.POLICY_TIMEOUT and error.transient
    assert error.message == "the policy in the compiler: stopped at its limit of 2 s of CPU time"
    assert time.monotonic() - started < PATIENCE + LATE


@BY_QUESTION
@pytest.mark.parametrize(
    ("mode", "said"),
    [
        ("Recurses", "clang: killed by SIGSEGV"),
        ("Crashes", "clang crashed: SIGSEGV"),
        ("Traps", "clang crashed: SIGILL"),
        ("Exits", "program.o is "),
        ("Leaves", "program.o is "),
        ("RemovesLog", "decisions.txt is "),
        ("ForgesNothing", "altered the log of decisions: it has no end"),
        ("ForgesGarbage", "altered the log of decisions: line 2 is no decision"),
        ("Allocates", "LLVM ERROR: out of memory"),
        ("TouchesAll", "clang crashed: SIGSEGV (it cannot have more than 8192 MiB of memory)"),
    ],
)
def test_what_ends_too_early_or_takes_too_much(
    mode: str, said: str, question: str, modules: Modules, bench: Bench
) -> None:
    error = failure(misbehaving(question, mode), modules.frozen(), bench)
    assert (error.outcome, error.transient) == (Outcome.POLICY_ERROR, False)
    assert said in error.message


def test_more_than_can_be_recorded(modules: Modules, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a log that is too long not a line is read."""
    monkeypatch.setattr(deciding, "LARGEST", 10)
    error = failure(misbehaving("priority", "ForgesGarbage"), modules.frozen(), bench)
    assert (error.outcome, error.transient) == (Outcome.POLICY_ERROR, False)
    assert error.message == "the policy's decisions take more than the 10 bytes that are recorded"


def test_a_full_scratch_folder(modules: Modules, bench: Bench, small: None) -> None:
    error = failure(misbehaving("eviction", "FillsDisk"), modules.frozen(), bench)
    assert error.outcome is Outcome.POLICY_ERROR
    assert "scratch folder of 128 MiB is full" in error.message


@BY_QUESTION
@pytest.mark.parametrize(
    ("mode", "said"),
    [
        ("ChangesCode", "did more to the code than decide|is not what was decided about"),
        ("ForgesObject", "did more to the code than decide"),
        ("ReadsRandom", "the policy decides otherwise when it is asked again"),
    ],
)
def test_who_does_more_than_decide_is_not_replayable(
    mode: str, said: str, question: str, modules: Modules, bench: Bench
) -> None:
    error = failure(misbehaving(question, mode), modules.frozen(), bench)
    assert (error.outcome, error.transient) == (Outcome.NOT_REPLAYABLE, False)
    assert re.search(said, error.message)


def test_every_fault_is_tried() -> None:
    text = Path(__file__).read_text()
    assert {mode for mode in MODES if f'"{mode}"' not in text} == set()


# -- in a process of its own


@BY_QUESTION
@pytest.mark.parametrize(
    ("act", "said"),
    [
        ("raise RuntimeError('the third')", "ended with exit status 1: line 7: RuntimeError: the third"),
        ("os._exit(0)", "policy.py ended with exit status 0"),
        ("os.abort()", "policy.py was killed by SIGABRT"),
        ("os.closerange(0, 99); time.sleep(3600)", "policy.py closed the channel to the compiler"),
        ("blob = bytearray(50 << 30)", "ended with exit status 1: line 7: MemoryError"),
        ("socket.create_connection(('127.0.0.1', 80))", "ended with exit status 1: "),
        ("open('/root/made', 'w')", "ended with exit status 1: "),
        ("return None", "policy.py gave 3 answers that could not be used: decide returned None"),
        ("return 'register'", "policy.py gave 3 answers that could not be used: decide returned 'register'"),
        ("return float('nan')", "policy.py gave 3 answers that could not be used: decide returned nan"),
        ("return [0, 1]", "policy.py gave 3 answers that could not be used: decide returned [0, 1]"),
    ],
)
def test_python_that_dies_or_answers_nothing(
    act: str, said: str, question: str, modules: Modules, bench: Bench
) -> None:
    error = failure(acting(question, act), modules.frozen(), bench)
    assert (error.outcome, error.transient) == (Outcome.POLICY_ERROR, False)
    assert said in error.message


@BY_QUESTION
@pytest.mark.parametrize("act", ["time.sleep(3600)", "while True: pass", "os.kill(os.getpid(), signal.SIGSTOP)"])
def test_python_that_stops_answering(act: str, question: str, modules: Modules, bench: Bench, impatient: None) -> None:
    started = time.monotonic()
    error = failure(acting(question, act), modules.frozen(), bench)
    assert error.outcome is Outcome.POLICY_TIMEOUT and error.transient
    assert error.message == "policy.py did not answer within 0.3 s"
    assert time.monotonic() - started < 3 * 0.3 + LATE


@BY_QUESTION
def test_python_that_does_more_than_answer(question: str, modules: Modules, bench: Bench) -> None:
    """Beside it there is nothing: it decides as if it had done nothing."""
    act = (
        "open('decisions.txt', 'w').write('all of them')\n"
        "open('program.o', 'w').write('an object')\n"
        "print('regalloc plugin: the channel is given up: bad', file=sys.stderr, flush=True)\n"
        "[os.kill(int(n), 9) for n in os.listdir('/proc') if n.isdigit() and int(n) != os.getpid()]"
    )
    assert decide(acting(question, act), modules.frozen(), bench).body == {"functions": []}


# -- functions of every sort

REGISTERS = """
#include <stdio.h>
__attribute__((noinline)) static unsigned long fixed(unsigned long value, unsigned long other) {
#if defined(__x86_64__)
  unsigned long low, high;
  register unsigned long own __asm__("r12") = other;
  __asm__("mulq %3" : "=a"(low), "=d"(high) : "a"(value), "r"(own) : "cc");
  __asm__ volatile("movq %0, %%rbx" : : "r"(low) : "rbx", "rcx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r13", "r14");
#else
  unsigned long low, high;
  register unsigned long own __asm__("x20") = other;
  __asm__("mul %0, %2, %3\\n\\tumulh %1, %2, %3" : "=&r"(low), "=&r"(high) : "r"(value), "r"(own));
  __asm__ volatile("mov x19, %0" : : "r"(low) : "x19", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10");
#endif
  return low ^ high ^ own;
}
__attribute__((noinline)) static double pinned(double value, double other) {
#if defined(__x86_64__)
  register double own __asm__("xmm7") = other;
  __asm__("addsd %1, %0" : "+x"(value) : "x"(own) : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6");
#else
  register double own __asm__("d7") = other;
  __asm__("fadd %d0, %d0, %d1" : "+w"(value) : "w"(own) : "v0", "v1", "v2", "v3", "v4", "v5", "v6");
#endif
  return value + own;
}
int main(int argc, char **argv) {
  unsigned long sum = 1;
  double real = 1;
  for (int turn = 0; turn < 20; turn++) {
    sum = fixed(sum + argc, sum * 3 + turn) + turn;
    real = pinned(real, turn) / 3;
  }
  printf("%lu %.6f\\n", sum, real);
  return 0;
}
"""
"""Assembly whose operands must be in certain registers, and that clobbers most others."""


def wide(together: int, values: int = 5000) -> str:
    """A C program with a function of so many live ranges, so many of which are live at once."""
    first = "".join(f"  unsigned v{n} = in[{n}];\n" for n in range(together))
    later = "".join(
        f"  v{n % together} = in[{n}] + (v{(n * 7 + 3) % together} ^ v{(n * 5 + 1) % together} >> {n % 13 + 1});\n"
        for n in range(together, values)
    )
    last = "".join(f"  sum = sum * 31 + v{n * 7919 % together};\n" for n in range(together))
    return (
        f"#include <stdio.h>\nunsigned in[{values}];\n"
        f"__attribute__((noinline)) unsigned wide(const volatile unsigned *in) {{\n{first}{later}"
        f"  unsigned sum = 0;\n{last}  return sum;\n}}\n"
        f"int main(void) {{\n  for (unsigned n = 0; n < {values}; n++)\n    in[n] = n * 2654435761u;\n"
        '  printf("%u\\n", wide(in));\n  return 0;\n}\n'
    )


def require_allocated(question: str, frozen: FrozenModule, bench: Bench) -> list[Function]:
    """By chance, and the program is right. What was decided."""
    answer = ask(by_chance(question, 1, bench), frozen, bench)
    plan = plan_of_body(answer.body, frozen)
    assert frozen.program is not None
    require_right(Made(frozen.program, frozen.target, frozen, plan, compile_plan(frozen, plan, bench)), bench)
    return list(functions_of(answer.body))


@BY_QUESTION
@pytest.mark.parametrize("target", list(Target))
def test_assembly_that_takes_registers(question: str, target: Target, modules: Modules, bench: Bench) -> None:
    require_allocated(question, modules.made("registers", REGISTERS, target, noinline=("fixed", "pinned")), bench)


@BY_QUESTION
def test_assembly_that_takes_every_register(question: str, modules: Modules, bench: Bench) -> None:
    """Greedy finds them, whatever it is told; an allocator that does not is an outcome, with LLVM's reason."""
    frozen = modules.made("tight", TIGHT, noinline=("tight",))
    if question != "function":
        for seed in range(3):
            answer = ask(by_chance(question, seed, bench), frozen, bench)
            assert compile_plan(frozen, plan_of_body(answer.body, frozen), bench).digest == digest_bytes(answer.object)
        return
    said = "clang: exit status 1: .*error: inline assembly requires more registers than available"
    basic = "Allocation getAllocation(const MachineFunction &, FunctionContext &) { return Allocation::Basic; }"
    place = ALLOCATIONS.index("basic")
    chosen = {
        "the policy in the compiler": priority_policy(basic),
        "the compiler that policy.py answers": python_policy(f"def decide(features): return {place}\n"),
    }
    for who, policy in chosen.items():
        error = failure(asking_of("function", policy), frozen, bench)
        assert (error.outcome, error.transient) == (Outcome.POLICY_ERROR, False)
        assert re.match(f"{who}: {said}", error.message)
    with pytest.raises(CellError, match=said) as raised:
        compile_plan(frozen, plan_of_body({"allocator": "basic"}, frozen), bench)
    assert raised.value.outcome is Outcome.COMPILE_ERROR


@BY_QUESTION
def test_5000_live_ranges(question: str, modules: Modules, bench: Bench) -> None:
    frozen = modules.made("wide", wide(24), noinline=("wide",))
    (decided,) = (one for one in require_allocated(question, frozen, bench) if one.name == "wide")
    if question == "priority":
        assert decided.questions > 5000
    if question == "eviction":
        assert decided.evictions > 500


@pytest.mark.slow
@pytest.mark.parametrize("question", ["priority", "eviction"])
def test_5000_live_ranges_at_once(question: str, modules: Modules, bench: Bench) -> None:
    require_allocated(question, modules.made("wider", wide(5000), noinline=("wide",)), bench)


@pytest.mark.slow
def test_an_allocator_that_takes_too_long_for_them(modules: Modules, quick: Bench) -> None:
    """LLVM's PBQP compares each with each."""
    frozen = modules.made("wider", wide(5000), noinline=("wide",))
    compile_plan(frozen, plan_of_body({"functions": []}, frozen), replace(quick, compile_timeout=60.0))
    started = time.monotonic()
    with pytest.raises(CellError, match="stopped at its limit of 2 s of CPU time") as raised:
        ask(known("pbqp"), frozen, quick)
    assert raised.value.outcome is Outcome.POLICY_TIMEOUT
    assert time.monotonic() - started < PATIENCE + LATE


def test_functions_without_virtual_registers(modules: Modules, bench: Bench) -> None:
    """Nothing is asked of them but what allocates them."""
    source = (
        '__attribute__((noinline)) void nothing(void) { __asm__ volatile(""); }\n'
        "int main(void) { for (;;) nothing(); }\n"
    )
    frozen = modules.made("nothing", source, noinline=("nothing",))
    for question in ("priority", "eviction"):
        assert ask(by_chance(question, 1, bench), frozen, bench).body == {"functions": []}
    body = ask(by_chance("function", 2, bench), frozen, bench).body
    assert {one.name for one in functions_of(body)} == {"nothing", "main"}
    assert compile_plan(frozen, plan_of_body(body, frozen), bench)


@pytest.mark.parametrize(("length", "is_asked"), [(70_000, True), (2_000_000, False)])
def test_names_of_any_length(length: int, is_asked: bool, modules: Modules, bench: Bench) -> None:
    """LLVM says them where nobody reads until it has done so. Of the longest, nobody is asked what to evict."""
    name = "n" * length
    text = (HERE / "pressure.c").read_text()
    for old, new in (
        ("__attribute__((noinline)) static unsigned crowded(", "static unsigned crowded("),
        ("int main(", "static unsigned (*volatile through)(const unsigned *, int) = crowded;\n\nint main("),
        (" crowded(in,", " through(in,"),
    ):
        assert old in text
        text = text.replace(old, new)
    noinline = ("mix", "floating", "assembled", "nothing")
    frozen = modules.made(f"long{length}", f"#define crowded {name}\n{text}", noinline=noinline)
    soon = replace(bench, compile_timeout=6.0)
    assert is_faithful(frozen, soon, "eviction")
    answer = ask(by_chance("eviction", 1, bench), frozen, soon)
    assert digest_bytes(answer.object) == object_of(answer.body, frozen, soon)
    decided = {one.name: one for one in functions_of(answer.body)}
    assert (name in decided and decided[name].evictions > 0) == is_asked
    named = ask(by_chance("priority", 1, bench), frozen, soon)
    assert name in {one.name for one in functions_of(named.body)}
    assert digest_bytes(named.object) == object_of(named.body, frozen, soon)


@BY_QUESTION
def test_several_compilations_at_once(question: str, modules: Modules, bench: Bench) -> None:
    """Of two modules, by two policies: each gets what it gets alone."""
    tasks = [(seed, modules.frozen(name)) for seed in (1, 2) for name in ("pressure", "throws")]

    def object_by(task: tuple[int, FrozenModule]) -> bytes:
        seed, frozen = task
        return ask(by_chance(question, seed, bench), frozen, bench).object

    alone = [object_by(task) for task in tasks]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(object_by, tasks)) == alone
