"""``harness suites check``: a clean program is admitted; every way of being unfit is found and named."""

import json
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest

from harness.problems.programs.admission import length
from harness.problems.programs.admission.length import length_fault, native_seconds
from harness.sandbox.bench import Bench
from harness.suite.workloads import prepare
from tests.drive import TINY, Answer, Sketch, User, result_of, write_suite
from tests.programs import own_program

FINE = '#include <stdio.h>\nint main(void) { puts("fine"); return 0; }\n'
CLOCK = """
#include <stdio.h>
#include <time.h>
int main(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  printf("%lld %ld\\n", (long long)now.tv_sec, now.tv_nsec);
  return 0;
}
"""
SIGN = '#include <stdio.h>\nint main(void) { char c = (char)200; puts(c < 0 ? "signed" : "unsigned"); return 0; }\n'
LEVEL = """
#include <stdio.h>
int main(void) {
#ifdef __OPTIMIZE__
  puts("optimised");
#else
  puts("as written");
#endif
  return 0;
}
"""
NATIVE = '#include <stdio.h>\n#ifdef __aarch64__\n#error "not here"\n#endif\nint main(void) { puts("x"); return 0; }\n'
SHIFT = '#include <stdio.h>\nint main(void) { volatile int by = 31; printf("%x\\n", 1 << by); return 0; }\n'
LIBRARY = """
#include <math.h>
#include <stdio.h>
int main(void) { volatile double x = 2; printf("%g %g\\n", sin(x), exp(x)); return 0; }
"""
HEAP = """
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  volatile char *text = malloc(8);
  volatile int at = 8;
  (void)text[at];
  puts("read");
  return 0;
}
"""


