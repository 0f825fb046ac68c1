"""What stands in the way of a submission before anything of it is run."""

import os
import re
import shutil
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from harness.base.paths import SUBMISSIONS
from harness.checks.submission.claims import read_claims
from harness.checks.submission.findings import Code, Finding
from harness.checks.submission.folder import faults_of_folder, faults_of_manifest
from harness.checks.submission.hidden import faults_of_text
from harness.policy.load import read_policy
from harness.policy.templates import all_templates
from tests.drive import ROOT, write_policy
from tests.ordinary import is_root

NOBODY = 65534
RULES = (ROOT / "docs" / "submission-rules.md").read_text()


def codes(findings: list[Finding]) -> list[Code]:
    return [finding.code for finding in findings]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_policy(tmp_path / "mine", "default<Oz>\n")


def test_every_code_is_explained_and_no_other() -> None:
    explained = re.findall(r"^### (V\d+)\n\n\*(\w+)\.\*", RULES, re.MULTILINE)
    assert explained == [(code.value, Finding(code, "", "").severity.capitalize()) for code in Code]


def test_an_honest_folder_has_no_fault(folder: Path) -> None:
    (folder / "README.md").write_text("What it does.")
    (folder / "claims").mkdir()
    assert faults_of_folder(folder) == []
    assert faults_of_manifest(read_policy(folder)) == []


def test_without_a_manifest_there_is_no_submission(tmp_path: Path) -> None:
    assert codes(faults_of_folder(tmp_path)) == [Code.NO_SUBMISSION]


@contextmanager
def as_nobody() -> Iterator[None]:
    """As another user where it is root, who may read everything."""
    if not is_root():
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.parametrize(
    ("name", "mode", "where"),
    [
        ("mine/notes", 0o000, "notes"),
        ("mine/notes", 0o444, "notes/within"),
        ("mine", 0o000, "submission.toml"),
        ("", 0, "/mine"),
    ],
)
def test_what_cannot_be_read_is_said(name: str, mode: int, where: str) -> None:
    """A folder in it, one whose files nobody may look at, its own, and the one above."""
    with TemporaryDirectory() as place:  # nobody gets through pytest's own folders
        Path(place).chmod(0o755)
        folder = write_policy(Path(place) / "mine", "default<Oz>\n")
        folder.chmod(0o755)
        (folder / "notes").mkdir()
        (folder / "notes" / "within").write_text("")
        assert faults_of_folder(folder) == []
        closed = Path(place) / name
        closed.chmod(mode)
        with as_nobody():
            (finding,) = faults_of_folder(folder)
        closed.chmod(0o755)
    assert finding.code is Code.UNREADABLE and finding.what == "cannot be read: Permission denied"
    assert finding.where == where.replace("/mine", str(folder))


def copied(folder: Path, problem: str, form: str) -> Path:
    """What ``harness new`` writes, under the folder's name."""
    shutil.copytree(all_templates()[problem, form].folder, folder)
    manifest = folder / "submission.toml"
    manifest.write_text(manifest.read_text().replace("NAME", folder.name))
    return folder


def link(folder: Path) -> None:
    (folder / "other").symlink_to("/etc/passwd")


def link_to_a_folder(folder: Path) -> None:
    (folder / "other").symlink_to("/")


def pipe(folder: Path) -> None:
    os.mkfifo(folder / "pipe")


def bound_socket(folder: Path) -> None:
    here = Path.cwd()
    os.chdir(folder)  # a socket's path has hardly a hundred characters
    try:
        with socket.socket(socket.AF_UNIX) as one:
            one.bind("socket")
    finally:
        os.chdir(here)


def named(name: str) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        (folder / name).write_text("")

    return make


def cases(folder: Path) -> None:
    (folder / "Notes").write_text("")
    (folder / "notes").write_text("")


def deep(folder: Path) -> None:
    (folder / "a/b/c/d/e").mkdir(parents=True)


