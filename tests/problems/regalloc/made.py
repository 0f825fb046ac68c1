"""Programs and policies that the tests of register allocation make."""

import json
from pathlib import Path
from typing import Any

import pytest

from harness.apply import CompilePlan, compile_plan
from harness.apply.decisions import Decisions
from harness.apply.plan import clang_generate, clang_optimise
from harness.base.errors import CellError
from harness.base.vocabulary import Level, Outcome, Target
from harness.freeze import FrozenModule, freeze
from harness.policy import Policy, problem_of
from harness.policy.forms.interface import Interface
from harness.policy.forms.program import build_program, program_host
from harness.policy.forms.registry import asked_form
from harness.problems.programs.asking import Asked, asked_as, host_job
from harness.problems.programs.deciding import decide_twice
from harness.problems.regalloc.ask import about, asking
from harness.problems.regalloc.evictions import EVICTION, SLOTS
from harness.problems.regalloc.features import PRIORITY
from harness.problems.regalloc.problem import QUESTIONS
from harness.problems.regalloc.replay import ALLOCATIONS, REGALLOC
from harness.sandbox.bench import Bench
from harness.sandbox.pair import READ, WRITE, run_joined
from harness.suite.load import Program
from tests.problems.inlining.made import policy_of
from tests.programs import THROWS, own_program

__all__ = [
    *("HERE", "TIGHT"),
    *("Modules", "asking_of", "by_chance", "computed", "decide", "evicting", "eviction_policy", "object_of"),
    *("plain", "plan_of_body"),
    *("priority_policy", "python_policy", "refused", "shown_to"),
]

HERE = Path(__file__).parent

TIGHT = """
#include <stdio.h>
__attribute__((noinline)) static unsigned long tight(const unsigned long *in, unsigned long turns) {
  unsigned long a = in[0], b = in[1], c = in[2], d = in[3], e = in[4], f = in[5], g = in[6];
  unsigned long h = in[7], i = in[8], j = in[9], k = in[10], l = in[11], m = in[12];
  for (unsigned long turn = 0; turn < turns; turn++) {
    unsigned long n = in[turn & 7] + turn;
    __asm__ volatile("addq %1, %0"
                     : "+r"(a)
                     : "r"(b), "Q"(c), "r"(d), "r"(e), "r"(f), "Q"(g), "Q"(h), "r"(i), "r"(j), "r"(k), "Q"(l), "r"(m),
                       "r"(n), "r"(in));
    b += a ^ n; c ^= b; d += c; e ^= d; f += e; g ^= f; h += g; i ^= h; j += i; k ^= j; l += k; m ^= l;
  }
  return a ^ b ^ c ^ d ^ e ^ f ^ g ^ h ^ i ^ j ^ k ^ l ^ m;
}
int main(void) {
  unsigned long in[16];
  for (unsigned n = 0; n < 16; n++)
    in[n] = n * 2654435761u;
  printf("%lu\\n", tight(in, 9));
  return 0;
}
"""
"""Assembly that takes every register of x86-64, four of them by name: Greedy finds them, LLVM's Basic does not."""


class Modules:
    """The made programs, frozen at -O3."""

    def __init__(self, folder: Path, bench: Bench) -> None:
        self._folder, self._bench = folder, bench
        pressure = (HERE / "pressure.c").read_text()
        self.programs: dict[str, Program] = {
            "pressure": own_program(
                folder / "pressure",
                {"main.c": pressure},
                name="pressure",
                noinline=("mix", "crowded", "floating", "assembled", "nothing"),
            ),
            "throws": own_program(folder / "throws", {"main.cc": THROWS}, name="throws", language="c++"),
            "catches": own_program(
                folder / "catches",
                {"main.cc": (HERE / "catches.cc").read_text()},
                name="catches",
                language="c++",
                noinline=("_ZL6caughtPKjj", "_ZL3mayj"),
            ),
        }

    def frozen(self, name: str = "pressure", target: Target = Target.X86_64) -> FrozenModule:
        """One of them."""
        return freeze(self.programs[name], target, Level.O3, self._bench)

    def made(self, name: str, source: str, target: Target = Target.X86_64, **benchmark: Any) -> FrozenModule:
        """A C program of one's own; ``benchmark``: what is said of it besides."""
        program = own_program(self._folder / name, {"main.c": source}, name=name, **benchmark)
        return freeze(program, target, Level.O3, self._bench)


def computed(body: str, bench: Bench, header: str = "string.h") -> Asked:
    """A policy in C, which is asked with all features in ``feature``, a word each, and gives a double. ``header``: of
    the C library, which it needs besides."""
    uses = ",".join("1" for _ in PRIORITY.features)
    source = f"""#include <string.h>
#include <{header}>
const unsigned char policy_uses[{len(PRIORITY.features)}] = {{{uses}}};
static double priority(const long *feature) {{ {body} }}
long policy_decide(const long *feature) {{
  const double given = priority(feature);
  long word;
  memcpy(&word, &given, sizeof word);
  return word;
}}
"""
    return Asked("channel", host=program_host(build_program(source, PRIORITY, "made.c", bench), "made.c"))