FICKLE = """
#include <stdio.h>
#include <time.h>
int main(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  for (volatile long i = now.tv_nsec % 9973; i > 0; i = i - 1) { }
  puts("always the same");
  return 0;
}
"""
EMULATED = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
int main(void) {
#ifdef __x86_64__
  if (!getauxval(AT_SYSINFO_EHDR)) { WHAT; }
#endif
  puts("native");
  return 0;
}
"""
"""Does something else under the emulator, which maps no vDSO; on AArch64 there is nothing but the emulator."""
HANDLER = """
#include <signal.h>
#include <stdio.h>
static void handler(int number) { (void)number; }
int main(void) { signal(SIGUSR1, handler); raise(SIGUSR1); puts("raised"); return 0; }
"""


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> tuple[User, Path, Answer]:
    """A suite with one program for each fault and one without, checked once with ``--write``."""
    folder = tmp_path_factory.mktemp("faulty")
    suite = write_suite(
        folder / "faulty",
        Sketch("fine", FINE),
        Sketch("clock", CLOCK),
        Sketch("sign", SIGN, expected="signed\n"),
        Sketch("level", LEVEL),
        Sketch("native", NATIVE),
        Sketch("shift", SHIFT),
        Sketch("heap", HEAP),
        Sketch("pinned", FINE, expected="other\n"),
        Sketch("stale", FINE, more='noinline = ["main", "nosuch"]'),
        Sketch("library", LIBRARY),
        Sketch("fickle", FICKLE),
        Sketch("handler", HANDLER),
        Sketch("emulated", EMULATED.replace("WHAT", 'puts("not ")')),
        Sketch("aborts", EMULATED.replace("WHAT", "abort()")),
        Sketch("plain-char", SIGN, more='flags = ["-fsigned-char"]'),
    )
    user = User.at(folder)
    return user, suite, user.harness("suites", "check", suite, "--write", "--json", "--jobs", "2", timeout=300)


def test_each_fault_is_found(faulty: tuple[User, Path, Answer]) -> None:
    _, _, answer = faulty
    assert answer.code == 1
    found: dict[str, list[tuple[str, str]]] = {}
    for finding in json.loads(answer.out)["findings"]:
        if finding["check"] == "coverage":  # tests/problems/programs/admission/test_coverage.py
            continue
        found.setdefault(finding["benchmark"], []).append((finding["check"], finding["message"]))
    assert set(found) == {"clock", "sign", "level", "native", "shift", "heap", "pinned", "stale", "library"} | {
        *("fickle", "handler", "emulated", "aborts")
    }
    elsewhere = "workload only on x86-64: gives another result where it is counted"
    assert found["emulated"] == [("equal counts", elsewhere)]
    assert found["aborts"] == [("equal counts", "x86-64, counted: workload only: killed by SIGABRT")]
    assert [check for check, _ in found["fickle"]] == ["equal counts"] * 2
    targets = sorted(message.split(":")[0] for _, message in found["fickle"])
    assert targets == ["workload only on aarch64", "workload only on x86-64"]
    assert all("executes not the same in every run" in message for _, message in found["fickle"])
    assert [check for check, _ in found["handler"]] == ["equal counts"] * 2
    assert all("cannot be counted exactly: signal handlers ran 1 times" in message for _, message in found["handler"])
    (fault,) = [message for check, message in found["clock"] if check == "build"]  # one for both targets
    assert sorted(fault.split(": ")[0].split(", ")) == ["aarch64 -O2", "x86-64 -O2"]
    assert fault.endswith(": nondeterministic: two runs of workload only differ")
    every = ", ".join(f"aarch64 -{level}" for level in ("O0", "O1", "O2", "O3", "Os", "Oz"))
    ((check, message),) = found["sign"]
    assert check == "equal outputs"
    assert sorted(message.removeprefix("workload only: differs at ").split(", ")) == every.split(", ")
    ((check, message),) = found["level"]
    assert check == "equal outputs"
    assert sorted(message.removeprefix("workload only: differs at ").split(", ")) == ["aarch64 -O0", "x86-64 -O0"]
    ((check, message),) = found["native"]  # one for all levels
    assert check == "build" and message.startswith("aarch64 at every level: ") and "not here" in message
    ((check, message),) = found["shift"]
    assert check == "sanitizers" and "left shift of 1 by 31 places" in message
    assert message.endswith('where no pass can exploit it: unsanitized = { shift-base = "why" }')
    ((check, message),) = found["stale"]
    assert (check, message) == ("definition", "noinline names no function of the program: nosuch")
    ((check, message),) = found["library"]  # one way is enough to say so
    assert check == "build" and message.startswith("x86-64 -Os: cannot be linked: undefined: ")
    assert "sin" in message and "exp" in message and "`link`" in message
    ((check, message),) = found["heap"]
    assert check == "sanitizers" and "heap-buffer-overflow" in message
    ((check, message),) = found["pinned"]
    assert check == "pinned result" and "is not the pinned one" in message
    assert "2 of 15 programs of faulty are admitted" in answer.err


def test_only_what_all_builds_agree_on_is_pinned(faulty: tuple[User, Path, Answer]) -> None:
    _, suite, _ = faulty
    pinned = json.loads((suite.parent / "expected.json").read_text())
    assert pinned == {
        "fine": {"only": result_of("fine\n")},
        "sign": {"only": result_of("signed\n")},  # pinned before, and left as it was
        "pinned": {"only": result_of("fine\n")},
        "plain-char": {"only": result_of("signed\n")},
    }


def test_again_for_people(faulty: tuple[User, Path, Answer]) -> None:
    """What was pinned anew is in order now; a table names the rest."""
    user, suite, _ = faulty
    good = user.harness("suites", "check", suite, "fine", "pinned", code=0)
    assert (
        good.out.startswith("coverage by the count workloads") and "2 of 2 programs of faulty are admitted" in good.err
    )
    bad = user.harness("suites", "check", suite, "heap", "fine", code=1)
    title, _, first, *_ = bad.out.strip().splitlines()
    assert title.split() == ["where", "program", "check", "finding"]
    lines = suite.read_text().splitlines()
    line = 1 + lines.index("[[benchmarks.workloads]]", lines.index('name = "heap"'))
    assert first.split()[:3] == [f"suite.toml:{line}", "heap", "sanitizers"]


def test_a_clean_program_with_exceptions(tiny: User) -> None:
    """C++ with exceptions and streams is admitted, and nothing is pinned unasked."""
    before = (TINY.parent / "expected.json").read_bytes()
    answer = tiny.harness("suites", "check", TINY, "calc", "--json", "--jobs", "2", code=0, timeout=300)
    assert json.loads(answer.out)["findings"] == []
    assert "1 of 1 programs of tiny are admitted" in answer.err
    assert (TINY.parent / "expected.json").read_bytes() == before


# Workloads of the kind time

WORK = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
int main(int argc, char **argv) {
  const char *mode = argc > 1 ? argv[1] : "";
  if (strstr(mode, "work"))
    while (clock() < CLOCKS_PER_SEC / 5) {
    }
#ifdef __aarch64__
  if (strstr(mode, "native"))
    abort();
#endif
#ifndef __OPTIMIZE__
  if (strstr(mode, "level"))
    puts("as written");
#endif
  if (strstr(mode, "heap")) {
    volatile char *text = malloc(8);
    volatile int at = 8;
    (void)text[at];
  }
  puts(argc > 2 ? argv[2] : "done");
  return 0;
}
"""


