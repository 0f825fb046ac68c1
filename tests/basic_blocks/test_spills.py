"""Spills and reloads, against what LLVM remarks in its own assembly, and on text written by hand."""

import re
import subprocess
from pathlib import Path

import pytest

from harness.base.vocabulary import Target
from harness.basic_blocks import Code
from harness.basic_blocks.spills import Traffic, spill_traffic
from harness.sandbox.bench import Bench
from harness.suite.load import Program
from harness.toolchain import Toolchain
from tests.basic_blocks.cells import code_of, made, measure

targets = pytest.mark.parametrize("target", Target)

CROWD = range(40)
"""More values in the loop than either target has registers for."""
PRESSURE = f"""
#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) static double crowd(const double *p, long n) {{
  double {", ".join(f"v{k} = p[{k}]" for k in CROWD)};
  for (long i = 0; i < n; i++) {{
    {" ".join(f"v{k} = v{k} * v{(k + 1) % 40} + v{(k + 7) % 40};" for k in CROWD)}
  }}
  return {" + ".join(f"v{k}" for k in CROWD)};
}}
__attribute__((noinline)) static long saved(long a, long b, long (*f)(long)) {{ return f(a) * f(b) + a * b; }}
static long twice(long x) {{ return 2 * x; }}
int main(int argc, char **argv) {{
  double values[40], *volatile p = values;
  long (*volatile f)(long) = twice;
  for (int k = 0; k < 40; k++) p[k] = 1.0 / (k + 900);
  printf("%.6g %ld\\n", crowd(p, atol(argv[1])), saved(argc, 7, f));
  return 0;
}}
"""
REMARK = re.compile(r"(?:#|//) (\d+)-byte (Folded )?(Spill|Reload)")


def program(folder: Path) -> Program:
    return made(folder, PRESSURE, ["50"], noinline=("crowd", "saved"))


def remarked(toolchain: Toolchain, folder: Path) -> dict[str, dict[str, int]]:
    """Function → spills and reloads, as LLVM remarks them in x86-64 assembly (registers of the caller are pushed
    there, without a remark)."""
    (folder / "main.c").write_text(PRESSURE)
    flags = ["-O3", "-march=x86-64", "-ffp-contract=off", "-fPIE", "-S", "main.c", "-o", "main.s"]
    subprocess.run([toolchain.tool("clang"), *flags], cwd=folder, check=True, timeout=60)
    found: dict[str, dict[str, int]] = {}
    function = ""
    for line in (folder / "main.s").read_text().splitlines():
        if label := re.match(r"([a-z]\w*):", line):
            function = label[1]
        for _, _, kind in REMARK.findall(line):
            counts = found.setdefault(function, {"Spill": 0, "Reload": 0})
            counts[kind] += 1
    return found


def test_what_llvm_remarks(bench: Bench, toolchain: Toolchain, tmp_path: Path) -> None:
    code = code_of(program(tmp_path / "made"), Target.X86_64, bench)
    assert isinstance(code, Code)
    (tmp_path / "assembly").mkdir()
    expected = remarked(toolchain, tmp_path / "assembly")
    assert expected["crowd"]["Spill"] > 5 and expected["crowd"]["Reload"] > 5
    for function in ("crowd", "saved", "main"):
        blocks = [block for block in code.blocks if block.function == function]
        found = {"Spill": sum(b.spills for b in blocks), "Reload": sum(b.reloads for b in blocks)}
        assert found == expected.get(function, {"Spill": 0, "Reload": 0}), function


@targets
def test_registers_saved_for_the_caller_are_no_spills(target: Target, bench: Bench, tmp_path: Path) -> None:
    code = code_of(program(tmp_path), target, bench)
    assert isinstance(code, Code)
    blocks = [block for block in code.blocks if block.function == "saved"]
    text = "\n".join(code.texts[block.text] for block in blocks)
    assert "push" in text or "stp" in text
    assert sum(block.spills + block.reloads for block in blocks) == 0