def many(folder: Path) -> None:
    for number in range(300):
        (folder / f"file{number}").write_text("")


def many_in_folders(folder: Path) -> None:
    for number in range(20):
        for other in range(20):
            (folder / f"{number}/{other}").mkdir(parents=True)


def large(folder: Path) -> None:
    with (folder / "large").open("wb") as file:
        file.truncate(200 << 20)


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (link, Code.LINK),
        (link_to_a_folder, Code.LINK),
        (pipe, Code.SPECIAL_FILE),
        (bound_socket, Code.SPECIAL_FILE),
        (named(".hidden"), Code.FILE_NAME),
        (named("-rf"), Code.FILE_NAME),
        (named("a\u202eb.txt"), Code.FILE_NAME),
        (named("a\nb"), Code.FILE_NAME),
        (named("a b"), Code.FILE_NAME),
        (named("müller.txt"), Code.FILE_NAME),
        (named("x" * 120), Code.FILE_NAME),
        (named("a."), Code.FILE_NAME),
        (cases, Code.FILE_NAME),
        (deep, Code.FILE_NAME),
        (many, Code.TOO_MUCH),
        (many_in_folders, Code.TOO_MUCH),
        (large, Code.TOO_MUCH),
    ],
)
def test_what_no_folder_may_have(make: Callable[[Path], None], code: Code, folder: Path) -> None:
    make(folder)
    findings = faults_of_folder(folder)
    assert set(codes(findings)) == {code}
    assert all(finding.where.isprintable() and finding.what.isprintable() for finding in findings)


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        (r'licence = ".*"', 'licence = "whatever"', Code.LICENCE),
        (r'licence = ".*"', 'licence = "LicenseRef-mine"', Code.LICENCE),
        (r'licence = ".*"', 'licence = "MIT OR LicenseRef-mine"', Code.LICENCE),
        (r"authors = .*", 'authors = ["Your Name"]', Code.TEMPLATE_WORDS),
    ],
)
def test_what_no_manifest_may_say(old: str, new: str, code: Code, folder: Path) -> None:
    manifest = folder / "submission.toml"
    changed, count = re.subn(old, new, manifest.read_text())
    manifest.write_text(changed)
    assert count == 1
    assert codes(faults_of_manifest(read_policy(folder))) == [code]


def test_a_file_that_nothing_names_is_said(folder: Path) -> None:
    (folder / "notes").mkdir()
    (folder / "notes" / "more.bin").write_bytes(b"\0")
    assert [(one.code, one.where) for one in faults_of_manifest(read_policy(folder))] == [
        (Code.UNNAMED_FILE, "notes/more.bin")
    ]


def test_a_file_in_the_place_of_the_claims_is_said(folder: Path) -> None:
    (folder / "claims").write_bytes(os.urandom(1 << 20))
    assert [(one.code, one.where) for one in faults_of_manifest(read_policy(folder))] == [(Code.UNNAMED_FILE, "claims")]


@pytest.mark.parametrize(
    "name",
    [
        "decisions/payload.bin",
        f"decisions/{'0' * 64}.zst",
        "x.lines",
        "SHA256SUMS",
        "official.jsonl",
        "allowed_signers",
        "more/x.trajectories.parquet",
    ],
)
def test_nothing_hides_among_the_claims(name: str, folder: Path) -> None:
    file = folder / "claims" / name
    file.parent.mkdir(parents=True)
    file.write_bytes(os.urandom(1 << 20))
    claims, findings = read_claims(read_policy(folder))
    assert claims == [] and [(one.code, one.where) for one in findings] == [(Code.CLAIM_UNREADABLE, f"claims/{name}")]