def long_run(mode: str) -> str:
    """Further lines of a suite: a workload ``long`` of the kind time."""
    return f'[[benchmarks.workloads]]\nname = "long"\nkind = "time"\nargs = ["{mode}", "long"]'


@pytest.fixture(scope="module")
def timed(tmp_path_factory: pytest.TempPathFactory) -> tuple[User, Path, Answer]:
    """A suite of programs with one workload of each kind, checked once with ``--write``."""
    folder = tmp_path_factory.mktemp("timed")
    suite = write_suite(
        folder / "timed",
        Sketch("pinned", WORK, workload=long_run("work native")),
        Sketch("lengths", WORK, args=("work",), workload=long_run("")),
        Sketch("broken", WORK, workload=long_run("work level heap")),
    )
    pins = {"pinned": {"only": result_of("done\n"), "long": result_of("short\n")}}
    (suite.parent / "expected.json").write_text(json.dumps(pins))
    user = User.at(folder)
    return user, suite, user.harness("suites", "check", suite, "--write", "--json", "--jobs", "2", timeout=300)


@pytest.mark.slow
def test_each_fault_of_a_time_workload_is_found(timed: tuple[User, Path, Answer]) -> None:
    _, _, answer = timed
    assert answer.code == 1
    found: dict[str, list[tuple[str, str]]] = {}
    for finding in json.loads(answer.out)["findings"]:
        if finding["check"] == "coverage":  # tests/problems/programs/admission/test_coverage.py
            continue
        found.setdefault(finding["benchmark"], []).append((finding["check"], finding["message"]))
    assert set(found) == {"pinned", "lengths", "broken"}
    ((check, message),) = found["pinned"]
    assert check == "pinned result" and message.startswith("workload long: ")
    long, short, *counts = found["lengths"]
    assert {check for check, _ in counts} == {"equal counts"}  # it works until a clock says stop
    assert long[0] == short[0] == "length"
    assert long[1].startswith("workload only: 0.2")
    assert long[1].endswith(" s of CPU time at x86-64 -O2 is too long for the kind count (at most 0.05 s)")
    assert short[1].startswith("workload long: 0.0")
    assert short[1].endswith(" s of CPU time at x86-64 -O2 is too short for the kind time (at least 0.3 s)")
    differs, (check, message) = found["broken"]
    assert differs == ("equal outputs", "workload long: differs at x86-64 -O0")
    assert check == "sanitizers" and "workload long" in message and "heap-buffer-overflow" in message


@pytest.mark.slow
def test_results_of_time_workloads_are_pinned(timed: tuple[User, Path, Answer]) -> None:
    user, suite, _ = timed
    pinned = json.loads((suite.parent / "expected.json").read_text())
    assert pinned == {"pinned": {"only": result_of("done\n"), "long": result_of("long\n")}}
    again = user.harness("suites", "check", suite, "pinned", "--json", code=1)
    assert {finding["check"] for finding in json.loads(again.out)["findings"]} == {"coverage"}


@pytest.mark.parametrize(
    ("kind", "seconds", "fault"),
    [
        ("count", 0.0, None),
        ("count", 0.099, None),  # above 0.05, as it may be on a slow machine
        ("count", 0.101, "too long for the kind count (at most 0.05 s)"),
        ("time", 0.149, "too short for the kind time (at least 0.3 s)"),
        ("time", 0.151, None),
        ("time", 3.99, None),
        ("time", 4.01, "too long for the kind time (at most 2 s)"),
    ],
)
def test_lengths_out_of_their_range_by_more_than_a_factor_of_two(kind: str, seconds: float, fault: str | None) -> None:
    assert length_fault(kind, seconds) == fault


@pytest.mark.parametrize(
    ("taken", "counted"),
    [
        ([0.04], 0.04),  # one run that is short enough says it all
        ([0.5, 0.3, 0.05], 0.05),
        ([0.5, 0.04], 0.04),
        ([0.5, 0.4, 0.6], 0.4),
    ],
)
def test_a_busy_machine_is_given_a_few_tries(
    taken: list[float], counted: float, bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left: Iterator[float] = iter(taken)

    monkeypatch.setattr(length, "observe", lambda *_: SimpleNamespace(cpu=next(left)))
    monkeypatch.setattr(length, "linked", lambda *_: nullcontext(tmp_path))
    program = own_program(tmp_path, {"main.c": FINE})
    assert native_seconds(program, tmp_path, prepare(program, bench.store), bench) == {"only": counted}
    assert list(left) == []
