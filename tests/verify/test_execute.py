"""One run of a program: what it printed, wrote and how it ended decide its result, on both targets alike."""

import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import harness.verify.execute
from harness.base.errors import CellError
from harness.base.vocabulary import Outcome, Target
from harness.sandbox import Sandbox
from harness.suite.model import Input, Workload
from harness.suite.workloads import ReadyWorkload
from harness.toolchain import TARGETS, Toolchain
from harness.verify.execute import Runner, execute, result_digest
from harness.verify.verify import runner_for
from tests.programs import write_files

# What the program does is its first argument.
SOURCE = r"""
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
extern char **environ;
static void put(const char *name, const char *text) {
  FILE *file = fopen(name, "w");
  if (!file) exit(9);
  fputs(text, file);
  fclose(file);
}
static int compare(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }
int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  const char *value = argc > 2 ? argv[2] : "";
  if (!strcmp(what, "exit")) { fputs("last words\n", stderr); return atoi(value); }
  if (!strcmp(what, "raise")) { raise(atoi(value)); pause(); }
  if (!strcmp(what, "crash")) { *(volatile int *)8 = 1; }
  if (!strcmp(what, "loop")) { for (volatile int i = 0;; i++) { } }
  if (!strcmp(what, "sleep")) { sleep(60); }
  if (!strcmp(what, "nap")) { usleep(300000); }
  if (!strcmp(what, "eat")) { for (;;) *(volatile char *)malloc(4096) = 1; }
  if (!strcmp(what, "print")) { fputs(value, stdout); }
  if (!strcmp(what, "flood")) { for (int i = 0; i < 60000; i++) puts("0123456789012345678901234567890123456789"); }
  if (!strcmp(what, "copy")) { int c; while ((c = getchar()) != EOF) putchar(c); }
  if (!strcmp(what, "cat")) {
    FILE *file = fopen(value, "r");
    int c;
    if (!file) return 4;
    while ((c = fgetc(file)) != EOF) putchar(c);
  }
  if (!strcmp(what, "write")) { put(value, argc > 3 ? argv[3] : ""); }
  if (!strcmp(what, "link")) { put("real", "text"); if (symlink("real", value)) return 5; }
  if (!strcmp(what, "fifo")) { if (mkfifo(value, 0600)) return 5; }
  if (!strcmp(what, "folder")) { if (mkdir(value, 0700)) return 5; }
  if (!strcmp(what, "self")) {
    int count = 0;
    while (environ[count]) count++;
    qsort(environ, count, sizeof *environ, compare);
    printf("%s\n", argv[0]);
    for (int i = 0; i < count; i++) puts(environ[i]);
  }
  if (!strcmp(what, "where")) { char here[4096]; puts(getcwd(here, sizeof here)); }
  return 0;
}
"""

targets = pytest.mark.parametrize("target", Target)
Programs = Callable[[Target], tuple[Path, Runner]]


@pytest.fixture(scope="module")
def programs(toolchain: Toolchain, tmp_path_factory: pytest.TempPathFactory) -> Programs:
    """The program above for a target, linked statically, and how it is started."""
    folder = write_files(tmp_path_factory.mktemp("program"), {"main.c": SOURCE})
    built: dict[Target, Path] = {}

    def program(target: Target) -> tuple[Path, Runner]:
        if target not in built:
            built[target] = folder / target.value
            flags = [f"--target={TARGETS[target].triple}", "-O1", "-static", "-fuse-ld=lld"]
            command = [toolchain.tool("clang"), *flags, "main.c", "-o", str(built[target])]
            subprocess.run(command, cwd=folder, check=True, timeout=60)
        return built[target], runner_for(target, toolchain)

    return program


def ready(*args: str, files: dict[str, Path] | None = None, **fields: Any) -> ReadyWorkload:
    inputs = tuple(Input(file=name, generator="text", seed=0) for name in files or {})
    return ReadyWorkload(Workload(name="small", args=args, inputs=inputs, **fields), files or {}, None)


def outcome(program: tuple[Path, Runner], workload: ReadyWorkload, sandbox: Sandbox) -> tuple[Outcome, str]:
    with pytest.raises(CellError) as raised:
        execute(program[0], workload, program[1], sandbox)
    return raised.value.outcome, raised.value.message


def digest(program: tuple[Path, Runner], workload: ReadyWorkload, sandbox: Sandbox) -> str:
    return execute(program[0], workload, program[1], sandbox)


def test_both_targets_give_one_result(programs: Programs, sandbox: Sandbox) -> None:
    workload = ready("print", "one\ntwo\n")
    digests = {digest(programs(target), workload, sandbox) for target in Target}
    assert len(digests) == 1
    assert digests == {result_digest(b"one\ntwo\n", {}, workload)}