@pytest.mark.parametrize("name", sorted(path.name for path in SUBMISSIONS.iterdir() if path.is_dir()))
def test_what_ships_keeps_the_rules(name: str) -> None:
    folder = SUBMISSIONS / name
    assert faults_of_folder(folder) == []
    assert faults_of_manifest(read_policy(folder)) == []
    assert faults_of_text(read_policy(folder)) == []


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("# Nothing else.\rmem2reg\ndefault<Oz>\n", r"line 1 has the character \r,"),
        ("# a\n# \u202e egap \u2066\ndefault<Oz>\n", r"line 2 has the character \u202e,"),
        ("default<Oz>\n# an\u200binvisible blank\n", r"line 2 has the character \u200b,"),
        ("default<Oz>\x0b\n", r"line 1 has the character \x0b,"),
    ],
)
def test_what_no_reader_would_see(text: str, what: str, folder: Path) -> None:
    (folder / "passes.txt").write_bytes(text.encode())
    (finding,) = faults_of_text(read_policy(folder))
    assert finding.code is Code.HIDDEN_TEXT and finding.where == "passes.txt"
    assert finding.what.startswith(what) and finding.what.isprintable()


def test_what_every_reader_sees(folder: Path) -> None:
    (folder / "passes.txt").write_bytes("# coding: latin-1; ä, 中, ‘’ and \t tabs\r\ndefault<Oz>\r\n".encode())
    assert faults_of_text(read_policy(folder)) == []


def test_what_is_hidden_in_a_manifest(folder: Path) -> None:
    manifest = folder / "submission.toml"
    manifest.write_text(manifest.read_text() + "# \u202e backwards\n")
    assert [finding.where for finding in faults_of_text(read_policy(folder))] == ["submission.toml"]


@pytest.mark.parametrize(
    ("name", "text", "what"),
    [
        ("README.md", "# Mine\n\u202e egap \u2066\n", r"line 2 has the character \u202e,"),
        ("Readme", "one\x1b[2Jtwo\n", r"line 1 has the character \x1b,"),
        ("LICENSE.txt", "\ufeffMIT\n", r"line 1 has the character \ufeff,"),
        ("make_model.py", "# coding: utf-7\n", "line 1 says that it is encoded as utf-7"),
        ("make_model.py", "print() # \u2067 done\n", r"line 1 has the character \u2067,"),
    ],
)
def test_what_is_hidden_in_what_people_read_beside_it(name: str, text: str, what: str, folder: Path) -> None:
    (folder / name).write_text(text)
    (finding,) = faults_of_text(read_policy(folder))
    assert finding.code is Code.HIDDEN_TEXT and finding.where == name
    assert finding.what.startswith(what) and finding.what.isprintable()


def test_what_people_read_beside_it_may_be_any_plain_text(folder: Path) -> None:
    (folder / "COPYING").write_text("GNU GENERAL PUBLIC LICENSE\n\x0c\nVersion 2 – ‘free’\n")
    (folder / "README.md").write_bytes(b"# coding: utf-7 is what this text is about\r\n")
    (folder / "README").write_text("Small \u2764\ufe0f and fast \U0001f469\u200d\U0001f4bb\n")
    (folder / "notice").mkdir()
    assert faults_of_text(read_policy(folder)) == []
    (folder / "README.md").write_bytes(b"x" * (2 << 20))
    (finding,) = faults_of_text(read_policy(folder))
    assert finding.code is Code.UNREADABLE and finding.where == "README.md"


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("# coding: unicode_escape", "line 1 says that it is encoded as unicode_escape"),
        ("# -*- coding: utf-7 -*-", "line 1 says that it is encoded as utf-7"),
        ("# coding: utf8", ""),
        ("# vim: set fileencoding=utf-8 :", ""),
    ],
)
def test_what_python_can_be_written_in(line: str, says: str, tmp_path: Path) -> None:
    folder = copied(tmp_path / "mine", "inlining", "python")
    policy = folder / "policy.py"
    policy.write_text(f"{line}\n{policy.read_text()}")
    assert [finding.what for finding in faults_of_text(read_policy(folder))] == ([says] if says else [])