@targets
def test_executed_spills_are_weighted_by_their_blocks(target: Target, bench: Bench, tmp_path: Path) -> None:
    """Twice the turns, twice what the loop spills and reloads; the code is the same."""
    values = []
    for turns in (50, 100, 150):
        one = made(tmp_path / str(turns), PRESSURE, [str(turns)], noinline=("crowd", "saved"))
        values.append(measure(one, target, bench).values)
    for name in ("spills", "reloads"):
        assert values[0][name] == values[1][name] == values[2][name] > 0
        executed = [value[f"{name}.executed"] for value in values]
        assert executed[2] - executed[1] == executed[1] - executed[0]
    assert values[1]["reloads.executed"] - values[0]["reloads.executed"] >= 50


@targets
def test_static_spills_are_weighted_by_what_llvm_expects(target: Target, bench: Bench, tmp_path: Path) -> None:
    """That the loop runs more often than what is around it."""
    one = program(tmp_path)
    code, values = code_of(one, target, bench), measure(one, target, bench).values
    assert isinstance(code, Code)
    for name in ("spills", "reloads"):
        expected = sum(getattr(block, name) * block.frequency for block in code.blocks)
        assert values[f"{name}.static"] == pytest.approx(expected, abs=1e-5) and expected > values[name] > 0


@targets
def test_every_allocator_spills_as_it_is_known_to(target: Target, bench: Bench, tmp_path: Path) -> None:
    one = program(tmp_path)
    spills = {name: measure(one, target, bench, policy=name).values for name in ("greedy", "basic", "pbqp", "fast")}
    assert spills["fast"]["spills"] > spills["greedy"]["spills"]
    assert len({values["reloads"] for values in spills.values()}) > 2


MIR = """--- |
  define void @name() {
  bb.0:
    ret void
  }
  name: not this
...
---
name:            first
fixedStack:
  - { id: 0, type: spill-slot, offset: -16, size: 8, alignment: 16, stack-id: default,
      callee-saved-register: '$rbx', callee-saved-restored: true, debug-info-variable: '' }
stack:
  - { id: 0, name: '', type: spill-slot, offset: -24, size: 8, alignment: 8,
      stack-id: default, callee-saved-register: '', callee-saved-restored: true }
  - { id: 1, name: 'buffer', type: default, offset: -240, size: 24, alignment: 16,
      stack-id: default, callee-saved-register: '', callee-saved-restored: true }
  - { id: 2, name: '', type: spill-slot, offset: -32, size: 8, alignment: 8,
      stack-id: default, callee-saved-register: '$x19', callee-saved-restored: true }
  - { id: 13, name: '', type: spill-slot, offset: -48, size: 16, alignment: 16,
      stack-id: default, callee-saved-register: '', callee-saved-restored: true }
entry_values:    []
body:             |
  bb.0 (%ir-block.1, bb_id 0):
    $x19 = frame-destroy LDRXui $sp, 2 :: (load (s64) from %stack.2)
    MOV64mr $rsp, 1, $noreg, 8, $noreg, $rdi :: (store (s64) into %stack.0)
    STPXi $x0, $x2, $sp, 0 :: (store (s64) into %stack.0), (store (s64) into %stack.13, align 16)
    MOV64mr $rsp, 1, $noreg, 8, $noreg, $rdi :: (store (s64) into %stack.1), (store (s64) into %fixed-stack.0)
    ADD32mi $rsp, 1, $noreg, 8, $noreg, 1, implicit-def $eflags :: (load store (s32) on %stack.0)
  bb.2..lr.ph (align 16, bb_id 7):
    $q0 = LDRQui $sp, 0 :: (volatile load (<4 x s32>) from %stack.13 + 8, align 8), (load (s64) from %ir.p)
    $x1 = LDRXui $sp, 0 :: (non-temporal load unknown-size from %stack.0)
  bb.3 (landing-pad, bb_id 3):
    RET 0
...
---
name:            'second$name'
stack:           []
body:             |
  bb.0 (bb_id 0):
    $x1 = LDRXui $sp, 0 :: (load (s64) from %stack.0)
...
"""


def test_the_text_of_machine_code() -> None:
    assert spill_traffic(MIR) == {
        "first": {0: Traffic(spills=4, reloads=1), 7: Traffic(spills=0, reloads=2), 3: Traffic(0, 0)},
        "second$name": {0: Traffic(0, 0)},
    }
    assert spill_traffic("") == {}