@targets
@pytest.mark.parametrize("text", ["", "one\ntwo", "one\ntwo\n\n", "two\none\n", "one\r\ntwo\n"])
def test_another_output_is_another_result(text: str, target: Target, programs: Programs, sandbox: Sandbox) -> None:
    right = result_digest(b"one\ntwo\n", {}, ready())
    assert digest(programs(target), ready("print", text), sandbox) != right


@targets
def test_the_exit_status_must_be_the_expected_one(target: Target, programs: Programs, sandbox: Sandbox) -> None:
    program = programs(target)
    for status, expected in (("1", 0), ("0", 3), ("4", 3)):
        found = outcome(program, ready("exit", status, exit=expected), sandbox)
        assert found == (
            Outcome.WRONG_OUTPUT,
            f"workload small: exit status {status}, not {expected} (last words)",
        )
    assert digest(program, ready("exit", "3", exit=3), sandbox) == digest(program, ready("exit", "0"), sandbox)


@targets
@pytest.mark.parametrize(
    ("args", "name"),
    [
        (("crash",), "SIGSEGV"),
        (("raise", "6"), "SIGABRT"),
        (("raise", "8"), "SIGFPE"),
        (("raise", "4"), "SIGILL"),
    ],
)
def test_a_signal_is_a_crash(
    args: tuple[str, ...], name: str, target: Target, programs: Programs, sandbox: Sandbox
) -> None:
    assert outcome(programs(target), ready(*args), sandbox) == (Outcome.RUN_CRASH, f"workload small: killed by {name}")


@targets
def test_a_signal_without_a_name_is_a_crash_too(target: Target, programs: Programs, sandbox: Sandbox) -> None:
    found = outcome(programs(target), ready("raise", "40"), sandbox)
    number = 40 if target is Target.X86_64 else 42  # the emulator keeps two of the host's for itself
    assert found == (Outcome.RUN_CRASH, f"workload small: killed by signal {number}")


@targets
@pytest.mark.parametrize("what", ["loop", "sleep"])
def test_a_program_that_does_not_end_is_stopped(
    what: str, target: Target, programs: Programs, sandbox: Sandbox
) -> None:
    program = programs(target)
    factor = 10 if program[1].emulator else 1  # an emulator gets ten times as long
    with pytest.raises(CellError) as raised:
        execute(program[0], ready(what, timeout=0.4 / factor), program[1], sandbox)
    assert raised.value.outcome is Outcome.RUN_TIMEOUT and raised.value.transient
    assert raised.value.message == "workload small: stopped at its limit of 0.4 s"


def test_an_emulated_program_has_ten_times_as_long(programs: Programs, sandbox: Sandbox) -> None:
    nap = ready("nap", timeout=0.1)
    assert digest(programs(Target.AARCH64), nap, sandbox)
    assert outcome(programs(Target.X86_64), nap, sandbox)[0] is Outcome.RUN_TIMEOUT


