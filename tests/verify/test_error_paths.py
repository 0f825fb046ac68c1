"""Removing exception handling makes programs smaller and breaks their error paths: verification alone finds it.

The policy is not asked: an object is made as the attack makes it, and held to the suite's workloads.
"""

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from harness.apply.reference import reference_object
from harness.base.digest import digest_file
from harness.base.errors import CellError
from harness.base.vocabulary import Level, Outcome, Target
from harness.freeze import freeze
from harness.sandbox.bench import Bench
from harness.suite.load import Program, load_suite
from harness.suite.workloads import prepare
from harness.verify import Trial, expected_results, verify
from tests.programs import THROWS, own_program

KEPT = "function(simplifycfg),default<Oz>"
REMOVED = f"function(lower-invoke),{KEPT}"
UNWINDING = "function(dwarf-eh-prepare),default<Oz>"
"""Unwinding begins again at the landing pad that it comes from, for ever."""
QUIET = {"name": "even", "args": ["a", "b"]}
LOUD = {"name": "odd", "args": ["a"], "exit": 4, "timeout": 2}


def trial_of(program: Program, passes: str, folder: Path, bench: Bench) -> Trial:
    """The program's module for size, put through the passes by opt and compiled by clang."""
    frozen = freeze(program, Target.X86_64, Level.OZ, bench)
    optimised, made = folder / "optimised.bc", folder / "program.o"
    opt = [bench.toolchain.tool("opt"), f"-passes={passes}", str(frozen.bitcode), "-o", str(optimised)]
    clang = [bench.toolchain.tool("clang"), "-Oz", "-x", "ir", str(optimised), "-Xclang", "-disable-llvm-passes", "-c"]
    for command in (opt, [*clang, "-o", str(made)]):
        subprocess.run(command, check=True, timeout=120, capture_output=True)
    ready = prepare(program, bench.store)

    def reference() -> tuple[Path, str]:
        return reference_object(program, Level.O0, Target.X86_64, bench)

    expected = expected_results(program, ready, reference, bench)
    return Trial(program, Target.X86_64, made, digest_file(made), ready, expected)


def outcome(program: Program, passes: str, folder: Path, bench: Bench) -> Outcome:
    """How verification ends."""
    try:
        verify(trial_of(program, passes, folder, bench), bench)
    except CellError as error:
        return error.outcome
    return Outcome.OK


def test_without_a_workload_that_throws_nothing_is_noticed(tmp_path: Path, bench: Bench) -> None:
    """What admission refuses: the reason for the rest."""
    quiet = own_program(tmp_path / "quiet", {"main.cc": THROWS}, workloads=(QUIET,), language="c++")
    loud = own_program(tmp_path / "loud", {"main.cc": THROWS}, workloads=(QUIET, LOUD), language="c++")
    assert outcome(quiet, REMOVED, tmp_path, bench) is Outcome.OK
    assert outcome(loud, REMOVED, tmp_path, bench) is Outcome.RUN_CRASH
    assert outcome(loud, KEPT, tmp_path, bench) is Outcome.OK


def test_unwinding_that_never_ends_is_found_as_well(tmp_path: Path, bench: Bench) -> None:
    quiet = own_program(tmp_path / "quiet", {"main.cc": THROWS}, workloads=(QUIET,), language="c++")
    loud = own_program(tmp_path / "loud", {"main.cc": THROWS}, workloads=(QUIET, LOUD), language="c++")
    assert outcome(quiet, UNWINDING, tmp_path, bench) is Outcome.OK
    assert outcome(loud, UNWINDING, tmp_path, bench) in (Outcome.RUN_TIMEOUT, Outcome.RUN_CRASH)


def test_a_message_that_changes_is_found_where_standard_error_is_checked(tmp_path: Path, bench: Bench) -> None:
    """The exit status alone is right: the error path is half broken."""
    source = '#include <stdio.h>\nint main(void) { fputs("usage: WORD FILE\\n", stderr); return 2; }\n'
    for checked, right in ((False, Outcome.OK), (True, Outcome.WRONG_OUTPUT)):
        usage = {"name": "usage", "exit": 2, "stderr": checked}
        program = own_program(tmp_path / f"{checked}", {"main.c": source}, workloads=(usage,))
        other = own_program(tmp_path / "other", {"main.c": source.replace("WORD", "NO")}, workloads=(usage,))
        trial = trial_of(other, KEPT, other.folder, bench)
        expected = trial_of(program, KEPT, tmp_path, bench).expected
        try:
            verify(replace(trial, program=program, expected=expected), bench)
            found = Outcome.OK
        except CellError as error:
            found = error.outcome
        assert found is right


@pytest.mark.slow
@pytest.mark.parametrize("name", ["astar", "namd"])
def test_programs_of_the_suite_throw(name: str, tmp_path: Path, bench: Bench) -> None:
    program = next(p for p in load_suite("spec-like").programs if p.benchmark.name == name)
    removed = trial_of(program, REMOVED, tmp_path, bench)
    size = removed.object.stat().st_size
    with pytest.raises(CellError) as refused:
        verify(removed, bench)
    assert refused.value.outcome in (Outcome.RUN_CRASH, Outcome.WRONG_OUTPUT)
    kept = trial_of(program, KEPT, tmp_path, bench)
    assert kept.object.stat().st_size > size  # what the attack would win
    verify(kept, bench)
