"""Scripts that the harness prints, from rows and suites whose names hold commands: none of these runs."""

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from harness.base.errors import UsageError
from harness.base.vocabulary import Origin
from harness.problems.instances.files import instance_content, load_instance
from harness.problems.instances.replay import judging_script
from harness.problems.instances.suite import load_instances
from harness.problems.programs import script
from harness.problems.programs.recorded import program_of
from harness.problems.programs.script import comment, repro_script
from harness.problems.sharding.domain import Sharding
from harness.problems.sharding.evaluate import evaluate
from harness.record import Header, Row, RunFile
from harness.sandbox.bench import Bench
from harness.suite.model import Part, Source
from tests.drive import TINY, User
from tests.programs import own_program

DOMAIN = Sharding()

NAMES = [
    "a\ntouch {canary}\n",
    "a\r\ntouch {canary}",
    "$(touch {canary})",
    "`touch {canary}`",
    "'; touch {canary}; '",
    '"; touch {canary}; "',
    "a\u2028touch {canary}",
    "END_OF_PROGRAM\ntouch {canary}",
    "{{canary}} {0} %s",
]


def run_up_to_tools(text: str, folder: Path) -> None:
    """The script in an empty folder, with no LLVM there: it stops at the first command that it may run."""
    (folder / "script.sh").write_text(text)
    subprocess.run(
        ["/bin/sh", "script.sh", "built"], cwd=folder, env={"PATH": "/usr/bin:/bin", "LLVM": "/nonexistent"},
        capture_output=True, timeout=60, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip


@pytest.mark.parametrize("pattern", NAMES)
def test_a_comment_is_one_line(pattern: str, tmp_path: Path) -> None:
    line = comment(pattern.replace("{canary}", str(tmp_path / "canary")))
    assert line.splitlines() == [line]
    assert line.startswith("# ")


@pytest.mark.parametrize("pattern", NAMES)
def test_names_in_rows_run_nothing(tiny: User, tmp_path: Path, pattern: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows with such names are refused when they are read; the script does not rely on it."""
    (run,) = tiny.runs()
    evil = pattern.replace("{canary}", str(tmp_path / "canary"))
    row = next(r for r in run.rows if r.object_digest)
    program = program_of(run, row.benchmark, str(TINY))
    monkeypatch.setattr(script, "program_of", lambda *_: program)
    header = Header.model_construct(**{**dict(run.header), "run": evil, "llvm_version": evil, "suite_version": evil})
    forged = RunFile(run.path, header, run.rows)
    for fields in (
        {"policy": evil},
        {"policy": evil, "frozen_digest": f"0 {evil}"},
        {"object_digest": evil, "frozen_digest": evil},
    ):
        text = repro_script(forged, Row.model_construct(**{**dict(row), **fields}), tiny.results, str(TINY))
        run_up_to_tools(text, tmp_path)
        run_up_to_tools(text.replace('"$LLVM"/', "true "), tmp_path)  # as if every tool had done its work
        assert not (tmp_path / "canary").exists()


@pytest.mark.parametrize("pattern", NAMES)
def test_names_of_tarballs_run_nothing(
    tiny: User, tmp_path: Path, pattern: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A suite with such names is refused when it is read; the script does not rely on that either."""
    (run,) = tiny.runs()
    row = next(r for r in run.rows if r.object_digest)
    evil = pattern.replace("{canary}", str(tmp_path / "canary"))
    named = {"package": evil, "version": evil, "tarball": evil, "sha256": evil}
    source = Source.model_construct(
        **named, origin=Origin.DEBIAN, overlay=None, build=None, parts=(Part.model_construct(**named, folder=evil),)
    )
    program = replace(program_of(run, row.benchmark, str(TINY)), source=source)
    monkeypatch.setattr(script, "program_of", lambda *_: program)
    text = repro_script(run, row, tiny.results, str(TINY))
    run_up_to_tools(text, tmp_path)
    for stop, on in (('"$LLVM"/', "true "), ("set -eu", "set -u"), ("exit 1", "true"), ("tar --extract", "true")):
        assert stop in text
        text = text.replace(stop, on)
    run_up_to_tools(text, tmp_path)  # as if the tarballs were there, and those that were pinned
    assert not (tmp_path / "canary").exists()


def test_names_and_contents_of_sources_run_nothing(tiny: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They stand in the script itself, and come out of it as they were."""
    (run,) = tiny.runs()
    row = next(r for r in run.rows if r.object_digest)
    names = [
        "$(touch canary).h",
        "`touch canary`.h",
        "'; touch canary; '.h",
        '"; touch canary; ".h',
        "a b;touch canary.h",
    ]
    contents = [
        "END_OF_FILE\ntouch canary\n",
        "$(touch canary)\r\n",
        "END_OF_FILE_\nEND_OF_FILE\ntouch canary",
        "",
        "\n",
    ]
    files = dict(zip(names, contents, strict=True))
    program = own_program(tmp_path / "suite", {"main.c": "int main(void) { return 0; }\n", **files})
    monkeypatch.setattr(script, "program_of", lambda *_: program)
    run_up_to_tools(repro_script(run, row, tiny.results, str(TINY)), tmp_path)
    assert not list(tmp_path.rglob("canary"))
    written = {name: (tmp_path / "built" / "source" / name).read_bytes().decode() for name in names}
    assert written == {name: text if not text or text.endswith("\n") else f"{text}\n" for name, text in files.items()}


@pytest.mark.parametrize(("content", "why"), [(b"int x; // \0\n", "has a zero byte"), (b"// \xff\n", "not UTF-8 text")])
def test_a_source_that_no_script_can_hold_is_refused(
    content: bytes, why: str, tiny: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (run,) = tiny.runs()
    row = next(r for r in run.rows if r.object_digest)
    program = own_program(tmp_path / "suite", {"main.c": content})
    monkeypatch.setattr(script, "program_of", lambda *_: program)
    with pytest.raises(UsageError, match=why) as raised:
        repro_script(run, row, tiny.results, str(TINY))
    assert raised.value.where == str(program.folder / "src" / "main.c")


@pytest.mark.parametrize("pattern", NAMES)
def test_names_in_solvers_rows_run_nothing(
    bench: Bench, tiny: User, tmp_path: Path, pattern: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from harness.apply.decisions import Decisions
    from harness.problems.instances import replay

    listed = load_instances(DOMAIN, "iopddl").choose(["chain-4"])[0]
    evil = pattern.replace("{canary}", str(tmp_path / "canary"))
    entry = listed.entry.model_copy(update={"file": evil, "name": evil})
    evil_instance = type(listed)(**{**vars(listed), "entry": entry, "suite": evil})
    content = instance_content(listed, bench.store)
    instance = load_instance(listed, bench.store)
    assignment = [0] * instance.nodes
    monkeypatch.setattr(replay, "instance_of", lambda *_: evil_instance)
    monkeypatch.setattr(replay, "instance_content", lambda *_: content)
    monkeypatch.setattr(replay, "load_decisions", lambda *_: Decisions("sharding", None, {"assignment": assignment}))
    (run,) = tiny.runs()
    cost = evaluate(instance, assignment)
    row = Row.model_construct(**{**dict(run.rows[0]), "policy": evil, "metric": "cost", "value": cost,
                                 "decisions_digest": "0" * 64})  # fmt: skip
    header = Header.model_construct(**{**dict(run.header), "run": evil})
    text = judging_script(DOMAIN, RunFile(run.path, header, (row,)), row, bench)
    run_up_to_tools(text, tmp_path)
    assert not (tmp_path / "canary").exists()
    (tmp_path / "instance").write_bytes(content)
    done = subprocess.run(
        ["/bin/sh", "script.sh", "instance"], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout.startswith(f"cost {cost} "), "it still judges"
    assert not (tmp_path / "canary").exists()
