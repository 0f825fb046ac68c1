"""Copies of modules: other names, another order, functions beside that nobody calls, the same program."""

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from harness.base.vocabulary import Level, Target
from harness.freeze import FrozenModule, freeze, is_perturbed, perturbed
from harness.freeze.perturb import perturb
from harness.problems.passes.session import Session
from harness.sandbox.bench import Bench
from harness.suite.load import choose, load_suite
from tests.drive import TINY
from tests.programs import own_program

MADE = r"""
#include <stdio.h>
static int table[] = {3, 1, 2};
static const char *words[] = {"@table", "define internal @twice(", "\"quoted\" @first"};
static int twice(int x) { return 2 * x; }
static int first(int x) { return twice(x) + table[x % 3]; }
int shared = 5;
int (*chosen)(int) = twice;
int main(int argc, char **argv) {
  for (int i = 0; i < 3; i++) printf("%s %d %d\n", words[i], first(i), chosen(shared));
  return 0;
}
"""


def text_of(module: Path, bench: Bench) -> str:
    command = [bench.toolchain.tool("llvm-dis"), str(module), "-o", "-"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def defined(ir: str) -> list[str]:
    return re.findall(r"^define [^\n]*?@([\w.$-]+)\(", ir, re.MULTILINE)


def added(before: str, after: str) -> list[str]:
    """Names of functions of the copy that the module has not, and that may be called from elsewhere."""
    named = re.findall(r"^define i32 @(s[0-9a-f]+)\(", after, re.MULTILINE)
    return [name for name in named if name not in defined(before)]


def output(module: Path, folder: Path, bench: Bench, *flags: str) -> str:
    """What the module's program prints."""
    program = folder / "program"
    subprocess.run([bench.toolchain.tool("clang++"), *flags, str(module), "-o", str(program)], check=True)
    return subprocess.run([program], capture_output=True, text=True, check=True).stdout


def features_of(frozen: FrozenModule, optimised: bool, bench: Bench) -> NDArray[np.float64]:
    """What agents see, before or after -Oz: features for each instruction of the module."""
    with Session(frozen.bitcode, ("default<Oz>",), bench, level=frozen.level) as session:
        line = session.line()
        if optimised:
            line.apply(0)
        return line.autophase() / line.count()


def test_names_and_order_change_and_functions_are_added(bench: Bench, tmp_path: Path) -> None:
    frozen = freeze(own_program(tmp_path, {"main.c": MADE}), Target.X86_64, Level.O2, bench)
    copy = perturbed(frozen, 1, bench)
    before, after = text_of(frozen.bitcode, bench), text_of(copy.bitcode, bench)
    assert copy.digest != frozen.digest
    assert 2 <= copy.instructions - frozen.instructions <= 10
    assert sorted(defined(before)) == ["first", "main", "twice"]
    beside = added(before, after)
    assert beside and len(defined(after)) == 3 + len(beside) and "main" in defined(after)
    assert all(after.count(f"@{name}") == 1 for name in beside)  # nobody calls it
    assert not {"first", "twice"} & set(defined(after))
    assert not re.search(r"@(table|shared|chosen|words)\b(?! *,|\\00)", re.sub(r'"[^"]*"', "", after))
    assert "@table\\00" in after and "@printf" in after  # strings and what libc has stay
    (tmp_path / "one").mkdir(), (tmp_path / "two").mkdir()
    said = output(frozen.bitcode, tmp_path / "one", bench)
    assert said == output(copy.bitcode, tmp_path / "two", bench)
    assert said.startswith("@table 3 10\ndefine internal @twice(")


def test_copies_differ_and_are_reproducible(bench: Bench, tmp_path: Path) -> None:
    frozen = freeze(own_program(tmp_path, {"main.c": MADE}), Target.AARCH64, Level.OZ, bench)
    assert perturbed(frozen, 0, bench) == frozen
    assert not is_perturbed(frozen, 5, bench)
    digests = {perturbed(frozen, number, bench).digest for number in (1, 2, 3, 4, 5)}
    assert len(digests) == 5
    assert is_perturbed(frozen, 5, bench)
    places = {defined(text_of(perturbed(frozen, n, bench).bitcode, bench)).index("main") for n in (1, 2, 3, 4, 5)}
    assert len(places) > 1  # the order changes too
    text = text_of(frozen.bitcode, bench).encode()
    assert perturb(text, 2) == perturb(text, 2) != perturb(text, 3)


@pytest.mark.parametrize("name", ["calc", "glob"])
def test_a_copy_of_a_real_module_compiles(name: str, bench: Bench, tmp_path: Path) -> None:
    """C++ too, with its comdats, exceptions and static initialisers."""
    (program,) = choose(load_suite(str(TINY)), [name])
    frozen = freeze(program, Target.X86_64, Level.O2, bench)
    copy = perturbed(frozen, 1, bench)
    before, after = text_of(frozen.bitcode, bench), text_of(copy.bitcode, bench)
    assert len(defined(after)) == len(defined(before)) + len(added(before, after))
    assert 0 < copy.instructions - frozen.instructions <= frozen.instructions / 50 + 15
    own = set(re.findall(r"^define internal [^\n]*?@([\w.$-]+)\(", before, re.MULTILINE))
    assert own and not own & set(defined(after))
    assert set(defined(before)) - own <= set(defined(after))  # main, and copies of what the C++ library has
    command = [bench.toolchain.tool("clang"), "-O2", "-c", str(copy.bitcode), "-o", str(tmp_path / "copy.o")]
    subprocess.run(command, check=True)


def test_no_feature_is_what_it_was(bench: Bench, tmp_path: Path) -> None:
    """Nothing can be looked up by them: neither before nor after passes that remove what is not used."""
    (program,) = choose(load_suite(str(TINY)), ["glob"])
    frozen = freeze(program, Target.X86_64, Level.OZ, bench)
    copies = [perturbed(frozen, number, bench) for number in (0, 1, 2, 3)]
    for optimised in (False, True):
        seen = [features_of(copy, optimised, bench) for copy in copies]
        assert len({one.tobytes() for one in seen}) == len(copies)
        assert all((one != seen[0]).sum() > 10 for one in seen[1:])
