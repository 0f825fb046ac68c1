"""``harness suites check``: a clean program is admitted; every way of being unfit is found and named."""

import json
from pathlib import Path

import pytest

from tests.drive import TINY, Answer, Sketch, User, result_of, write_suite

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
        Sketch("plain-char", SIGN, more='flags = ["-fsigned-char"]'),
    )
    user = User.at(folder)
    return user, suite, user.harness("suites", "check", suite, "--write", "--json", "--jobs", "2", timeout=300)


def test_each_fault_is_found(faulty: tuple[User, Path, Answer]) -> None:
    _, _, answer = faulty
    assert answer.code == 1
    found: dict[str, list[tuple[str, str]]] = {}
    for finding in json.loads(answer.out):
        found.setdefault(finding["benchmark"], []).append((finding["check"], finding["message"]))
    assert set(found) == {"clock", "sign", "level", "native", "shift", "heap", "pinned"}
    assert ("build", "x86-64 -O2: nondeterministic: two runs of workload only differ") in found["clock"]
    every = ", ".join(f"aarch64 -{level}" for level in ("O0", "O1", "O2", "O3", "Os", "Oz"))
    ((check, message),) = found["sign"]
    assert check == "equal outputs"
    assert sorted(message.removeprefix("workload only: differs at ").split(", ")) == every.split(", ")
    ((check, message),) = found["level"]
    assert check == "equal outputs"
    assert sorted(message.removeprefix("workload only: differs at ").split(", ")) == ["aarch64 -O0", "x86-64 -O0"]
    assert [check for check, _ in found["native"]] == ["build"] * 6
    assert all("aarch64 -O" in message and "not here" in message for _, message in found["native"])
    ((check, message),) = found["shift"]
    assert check == "sanitizers" and "left shift of 1 by 31 places" in message
    ((check, message),) = found["heap"]
    assert check == "sanitizers" and "heap-buffer-overflow" in message
    ((check, message),) = found["pinned"]
    assert check == "pinned result" and "is not the pinned one" in message
    assert "2 of 9 programs of faulty are admitted" in answer.err


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
    assert good.out == "" and "2 of 2 programs of faulty are admitted" in good.err
    bad = user.harness("suites", "check", suite, "heap", "fine", code=1)
    title, _, first = bad.out.strip().splitlines()
    assert title.split() == ["program", "check", "finding"] and first.split()[:2] == ["heap", "sanitizers"]


def test_a_clean_program_with_exceptions(tiny: User) -> None:
    """C++ with exceptions and streams is admitted, and nothing is pinned unasked."""
    before = (TINY.parent / "expected.json").read_bytes()
    answer = tiny.harness("suites", "check", TINY, "calc", "--json", "--jobs", "2", code=0, timeout=300)
    assert json.loads(answer.out) == []
    assert "1 of 1 programs of tiny are admitted" in answer.err
    assert (TINY.parent / "expected.json").read_bytes() == before
