"""Calls that are alike share LLVM's walks through the callee; what is found is what a walk for each call finds."""

import subprocess
from dataclasses import replace

import pytest

from harness.base.progress import SilentObserver
from harness.base.vocabulary import Level, Target
from harness.freeze import FrozenModule, freeze
from harness.problems.inlining.ask import Answer, ask
from harness.problems.programs.asking import Asked
from harness.problems.programs.stages import fetch_sources
from harness.run.engines import local_engine
from harness.sandbox.bench import Bench
from harness.suite.load import load_suite
from harness.toolchain import find_toolchain
from tests.problems.inlining.made import Modules, computed

ALIKE = """
struct pair { int a, b; };
struct pair table[8];
int sink(const void *);
int other(int);

static int same(struct pair *x, struct pair *y) { return x == y ? other(1) : x->a - y->b; }
static int sum(struct pair *p) {
  int s = 0;
  for (int i = 0; i < p->b; i++) s += p->a * i;
  if (!p) return other(7) + other(8) + other(9);
  return s;
}
static int choose(int how, int x) {
  switch (how) {
    case 0: return x * 3;
    case 1: return other(x) + other(x + 1);
    case 2: return x / 7;
    default: for (int i = 0; i < x; i++) how += other(i); return how;
  }
}
static int twice(int (*f)(int), int x) { return f(x) + f(x + 1); }
static int once(int x) { return other(x) * other(x + 2) + other(x * 3); }
static int grows(int x) { return choose(x, x) + choose(2, x); }
static void gone(int x) { if (x) sink(&table[x]); __builtin_trap(); }

int first(int x) {
  struct pair here = {x, 3}, there = {2, x};
  sink(&here); sink(&there);
  return same(&here, &there) + same(&here, &here) + same(&there, &there) + same(table, table) + same(table, &table[1]);
}
int second(struct pair *p, struct pair *q, int x) {
  struct pair here = {x, x};
  int s = same(p, q) + same(&p[1], &p[1]) + same(&p[1], &p[2]) + same(p, p) + same(p, p + 1);
  return s + sum(p) + sum(q) + sum(&here) + sum(table);
}
int third(int x) {
  return choose(0, x) + choose(1, x) + choose(0, x + 1) + choose(x, 3) + choose(x, 4) + choose(x, x) + choose(9, 2);
}
int fourth(int x) { return twice(other, x) + twice(once, x) + twice(grows, x) + grows(x) + grows(x + 1) + once(x); }
int fifth(int x) { if (x > 3) gone(x); if (x < -3) gone(-x); return x ? fifth(x - 1) + choose(1, x) : choose(1, x); }
__attribute__((cold, minsize)) int sixth(int x) { return sum(table) + choose(1, x) + choose(0, x); }
static int leaf(int x) { for (int i = 0; i < 3; i++) x = x * 5 + other(i); return x; }
int ring2(int x); int ring3(int x); int ring4(int x);
int ring1(int x) { return x < 1 ? leaf(x) : ring2(x - 1) + ring3(x - 2) + ring4(x - 3) + leaf(x); }
int ring2(int x) { return x < 2 ? leaf(x) : ring1(x - 1) * ring3(x - 2) + ring4(x - 3) + leaf(x + 1); }
int ring3(int x) { return x < 3 ? leaf(x) : ring1(x - 1) + ring2(x - 2) * ring4(x - 3) + leaf(x + 2); }
int ring4(int x) { return x < 4 ? leaf(x) : ring1(x - 1) + ring2(x - 2) + ring3(x - 3) + leaf(x + 3); }
int other(int x) { return sink(&x); }
int sink(const void *p) { return *(volatile const char *)p; }
int main(int n, char **v) {
  struct pair *p = (struct pair *)v;
  return first(n) + second(p, p + n, n) + third(n) + fourth(n) + fifth(n) + sixth(n) + ring1(n) + ring2(n + 9);
}
"""
"""One callee in many manners: equal and other constants, objects of the caller, one object twice, distances into it,
the end of the program after it, a caller that calls itself, functions that call one another."""

MIXED = "static unsigned long asked; asked = asked * 6364136223846793005 + 1442695040888963407; return asked >> 63;"
"""Inlines half of the calls, in no order: functions change between the questions about them."""


def answers(policy: Asked, frozen: FrozenModule, bench: Bench) -> tuple[Answer, Answer]:
    """With walks shared, and with a walk for each question."""
    shared, alone = (
        ask(replace(policy, options=more), frozen, bench, features=True) for more in ((), ("share-walks=false",))
    )
    return shared, alone


def module_text(answer: Answer) -> bytes:
    """The optimised module as text: LLVM writes equal modules as bitcode that differs now and then."""
    command = [find_toolchain().tool("llvm-dis"), "-", "-o", "-"]
    return subprocess.run(command, input=answer.bitcode, capture_output=True, check=True, timeout=60).stdout


@pytest.mark.parametrize("name", ["calls", "throws", "alike"])
@pytest.mark.parametrize("level", [Level.OZ, Level.O3])
def test_shared_walks_find_what_walks_for_each_question_find(
    name: str, level: Level, modules: Modules, bench: Bench
) -> None:
    frozen = modules.made("alike", ALIKE, level) if name == "alike" else modules.frozen(name, Target.X86_64, level)
    for policy in (Asked("default"), computed(MIXED, bench)):
        shared, alone = answers(policy, frozen, bench)
        assert len(shared.features) > 15 * 41 * 8
        assert (shared.features, shared.body) == (alone.features, alone.body)
        assert module_text(shared) == module_text(alone)


@pytest.mark.slow
@pytest.mark.parametrize("target", list(Target))
@pytest.mark.parametrize("level", [Level.OZ, Level.O3])
def test_on_all_of_cbench(target: Target, level: Level, bench: Bench) -> None:
    programs = load_suite("cbench").programs
    fetch_sources(programs, bench, local_engine(2), SilentObserver())
    bench = replace(bench, compile_timeout=600.0)  # half of the calls inlined: at -O3 lame takes long
    for program in programs:
        shared, alone = answers(computed(MIXED, bench), freeze(program, target, level, bench), bench)
        assert (shared.features, shared.body) == (alone.features, alone.body), program.id
        assert module_text(shared) == module_text(alone), program.id
