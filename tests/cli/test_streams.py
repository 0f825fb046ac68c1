"""Terminals and devices that are not as one would have them: a message or another spelling, never a traceback."""

import subprocess
import sys
from pathlib import Path

import pytest

from harness.base.text import is_printable
from harness.cli.output import Column, Format, emit
from tests.drive import ROOT, User, write_policy

START = "import sys; from harness.cli import main; sys.argv[0] = 'harness'; main()"


def shell(words: str, redirected: str, user: User, **environment: str) -> "subprocess.CompletedProcess[bytes]":
    command = f'exec {sys.executable} -c "{START}" {words} {redirected}'
    return subprocess.run(
        ["/bin/sh", "-c", command], cwd=ROOT, env=user.environment(**environment), capture_output=True, timeout=120,
        check=False,
    )  # fmt: skip


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> User:
    return User.at(tmp_path_factory.mktemp("streams"))


@pytest.mark.parametrize("words", ["policies", "policies --json", "suites show polybench --csv", "schema row"])
def test_a_full_device_is_an_error_message(user: User, words: str) -> None:
    done = shell(words, "> /dev/full", user)
    assert done.returncode == 3
    assert done.stderr.decode().splitlines()[0] == "error: standard output: cannot be used: No space left on device"
    assert b"Traceback" not in done.stderr
    assert b"Exception ignored" not in done.stderr


def test_a_full_error_device_changes_no_exit_code(user: User) -> None:
    assert shell("suites nosuch", "2> /dev/full", user).returncode == 2
    assert shell("policies", "2> /dev/full", user).returncode == 0


def test_closed_streams_are_no_traceback(user: User) -> None:
    done = shell("suites nosuch", "2>&-", user)
    assert (done.returncode, done.stdout) == (2, b""), "an error may not turn up among the results"
    done = shell("policies", ">&-", user)
    assert b"Traceback" not in done.stderr
    assert done.returncode == 0


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_any_encoding_can_print_a_table(user: User, encoding: str) -> None:
    done = shell("policies", "", user, PYTHONIOENCODING=encoding)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.decode(encoding).splitlines()
    rule = next(line for line in lines if set(line) <= {"-", "─", " "} and line)
    assert ("─" in rule) == (encoding == "utf-8")
    assert "worth-its-bytes" in done.stdout.decode(encoding)


def test_a_policy_says_nothing_to_the_terminal(user: User, tmp_path: Path) -> None:
    """Its folder's name, its manifest's fields: all with escape sequences, all refused with visible text."""
    folder = write_policy(tmp_path / "loud", "mem2reg\n")
    manifest = folder / "submission.toml"
    text = manifest.read_text()
    bad = "\\u001b[2Jgone\\u202e"
    for field, value in (("version", f'"{bad}"'), ("authors", f'["{bad}"]'), ("description", f'"{bad}"'),
                         ("licence", f'"{bad}"'), ("links", '["javascript:alert(1)"]')):  # fmt: skip
        lines = [line for line in text.splitlines() if not line.startswith(f"{field} =")]
        head = lines.index(next(line for line in lines if line.startswith("name")))
        manifest.write_text("\n".join([*lines[: head + 1], f"{field} = {value}", *lines[head + 1 :], ""]))
        answer = user.harness("run", "--suite", "polybench", "--policy", folder, "--dry-run")
        answer.refused(2, field)
        assert "\x1b" not in answer.err
        assert "\u202e" not in answer.err


@pytest.mark.parametrize("format_", Format)
def test_what_a_record_holds_does_nothing(format_: Format, capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever has come that far: no escape sequence is printed, and a line of a table is one line."""
    emit([{"name": "a\x1b[2J\u202e\nerror: forged"}], [Column("NAME", "name")], format_)
    shown = capsys.readouterr().out
    assert is_printable(shown, lines=True) and "error: forged" in shown
    if format_ is Format.TABLE:
        assert shown.splitlines()[0] == "NAME" and len(shown.splitlines()) == 3


def test_a_file_with_a_loud_name_is_named_in_visible_letters(user: User) -> None:
    user.results.mkdir(parents=True, exist_ok=True)
    (user.results / "a\x1b[2J\n\u202eb.txt").write_text("")
    answer = user.harness("leaderboard")
    assert "\x1b" not in answer.err
    assert "\\x1b[2J" in answer.err