@targets
def test_too_much_output_is_stopped(
    target: Target, programs: Programs, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = replace(harness.verify.execute._LIMITS, output=1 << 20)
    monkeypatch.setattr("harness.verify.execute._LIMITS", limits)
    found = outcome(programs(target), ready("flood"), sandbox)
    assert found == (Outcome.RUN_CRASH, "workload small: stopped at its limit of 1 MiB of output")


@targets
def test_too_much_memory_is_a_crash(
    target: Target, programs: Programs, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = replace(harness.verify.execute._LIMITS, memory=128 << 20)
    monkeypatch.setattr("harness.verify.execute._LIMITS", limits)
    found = outcome(programs(target), ready("eat"), sandbox)
    assert found == (Outcome.RUN_CRASH, "workload small: stopped at its limit of 128 MiB of memory")


@targets
def test_standard_input_and_files_are_where_the_workload_says(
    target: Target, programs: Programs, sandbox: Sandbox, tmp_path: Path
) -> None:
    source = tmp_path / "source"
    source.write_text("content\n")
    files = {"in": source, "sub/deep/in": source}
    program = programs(target)
    shown = digest(program, ready("print", "content\n"), sandbox)
    assert digest(program, ready("copy", files=files, stdin="in"), sandbox) == shown
    assert digest(program, ready("cat", "sub/deep/in", files=files), sandbox) == shown
    assert digest(program, ready("copy", files=files), sandbox) == digest(program, ready(), sandbox)
    assert source.read_text() == "content\n"


@targets
def test_name_environment_and_folder_are_fixed(
    target: Target, programs: Programs, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET", "1")
    shown = "program\nHOME=/nonexistent\nLC_ALL=C\nPATH=/nonexistent\nTZ=UTC\n"
    program = programs(target)
    assert digest(program, ready("self"), sandbox) == result_digest(shown.encode(), {}, ready())
    more = replace(program[1], environment=(("EXTRA", "2"), ("TZ", "CET")))
    shown = shown.replace("TZ=UTC", "TZ=CET").replace("program\n", "program\nEXTRA=2\n")
    assert digest((program[0], more), ready("self"), sandbox) == result_digest(shown.encode(), {}, ready())
    here = result_digest(b"/tmp\n", {}, ready())
    assert digest(program, ready("where"), sandbox) == here


@targets
def test_every_output_file_counts(target: Target, programs: Programs, sandbox: Sandbox) -> None:
    program = programs(target)

    def written(name: str, text: str, folder: str, outputs: tuple[str, ...] = ("out",)) -> str:
        return digest(program, ready("write", name, text, outputs=outputs), sandbox)

    right = written("out", "text", "a")
    assert written("out", "text", "again") == right
    assert written("out", "texts", "b") != right
    assert written("out", "next", "f") != right
    assert written("out", "", "c") != right
    assert written("out", "text", "d", outputs=()) != right
    assert written("other", "text", "e", outputs=("other",)) != right


@targets
@pytest.mark.parametrize(
    "args", [("print", "x"), ("link", "out"), ("fifo", "out"), ("folder", "out"), ("write", "other", "x")]
)
def test_an_output_that_is_no_file_was_not_written(
    args: tuple[str, ...], target: Target, programs: Programs, sandbox: Sandbox
) -> None:
    found = outcome(programs(target), ready(*args, outputs=("out",)), sandbox)
    strange = {"link": "a symbolic link", "fifo": "a FIFO", "folder": "a folder"}.get(args[0])
    why = f"{strange}, no regular file" if strange else "not there"
    message = f"workload small: output file out: {why}"
    assert found == (Outcome.WRONG_OUTPUT, message)


def test_outputs_and_standard_output_do_not_run_together() -> None:
    workload = ready(outputs=("a", "b"))
    contents = [
        (b"x", b"y", b"z"), (b"xy", b"", b"z"), (b"x", b"yz", b""), (b"", b"x", b"yz"), (b"x\0a\x001\0y", b"y", b"z"),
    ]  # fmt: skip
    digests = {result_digest(stdout, {"a": a, "b": b}, workload) for stdout, a, b in contents}
    assert len(digests) == len(contents)


@pytest.mark.parametrize(
    ("drop", "stdout", "counts"),
    [
        ((), b"time: 3\nresult\n", b"time: 3\nresult\n"),
        ((r"^time: \d+$",), b"time: 3\nresult\ntime: 17\n", b"result\n"),
        ((r"^time: \d+$",), b"a time: 3\ntime: x\n", b"a time: 3\ntime: x\n"),
        ((r"time", r"^date"), b"some time\ndate\nresult", b"result"),
        ((r"^\s*$",), b"a\n\n \nb\n", b"a\nb\n"),
        (("ü",), "größe\nübel\n".encode(), "größe\n".encode()),
        ((r"\xff",), b"\xff\xfe\nresult\n", b"result\n"),
    ],
)
def test_dropped_lines_do_not_count(drop: tuple[str, ...], stdout: bytes, counts: bytes) -> None:
    plain = ready()
    assert result_digest(stdout, {}, ready(drop=drop)) == result_digest(counts, {}, plain)
    if stdout != counts:
        assert result_digest(stdout, {}, plain) != result_digest(counts, {}, plain)


@targets
def test_standard_error_counts_where_the_workload_says_so(target: Target, programs: Programs, sandbox: Sandbox) -> None:
    program = programs(target)
    said = ready("exit", "3", exit=3, stderr=True)
    assert digest(program, said, sandbox) == result_digest(b"", {}, said, b"last words\n")
    assert digest(program, said, sandbox) != result_digest(b"", {}, said)
    unsaid = ready("exit", "3", exit=3)
    assert digest(program, unsaid, sandbox) == result_digest(b"", {}, unsaid, b"other words\n")


def test_standard_error_is_filtered_and_does_not_run_into_the_rest() -> None:
    workload = ready(stderr=True, drop=("^took",))
    assert result_digest(b"a\n", {}, workload, b"took 3\nx\n") == result_digest(b"took 4\na\n", {}, workload, b"x\n")
    pairs = [(b"ab", b""), (b"a", b"b"), (b"", b"ab"), (b"a\0\0stderr\0", b"b"), (b"a\0\0stderr\0b", b"")]
    assert len({result_digest(out, {}, ready(stderr=True), err) for out, err in pairs}) == len(pairs)


@targets
def test_filtered_output_of_a_real_run(target: Target, programs: Programs, sandbox: Sandbox) -> None:
    program = programs(target)
    drop = (r"^took ",)
    one = digest(program, ready("print", "took 3 s\n42\n", drop=drop), sandbox)
    assert one == digest(program, ready("print", "42\ntook 4 s\n", drop=drop), sandbox)
    assert one != digest(program, ready("print", "43\ntook 3 s\n", drop=drop), sandbox)