_BY_CHANCE = {
    "priority": "double given = random() >> 32; int64_t word; memcpy(&word, &given, sizeof word); return word;",
    "eviction": f"""
  const int64_t *mask = question + {EVICTION.places["mask"]};
  int64_t legal[{SLOTS}];
  unsigned found = 0;
  for (int64_t slot = 0; slot < {SLOTS}; slot++)
    if (mask[slot])
      legal[found++] = slot;
  return legal[random() % found];""",
    "function": f"return random() % {len(ALLOCATIONS)};",
}
"""Question → an answer by chance, in C: any of those that are legal, each as likely."""


def by_chance(question: str, seed: int, bench: Bench) -> Asked:
    """A policy in C that answers by chance: the same for the same seed."""
    interface = QUESTIONS[question]
    uses = ",".join(str(int(feature.name == "mask")) for feature in interface.features)
    source = f"""#include <stdint.h>
#include <string.h>
const unsigned char policy_uses[{len(interface.features)}] = {{{uses}}};
static uint64_t random(void) {{ // splitmix64
  static uint64_t state = {seed + 1}u * 0x9e3779b97f4a7c15u;
  uint64_t mixed = state += 0x9e3779b97f4a7c15u;
  mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
  mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
  return mixed ^ mixed >> 31;
}}
int64_t policy_decide(const int64_t *question) {{ {_BY_CHANCE[question]} }}
"""
    return about(question, program_host(build_program(source, interface, "made.c", bench), "made.c"))


def priority_policy(text: str | bytes, **values: int | float | str) -> Policy:
    """A priority function in C++."""
    return policy_of(REGALLOC, "cpp", "heuristic", "heuristic.cpp", text, **values)


def python_policy(text: str) -> Policy:
    """One in Python."""
    return policy_of(REGALLOC, "python", "policy", "policy.py", text)


def asking_of(question: str, policy: Policy) -> Policy:
    """The policy, as one that answers another question."""
    manifest = policy.manifest.model_copy(update={"question": question})
    return Policy(manifest, policy.folder, policy.contents, policy.baseline)


def decide(policy: Policy, frozen: FrozenModule, bench: Bench, seed: int = 0) -> Decisions:
    """What a run does, without the time between: the policy is checked, then it decides, twice if it is not pure."""
    problem_of(policy.manifest.problem).check(policy, "submission.toml")
    return decide_twice(policy, frozen, seed, bench)


def plan_of_body(body: dict[str, object], frozen: FrozenModule) -> CompilePlan:
    """The plan of these decisions."""
    return problem_of(REGALLOC).plan(Decisions(REGALLOC, frozen.level, body), frozen.target)


def object_of(body: dict[str, object], frozen: FrozenModule, bench: Bench) -> str:
    """Digest of the object that these decisions give."""
    return compile_plan(frozen, plan_of_body(body, frozen), bench).digest


def shown_to(
    answer: str, interface: Interface, frozen: FrozenModule, bench: Bench, *options: str
) -> list[dict[str, Any]]:
    """Of every question, the features as a policy in Python gets them that always answers this; options of LLVM's."""
    policy = python_policy(
        "import json, sys\n"
        "def decide(features):\n"
        "    shown = json.dumps(features, default=lambda tensor: tensor.tolist())\n"
        "    print(shown, file=sys.stderr, flush=True)\n"
        f"    return {answer}\n"
    )
    asked = asked_as(asked_form(policy).open(policy, interface, 0, bench))
    question = next(name for name, one in QUESTIONS.items() if one is interface)
    channel = (f"channel-from={READ}", f"channel-to={WRITE}", f"question={question}")
    compiler = asking(frozen, bench).job(asked, bench, (*(f"-regalloc-policy-{one}" for one in channel), *options))
    assert asked.host is not None
    _, hosted = run_joined(bench.sandbox, compiler, host_job(asked.host, compiler.limits.wall))
    return [json.loads(line) for line in hosted.stderr.decode().splitlines()]


def evicting(slot: str, bench: Bench) -> Asked:
    """A policy in C that gives this slot; ``own`` is Greedy's."""
    uses = ",".join("1" for _ in EVICTION.features)
    source = f"""#include <stdint.h>
const unsigned char policy_uses[{len(EVICTION.features)}] = {{{uses}}};
int64_t policy_decide(const int64_t *question) {{
  static int asked;
  const int64_t *mask = question + {EVICTION.places["mask"]}, own = question[{EVICTION.places["default_slot"]}];
  const float *weight = (const float *)(question + {EVICTION.places["use_def_density"]});
  asked++;
  (void)mask, (void)weight, (void)own;
  return {slot};
}}
"""
    host = program_host(build_program(source, EVICTION, "made.c", bench), "made.c")
    return about("eviction", host)


def eviction_policy(form: str, role: str, name: str, content: str | bytes, **values: int) -> Policy:
    """One that is asked what to evict."""
    return asking_of("eviction", policy_of(REGALLOC, form, role, name, content, **values))


def plain(frozen: FrozenModule, bench: Bench, *options: str) -> str:
    """Digest of clang's own object, with options of LLVM's."""
    level, target = frozen.level, frozen.target
    plan = CompilePlan(clang_optimise(level, target), clang_generate(level, target, options))
    return compile_plan(frozen, plan, bench).digest


def refused(body: dict[str, Any], frozen: FrozenModule, bench: Bench) -> str:
    """The message; the outcome is not-replayable."""
    with pytest.raises(CellError) as raised:
        object_of(body, frozen, bench)
    assert raised.value.outcome is Outcome.NOT_REPLAYABLE and not raised.value.transient
    return raised.value.message
