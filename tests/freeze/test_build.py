"""Programs that only their package's own build can make: configured and made in the sandbox, with LTO."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.apply.reference import reference_object
from harness.base.errors import UsageError
from harness.base.progress import SilentObserver
from harness.base.vocabulary import Level, Origin, Split, Target
from harness.freeze import freeze, units
from harness.problems.programs.admission.describe import describe_program
from harness.problems.programs.stages import freeze_modules
from harness.run.engines import InProcess
from harness.sandbox.bench import Bench
from harness.suite.load import Program
from harness.suite.model import Benchmark, Build, Source
from harness.suite.sources import forget_digests
from harness.suite.workloads import prepare
from harness.verify.sanitizers import sanitizer_findings
from harness.verify.verify import run_workloads
from tests.programs import own_program, write_files

CONFIGURE = """#!/bin/sh
set -e
for word in "$@"; do case $word in --host=*) host=${word#--host=};; esac; done
echo 'int main(void) { return 0; }' > probe.c
$CC $CFLAGS probe.c $LDFLAGS -o probe
echo "#define HOST \\"$host\\"" > config.h
for name in CC CXX AR CFLAGS LDFLAGS; do eval "echo \\"$name = \\$$name\\""; done > config.mk
"""
MAKEFILE = """
include config.mk
all: bin/greet bin/part
bin/greet: main.o libword.a
\tmkdir -p bin && $(CC) $(CFLAGS) main.o libword.a $(LDFLAGS) -o $@
bin/part: part.o libword.a
\tmkdir -p bin && $(CC) $(CFLAGS) part.o libword.a $(LDFLAGS) -o $@
libword.a: word.o unused.o
\t$(AR) rcs $@ $^
%.o: %.c config.h
\t$(CC) $(CFLAGS) -c $< -o $@
forever:
\twhile :; do :; done
recurse:
\t$(MAKE) -j2 recurse recurse2
recurse2:
\t$(MAKE) -j2 recurse recurse2
peek:
\tcat SECRET
net:
\tgetent hosts example.org
"""
SOURCES: dict[str, str | bytes] = {
    "configure": CONFIGURE,
    "Makefile": MAKEFILE,
    "main.c": "#include <stdio.h>\nconst char *word(int);\n"
    "int main(int n, char **v) { puts(word(n)); return v == 0; }\n",
    "part.c": '#include <stdio.h>\nconst char *word(int);\nint main(void) { puts("part"); puts(word(9)); return 0; }\n',
    "word.c": '#include "config.h"\n'
    "static const char *const words[] = {HOST, HOST, HOST};\n"
    'const char *word(int n) { return n < 3 ? words[n] + sizeof HOST - 10 : "beyond"; }\n',
    "unused.c": "int unused(void) { return 1; }\n",
}
STEPS = (("sh", "./configure", "--host={host}"), ("make",))


def package(folder: Path, name: str = "bin/greet", **changes: Any) -> Program:
    write_files(folder / "src", SOURCES)
    build = {"steps": STEPS, "programs": ("bin/greet", "bin/part"), "seconds": 120, **changes}
    return Program(
        suite="made",
        suite_version="1",
        folder=folder,
        benchmark=Benchmark(
            name="greet",
            source="package",
            description="Made by a test.",
            program=name,
            split=Split.TRAIN,
            workloads=({"name": "only"},),  # type: ignore[arg-type]
        ),
        source=Source(origin=Origin.OWN, licence="MIT", path="src", build=Build(**build)),
        expected={},
    )


@pytest.mark.parametrize("target", Target)
def test_a_build_gives_a_module_that_runs(target: Target, bench: Bench, tmp_path: Path) -> None:
    program = package(tmp_path)
    frozen = freeze(program, target, Level.O2, bench)
    assert 0 < frozen.instructions < 100  # neither the other program nor what nobody calls
    built, _ = reference_object(program, Level.O2, target, bench)
    results = run_workloads(program, target, built, prepare(program, bench.store), bench)
    assert len(results) == 1


def test_levels_have_their_attributes_and_programs_share_a_build(bench: Bench, tmp_path: Path) -> None:
    digests = {freeze(package(tmp_path), Target.X86_64, level, bench).digest for level in (Level.O2, Level.OZ)}
    assert len(digests) == 2  # minsize is in one of them; the guards have looked
    part = freeze(package(tmp_path, "bin/part"), Target.X86_64, Level.O2, bench)
    assert part.digest not in digests
    assert len(list((bench.store.root / "builds").rglob("1.bc"))) >= 2


def test_a_package_that_wants_fast_math_does_not_get_it(bench: Bench, tmp_path: Path) -> None:
    """Its flags stand before ours; the guards, which have looked, would refuse what is left of them."""
    program = package(tmp_path)
    makefile = tmp_path / "src" / "Makefile"
    makefile.write_text(MAKEFILE.replace("$(CFLAGS) -c", "-O3 -ffast-math $(CFLAGS) -c"))
    (tmp_path / "src" / "main.c").write_text(
        "#include <stdio.h>\nint main(int n, char **v) { double x = n; "
        'printf("%g\\n", x * 0.1 + x / 3 - x); return v == 0; }\n'
    )
    forget_digests()
    assert "-ffast-math" in makefile.read_text()
    assert freeze(program, Target.X86_64, Level.OZ, bench).instructions > 5


def test_two_builds_are_equal(bench: Bench, tmp_path: Path) -> None:
    one = freeze(package(tmp_path / "one"), Target.X86_64, Level.O3, bench)
    two = freeze(package(tmp_path / "two", seconds=121), Target.X86_64, Level.O3, bench)
    assert one.bitcode != two.bitcode
    assert one.digest == two.digest


def test_a_build_of_another_day_is_equal(bench: Bench, tmp_path: Path) -> None:
    """A program may print the day on which it was built."""
    program = package(tmp_path)
    main = '#include <stdio.h>\nint main(int n, char **v) { puts(__DATE__ ", " __TIME__); return v == 0; }\n'
    (tmp_path / "src" / "main.c").write_text(main)
    forget_digests()
    built, _ = reference_object(program, Level.O2, Target.X86_64, bench)
    assert b"Jan  1 1970, 00:00:00" in built.read_bytes()


def test_a_build_alone_has_progress_and_lines(bench: Bench, tmp_path: Path) -> None:
    """Nobody says how many files it is made of: it counts all the same, for the time left and for the table."""
    program = package(tmp_path)

    class Watching(SilentObserver):
        def stage(self, name: str, total: float) -> None:
            totals[name] = total

    totals: dict[str, float] = {}
    freeze_modules([(program, Target.X86_64, Level.O1)], bench, InProcess(), Watching())
    assert totals["freeze"] > 1
    facts = describe_program(program, bench)
    assert facts["lines"] == sum(str(text).count("\n") for name, text in SOURCES.items() if name.endswith(".c"))
    assert facts["files"] is None


@pytest.mark.parametrize(
    ("step", "changes", "fragments"),
    [
        (("make", "forever"), {"seconds": 3}, ("step make forever", "stopped at its limit of 3 s of CPU time")),
        (("make", "nothing"), {}, ("step make nothing", "exit status 2", "No rule to make target")),
        (("make", "peek"), {}, ("step make peek", "exit status 2")),
        (("make", "net"), {}, ("step make net", "exit status 2")),
        (("rm", "-r", "bin"), {}, ("leaves no module of bin/greet", "not there")),
    ],
)
def test_a_build_that_goes_wrong_is_named(
    step: tuple[str, ...], changes: dict[str, Any], fragments: tuple[str, ...], bench: Bench, tmp_path: Path
) -> None:
    with pytest.raises(UsageError) as raised:
        freeze(package(tmp_path, steps=(*STEPS, step), **changes), Target.X86_64, Level.O1, bench)
    assert raised.value.where == "made/greet"
    for fragment in fragments:
        assert fragment in raised.value.message


def test_time_that_a_build_waits_is_not_its_own(bench: Bench, tmp_path: Path) -> None:
    """Its limit is of CPU time, and the error says where it is set."""
    program = package(tmp_path / "slow", steps=(*STEPS, ("sleep", "3")), seconds=2.5)
    assert freeze(program, Target.X86_64, Level.O1, bench).instructions > 0
    busy = package(tmp_path / "busy", steps=(*STEPS, ("make", "forever")), seconds=2.5)
    with pytest.raises(UsageError) as raised:
        freeze(busy, Target.X86_64, Level.O1, bench)
    assert raised.value.hint == "`seconds` of the source's `build` in the suite is 2.5"


def test_units_have_cpu_time_as_compile_steps_have(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = own_program(tmp_path, {"main.c": '#include <stdio.h>\nint main(void) { return puts("x") < 0; }\n'})
    monkeypatch.setattr(units, "_SECONDS", 0.001)
    with pytest.raises(UsageError, match=r"stopped at its limit of 0\.005 s of CPU time") as raised:
        freeze(program, Target.X86_64, Level.O1, replace(bench, compile_timeout=0.001))
    assert "--compile-timeout" in str(raised.value.hint)
    assert freeze(program, Target.X86_64, Level.O1, replace(bench, compile_timeout=30.0)).instructions > 0


def test_a_build_that_forks_without_end_is_stopped(bench: Bench, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="its own build fails: step make recurse"):
        program = package(tmp_path, steps=(*STEPS, ("make", "recurse")), processes=24, seconds=20)
        freeze(program, Target.X86_64, Level.O1, bench)


def test_the_sanitizers_watch_a_built_program(bench: Bench, tmp_path: Path) -> None:
    program = package(tmp_path)
    ready = prepare(program, bench.store)
    assert sanitizer_findings(program, ready, bench) == []
    (tmp_path / "src" / "main.c").write_text("int main(int n, char **v) { return (n + 2147483647) == 3 || v == 0; }\n")
    forget_digests()
    (finding,) = sanitizer_findings(program, ready, bench)
    assert "signed integer overflow" in finding
